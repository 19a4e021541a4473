#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares docs/providers.md with the scenarios, and these with the suites."""
import os
import re
import sys

import matrix
import places

NAMES = {"S3": "s3", "Google": "gcs", "Azure": "azure", "OCI": "oci"}
PLANTED = {"planted.json", "conformance.json"}


def rows():
    """The table's rows: what, {provider: cell}, [(file, about)]."""
    with open(os.path.join(places.TOP, "docs/providers.md"),
              encoding="utf-8") as f:
        lines = [line.strip().strip("|").split("|") for line in f
                 if line.startswith("|")]
    heads = [NAMES.get(cell.strip()) for cell in lines[0]]
    for cells in lines[2:]:
        cells = [c.strip() for c in cells]
        yield cells[0], {h: c for h, c in zip(heads, cells) if h}, \
            re.findall(r"`([a-z0-9]+\.json)`: ([^;]+(?:; (?!`)[^;]+)*)",
                       cells[-1])


def find(name, about):
    """A scenario, or None."""
    return next((s for s in matrix.read(name) if s["about"] == about), None)


def check_row(what, cells, named, files):
    """What is wrong with a row."""
    if not named:
        yield "no scenario"
    for name, about in named:
        if name not in files or not find(name, about):
            yield "no scenario %s: %s" % (name, about)
            return
    for provider, cell in cells.items():
        played = [(name, find(name, about).get("only", list(places.PLACES)))
                  for name, about in named]
        word = {True: "refused", False: "yes"}
        shown = {word[name == "refused.json"]
                 for name, only in played if provider in only}
        if shown != ({cell} if cell else set()):
            yield "%s: %s, but %s is played" % (
                provider, cell or "nothing", " and ".join(shown) or "nothing")


def main():
    """1 when something is wrong."""
    wrong = []
    files = {n for n in os.listdir(places.HERE) if n.endswith(".json")} \
        - PLANTED
    table = list(rows())
    for what, cells, named in table:
        wrong += ["%s: %s" % (what, w)
                  for w in check_row(what, cells, named, files)]
    told = {name for _, _, named in table for name, _ in named}
    wrong += ["%s: in no row" % name for name in sorted(files - told)]
    for provider in places.PLACES:
        with open(os.path.join(places.HERE, provider + ".bats"),
                  encoding="utf-8") as f:
            text = f.read()
        wrong += ["%s.bats does not play %s" % (provider, name)
                  for name in sorted(files)
                  if "plays %s %s" % (provider, name) not in text]
    for name in sorted(files):
        abouts = [s["about"] for s in matrix.read(name)]
        wrong += ["%s: twice: %s" % (name, a) for a in set(abouts)
                  if abouts.count(a) > 1]
        wrong += ["%s: %s: no reason" % (name, s["about"])
                  for s in matrix.read(name) if "only" in s and not s.get("why")]
    print("\n".join(wrong))
    return 1 if wrong or len(table) < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
