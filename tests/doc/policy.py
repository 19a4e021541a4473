#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""policy.py ROOT WHAT ANK-TEST [FILE]: compares ank(7) with the program.

WHAT is answers, codes, failures (each row of these tables is asked of
ank-test), refusals, faults, exits, words, or numbers, which reads what
`ankput --explain` said from FILE.  Prints each difference and exits 1 when
there is one.
"""
import re
import subprocess
import sys

import compare

WORTH = {'yes': 'retried', 'no': 'returned', 'done': 'returned',
         'repaired': 'repair'}
MENDS = {'credentials': 'reauth', 'clock': 'reclock', 'region': 'redirect',
         'checksum': 'add_checksum'}
REFUSED = "put {} '' <Error><Code>{}</Code></Error>"
NUMERALS = ('no one two three four five six seven eight nine ten eleven twelve '
            'thirteen fourteen fifteen').split()


class Page:
    """ank(7) and the sources it is compared with."""

    def __init__(self, root, tool, said=None):
        self.root, self.tool, self.said = root, tool, said
        self.text = self.read('man/ank.7')

    def read(self, path):
        return compare.read(self.root, path)

    def section(self, name):
        part = re.search(r'^\.S[hs] %s\n(.*?)(?=^\.S[hs] |\Z)' % name,
                         self.text, re.S | re.M)
        return part.group(1) if part else ''

    def rows(self, name):
        """The cells of a section's table, without its heading."""
        lines = re.findall(r'^\.It (.* Ta.*)$', self.section(name), re.M)
        return [[cell.strip() for cell in line.split('Ta')]
                for line in lines if not line.startswith('Em ')]

    def ask(self, command, inputs):
        """What ank-test answers to each line: its words."""
        run = subprocess.run([self.tool, command], input='\n'.join(inputs) +
                             '\n', capture_output=True, text=True, check=True)
        return [line.split() for line in run.stdout.splitlines()]

    def exit_of(self, outcome):
        for status, names in compare.listed_exits(self.root).items():
            if outcome in names:
                return status
        return None


def number(text):
    """'128+n' and '10' as a number."""
    return int(re.match(r'\d+', text).group())


def expected(page, cells, answer):
    """The differences of a row and what ank-test said."""
    _, then, tally, outcome = answer[:4]
    told = (WORTH.get(cells[1]), cells[2], number(cells[3]))
    done = (then, tally, page.exit_of(outcome))
    if told != done:
        yield f'{cells[0]}: the manual has {told}, the code {done}'


# ---- answers ----

def row_of(rows, status, after):
    """The row that a reader would take for a status."""
    found = {}
    for cells in rows:
        for name in cells[0].removeprefix('other ').split(', '):
            found[name] = cells
    with_after = f'{status} with Retry-After'
    if after and with_after in found:
        return found[with_after]
    return found.get(str(status), found.get(f'{status // 100}xx'))


def told_statuses(page):
    """Statuses that the code has a line of its own for."""
    text = page.read('src/policy/verdict.c')
    for low, high in re.findall(r'\{(\d+), (\d+), \{VERDICT', text):
        if int(high) - int(low) < 10:
            yield from range(int(low), int(high) + 1)
    yield from map(int, re.findall(r'case (\d+):', text))


def answers(page):
    rows = page.rows('Answers')
    asked = [(status, after) for status in range(200, 600)
             for after in (False, True)]
    got = page.ask('verdict', ['http=%d%s' % (s, ' after=yes' if a else '')
                               for s, a in asked])
    for (status, after), answer in zip(asked, got):
        row = row_of(rows, status, after)
        if not row:
            yield f'answers: {status} is not in the manual'
        else:
            for finding in expected(page, row, answer):
                yield f'answers: {status}{" with Retry-After" * after}: {finding}'
    named = re.findall(r'\b\d{3}\b', ' '.join(row[0] for row in rows))
    for status in sorted(set(told_statuses(page)) - set(map(int, named))):
        yield f'answers: {status} has no row of its own'
    for program in ('ankput', 'ankget'):
        yield from sentences(page.read(f'man/{program}.1'), program, rows)


def sentences(text, program, rows):
    """The statuses that a page of a program names are those of the table."""
    for words, column, value in (('The statuses', 1, 'yes'),
                                 ('Failed are', 2, 'failure')):
        told = re.search(r'^%s ([\d, and]+)' % words, text, re.M).group(1)
        table = re.findall(r'\b\d{3}\b', ' '.join(
            row[0] for row in rows if row[column] == value))
        if set(re.findall(r'\d{3}', told)) != set(table):
            yield f'answers: {program}(1): "{words} {told.strip()}"'


# ---- codes and repairs ----

