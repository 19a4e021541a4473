#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compare.py ROOT WHAT: compares the manual with the lists in the code.

WHAT is options, environment, exits, fields, words, sections or breaker, or
help, which reads what `PROGRAM --help` prints: compare.py ROOT help PROGRAM FILE.  Prints
each difference and exits 1 when there is one.  The code's lists (options.def,
err.c, report.def, the lines that fill in a report, the report's schema, and
what ankbreaker prints) are read as text, the manual as mdoc, each in its own way, so that neither can
vouch for itself.
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
        if kind not in ('NOENV_FLAG', 'HELP', 'SHELL'):
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


def environment(root):
    """Variables that belong to no option; libcurl reads those of proxies."""
    code = set(re.findall(r'"((?:[A-Z]+_)+(?:DIRECTORY|HOME|FILE|BUNDLE|URL|'
                          r'S3|URLS|REGION|PROFILE|ID|KEY|TOKEN|STRING|ACCOUNT|'
                          r'MODE|CONFIG|HOST)|HOME|TMPDIR|(?:OCI|AWS|AZURE|GOOGLE|GCE|'
                          r'IDENTITY|XDG)_[A-Z0-9_]+|METADATA_SERVER_DETECTION|'
                          r'NO_GCE_CHECK)"',
                          ''.join(sources(root, 'io', 'cli'))))
    for name, page in pages(root):
        body = re.search(r'\.Sh ENVIRONMENT\n(.*?)\n\.Sh ', page, re.S)
        told = {word for line in re.findall(r'^\.It (Ev .*)$', body.group(1),
                                            re.M)
                for word in re.findall(r'Ev (\w+)', line)}
        told = {word for word in told if not word.endswith('_proxy')}
        if name == 'ankbreaker':
            # It needs no keys and sends nothing.
            told |= {word for word in code if re.search(
                r'_(BUNDLE|KEY|ID|TOKEN|CREDENTIALS_FILE|CERT_FILE|'
                r'TOKEN_FILE|ACCOUNT|MODE|TENANCY|USER|FINGERPRINT|'
                r'PASSPHRASE|AUTH|ROLE_\w+|METADATA_\w+|URL_ST[SO]|URL_SSO|'
                r'\w+_URI|HEADER|SECRET|XDG_CACHE_HOME|RUNTIME_DIR)|^BOTO_|'
                r'^GCE_|^GOOGLE_|^NO_GCE|^METADATA|^IDENTITY|^XDG_CACHE|'
                r'^CLOUDSDK|^AZURE_|^TMPDIR|^ANK_URL|^OCI_METADATA_BASE|'
                r'^OCI_SDK_AUTH|^OCI_RESOURCE_PRINCIPAL_[PRV](?!EGION)', word)}
        yield from differ(name, {'variables': code}, {'variables': told},
                          'the code', 'the manual')


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


def schema_exits(root):
    """The same of the schema's pairs of exit and outcome."""
    found = {}
    for pair in definitions(root)['result']['oneOf']:
        status, outcome = (pair['properties'][n] for n in ('exit', 'outcome'))
        number = status.get('const', status.get('minimum', 0) - 1)
        found[number] = set(outcome.get('enum', [outcome.get('const')]))
    return found


def exits(root):
    """Statuses whose work is not built in yet may be missing from a page."""
    code = listed_exits(root)
    if schema_exits(root) != code:
        yield f'schema: {schema_exits(root)}, the code has {code}'
    for name, page in pages(root):
        manual = manual_exits(page)
        for status, names in sorted(manual.items()):
            here = code.get(status, set()) - NEVER.get(name, set())
            if here != names:
                yield (f'{name}: {status}: the code has {here}, '
                       f'the manual {names}')
        for status in sorted(set(code) - set(manual) - NOT_YET[name]):
            yield f'{name}: {status} is not in the manual'
        for status in sorted(set(manual) & NOT_YET[name]):
            yield f'{name}: {status}: the manual has it too early'


# Statuses that no run of the program can end with.
NOT_YET = {'ankput': set(), 'ankget': set(),
           'ankbreaker': {5, 7, 8, 9, 10, 11, 12, 13, 14, 15}}

# Outcomes that share a status with another one, but are not the program's.
NEVER = {'ankbreaker': {'not_modified'}}


# Events and fields that report.def or the schema has for work to come.
FIELDS_NOT_YET = {
    'result': {'endpoint'},
}
EVERY_LINE = {'event', 'time', 'run'}


def listed_fields(root):
    """{event: {field}} of report.def."""
    found = {}
    for name, _, letters in FIELD.findall(read(root, 'src/flow/report.def')):
        for letter in letters:
            found.setdefault(EVENTS[letter], set()).add(name)
    return found


