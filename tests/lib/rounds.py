#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random transfers through random trouble, and what must be true of each.

    rounds.py --build DIR --dir DIR [--seed N] [--first N] [--rounds N]
              [--seconds N] [--most BYTES]

A round is a transfer of random size, part size, parallelism and direction
against a fake cloud with random faults, in virtual time. All that is random
follows from the seed and the number of the round. Then: bytes are equal or the
exit is not 0 and nothing partial is to be seen, no request was made that no
fault explains, and the report is one. What is wrong is told with its round, and
ends the run with 1.
"""
import argparse
import base64
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
import zlib

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
MIB = 1 << 20
NOW = 1700000000000
OBJECT = hashlib.sha256(b"bucket/k").hexdigest()
RETRIES = 2
# Exits that a transfer through trouble may have: no bug, no wrong usage.
EXITS = {0, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14}


class Wrong(Exception):
    """Something is not as it must be."""


def hold(truth, words):
    """Like assert, whatever the flags of the interpreter are."""
    if not truth:
        raise Wrong(words)


# --- faults -----------------------------------------------------------------

def common(dice, size):
    """What may happen to any request."""
    return dice.choice([
        {"status": 503},
        {"status": 503, "headers": {"Retry-After": "2"}},
        {"status": 500},
        {"status": 429},
        {"s3_error": "SlowDown"},
        {"s3_error": "InternalError"},
        {"s3_error": "AccessDenied"},
        {"close_at": "status", "store": dice.random() < 0.5},
        {"rst_at": "status", "store": dice.random() < 0.5},
        {"close_at": "headers"},
        {"hang_at": "status", "store": dice.random() < 0.5},
        {"then": "close"},
        {"then": dice.choice(["stale-close", "stale-rst"])},
        {"delay_ms": dice.randrange(100)},
        {"close_at": "request:%d" % dice.randrange(size + 1)},
        {"rst_at": "request:%d" % dice.randrange(size + 1)},
        {"when": "headers", "status": 503, "then": "rst"},
        {"when": dice.randrange(size + 1), "s3_error": "SlowDown",
         "then": dice.choice(["finish", "rst", "read"])},
    ])


def of_get(dice, size):
    """What may happen to an answer with an object's bytes."""
    if dice.random() < 0.4:
        return common(dice, size)
    return dice.choice([
        {"close_at": dice.randrange(size + 1)},
        {"rst_at": dice.randrange(size + 1)},
        {"hang_at": dice.randrange(size + 1)},
        {"range": "ignore"},
        {"range": {"shift": dice.choice([-700, -1, 5])}},
        {"length": dice.choice(["chunked", "chunked-cut", "+10", "-10"])},
        {"headers": {"ETag": dice.choice([None, '"other"', 'W/"x"'])}},
        {"headers": {"Content-Range": None}},
        {"replace_object": {dice.choice(["flip", "touch"]): True}},
        {"s3_error": "NoSuchKey"},
        {"dribble_ms": 1, "dribble_bytes": 100000},
    ])


def of_upload(dice, op, size):
    """What may happen to a request of an upload in parts."""
    if dice.random() < 0.5:
        return common(dice, size)
    choices = [{"s3_error": "NoSuchUpload"}, {"abort_upload": True},
               {"s3_error": "RequestTimeout"}]
    if op == "complete":
        choices += [{"early_200": True}, {"truncated_200": True},
                    {"empty_200": True}, {"error_in_200": "InternalError"},
                    {"error_in_200": "InternalError", "store": True},
                    {"early_200": True, "hang_at": 40}]
    return dice.choice(choices)


def rule(dice, direction, part):
    """One rule of a scenario."""
    if direction == "get":
        fault = of_get(dice, part)
        where = {"op": "get"}
    else:
        op = dice.choice(["put", "create", "part", "part", "part", "complete",
                          "complete", "head", "abort", "list_parts"])
        where = {"op": op}
        fault = (of_upload(dice, op, part) if op in ("part", "complete")
                 else common(dice, part))
    # One change of the object, or there would be too many to compare with.
    late = 7 if where["op"] in ("get", "part") else 3
    nth = (dice.randrange(1, late) if dice.random() < 0.85 or
           "replace_object" in fault else "%d-" % dice.randrange(1, late))
    return dict(where, nth=nth, **fault)


# --- a round ----------------------------------------------------------------

