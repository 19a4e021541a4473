# SPDX-License-Identifier: MIT
"""rooms.py ROOT: compares ROOT/src/ROOMS with the tree and its #includes.

A line of ROOMS is "floor room - sentence"; empty lines and those that start
with # are skipped. The order is the order of dependence: a room may include
itself and the rooms above it. src/floor/room_part.c is a part of the room.
"""
import os
import re
import sys

import ctext

ENDINGS = ('.c', '.h', '.def')
LINE = re.compile(r'^([a-z]+) ([a-z0-9_]+) - (\S.*\S)$')


def listed(root, findings):
    """The rooms in order, as 'floor/room'."""
    rooms, floors = [], []
    lines = ctext.read(os.path.join(root, 'src/ROOMS')).splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith('#'):
            continue
        match = LINE.match(line)
        where = f'src/ROOMS:{number}'
        if not match:
            findings.append(f'{where}: not "floor room - sentence": {line}')
            continue
        floor, room = match.group(1), '/'.join(match.groups()[:2])
        if room in rooms:
            findings.append(f'{where}: {room} is listed twice')
        if floor in floors[:-1]:
            findings.append(f'{where}: floor {floor} is in two pieces')
        if floor not in floors:
            floors.append(floor)
        rooms.append(room)
    return rooms


def check_tree(root, rooms, paths, findings):
    present = {ctext.within(ctext.room_of(path), rooms) for path in paths}
    for room in rooms:
        if room not in present:
            findings.append(f'src/ROOMS: {room} has no file')
    for path in paths:
        if not ctext.within(ctext.room_of(path), rooms):
            findings.append(f'{path}: its room is not in src/ROOMS')
        if path.count('/') != 2:
            findings.append(f'{path}: not src/floor/file')


def check_includes(root, rooms, paths, findings):
    rank = {room: at for at, room in enumerate(rooms)}
    for path in paths:
        own = ctext.within(ctext.room_of(path), rooms)
        for line, mark, name in ctext.includes(
                ctext.read(os.path.join(root, path))):
            room = ctext.within(os.path.splitext(name)[0], rooms)
            where = f'{path}:{line}'
            if mark == '<' or name == 'config.h':
                continue
            if not room:
                findings.append(f'{where}: "{name}" is no room of src/ROOMS')
            elif own in rank and rank[room] > rank[own]:
                findings.append(
                    f'{where}: {own} includes {room}, which is above it in '
                    'the house and below it in src/ROOMS')


def main(root):
    findings = []
    rooms = listed(root, findings)
    paths = ctext.files(root, ['src'], ENDINGS)
    check_tree(root, rooms, paths, findings)
    check_includes(root, rooms, paths, findings)
    ctext.finish(findings)


main(sys.argv[1])
