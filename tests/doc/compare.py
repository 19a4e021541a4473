#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compare.py ROOT WHAT: compares the manual with the lists in the code.

WHAT is options, exits or fields.  Prints each difference and exits 1 when
there is one.  The code's lists (options.def, err.c, report.def, and the
report's schema) are read as text, the manual as mdoc, each in its own way, so
that neither can vouch for itself.
"""
import json
import os
import re
import sys

PAGES = {'ankput': 'PUT', 'ankget': 'GET', 'ankbreaker': 'STATE'}
OPTION = re.compile(
    r'OPT\((\w+), (0|\'.\'), "([^"]+)", (\w+),\s*(NULL|"[^"]*"), '
    r'(NULL|"[^"]*"), (\w+),')
FIELD = re.compile(r'FIELD\(\w+, "(\w+)", (\w+),\s*"(\w+)"\)')
EVENTS = {'A': 'attempt', 'W': 'wait', 'B': 'breaker', 'G': 'warning',
          'R': 'result'}


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def pages(root):
    """(program, text) of each manual page that is there."""
    for name in PAGES:
        path = f'man/{name}.1'
        if os.path.exists(os.path.join(root, path)):
            yield name, read(root, path)


def text_or_none(word):
    return None if word == 'NULL' else word.strip('"')


def listed_options(root, program):
    """{long name: (short, argument, default, variable)} of options.def."""
    found = {}
    for _, short, name, kind, arg, default, programs in OPTION.findall(
            read(root, 'src/cli/options.def')):
        here = {'BOTH': ('PUT', 'GET'), 'ALL': ('PUT', 'GET', 'STATE')}.get(
            programs, (programs,))
        if PAGES[program] not in here:
            continue
        variable = None
        if kind not in ('NOENV_FLAG', 'HELP'):
            variable = 'ANK_' + name.upper().replace('-', '_')
        found[name] = (None if short == '0' else short[1], text_or_none(arg),
                       text_or_none(default), variable)
    return found


def manual_options(page):
    """The same of a manual page's OPTIONS."""
    found = {}
    body = re.search(r'\.Sh OPTIONS\n(.*?)\n\.Sh ', page, re.S).group(1)
    for item in re.split(r'^\.It ', body, flags=re.M)[1:]:
        head, _, rest = item.partition('\n')
        short = re.match(r'Fl (\S) , ', head)
        name = re.search(r'Fl -(\S+)', head).group(1)
        arg = re.search(r'Ar (\S+)$', head)
        default = re.search(r'^The default is\n\.Cm (\S+)', rest, re.M)
        variable = re.search(r'^\.Pq Ev (\S+)', rest, re.M)
        found[name] = tuple(m.group(1) if m else None
                            for m in (short, arg, default, variable))
    return found


def compare(where, code, manual):
    for name in sorted(set(code) | set(manual)):
        if code.get(name) != manual.get(name):
            yield (f'{where}: {name}: the code has {code.get(name)}, '
                   f'the manual {manual.get(name)}')


def options(root):
    seen = {}
    for name, page in pages(root):
        yield from compare(name, listed_options(root, name),
                           manual_options(page))
        for item in re.split(r'^\.It ', page, flags=re.M)[1:]:
            head, _, text = item.partition('\n')
            text = re.split(r'^\.(El|Ss|Sh)', text, flags=re.M)[0]
            if head.startswith('Fl ') and name != 'ankbreaker':
                if seen.setdefault(head, text) != text:
                    yield f'{name}: {head}: another text than in another page'


def listed_exits(root):
    """{status: {names}} of err.c's table."""
    found = {}
    for name, status in re.findall(r'\{"(\w+)", (\d+)\}',
                                   read(root, 'src/base/err.c')):
        found.setdefault(int(status), set()).add(name)
    return found


def manual_exits(page):
    body = re.search(r'\.Sh EXIT STATUS\n(.*?)\n\.Sh ', page, re.S).group(1)
    return {int(status): set(names.split(', ')) for status, names in
            re.findall(r'^\.It (\d+)(?:\+n)?\n\.Pq Cm (.*)$', body, re.M)}


def exits(root):
    """Statuses whose work is not built in yet may be missing from a page."""
    code = listed_exits(root)
    for name, page in pages(root):
        manual = manual_exits(page)
        for status, names in sorted(manual.items()):
            if code.get(status) != names:
                yield (f'{name}: {status}: the code has {code.get(status)}, '
                       f'the manual {names}')
        for status in sorted(set(code) - set(manual) - NOT_YET[name]):
            yield f'{name}: {status} is not in the manual'


# Statuses that no run of the program can end with.
NOT_YET = {'ankput': {12, 14}, 'ankget': {12, 14},
           'ankbreaker': {1, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 128}}


def listed_fields(root):
    found = {}
    for name, kind, letters in FIELD.findall(read(root,
                                                  'src/flow/report.def')):
        for letter in letters:
            found.setdefault(EVENTS[letter], {})[name] = kind
    return found


def manual_fields(page):
    found = {}
    body = re.search(r'\.Sh REPORT LINES\n(.*?)\n\.Sh ', page, re.S).group(1)
    for part in re.split(r'^\.Ss ', body, flags=re.M)[1:]:
        event, _, rest = part.partition('\n')
        found[event] = set(re.findall(r'^\.It Cm (\w+)', rest, re.M))
    return found


def schema_fields(root):
    """{event: {field: schema}} of man/ank-report.schema.json."""
    schema = json.loads(read(root, 'man/ank-report.schema.json'))
    found = {}
    for part in schema['$defs'].values():
        event = part.get('properties', {}).get('event', {}).get('const')
        if event:
            found[event] = part['properties']
    return found


def fields(root):
    code, schema = listed_fields(root), schema_fields(root)
    for event, names in code.items():
        for name in sorted(set(names) - set(schema.get(event, {}))):
            yield f'schema: {event}: {name} is missing'
    for page_name, page in pages(root):
        if page_name == 'ankbreaker':
            continue
        manual = manual_fields(page)
        for event in sorted(set(code) | set(manual)):
            want = set(code.get(event, {}))
            for name in sorted(want ^ manual.get(event, set())):
                side = 'the manual' if name in want else 'the code'
                yield f'{page_name}: {event}: {name} is missing from {side}'


def main(root, what):
    findings = list({'options': options, 'exits': exits,
                     'fields': fields}[what](root))
    print('\n'.join(findings), end='\n' if findings else '')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