class Round:
    """What is transferred, how, and through which trouble."""

    def __init__(self, seed, number, most):
        dice = self.dice = random.Random("%d/%d" % (seed, number))
        self.direction = dice.choice(["put", "get"])
        self.way = dice.choice({"put": ["file", "stdin", "command"],
                                "get": ["file", "pipe", "pipe"]}
                               [self.direction])
        least = MIB if self.direction == "get" else 5 * MIB
        self.part = dice.choice([least, least + 1,
                                 dice.randrange(least, 2 * least)])
        self.threshold = dice.choice([0, self.part, 2 * self.part])
        near = dice.choice([0, 1, self.part, self.threshold, 2 * self.part,
                            3 * self.part])
        self.size = min(most, dice.choice(
            [near, near + 1, max(near - 1, 0), dice.randrange(12 * MIB),
             dice.randrange(most)]))
        self.parallel = dice.choice([1, 2, 3, 4, 8])
        self.rules = [rule(dice, self.direction, self.part)
                      for _ in range(dice.choice([0, 1, 2, 3, 4, 6]))]
        changes = [r for r in self.rules if "replace_object" in r]
        for extra in changes[1:]:
            self.rules.remove(extra)
        self.data = dice.randbytes(self.size)
        self.old = dice.choice([None, b"old"])

    def about(self):
        """Its plan in a line."""
        return json.dumps({name: getattr(self, name) for name in (
            "direction", "way", "size", "part", "threshold", "parallel",
            "rules")} | {"old": self.old is not None})

    def settings(self):
        """The scenario."""
        return {"rules": self.rules, "clock": {"fake": True}}

    def options(self):
        """Those that both programs have."""
        return ["--part-size", str(self.part), "--multipart-threshold",
                str(self.threshold), "-P", str(self.parallel), "--retries",
                str(RETRIES)]

    def pieces(self):
        """Requests of a transfer without trouble, at most."""
        return 3 + self.size // self.part