def codes(page):
    rows, mends = page.rows('Codes'), page.rows('Repairs')
    listed = set(re.findall(r'^ *\{"(\w+)", CODE_\w+, NULL\}',
                            page.read('src/cloud/prov_s3.c'), re.M))
    # This one is known by name in asks_for_checksum().
    listed.add('MissingContentMD5')
    named = {row[0] for row in rows + mends if re.match(r'[A-Z]', row[0])}
    yield from compare.differ('codes', {'S3': listed}, {'S3': named},
                              'the code', 'the manual')
    for status in (200, 400, 503):
        got = page.ask('s3-read', [REFUSED.format(status, row[0])
                                   for row in rows])
        for row, answer in zip(rows, got):
            yield from expected(page, row, answer)
    yield from oci_codes(page)
    slow = [answer[0] == 'throttled' for answer in got]
    first = f'The first {NUMERALS[sum(slow)]} ask to slow down'
    if slow != sorted(slow, reverse=True) or first not in page.text:
        yield f'codes: {sum(slow)} ask to slow down'
    for row in mends:
        for finding in mended(page, row):
            yield f'repairs: {row[0]}: {finding}'


def oci_codes(page):
    rows = page.rows('Codes of OCI')
    listed = set(re.findall(r'^ *\{"(\w+)", CODE_(?!REAUTH)\w+, NULL\}',
                            page.read('src/cloud/prov_oci.c'), re.M))
    yield from compare.differ('codes', {'OCI': listed},
                              {'OCI': {row[0] for row in rows}},
                              'the code', 'the manual')
    got = page.ask('oci-read', [f"get 400 '' {{\"code\":\"{row[0]}\"}}"
                                for row in rows])
    for row, answer in zip(rows, got):
        yield from expected(page, row, answer)


def mended(page, row):
    statuses = re.findall(r'\b\d{3}\b', row[0])
    lines = [f'get {status}' for status in statuses] or \
        [REFUSED.format(400, row[0])]
    for answer in page.ask('s3-read', lines):
        if answer[:3] != [MENDS.get(row[1]), 'repair', 'nothing']:
            yield f'the manual has {row[1]}, the code {answer[:3]}'


# ---- below HTTP, refusals, faults ----

def failures(page):
    rows = page.rows('Failures without an answer')
    listed = compare.names_of(page.root, 'src/policy/verdict.c', 'xport_names')
    listed -= compare.WORDS_NOT_YET['error']
    yield from compare.differ('failures', {'error': listed},
                              {'error': {row[0] for row in rows}},
                              'the code', 'the manual')
    known = [row for row in rows if row[0] in listed]
    for row, answer in zip(known, page.ask(
            'verdict', ['xport=' + row[0] for row in known])):
        yield from expected(page, row, answer)


def refusals(page):
    """Their rows are run by policy.bats."""
    listed = set()
    for name in ('get', 'get_read', 'piece'):
        listed |= set(re.findall(r'"([a-z]+(?:_[a-z]+)+)"',
                                 page.read(f'src/flow/{name}.c')))
    rows = {row[0] for row in page.rows('Answers that are not taken')}
    yield from compare.differ('refusals', {'why': listed - {'stdout_closed', 'partial_held'}},
                              {'why': rows}, 'the code', 'the manual')


def faults(page):
    listed = set(re.findall(r'(?:warn|refuse)\(s, "(\w+)"',
                            page.read('src/io/state.c')))
    told = set(re.findall(r'^\.It Cm (\w+)', page.section('THE FILE'), re.M))
    yield from compare.differ('faults', {'why': listed}, {'why': told},
                              'the code', 'the manual')


def exits(page):
    told = compare.manual_exits(page.text)
    for status, names in compare.listed_exits(page.root).items():
        if status not in compare.NOT_YET['ankput'] and told.pop(
                status, None) != names:
            yield f'exits: {status}: the code has {names}'
    for status in told:
        yield f'exits: {status}: the manual alone has it'


# ---- words ----

def words(page):
    """Options, fields and words that the page names are there."""
    options = {}
    for program in compare.PAGES:
        options.update(compare.listed_options(page.root, program))
    short = {row[0] for row in options.values() if row[0]}
    for name in re.findall(r'Fl -([a-z][a-z0-9-]*)', page.text):
        if name not in options:
            yield f'words: there is no option --{name}'
    for name in re.findall(r'Fl ([a-zA-Z0-9]+)', page.text):
        if name not in short:
            yield f'words: there is no option -{name}'
    known = {'ok', 'closed', 'open', 'done', 'retry', 'repair', 'stop',
             'half_open', 'reset', 'trip', 'breaker', 'none'}
    for names in list(compare.schema_fields(page.root).values()) + \
            list(compare.listed_words(page.root).values()) + \
            list(compare.listed_exits(page.root).values()):
        known |= names
    known |= set(compare.schema_fields(page.root)) | compare.EVERY_LINE
    for name in re.findall(r'\bCm ([a-z]+(?:_[a-z]+)+)', page.text):
        if name not in known:
            yield f'words: nothing is called {name}'