def written_fields(root):
    """{event: {field}} of the code that fills in the lines."""
    names = dict(re.findall(r'FIELD\((\w+), "(\w+)"',
                            read(root, 'src/flow/report.def')))
    found = {}
    for event, path in (('attempt', 'src/flow/attempt_tell.c'),
                        ('wait', 'src/flow/admission.c'),
                        ('breaker', 'src/flow/guard.c'),
                        ('result', 'src/flow/summary.c')):
        text = read(root, path)
        found[event] = {names[word] for word in
                        re.findall(r'\bREPORT_(\w+)', text) if word in names}
        if 'report_key(' in text:
            found[event] |= {'key', 'key_b64'}
    calls = re.findall(r'report_(?:warning|note)\([^;{]*?(?:"\w+"|s->why),\s*'
                       r'(\w+)', ''.join(sources(root, 'flow', 'cli')))
    found['warning'] = {'why'} if calls else set()
    if any(file != 'NULL' for file in calls):
        found['warning'].add('file')
    return found


def sources(root, *floors):
    """The text of each C file of some floors."""
    for floor in floors:
        for name in sorted(os.listdir(os.path.join(root, 'src', floor))):
            if name.endswith('.c') and name != 'report.c':
                yield read(root, f'src/{floor}/{name}')


def report_parts(page):
    """(event, mdoc text) of each part of the manual's REPORT LINES."""
    body = re.search(r'\.Sh REPORT LINES\n(.*?)\n\.Sh ', page, re.S).group(1)
    for part in re.split(r'^\.Ss ', body, flags=re.M)[1:]:
        event, _, rest = part.partition('\n')
        yield event, rest


def manual_fields(page):
    return {event: set(re.findall(r'^\.It Cm (\w+)', rest, re.M))
            for event, rest in report_parts(page)}


def definitions(root):
    return json.loads(read(root, 'man/ank-report.schema.json'))['$defs']


def schema_fields(root):
    """{event: {field}} of man/ank-report.schema.json."""
    found = {}
    for part in definitions(root).values():
        event = part.get('properties', {}).get('event', {}).get('const')
        if event:
            found[event] = set(part['properties']) - EVERY_LINE
    return found


def differ(where, one, other, a, b):
    """The names of ONE (A has them) that OTHER (B) has not, and back."""
    for event in sorted(set(one) | set(other)):
        here, there = one.get(event, set()), other.get(event, set())
        for name in sorted(here - there):
            yield f'{where}: {event}: {name}: {a} has it, {b} does not'
        for name in sorted(there - here):
            yield f'{where}: {event}: {name}: {b} has it, {a} does not'


def fields(root):
    written, schema = written_fields(root), schema_fields(root)
    now = {event: names - FIELDS_NOT_YET.get(event, set())
           for event, names in schema.items()}
    now = {event: names for event, names in now.items() if names}
    yield from differ('fields', written, now, 'the code', 'the schema')
    for event, names in listed_fields(root).items():
        for name in sorted(names - schema.get(event, set())):
            yield f'schema: {event}: {name} of report.def is missing'
    for event, names in written.items():
        for name in sorted(names - listed_fields(root).get(event, set())):
            yield f'report.def: {event}: {name} is missing'
    for name, page in pages(root):
        if name != 'ankbreaker':
            yield from differ(name, manual_fields(page), written,
                              'the manual', 'the code')


# Names of the tables that no run of today comes upon.
WORDS_NOT_YET = {'verdict': {'exists', 'cancelled', 'restart', 'settle'},
                 'error': {'none', 'cancelled'}}


def names_of(root, path, table):
    """The strings of one table of names."""
    body = re.search(table + r'[^;]*?= \{(.*?)\};', read(root, path), re.S)
    return set(re.findall(r'= "(\w+)"', body.group(1)))


def listed_words(root):
    """{field: its words} in the code; of `why` those of more than a word."""
    whys = set(re.findall(r'"([a-z]+(?:_[a-z]+)+)"', ''.join(
        read(root, f'src/flow/{name}.c') for name in
        ('engine', 'engine_end', 'admission', 'get', 'get_read', 'ranges',
         'ranges_one', 'put', 'upload', 'upload_end', 'piece', 'settle')) +
        read(root, 'src/policy/retry.c')))
    return {
        'verdict': names_of(root, 'src/policy/verdict.c', 'verdict_names'),
        'error': names_of(root, 'src/policy/verdict.c', 'xport_names'),
        'op': names_of(root, 'src/cloud/provider.c', 'names'),
        'why': whys | set(re.findall(
            r'"((?:journal|partial)_\w+)"', ''.join(
                sources(root, 'flow')))) | set(re.findall(
            r'report_(?:warning|note)\([^;{]*?"(\w+)"',
            ''.join(sources(root, 'flow', 'cli')), re.S)) | set(re.findall(
                r'(?:warn|refuse)\(s, "(\w+)"', read(root, 'src/io/state.c'))),
    }


def item_words(text):
    """The words of an item that lists them: behind the colon, no brackets."""
    text = re.sub(r'\(.*?\)', '', text, flags=re.S).partition(':')[2]
    return set(re.split(r'(?:,| or|\s)+', text.strip()))


