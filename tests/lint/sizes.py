# SPDX-License-Identifier: MIT
"""sizes.py ROOT: functions of at most 60 lines, files of at most 400.

Prints the median too: the aim is 15 lines or less.
"""
import os
import re
import statistics
import subprocess
import sys

import ctext

MOST_FUNCTION = 60
MOST_FILE = 400
TAG = re.compile(r'^(\S+)\t(\S.*)\t\S.*;"\t.*\bline:(\d+)\b.*\bend:(\d+)\b')


def functions(root, paths):
    """(path, line, name, lines) of each function definition."""
    run = subprocess.run(
        ['ctags', '-f', '-', '--languages=C', '--langmap=C:.c.h',
         '--kinds-C=f', '--fields=+ne', '--sort=no', *paths],
        cwd=root, check=True, capture_output=True, text=True)
    for tag in run.stdout.splitlines():
        match = TAG.match(tag)
        if match:
            name, path, line, end = match.groups()
            yield path, int(line), name, int(end) - int(line) + 1


def main(root):
    findings = []
    paths = ctext.files(root, ['src', 'tests'], ('.c', '.h'))
    for path in paths:
        lines = ctext.read(os.path.join(root, path)).count('\n')
        if lines > MOST_FILE:
            findings.append(f'{path}: {lines} lines, most is {MOST_FILE}')
    lengths = []
    for path, line, name, length in functions(root, paths):
        lengths.append(length)
        if length > MOST_FUNCTION:
            findings.append(f'{path}:{line}: {name}() has {length} lines, '
                            f'most is {MOST_FUNCTION}')
    if not lengths:
        findings.append('no function found: is ctags at work?')
    else:
        print(f'{len(lengths)} functions, median '
              f'{statistics.median(lengths):g} lines, longest {max(lengths)}')
    ctext.finish(findings)


main(sys.argv[1])
