# SPDX-License-Identifier: MIT
"""C sources as the checks want to see them, and the shape of a finding."""
import os
import re
import sys

_COMMENT = r'//[^\n]*|/\*.*?\*/'
_LITERAL = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
_EITHER = re.compile(f'({_COMMENT})|({_LITERAL})', re.S)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)


def _blank(text):
    return re.sub(r'[^\n]', ' ', text)


def code(text):
    """TEXT without comments and the insides of literals, line by line."""
    return _EITHER.sub(lambda m: _blank(m.group()), text)


def _uncommented(text):
    return _EITHER.sub(
        lambda m: _blank(m.group()) if m.group(1) else m.group(), text)


def includes(text):
    """(line, '<' or '"', name) of each #include."""
    bare = _uncommented(text)
    return [(bare.count('\n', 0, m.start()) + 1, m.group(1), m.group(2))
            for m in _INCLUDE.finditer(bare)]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def files(root, folders, endings):
    """Paths below ROOT, relative to it, sorted."""
    found = []
    for folder in folders:
        for where, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(where, name), root)
                      for name in names if name.endswith(endings)]
    return sorted(found)


def room_of(path):
    """'io/http' for src/io/http.c, 'tests/fake' for tests/fake/x.c."""
    parts = os.path.splitext(path)[0].split('/')
    return '/'.join(parts[1:] if parts[0] == 'src' else parts[:-1])


def within(room, rooms):
    """The one of ROOMS that ROOM is, or is a side room of, else None.

    'io/http_easy' is a side room of 'io/http', unless it is listed itself.
    """
    found = [r for r in rooms if room == r or room.startswith(r + '_')]
    return max(found, key=len, default=None)


def finish(findings):
    """Prints what was found; the exit status says whether that was nothing."""
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
