#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Plays the scenarios of a file with one provider.

    matrix.py PROVIDER FILE [ABOUT]

Each scenario has a cloud of its own, a home of its own, and one or more steps:
a command, and what must have become of it. README.md tells the words. What went
wrong is printed; the exit status is 1 then.
"""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from places import PLACES, bytes_of
import places

WORDS = {"about", "rules", "settings", "objects", "steps", "only", "why"}
STEP = {"about", "run", "in", "from", "env", "real", "signal", "later", "dice",
        "exit", "result", "requests", "attempts", "stored", "out", "slept",
        "says", "warned", "uploads", "headers", "signatures"}
BAD = {"SignatureDoesNotMatch", "AccessDenied", "InvalidRequest",
       "InvalidAccessKeyId"}
NOW = 1700000000000


def words_for(provider, value, known):
    """A scenario or step as PROVIDER is to see it: what "for" it says goes
    before what all have, and of an object word by word."""
    value = dict(value)
    own = value.pop("for", {})
    unknown = (set(own) - set(PLACES)) | (set(value) - known)
    if unknown:
        raise SystemExit("unknown words: %s" % ", ".join(sorted(unknown)))
    for word, said in own.get(provider, {}).items():
        if isinstance(said, dict) and isinstance(value.get(word), dict):
            said = dict(value[word], **said)
        value[word] = said
    return value


def read(name):
    """The scenarios of a file."""
    with open(os.path.join(places.HERE, name), encoding="utf-8") as f:
        return json.load(f)


class Play:
    """A scenario on its way."""

    def __init__(self, provider, scenario, folder):
        self.place = PLACES[provider]
        self.provider, self.folder = provider, folder
        self.scenario = words_for(provider, scenario, WORDS)
        self.now = NOW
        self.seen = self.steps = self.slept = 0
        self.wrong = []
        self.cloud = os.path.join(folder, "cloud")
        self.sleeps = os.path.join(folder, "sleeps")
        os.makedirs(os.path.join(folder, "home"))
        self.process = None

    # --- the cloud ---------------------------------------------------------

    def begin(self):
        """Start the cloud, with the objects that are there."""
        setting = dict(self.scenario.get("settings", {}),
                       service=self.place.service,
                       rules=self.scenario.get("rules", []))
        os.makedirs(self.cloud)
        scenario = os.path.join(self.folder, "scenario.json")
        with open(scenario, "w", encoding="utf-8") as f:
            json.dump(setting, f)
        virtual = [] if any(s.get("real") for s in self.scenario["steps"]) \
            else ["--fake", "--fake-now", str(NOW), "--fake-log", self.sleeps]
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(places.TOP, "tests/cloud/cloud.py"),
             "--dir", self.cloud, "--scenario", scenario] + virtual)
        self.await_file("port", lambda: self.process.poll() is None)
        with open(os.path.join(self.cloud, "port"), encoding="ascii") as f:
            self.endpoint = "http://127.0.0.1:%d%s" % (
                int(f.read()), self.place.base)
        self.place.prepare(os.path.join(self.folder, "home"))
        for key, spec in self.scenario.get("objects", {}).items():
            shutil.copy(self.file(spec), self.object_path(key))

    def end(self):
        """Stop it."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def await_file(self, name, alive):
        """Until the cloud has made a file."""
        path = os.path.join(self.cloud, name)
        for _ in range(1000):
            if os.path.exists(path):
                return
            if not alive():
                break
            time.sleep(0.01)
        raise SystemExit("no %s" % path)

    def object_path(self, key):
        """Where the cloud has an object's bytes."""
        return os.path.join(self.cloud, "objects", places.object_id(key))

    def file(self, spec):
        """The path of a file of SPEC's bytes, "2P+20" or "1000:SEED"."""
        path = os.path.join(self.folder, "file-" + spec.replace(":", "-"))
        if not os.path.exists(path):
            with open(path, "wb") as f:
                f.write(bytes_of(self.place, spec))
        return path

    def asleep(self):
        """Virtual milliseconds since the beginning."""
        with open(self.sleeps, encoding="ascii") as f:
            return sum(int(line.split()[1]) for line in f)

    def log(self):
        """The requests of this step, when all that came were logged."""
        for _ in range(300):
            if not os.path.exists(os.path.join(self.cloud, "busy")):
                break
            time.sleep(0.01)
        try:
            with open(os.path.join(self.cloud, "log.ndjson"), "rb") as f:
                return [json.loads(line) for line in f][self.seen:]
        except FileNotFoundError:
            return []

    # --- a step ------------------------------------------------------------

    def step(self, step):
        """Run a command and look at all that is told of it."""
        step = words_for(self.provider, step, STEP)
        self.now += step.get("later", 0)
        self.steps += 1
        with open(self.sleeps, "a", encoding="ascii") as f:
            f.write("sleep %d\n" % step.get("later", 0))
        self.slept = -self.asleep()
        args = self.arguments(step["run"])
        if args[0].startswith("ank") and not step.get("real"):
            args[0] += "-fake"
        status, out, err = self.run(args, step)
        self.slept += self.asleep()
        self.now += self.slept
        text = err if out[:1] != b"{" and err[:1] == b"{" else out
        self.report = report = Report(text, status)
        self.wrong += ["report: %s" % w for w in report.wrong]
        requests = self.log()
        before = len(self.wrong)
        for word in sorted(step):
            check = getattr(self, "check_" + word, None)
            if check:
                self.note(word, check(step[word], report, requests, err))
        self.note("told", self.told(step, requests, out + err))
        self.note("exit", status != step.get("exit", 0)
                  and "%d instead of %d" % (status, step.get("exit", 0)))
        if not step.get("signatures"):
            bad = [r["n"] for r in requests if r.get("signature") in BAD]
            self.note("signatures", bad and "refused: %s" % bad)
        if len(self.wrong) > before:
            self.wrong += ["%s: %s" % (" ".join(args[:1]), step["run"]),
                           err.decode("utf-8", "replace")[:1000]]
            self.wrong += ["%(n)s %(op)s %(target)s -> %(status)s" % r
                           for r in requests][-12:]
        self.seen += len(requests)

    def told(self, step, requests, text):
        """A secret in what was printed, or in a file that was left. The
        journal of an upload has to have the id of a session."""
        journals = b""
        for folder, _, names in os.walk(os.path.join(self.folder, "home")):
            for name in names:
                path = os.path.join(folder, name)
                if ".oci" in folder:
                    continue
                with open(path, "rb") as f:
                    if folder.endswith("/uploads") \
                            and os.stat(path).st_mode & 0o777 == 0o600:
                        journals += f.read()
                    else:
                        text += f.read()
        secrets = self.place.secrets(self.environment(step))
        found = [s for s in secrets if s.encode() in text + journals]
        for one in requests:
            found += [s for s in places.shown_by(one) if s.encode() in text]
        return found or None

    def command_line(self, program, step):
        """Others see the arguments of what runs."""
        with open("/proc/%d/cmdline" % program.pid, "rb") as f:
            words = f.read()
        for secret in self.place.secrets(self.environment(step)):
            self.note("arguments", secret.encode() in words and secret)

    def note(self, word, problem):
        """What a check found."""
        if problem:
            self.wrong.append("%s: %s" % (word, problem))

    def arguments(self, line):
        """The words of a command."""
        part = ["--part-size", str(self.place.part), "--multipart-threshold",
                str(self.place.part)]
        words = []
        for word in shlex.split(line):
            if word == "PARTS":
                words += part
            elif word.startswith("FILE="):
                words.append(self.file(word[5:]))
            elif word in ("UPLOAD_ID", "ETAG"):
                words.append(self.report.last("result")[word.lower()])
            else:
                words.append(word.replace("URL/", self.place.url)
                             .replace("LONG", "k" * 5000))
        return words

    def environment(self, step):
        """All that the program sees."""
        env = {"PATH": places.BUILD + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8",
               "HOME": os.path.join(self.folder, "home"),
               "TMPDIR": self.folder,
               "ANK_ENDPOINT": self.endpoint, "ANK_FAKE_NOW": str(self.now),
               "ANK_FAKE_LOG": self.sleeps, "ANK_FAKE_SEED": str(self.steps),
               "ANK_FAKE_HANG": os.path.join(self.cloud, "hang")}
        if step.get("dice"):
            env["ANK_FAKE_DICE"] = step["dice"]
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(self.place.env)
        env.update(step.get("env", {}))
        return env

    def run(self, args, step):
        """The program's exit status and what it printed."""
        hang = os.path.join(self.cloud, "hang")
        if args[0].startswith("ank"):
            args = [os.path.join(places.BUILD, args[0])] + args[1:]
        source = ["cat", self.file(step["from"])] if "from" in step \
            else ["true"]
        with subprocess.Popen(source, stdout=subprocess.PIPE) as cat, \
                subprocess.Popen(
                    args, stdin=cat.stdout, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, cwd=self.folder,
                    env=self.environment(step)) as program:
            cat.stdout.close()
            if "signal" in step:
                self.await_file(hang, lambda: program.poll() is None)
                self.command_line(program, step)
                program.send_signal(getattr(signal, step["signal"]))
            try:
                out, err = program.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                program.kill()
                out, err = program.communicate()
                self.note("run", "it hangs")
        status = program.returncode
        return (status if status >= 0 else 128 - status), out, err

    # --- what must have become of it -----------------------------------------

    def check_result(self, want, report, _requests, _err):
        """Fields of the result; null: absent, "*": any."""
        got = report.last("result")
        return differences(want, got)

    def check_requests(self, want, _report, requests, _err):
        """How many requests of each kind, and none of another."""
        if not isinstance(want, dict):
            want, got = want, len(requests)
        else:
            want = {op: n for op, n in want.items() if n}
            got = {}
            for one in requests:
                got[one["op"]] = got.get(one["op"], 0) + 1
        return want != got and "%s instead of %s" % (got, want)

    def check_attempts(self, want, report, _requests, _err):
        """A field of each attempt, in order."""
        for field, values in want.items():
            got = [a.get(field) for a in report.all("attempt")]
            if got != values:
                return "%s: %s instead of %s" % (field, got, values)
        return None

    def check_stored(self, want, _report, _requests, _err):
        """The objects there are; null: not that one."""
        for key, spec in want.items():
            path = self.object_path(key)
            if not os.path.exists(path):
                if spec is not None:
                    return "no object %s" % key
            elif spec is None or not same_bytes(path, self.file(spec)):
                return "another object %s" % key
        return None

    def check_out(self, spec, _report, _requests, _err):
        """The file that was fetched; null: none."""
        path = os.path.join(self.folder, "out")
        if spec is None or not os.path.exists(path):
            return (spec is None) == os.path.exists(path) and "out"
        return not same_bytes(path, self.file(spec)) and "other bytes"

    def check_slept(self, want, _report, _requests, _err):
        """Virtual milliseconds: the least and the most."""
        return not want[0] <= self.slept <= want[1] and "%d ms" % self.slept

    def check_says(self, want, _report, _requests, err):
        """Text on standard error."""
        return want not in err.decode("utf-8", "replace") and want

    def check_warned(self, want, report, _requests, _err):
        """Why there were warnings."""
        got = [w.get("why") for w in report.all("warning")]
        return got != want and str(got)

    def check_uploads(self, want, _report, _requests, _err):
        """How many uploads the cloud still has; null: nobody knows."""
        folder = os.path.join(self.cloud, "uploads")
        got = sum(os.path.exists(os.path.join(folder, n, "upload.json"))
                  for n in os.listdir(folder))
        return want is not None and got != want and "%d" % got

    def check_headers(self, want, _report, requests, _err):
        """{"3 range": "bytes=9-"}: of the third request; null: absent."""
        for place, value in want.items():
            n, name = place.split()
            got = {h.lower(): v for h, v in requests[int(n) - 1]["headers"]}
            if not matches(value, got.get(name)):
                return "%s: %s" % (place, got.get(name))
        return None


