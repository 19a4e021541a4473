#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Plays Google's conformance cases of retries with ankput and ankget.

    conformance.py

tests/vectors/gcs_retry_conformance.json tells which operations a library is to
try again under which fault and precondition; conformance.json says what is done
here, and why. Of its operations, those of CALLS are made here, all others never.
"""
import json
import os
import sys

import matrix
import places

# An operation as it is made here: with a precondition, and without one.
CALLS = {
    "storage.objects.get": {False: "ankget URL/old out"},
    "storage.objects.insert": {
        False: "ankput FILE=1000 URL/new",
        True: "ankput --no-clobber FILE=1000 URL/new"},
    "storage.objects.delete": {},   # of a generation that is wrong, alone
}
GROUPS = {
    "storage.resumable.upload":
        "ankput --no-clobber --multipart-threshold 1M FILE=9437204 URL/new",
    "storage.objects.download": "ankget URL/old out",
}
KIB = 1024


def rule(instruction, op):
    """What a fault of Google's test bench is in a scenario."""
    what, _, place = instruction.partition("-after-")
    at = int(place.rstrip("K")) * KIB if place else None
    if what == "return-broken-stream":
        return {"op": op, "close_at": at or 1000}
    if what == "return-reset-connection":
        return {"op": op, "rst_at": "status", "store": False}
    status = int(what.split("-")[1])
    if at is None:
        return {"op": op, "status": status}
    return {"op": "part", "status": status, "store": True, "persist": at}


def scenario(about, command, instructions, success):
    """One case as a scenario: the faults, one request after the other."""
    op = "get" if "ankget" in command else \
        "create" if "threshold" in command else "put"
    rules, seen = [], {}
    for one in instructions:
        fault = rule(one, op)
        name = fault["op"]
        seen[name] = fault["nth"] = seen.get(name, 0) + 1
        rules.append(fault)
    step = {"run": command, "result": {"ok": success}}
    if op != "create":      # a session that goes on has other counts
        step["result"]["retries"] = len(instructions) - (not success)
    if not success:
        step["exit"] = {"return-400": 8, "return-401": 5}[instructions[-1]]
    elif op == "get":
        step["out"] = "600000"
    else:
        step["stored"] = {"new": "9437204" if op == "create" else "1000"}
    return {"about": about, "objects": {"old": "600000"}, "rules": rules,
            "steps": [step]}


def commands(case):
    """The commands that make the operations of a case."""
    for method in case["methods"]:
        if method.get("group"):
            yield GROUPS[method["group"]]
        elif method["name"] in CALLS:
            made = CALLS[method["name"]]
            given = case["preconditionProvided"]
            if given in made:
                yield made[given]
            elif False in made and "get" in method["name"]:
                yield made[False]


def main():
    """Every case; 1 when one is not what conformance.json says."""
    with open(os.path.join(places.TOP, "tests/vectors/"
                           "gcs_retry_conformance.json"),
              encoding="utf-8") as f:
        cases = json.load(f)["cases"]
    ours = {one["id"]: one for one in matrix.read("conformance.json")}
    if sorted(ours) != sorted(c["id"] for c in cases):
        sys.exit("conformance.json has other cases")
    played, failed = 0, 0
    for case in cases:
        success = ours[case["id"]].get("expect", case["expectSuccess"])
        for command in dict.fromkeys(commands(case)):
            for faults in case["cases"]:
                about = "case %d, %s: %s" % (
                    case["id"], " ".join(faults["instructions"]), command)
                wrong = matrix.play("gcs", scenario(
                    about, command, faults["instructions"], success),
                    os.path.join(os.environ["BATS_TEST_TMPDIR"], "play"))
                played += 1
                failed += bool(wrong)
                if wrong:
                    print(about + "\n  " + "\n  ".join(wrong))
    print("%d played, %d failed" % (played, failed))
    return 1 if failed or played < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