# ---- numbers ----

# Rows of NUMBERS that nothing sets: where the code has them.
INNER = {
    'from request to answer':
        ('src/flow/attempt.c', r'FIRST_BYTE_MS = (\d+)'),
    'new bytes that renew retries':
        ('src/flow/engine_end.c', r'gained >= UINT64_C\((1\) << \d+)'),
    'wait of a run that sent':
        ('src/flow/admission.c', r'OPEN_PATIENCE_MS = (\d+)'),
    'spread behind a hold-off':
        ('src/flow/admission.c', r'HOLD_SPREAD_MS = (\d+)'),
    "patience with the file's lock":
        ('src/io/state.c', r'LONGEST_PATIENCE_MS = (\d+)'),
    'endpoints and buckets kept':
        ('src/io/state.h', r'STATE_MAX_SCOPES = (\d+)'),
}

# Names that --explain has for values of options.
EXPLAINED = {
    'retries': r'policy: ank, (\d+) retries',
    'backoff': r'back-off full:([\w,]+)',
    'max-retry-after': r'Retry-After up to (\d+ ms)',
    'timeout-ms': r'small request (\d+ ms|none)',
    'upload-timeout-ms': r'object (\d+ ms|none)',
    'connect-timeout-ms': r'connecting (\d+ ms|none)',
    'stall-timeout': r'stall (\d+ ms|none)',
    'deadline': r'policy: (no) deadline',
}


def amounts(text):
    """'200 ms, 1 s' and '200ms,1s' as [200, 1000], '0.5' as [0.5], none as [0]."""
    units = {'ms': 1, 's': 1000, 'm': 60000, '': 1, 'MiB': 1 << 20}
    return [float(n) * units[unit] for n, unit in
            re.findall(r'([\d.]+) ?(ms|s|m|MiB|)(?![\w.])', text)] or [0]


def shifted(text):
    """'1) << 20' and '256' as a number."""
    low, _, bits = text.replace(')', '').partition(' << ')
    return float(int(low) << int(bits or 0))


def explained(said):
    """{option, or member of --breaker: value} of what --explain said."""
    found = {name: re.search(pattern, said).group(1)
             for name, pattern in EXPLAINED.items()}
    members = re.search(r'^breaker: (failures=.*)$', said, re.M).group(1)
    found.update(('breaker ' + part).split('=')
                 for part in members.split(','))
    return found


def set_numbers(page, rows, said):
    """Numbers that an option sets: the page's, --explain's, --help's."""
    now = explained(said)
    listed = compare.listed_options(page.root, 'ankput')
    for cells in rows:
        name = cells[2].removeprefix('Fl -').replace(' Cm', '')
        default = listed.get(name, (None,) * 4)[2]
        if name in now and amounts(now.pop(name)) != amounts(cells[1]):
            yield f'numbers: {name}: the manual has {cells[1]}'
        if default and amounts(default) != amounts(cells[1]):
            yield f'numbers: {name}: the code has {default}'
        listed.pop(name, None)
    for name in now:
        yield f'numbers: {name} is not in the manual'
    policy = {name for name, entry in re.findall(
        r'^OPT\(\w+, \S+, "([^"]+)",(.*?)\)$',
        page.read('src/cli/options.def'), re.S | re.M)
              if re.search('"(retry|breaker)"', entry)}
    for name, (_, _, default, _) in listed.items():
        if default and name in policy:
            yield f'numbers: {name} is not in the manual'
    put = dict(re.findall(r'^\.Ql (\w+)=(\S+)', page.read('man/ankput.1'),
                          re.M))
    for name, value in explained(said).items():
        member = name.removeprefix('breaker ')
        if member != name and amounts(put.get(member, '')) != amounts(value):
            yield f'numbers: {member}: ankput(1) has {put.get(member)}'


def numbers(page):
    said = compare.read('', page.said)
    rows = page.rows('NUMBERS')
    yield from set_numbers(page, [r for r in rows if len(r) == 3 and r[2]],
                           said)
    inner = {}
    for name, (path, pattern) in INNER.items():
        inner[name] = [shifted(re.search(pattern, page.read(path)).group(1))]
    told = {r[0]: r[1] for r in rows if len(r) < 3 or not r[2]}
    for name in sorted(set(inner) | set(told)):
        if inner.get(name) != amounts(told.get(name, '')):
            yield (f'numbers: {name}: the code has {inner.get(name)}, '
                   f'the manual {told.get(name)}')


def main(root, what, *more):
    check = {'answers': answers, 'codes': codes, 'failures': failures,
             'refusals': refusals, 'faults': faults, 'exits': exits,
             'words': words, 'numbers': numbers}[what]
    findings = list(check(Page(root, *more)))
    print('\n'.join(findings), end='\n' if findings else '')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
