#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random transfers through random trouble, and what must be true of each.

    rounds.py --build DIR --dir DIR [--seed N] [--first N] [--rounds N]
              [--seconds N] [--most BYTES] [--only WORD=VALUE]...

A round is a transfer of random size, part size, parallelism and direction
against a fake cloud of a random service with random faults, in virtual time.
All that is random follows from the seed and the number of the round. Then:
bytes are equal or the exit is not 0 and nothing partial is to be seen, no
request was made that no fault explains, and the report is one. Some rounds ask
for --no-clobber: nothing of another is overwritten or called ours. Some go on
with --continue after runs that were killed, interrupted, late or refused: all
ends well, and nothing is left. What is wrong is told with its round, and ends
the run with 1.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import rounds_trouble as trouble
from rounds_cloud import URLS, Cloud, environment
from rounds_truth import (EXITS, RETRIES, Wrong, check_attempts, check_get,
                          check_left, check_put, check_requests,
                          check_uploads, hold, report_of)

MIB = 1 << 20
OTHER = bytes(b ^ 1 for b in range(256))
# Runs of a continued transfer: each ends by a fault that comes once, or well.
MOST_RUNS = 30


class Round:
    """What is transferred, how, and through which trouble."""

    def __init__(self, seed, number, most, only):
        dice = self.dice = random.Random("%d/%d" % (seed, number))
        self.number, self.counts = number, {}
        self.service = dice.choice(["s3", "s3", "s3", "azure", "azure", "oci",
                                    "oci", "gcs"])
        self.direction = dice.choice(["put", "put", "get"])
        self.again = dice.random() < 0.35
        self.clobber = dice.random() < 0.4
        self.by_key = dice.random() < 0.5
        for word in only:
            name, value = word.split("=")
            setattr(self, name, int(value) if value.isdigit() else value)
        self.clobber = bool(self.clobber and self.direction == "put")
        whole = self.service == "gcs" and self.by_key and self.clobber
        self.way = "file" if self.again or whole else dice.choice(
            {"put": ["file", "stdin", "command"],
             "get": ["file", "pipe", "pipe"]}[self.direction])
        self.checksum = dice.choice(
            [None, None, "crc64nvme", "crc32c", "sha256"]) \
            if (self.service, self.direction) == ("s3", "put") else None
        self.sizes(dice, most)
        self.rules = trouble.rules(dice, self)
        self.endings = trouble.endings(dice, self)
        self.rules += [trouble.permanent(dice, self)
                       for how, _ in self.endings if how == "trouble"]
        self.rules += trouble.slowness(dice, self)
        self.data = dice.randbytes(self.size)
        self.old = self.before(dice)

    def sizes(self, dice, most):
        """Of the object and its parts. Most sums are slow in Python."""
        least = 5 * MIB
        if self.direction == "get":
            least = MIB
        elif self.service == "azure":
            least = 1 << 18
        elif self.service == "gcs":
            most = min(most, 11 * MIB if self.again else 6 * MIB)
            if self.clobber:
                least = 1 << 18
        self.part = dice.choice([least, least + 1,
                                 dice.randrange(least, 2 * least)])
        self.threshold = dice.choice([0, self.part, 2 * self.part])
        if self.checksum:
            most = min(most, 11 * MIB)
        near = dice.choice([0, 1, self.part, self.threshold, 2 * self.part,
                            3 * self.part])
        self.size = min(most, dice.choice(
            [near, near + 1, max(near - 1, 0), dice.randrange(most // 2),
             min(dice.randrange(most), 20 * self.part)]))
        if self.again and dice.random() < 0.8:
            self.size = min(most, dice.randrange(2 * self.part,
                                                 7 * self.part))
        self.parallel = dice.choice([1, 2, 3, 4, 8])

    def before(self, dice):
        """What is there already."""
        if not self.clobber:
            return dice.choice([None, b"old"])
        return dice.choice([None, None, self.data, b"old",
                            self.data.translate(OTHER) or b"1"])

    def count(self, name, truth):
        """One more of what the last line tells, if it is true."""
        self.counts[name] = self.counts.get(name, 0) + truth

    def about(self):
        """Its plan in a line."""
        return json.dumps({name: getattr(self, name) for name in (
            "service", "direction", "way", "again", "clobber", "by_key",
            "checksum", "size", "part", "threshold", "parallel", "rules",
            "endings")} | {"old": self.old and (
                "same" if self.old == self.data else len(self.old))})

    def settings(self):
        """The scenario."""
        return {"rules": self.rules, "clock": {"fake": True},
                "service": self.service}

    def options(self):
        """Those that both programs have."""
        return ["--part-size", str(self.part), "--multipart-threshold",
                str(self.threshold), "-P", str(self.parallel), "--retries",
                str(RETRIES)] + ["-C"] * self.again + \
            ["--no-clobber"] * self.clobber + \
            (["--checksum", self.checksum] if self.checksum else [])

    def pieces(self):
        """Requests of a transfer without trouble, at most."""
        return 3 + self.size // self.part + 3 * self.clobber


# --- running the program -----------------------------------------------------

def command(r, build, where):
    """The words of the transfer, but for the report."""
    source, url = where + "/source", URLS[r.service]
    args = ["%s/ank%s-fake" % (build, r.direction)] + r.options()
    if r.direction == "get":
        return args + [url] + (["out"] if r.way == "file" else [])
    return args + {"file": [source, url], "stdin": ["-", url],
                   "command": [url, "--", "cat", source]}[r.way]


def prepare(r, where, cloud):
    """What is there before the first run."""
    if r.direction == "put":
        with open(where + "/source", "wb") as file:
            file.write(r.data)
        if r.old is not None:
            cloud.seed(r.old, False)
        return
    cloud.seed(r.data, r.service == "s3" and r.dice.random() < 0.5)
    if r.way != "file":
        r.old = None
    elif r.old is not None:
        with open(where + "/out", "wb") as file:
            file.write(r.old)


def run(r, build, where, cloud, ending):
    """A run: (exit status, what came on standard output, was no request
    made)."""
    before = cloud.seen()
    if os.path.exists(where + "/report"):
        os.unlink(where + "/report")
    args = command(r, build, where)
    args[1:1] = ["--report", where + "/report"]
    how, many = ending or ("", 0)
    if how == "deadline":
        args[1:1] = ["--deadline", "%dms" % many]
    feed = r.data if r.way == "stdin" and r.direction == "put" else b""
    with open(where + "/err", "ab") as err, subprocess.Popen(
            args, cwd=where, stderr=err, env=environment(where, cloud, r),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            if how in ("KILL", "TERM", "INT"):
                interrupt(process, cloud, how, many)
            got = process.communicate(feed, timeout=60)[0]
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise Wrong("it hangs") from error
    return process.returncode, got, cloud.seen() == before


def interrupt(process, cloud, how, many):
    """A signal when that many more requests are through."""
    until = cloud.seen() + many
    while process.poll() is None and cloud.seen() < until:
        time.sleep(0.001)
    process.send_signal(getattr(signal, "SIG" + how))


# --- rounds --------------------------------------------------------------------

def judge(r, cloud, where, done):
    """One run is over: DONE is its exit status and what came. Its report."""
    code, got, idle = done
    hold(code in EXITS or (code in (-9, -15, -2) and r.again),
         "exit %d" % code)
    lines = report_of(where + "/report", code, idle)
    check_attempts(lines)
    result = lines[-1] if lines and code != -9 else {}
    if r.direction == "put":
        check_put(r, cloud, code, result)
    else:
        check_get(r, cloud, code, result, got, where)
    check_left(r, code, where)
    return lines


def once(r, build, where, cloud):
    """A transfer of one run."""
    done = run(r, build, where, cloud, None)
    lines = judge(r, cloud, where, done)
    if r.direction == "put":
        check_uploads(cloud, [lines[-1]], 0)
    check_requests(r, cloud.log(), lines)
    return done[0]


def over(r, code):
    """Is there nothing to go on with?"""
    return code == 0 or (r.clobber and code == 7)


def continued(r, build, where, cloud):
    """Runs until one of them ends well."""
    kills, results, code = 0, [], None
    for number in range(MOST_RUNS):
        ending = r.endings[number] if number < len(r.endings) else None
        done = run(r, build, where, cloud, ending)
        code = done[0]
        lines = judge(r, cloud, where, done)
        kills += code == -9
        results += [x for x in lines if x["event"] == "result" or
                    str(x.get("why")).startswith("journal")]
        r.count("ended", bool(ending) and not over(r, code))
        r.count("gone on", "resumed_from" in lines[-1] if lines else False)
        if over(r, code):
            break
    hold(over(r, code), "%d runs were not enough" % MOST_RUNS)
    if r.direction == "put":
        check_uploads(cloud, results, kills)
    return code


def play(r, build, where):
    """A round, from its cloud to its end."""
    cloud = Cloud(where + "/cloud", r.settings())
    try:
        prepare(r, where, cloud)
        return (continued if r.again else once)(r, build, where, cloud)
    finally:
        cloud.stop()


def tell(where):
    """What is left of a round that went wrong."""
    for name in ("err", "report", "cloud/log.ndjson"):
        print("---", name)
        try:
            with open("%s/%s" % (where, name), encoding="utf-8",
                      errors="replace") as file:
                print("".join(file.readlines()[-40:]))
        except FileNotFoundError:
            print("none")


def options():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--most", type=int, default=24 * MIB)
    parser.add_argument("--only", action="append", default=[])
    return parser.parse_args()


def main():
    """Round after round."""
    args = options()
    begin, exits, wrong, counts = time.monotonic(), {}, 0, {}
    for number in range(args.first, args.first + args.rounds):
        if args.seconds and time.monotonic() - begin > args.seconds:
            break
        where = "%s/round%d" % (args.dir, number)
        os.makedirs(where)
        r = Round(args.seed, number, args.most, args.only)
        try:
            code = play(r, args.build, where)
            exits[code] = exits.get(code, 0) + 1
            for name, many in r.counts.items():
                counts[name] = counts.get(name, 0) + many
        except Wrong as error:
            wrong += 1
            print("seed %d, round %d: %s\n%s" % (args.seed, number, error,
                                                r.about()))
            tell(where)
        shutil.rmtree(where)
    print("seed %d: exits %s, %s, wrong %d" % (
        args.seed, json.dumps(exits, sort_keys=True), json.dumps(counts),
        wrong))
    sys.exit(1 if wrong or not exits else 0)


main()
