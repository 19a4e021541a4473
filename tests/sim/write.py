#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""write.py ANK-SIM FOLDER: writes the tables in FOLDER/README.md, between its
marks, and FOLDER/load.svg.  The same bytes each time."""
import os
import re
import subprocess
import sys

SHOWN = ['down-cron', 'down-steady', 'told-cron', 'slow-steady']
WIDTH, HEIGHT = 250, 46          # of one panel
LEFT, TOP, GAP_X, GAP_Y = 96, 58, 24, 12
BUCKET_S = 5


def ask(program, *words):
    return subprocess.run([program, *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def fill(text, mark, body):
    """TEXT with BODY between the marks of this name."""
    pattern = f'(<!-- {mark} -->\n).*?(<!-- end -->\n)'
    found = re.compile(pattern, re.S)
    if not found.search(text):
        sys.exit(f'write.py: no mark "{mark}"')
    return found.sub(lambda m: m.group(1) + body.rstrip('\n') + '\n'
                     + m.group(2), text, count=1)


def read_load(program, scenario):
    """(from, to, {policy: the most requests of a second, by bucket})"""
    lines = ask(program, 'load', scenario).splitlines()
    begin, end = (int(n) for n in lines[0].split('\t'))
    names = lines[1].split('\t')
    rows = [[int(n) for n in line.split('\t')] for line in lines[2:]]
    columns = {}
    for i, name in enumerate(names):
        seconds = [row[i] for row in rows]
        columns[name] = [max(seconds[k:k + BUCKET_S])
                         for k in range(0, len(seconds), BUCKET_S)]
    return begin, end, len(rows), columns


def panel(x, y, load, name, top):
    begin, end, length, columns = load
    scale = WIDTH / length
    out = [f'<rect x="{x + begin * scale:.1f}" y="{y}" '
           f'width="{(end - begin) * scale:.1f}" height="{HEIGHT}" '
           f'fill="#f6d5d5"/>']
    path = [f'M{x} {y + HEIGHT}']
    for i, n in enumerate(columns[name]):
        h = y + HEIGHT - n * HEIGHT / top
        path.append(f'V{h:.1f}H{x + min((i + 1) * BUCKET_S, length) * scale:.1f}')
    path.append(f'V{y + HEIGHT}Z')
    out.append(f'<path d="{"".join(path)}" fill="#2f5d8a"/>')
    out.append(f'<text x="{x + WIDTH}" y="{y + 9}" text-anchor="end" '
               f'fill="#666">{max(columns[name])}/s</text>')
    return out


def draw(program):
    loads = {s: read_load(program, s) for s in SHOWN}
    names = list(loads[SHOWN[0]][3])
    width = LEFT + len(SHOWN) * (WIDTH + GAP_X)
    height = TOP + len(names) * (HEIGHT + GAP_Y) + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text x="8" y="18" font-size="13">The most requests in a second, '
           f'in each {BUCKET_S} seconds; shaded: the trouble. One scale a '
           'column.</text>']
    for column, scenario in enumerate(SHOWN):
        x = LEFT + column * (WIDTH + GAP_X)
        load = loads[scenario]
        top = max(max(v) for v in load[3].values())
        out.append(f'<text x="{x}" y="{TOP - 12}" font-size="12">{scenario}, '
                   f'{load[2] // 60} minutes</text>')
        for row, name in enumerate(names):
            out += panel(x, TOP + row * (HEIGHT + GAP_Y), load, name, top)
    for row, name in enumerate(names):
        y = TOP + row * (HEIGHT + GAP_Y) + HEIGHT
        out.append(f'<text x="8" y="{y - HEIGHT // 2 + 4}">{name}</text>')
        out.append(f'<path d="M{LEFT} {y}H{width - GAP_X}" stroke="#bbb" '
                   'stroke-width="0.5"/>')
    return '\n'.join(out) + '\n</svg>\n'


def main():
    program, folder = sys.argv[1:]
    program = os.path.abspath(program)
    readme = os.path.join(folder, 'README.md')
    with open(readme, encoding='utf-8') as f:
        text = f.read()
    text = fill(text, 'policies', ask(program, 'policies'))
    text = fill(text, 'table', ask(program, 'table'))
    with open(readme, 'w', encoding='utf-8') as f:
        f.write(text)
    with open(os.path.join(folder, 'load.svg'), 'w', encoding='utf-8') as f:
        f.write(draw(program))


main()