def manual_words(page):
    found = {'why': set()}
    for _, rest in report_parts(page):
        for item in re.split(r'^\.It Cm ', rest, flags=re.M)[1:]:
            name, _, text = item.partition('\n')
            text = text.split('\n.')[0]
            if name in ('verdict', 'error', 'op'):
                found[name] = item_words(text)
            elif name in ('why', 'settled'):
                found['why'] |= set(re.findall(
                    r'\b[a-z]+(?:_[a-z]+)+\b|\b(?:insecure|transformed)\b', text))
    return found


def words(root):
    code = {field: names - WORDS_NOT_YET.get(field, set())
            for field, names in listed_words(root).items()}
    attempt = definitions(root)['attempt']['properties']
    verdicts = set(attempt['verdict']['enum']) - WORDS_NOT_YET['verdict']
    yield from differ('words', {'verdict': code['verdict']},
                      {'verdict': verdicts}, 'the code', 'the schema')
    for name, page in pages(root):
        if name != 'ankbreaker':
            yield from differ(name, manual_words(page), code, 'the manual',
                              'the code')


def sections(root):
    """What two pages tell of the same thing they tell in the same words."""
    seen = {}
    for name, page in pages(root):
        for title in ('RETRIES', 'REPORT LINES', 'ENVIRONMENT', 'EXIT STATUS'):
            part = re.search(r'\.Sh %s\n(.*?)\n\.Sh ' % title, page, re.S)
            if name != 'ankbreaker' and seen.setdefault(
                    title, part.group(1)) != part.group(1):
                yield f'{name}: {title}: other words than in another page'


def listed_prints(root):
    """{part of the manual: {name}} of what ankbreaker's code prints."""
    text = read(root, 'src/cli/breaker_show.c')

    def body(start):
        return re.search(re.escape(start) + r'.*?\n}', text, re.S).group()
    table = re.search(r'headings\[COLUMNS\] = \{(.*?)\};', text, re.S).group(1)
    counters = re.search(r'SCOPE_COUNTERS\(X\)(.*?)\n\n',
                         read(root, 'src/policy/scope.h'), re.S).group(1)
    added = r'add_(?:text|time|number|decimal)\(\s*json, "(\w+)"'
    return {
        'Table': set(re.findall(r'"([A-Z-]+)"', table)),
        'JSON of a scope':
            set(re.findall(r'NUMBER\("(\w+)"', body('numbers[] = {'))) |
            set(re.findall(r'X\((\w+)\)', counters)) |
            set(re.findall(added, body('static bool fill('))),
        'Metrics': set(re.findall(
            r'\{"(ank_\w+)"', read(root, 'src/cli/breaker_metrics.c'))),
        'What was changed':
            set(re.findall(added, body('static bool fill_change('))),
    }


def breaker(root):
    """The columns and fields of ankbreaker."""
    page = read(root, 'man/ankbreaker.1')
    body = re.search(r'\.Sh OUTPUT\n(.*?)\n\.Sh ', page, re.S).group(1)
    manual = {}
    for part in re.split(r'^\.Ss ', body, flags=re.M)[1:]:
        title, _, rest = part.partition('\n')
        manual[title] = set(re.findall(r'^\.It Cm (\S+)', rest, re.M))
    yield from differ('ankbreaker', listed_prints(root), manual, 'the code',
                      'the manual')


def help_rows(text):
    """{long name: (short, argument, the help with its default)} of --help."""
    found, name = {}, None
    for line in text.splitlines():
        row = re.match(r' (?:-(\S), |    )--(\S+)(?: (\S+))?(?:  *(.*))?$',
                       line[:31])
        if row:
            name = row.group(2)
            found[name] = [row.group(1), row.group(3), line[31:].strip()]
        elif name and line.startswith(' ' * 31):
            found[name][2] = f'{found[name][2]} {line.strip()}'.strip()
        else:
            name = None
    return {name: tuple(row) for name, row in found.items()}


def compare_help(root, program, path):
    """--help against options.def, whose words the manual need not have."""
    texts = {name: ''.join(re.findall(r'"([^"]*)"', text)) for name, text in
             re.findall(r'OPT\(\w+, \S+, "([^"]+)",[^"]*(?:"[^"]*",?\s*|NULL,\s*'
                        r'|\w+,\s*)*?"[a-z ]+",\s*((?:"[^"]*"\s*)+)\)',
                        read(root, 'src/cli/options.def'))}
    code = {}
    for name, (short, arg, default, _) in listed_options(root,
                                                         program).items():
        told = texts.get(name, '?') + (f' [{default}]' if default else '')
        code[name] = (short, arg, told)
    with open(path, encoding='utf-8') as file:
        printed = help_rows(file.read())
    for name in sorted(set(code) | set(printed)):
        if code.get(name) != printed.get(name):
            yield (f'{program}: {name}: the code has {code.get(name)}, '
                   f'--help {printed.get(name)}')


def main(root, what, *more):
    check = {'options': options, 'environment': environment, 'exits': exits, 'fields': fields,
             'words': words, 'sections': sections, 'breaker': breaker,
             'help': compare_help}[what]
    findings = list(check(root, *more))
    print('\n'.join(findings), end='\n' if findings else '')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
