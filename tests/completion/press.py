# SPDX-License-Identifier: MIT
"""press.py WAIT-FOR FILE KEYS COMMAND...: runs a shell on a terminal of its own.

Waits until the shell has printed WAIT-FOR, its prompt, presses KEYS (with the
escapes of Python, \\t and \\x1b), waits until the shell has made FILE, and
prints what was on the terminal.  FILE may be = and a text to wait for there.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 20  # seconds


def read_some(terminal, seen):
    if select.select([terminal], [], [], 0.02)[0]:
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            return False
    return True


def until(condition, terminal, seen):
    """Reads the terminal until the condition holds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        going = read_some(terminal, seen)
        if condition():
            return True
        if not going:
            return False
    return False


def press(prompt, path, keys, terminal):
    """Was it made?  And what was on the terminal."""
    seen = bytearray()
    if not until(lambda: prompt in seen, terminal, seen):
        return False, seen
    os.write(terminal, keys)
    if not path.startswith('='):
        return until(lambda: os.path.exists(path), terminal, seen), seen
    found = until(lambda: path[1:].encode() in seen, terminal, seen)
    while found and select.select([terminal], [], [], 0.5)[0]:
        read_some(terminal, seen)
    return found, seen


def main(prompt, path, keys, *command):
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ,
                struct.pack('HHHH', 200, 2000, 0, 0))
    keys = keys.encode().decode('unicode_escape').encode('latin-1')
    made, seen = press(prompt.encode(), path, keys, terminal)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(seen.decode(errors='replace'))
    return 0 if made else 1


sys.exit(main(*sys.argv[1:]))
