# SPDX-License-Identifier: MIT
"""doors.py ROOT: who may include and call what.

Each door to the outside world belongs to a room or two; some functions are
for nobody.
"""
import os
import re
import sys

import ctext

# A header, up to where it may be longer: who may include it.
HEADERS = {
    'curl/': ['io/http', 'base/uri'],
    'openssl/': ['base/hash'],
    'cjson/': ['cloud/prov_oci', 'cloud/prov_gcs', 'flow/report', 'flow/token',
               'io/credload', 'io/state', 'io/note', 'base/json',
               'cli/breaker_show'],
    'cJSON': ['flow/report', 'flow/token', 'io/credload'],
    'expat': ['base/xml'],
}

CLOCK = ['io/sys', 'tests/fake', 'tests/bench']
SETTINGS = ['cli/opt', 'cli/config', 'cli/cli_secrets', 'io/credload',
            'io/state', 'io/tokens', 'tests/fake']

# A function: who may call it.
CALLS = {
    # clock, sleep and dice: pure rooms are handed them
    'clock_gettime': CLOCK, 'gettimeofday': CLOCK, 'timespec_get': CLOCK,
    'time': CLOCK, 'clock': CLOCK, 'sleep': CLOCK, 'usleep': CLOCK,
    'nanosleep': CLOCK, 'clock_nanosleep': CLOCK, 'alarm': CLOCK,
    'setitimer': CLOCK, 'timer_create': CLOCK, 'getrandom': CLOCK,
    'getentropy': CLOCK, 'arc4random': CLOCK, 'random': CLOCK,
    'lrand48': CLOCK,
    # settings come from one place
    'getenv': SETTINGS, 'secure_getenv': SETTINGS,
    # no bound on what they write
    'strcpy': [], 'stpcpy': [], 'strcat': [], 'sprintf': [], 'vsprintf': [],
    'gets': [], 'strncpy': [], 'strncat': [],
    # numbers: overflow, sign, space and rubbish go unnoticed
    'atoi': [], 'atol': [], 'atoll': [], 'atof': [], 'strtol': [],
    'strtoll': [], 'strtoul': [], 'strtoull': [], 'strtod': [],
    'strtoimax': [], 'strtoumax': [], 'sscanf': [], 'fscanf': [],
    # hidden state, locale or time zone
    'strtok': [], 'gmtime': [], 'localtime': [], 'localtime_r': [],
    'mktime': [], 'ctime': [], 'asctime': [], 'strftime': [],
    'strptime': [], 'setlocale': [], 'rand': [], 'srand': [],
    # letters of the locale: base/codec has those of ASCII
    'strcasecmp': [], 'strncasecmp': [], 'strcasestr': [],
    'tolower': [], 'toupper': [], 'isalpha': [], 'isalnum': [], 'isdigit': [],
    'isxdigit': [], 'isspace': [], 'isprint': [], 'iscntrl': [],
    'ispunct': [], 'isupper': [], 'islower': [], 'strcoll': [],
    # a shell
    'system': [], 'popen': [],
    # predictable names
    'tmpnam': [], 'tempnam': [], 'mktemp': [],
}

CALL = re.compile(r'(?<![\w.])(?<!->)(' + '|'.join(CALLS) + r')\s*\(')


def may(path, allowed):
    return ctext.within(ctext.room_of(path), allowed) is not None


def check_headers(path, text, findings):
    for line, _, name in ctext.includes(text):
        for prefix, allowed in HEADERS.items():
            if name.startswith(prefix) and not may(path, allowed):
                findings.append(f'{path}:{line}: <{name}> is for '
                                + ' and '.join(allowed))


def check_calls(path, text, findings):
    for number, line in enumerate(ctext.code(text).split('\n'), 1):
        for match in CALL.finditer(line):
            name = match.group(1)
            allowed = CALLS[name]
            if not may(path, allowed):
                findings.append(
                    f'{path}:{number}: {name}() is for '
                    + (' and '.join(allowed) if allowed else 'nobody'))


def main(root):
    findings = []
    for path in ctext.files(root, ['src', 'tests'], ('.c', '.h', '.def')):
        text = ctext.read(os.path.join(root, path))
        check_headers(path, text, findings)
        check_calls(path, text, findings)
    ctext.finish(findings)


main(sys.argv[1])
