#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks an ank report: every line against the schema, all lines together.

    check_report.py [--partial] [--exit N] SCHEMA FILE

Knows the part of JSON Schema (draft 2020-12) that the schema uses, and refuses
a schema that uses more, so that no keyword is silently passed over. Together:
one object a line, one run, the result last and single (--partial: it may be
missing, for a run that was killed), its exit equal to N.
"""
import argparse
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "null": type(None)}
NOTES = {"$schema", "$id", "$defs", "title", "description"}


def is_type(value, name):
    """JSON's idea of a type: true is no number, 1.0 is an integer."""
    if name in TYPES:
        return isinstance(value, TYPES[name])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return name == "number" or value == int(value)


def same(one, other):
    """Equal as JSON: true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


class Validator:
    """Yields what is wrong with a value, as "place: problem" texts."""

    def __init__(self, schema):
        self.root = schema

    def problems(self, value, schema, place):
        """Everything SCHEMA finds wrong with VALUE."""
        found = []
        for word, rule in schema.items():
            if word in NOTES:
                continue
            check = getattr(self, "check_" + word.lstrip("$"), None)
            if check is None:
                raise SystemExit("schema keyword %s is not known" % word)
            found += check(value, rule, place, schema)
        return found

    def check_ref(self, value, rule, place, _schema):
        target = self.root
        for step in rule.lstrip("#/").split("/"):
            target = target[step]
        return self.problems(value, target, place)

    def check_type(self, value, rule, place, _schema):
        names = rule if isinstance(rule, list) else [rule]
        if any(is_type(value, n) for n in names):
            return []
        return ["%s: %s is no %s" % (place, json.dumps(value),
                                     " or ".join(names))]

    def check_enum(self, value, rule, place, _schema):
        if any(same(value, one) for one in rule):
            return []
        return ["%s: %s is none of the known values" % (place,
                                                        json.dumps(value))]

    def check_const(self, value, rule, place, _schema):
        if same(value, rule):
            return []
        return ["%s: %s is not %s" % (place, json.dumps(value),
                                      json.dumps(rule))]

    def check_required(self, value, rule, place, _schema):
        if not isinstance(value, dict):
            return []
        return ["%s: %s is missing" % (place, name)
                for name in rule if name not in value]

    def check_properties(self, value, rule, place, _schema):
        if not isinstance(value, dict):
            return []
        found = []
        for name, sub in rule.items():
            if name in value:
                found += self.problems(value[name], sub, place + "." + name)
        return found

    def check_additionalProperties(self, value, rule, place, schema):
        if not isinstance(value, dict):
            return []
        extra = [n for n in value if n not in schema.get("properties", {})]
        if rule is False:
            return ["%s: %s does not belong here" % (place, n) for n in extra]
        found = []
        for name in extra:
            found += self.problems(value[name], rule, place + "." + name)
        return found

    def check_oneOf(self, value, rule, place, _schema):
        tries = [self.problems(value, sub, place) for sub in rule]
        fits = sum(not t for t in tries)
        if fits == 1:
            return []
        if fits > 1:
            return ["%s: fits %d alternatives" % (place, fits)]
        # The alternative that is not merely for another event tells most.
        near = [t for t in tries if not any(".event:" in p for p in t)]
        return min(near or tries, key=len)

    def check_items(self, value, rule, place, _schema):
        found = []
        for i, one in enumerate(value if isinstance(value, list) else []):
            found += self.problems(one, rule, "%s[%d]" % (place, i))
        return found

    def check_minimum(self, value, rule, place, _schema):
        low = is_type(value, "number") and value < rule
        return ["%s: %s is below %s" % (place, value, rule)] if low else []

    def check_maximum(self, value, rule, place, _schema):
        high = is_type(value, "number") and value > rule
        return ["%s: %s is above %s" % (place, value, rule)] if high else []

    def check_pattern(self, value, rule, place, _schema):
        if not isinstance(value, str) or re.search(rule, value):
            return []
        return ["%s: %s does not look right" % (place, json.dumps(value))]


def parse_line(text):
    """The object on a line, and what is wrong with the line."""
    def once(pairs):
        names = [n for n, _ in pairs]
        if len(names) != len(set(names)):
            raise ValueError("a name appears twice")
        return dict(pairs)

    def never(word):
        raise ValueError("%s is not JSON" % word)
    try:
        value = json.loads(text.decode("utf-8"), object_pairs_hook=once,
                           parse_constant=never)
    except ValueError as e:
        return None, ["not JSON: %s" % e]
    if not isinstance(value, dict):
        return None, ["not an object"]
    return value, []


def check_lines(validator, data):
    """Objects and problems of a whole report, given as bytes."""
    objects, found = [], []
    lines = data.split(b"\n")
    if lines.pop() != b"":
        found.append("the last line has no end")
    for number, line in enumerate(lines, 1):
        value, wrong = parse_line(line)
        if value is not None:
            objects.append(value)
            wrong = validator.problems(value, validator.root, "line")
        found += ["line %d: %s" % (number, w) for w in wrong]
    return objects, found


def check_together(objects, partial, exit_status):
    """What no single line can show."""
    found = []
    if len({o.get("run") for o in objects}) > 1:
        found.append("more than one run")
    # With several files each has a result of its own.
    results = [o for o in objects
               if o.get("event") == "result" and "file" not in o]
    if len(results) > 1:
        found.append("%d results" % len(results))
    if results and objects[-1] is not results[-1]:
        found.append("the result is not the last line")
    if not results and not partial:
        found.append("no result")
    if results and exit_status is not None \
            and results[-1].get("exit") != exit_status:
        found.append("the result says exit %s, the program %d"
                     % (results[-1].get("exit"), exit_status))
    return found


def main():
    """Print the problems; 1 when there are any."""
    p = argparse.ArgumentParser()
    p.add_argument("--partial", action="store_true")
    p.add_argument("--exit", type=int)
    p.add_argument("schema")
    p.add_argument("report")
    args = p.parse_args()
    with open(args.schema, encoding="utf-8") as f:
        validator = Validator(json.load(f))
    with open(args.report, "rb") as f:
        objects, found = check_lines(validator, f.read())
    found += check_together(objects, args.partial, args.exit)
    for one in found:
        print("%s: %s" % (args.report, one), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
