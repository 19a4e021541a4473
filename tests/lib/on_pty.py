#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""on_pty.py [--columns N] [--resize N] [--stdout] COMMAND...: runs COMMAND with a
terminal as standard error, and as standard output too with --stdout.

Prints what it wrote to the terminal, carriage returns and all, and exits with
its status.  --resize makes the terminal N columns wide once something was
drawn.
"""
import argparse
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def resize(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--columns', type=int, default=80)
    parser.add_argument('--resize', type=int, default=0)
    parser.add_argument('--stdout', action='store_true')
    parser.add_argument('command', nargs=argparse.REMAINDER)
    args = parser.parse_args()
    ours, theirs = pty.openpty()
    # What the programs write is to be seen as they wrote it.
    modes = termios.tcgetattr(theirs)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    resize(theirs, args.columns)
    child = subprocess.Popen(
        args.command, stdin=subprocess.DEVNULL, stderr=theirs,
        stdout=theirs if args.stdout else subprocess.DEVNULL)
    os.close(theirs)
    seen = b''
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
        if args.resize and b'%' in seen:
            resize(ours, args.resize)
            seen += b'<resized>'
            args.resize = 0
    sys.stdout.buffer.write(seen)
    return child.wait()


if __name__ == '__main__':
    sys.exit(main())