class Cloud:
    """A fake cloud for one round."""

    def __init__(self, where, settings):
        self.dir = where
        os.makedirs(where)
        with open(where + "/scenario.json", "w", encoding="utf-8") as file:
            json.dump(settings, file)
        self.process = subprocess.Popen(
            [sys.executable, TOP + "/tests/cloud/cloud.py", "--dir", where,
             "--scenario", where + "/scenario.json", "--fake", "--fake-now",
             str(NOW), "--fake-log", where + "/sleeps"],
            stdin=subprocess.DEVNULL)
        while not os.path.exists(where + "/port"):
            hold(self.process.poll() is None, "the cloud did not start")
            time.sleep(0.01)
        with open(where + "/port", encoding="ascii") as file:
            self.url = "http://127.0.0.1:" + file.read().strip()

    def seed(self, data, summed):
        """An object that is there from the beginning."""
        path = "%s/objects/%s" % (self.dir, OBJECT)
        with open(path, "wb") as file:
            file.write(data)
        if summed:
            crc = base64.b64encode(zlib.crc32(data).to_bytes(4, "big"))
            with open(path + ".json", "w", encoding="ascii") as file:
                json.dump({"etag": '"%s"' % hashlib.md5(data).hexdigest(),
                           "modified": int(time.time()), "headers": {},
                           "checksums": {"crc32": crc.decode()}}, file)

    def stored(self):
        """The object's bytes, or None."""
        try:
            with open("%s/objects/%s" % (self.dir, OBJECT), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def uploads(self):
        """How many are neither completed nor aborted."""
        return sum(os.path.exists("%s/uploads/%s/upload.json" %
                                  (self.dir, name))
                   for name in os.listdir(self.dir + "/uploads"))

    def stop(self):
        """Ends it."""
        self.process.terminate()
        self.process.wait()

    def log(self):
        """All requests, once none is under way."""
        for _ in range(300):
            if not os.path.exists(self.dir + "/busy"):
                break
            time.sleep(0.01)
        try:
            with open(self.dir + "/log.ndjson", encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        except FileNotFoundError:
            return []


def environment(where, cloud):
    """As the harness has it for a program of virtual time."""
    return {"PATH": os.environ["PATH"], "HOME": where, "LC_ALL": "C.UTF-8",
            "AWS_ACCESS_KEY_ID": "AKIDANKTEST",
            "AWS_SECRET_ACCESS_KEY": "ank/test+SECRET/key0123456789abcdefghijk",
            "AWS_REGION": "us-east-1", "ANK_NO_STATE": "1",
            "ANK_ENDPOINT": cloud.url, "ANK_FAKE_NOW": str(NOW),
            "ANK_FAKE_LOG": cloud.dir + "/sleeps", "ANK_FAKE_SEED": "1",
            "ANK_FAKE_HANG": cloud.dir + "/hang",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "exitcode=99")}


def run(r, build, where, cloud):
    """The transfer: (exit status, what came on standard output)."""
    source = where + "/source"
    program = "%s/ank%s-fake" % (build, r.direction)
    args = [program, "--report", where + "/report"] + r.options()
    feed = None
    if r.direction == "get":
        args += ["s3://bucket/k"] + (["out"] if r.way == "file" else [])
        if r.old and r.way == "file":
            with open(where + "/out", "wb") as file:
                file.write(r.old)
    else:
        with open(source, "wb") as file:
            file.write(r.data)
        args += {"file": [source, "s3://bucket/k"],
                 "stdin": ["-", "s3://bucket/k"],
                 "command": ["s3://bucket/k", "--", "cat", source]}[r.way]
        feed = r.data if r.way == "stdin" else None
    with open(where + "/err", "wb") as err:
        done = subprocess.run(args, input=feed or b"", cwd=where, stderr=err,
                              env=environment(where, cloud), timeout=60,
                              stdout=subprocess.PIPE, check=False)
    return done.returncode, done.stdout


# --- what must be true --------------------------------------------------------

def report_of(where, code):
    """The lines of the report, each of them checked."""
    checked = subprocess.run(
        [sys.executable, TOP + "/tests/lib/check_report.py", "--exit",
         str(code), TOP + "/man/ank-report.schema.json", where + "/report"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    hold(checked.returncode == 0, checked.stdout.decode())
    with open(where + "/report", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    hold(sum(line["event"] == "result" for line in lines) == 1,
         "there is not one result")
    return lines


def check_put(r, cloud, code, result):
    """Stored whole or not at all, and no upload is forgotten."""
    stored = cloud.stored()
    if code == 0:
        hold(stored == r.data, "another object was stored")
        hold(result["bytes"] == r.size, "another size is told")
    else:
        hold(stored in (r.old, r.data), "a part of the object is there")
    told = (result.get("leftover") or result.get("upload_id") or
            result.get("aborted") is False)
    hold(not cloud.uploads() or told, "an upload is left, and nobody says so")


def check_get(r, cloud, code, result, got, where):
    """One version of the object, whole; or nothing, or a beginning of it."""
    versions = [r.data, cloud.stored()]
    if r.way == "pipe":
        hold(code != 0 or got in versions, "other bytes came")
        hold(any(v is not None and v.startswith(got) for v in versions),
             "what came is no beginning of the object")
    else:
        there = None
        if os.path.exists(where + "/out"):
            with open(where + "/out", "rb") as file:
                there = file.read()
        hold(there in (versions if code == 0 else [r.old]),
             "the file is not what it should be")
        hold(not [n for n in os.listdir(where) if ".ank-" in n],
             "a temporary file is left")
    if code == 0:
        hold(result["bytes"] == len(got if r.way == "pipe" else there),
             "another size is told")


STARTS_ANEW = {"replace_object", "abort_upload", "truncated_200", "empty_200"}
WORDS_ANEW = {"NoSuchUpload"}


def check_requests(r, log, lines):
    """No more than trouble explains."""
    attempts = [line for line in lines if line["event"] == "attempt"]
    for line in attempts:
        hold(line["attempt"] <= line["of"] <= RETRIES + 1,
             "more attempts than allowed")
    hold(len(log) <= len(attempts), "%d requests, %d attempts" %
         (len(log), len(attempts)))
    hits = [r.rules[entry["rule"] - 1] for entry in log if entry.get("rule")]
    hits += [{}] * sum(entry.get("ending") == "stale" for entry in log)
    anew = sum(bool(STARTS_ANEW & set(hit)) or "headers" in hit or
               hit.get("s3_error") in WORDS_ANEW or "range" in hit or
               hit.get("length") in ("+10", "-10", "chunked-cut")
               for hit in hits)
    most = r.pieces() * (1 + min(anew, RETRIES + 1)) + 3 * len(hits) + 2
    hold(len(log) <= most, "%d requests, %d are explained" % (len(log), most))


def play(r, build, where):
    """A round, from its cloud to its end."""
    cloud = Cloud(where + "/cloud", r.settings())
    try:
        if r.direction == "get":
            cloud.seed(r.data, r.dice.random() < 0.5)
        elif r.old:
            cloud.seed(r.old, False)
        code, got = run(r, build, where, cloud)
        hold(code in EXITS, "exit %d" % code)
        lines = report_of(where, code)
        if r.direction == "put":
            check_put(r, cloud, code, lines[-1])
        else:
            check_get(r, cloud, code, lines[-1], got, where)
        check_requests(r, cloud.log(), lines)
        return code
    except subprocess.TimeoutExpired as error:
        raise Wrong("it hangs") from error
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


def main():
    """Round after round."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--most", type=int, default=24 * MIB)
    args = parser.parse_args()
    begin, exits, wrong = time.monotonic(), {}, 0
    for number in range(args.first, args.first + args.rounds):
        if args.seconds and time.monotonic() - begin > args.seconds:
            break
        where = "%s/round%d" % (args.dir, number)
        os.makedirs(where)
        r = Round(args.seed, number, args.most)
        try:
            code = play(r, args.build, where)
            exits[code] = exits.get(code, 0) + 1
        except Wrong as error:
            wrong += 1
            print("seed %d, round %d: %s\n%s" % (args.seed, number, error,
                                                r.about()))
            tell(where)
        shutil.rmtree(where)
    print("seed %d: exits %s, wrong %d" % (
        args.seed, json.dumps(exits, sort_keys=True), wrong))
    sys.exit(1 if wrong or not exits else 0)


main()