class Report:
    """The lines of a run, each one checked."""

    def __init__(self, text, status):
        lines = [line for line in text.split(b"\n") if line[:1] == b"{"]
        self.objects, self.wrong = places.checked(lines, status)

    def all(self, event):
        """The lines of an event."""
        return [o for o in self.objects if o.get("event") == event]

    def last(self, event):
        """The last one."""
        found = self.all(event)
        return found[-1] if found else {}


def matches(want, got):
    """As said: "*" is any, "/TEXT/" an expression."""
    if want == "*":
        return got is not None
    if isinstance(want, dict) and isinstance(got, dict):
        return not differences(want, got)
    if isinstance(want, str) and re.fullmatch("/.*/", want):
        return got is not None and re.search(want[1:-1], str(got)) is not None
    return want == got


def differences(want, got):
    """Fields that are not as wanted, or None."""
    bad = {n: got.get(n) for n, v in want.items() if not matches(v, got.get(n))}
    return bad and str(bad)


def same_bytes(one, other):
    """Are two files equal?"""
    with open(one, "rb") as a, open(other, "rb") as b:
        return a.read() == b.read()


def play(provider, scenario, folder):
    """What went wrong in one scenario."""
    shutil.rmtree(folder, ignore_errors=True)
    show = Play(provider, scenario, folder)
    try:
        show.begin()
        for step in show.scenario["steps"]:
            show.step(step)
    finally:
        show.end()
    if not show.wrong:
        shutil.rmtree(folder)
    return show.wrong


def main():
    """All of them; 1 when something went wrong."""
    provider, name = sys.argv[1:3]
    failed = played = 0
    for number, scenario in enumerate(read(name)):
        if len(sys.argv) > 3 and sys.argv[3] not in scenario["about"]:
            continue
        if provider not in scenario.get("only", PLACES):
            continue
        played += 1
        wrong = play(provider, scenario, os.path.join(
            os.environ["BATS_TEST_TMPDIR"], "play-%d" % number))
        if wrong:
            failed += 1
            print("%s: %s: %s\n  %s" % (provider, name, scenario["about"],
                                        "\n  ".join(wrong)))
    print("%d played, %d failed" % (played, failed))
    return 1 if failed or not played else 0


if __name__ == "__main__":
    sys.exit(main())
