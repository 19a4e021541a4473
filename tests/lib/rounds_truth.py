# SPDX-License-Identifier: MIT
"""What must be true of a round of rounds.py, or Wrong is raised."""
import json
import os
import subprocess
import sys

from rounds_cloud import TOP

sys.path.insert(0, TOP + "/tests/cloud")
import checksums                        # pylint: disable=wrong-import-position

RETRIES = 2
# Exits that a transfer through trouble may have: no bug, no wrong usage.
EXITS = {0, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14}
STARTS_ANEW = {"replace_object", "abort_upload", "truncated_200", "empty_200"}
WORDS_ANEW = {"NoSuchUpload"}
# What a download that is to be continued leaves.
KEPT = (".out.ank-part", ".out.ank-part.json")
JOURNALS = "/.local/state/ank/uploads"


class Wrong(Exception):
    """Something is not as it must be."""


def hold(truth, words):
    """Like assert, whatever the flags of the interpreter are."""
    if not truth:
        raise Wrong(words)


def report_of(path, code, idle):
    """The lines of a report, each of them checked; -9 is a killed run's. A run
    that was ended before it began, being IDLE, has none."""
    state = ["--partial"] if code == -9 else \
        ["--exit", str(code if code >= 0 else 128 - code)]
    if not os.path.exists(path):
        hold(code == -9 or code < 0 and idle, "there is no report")
        return []
    checked = subprocess.run(
        [sys.executable, TOP + "/tests/lib/check_report.py"] + state +
        [TOP + "/man/ank-report.schema.json", path],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    hold(checked.returncode == 0, checked.stdout.decode())
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    hold(code == -9 or sum(line["event"] == "result" for line in lines) == 1,
         "there is not one result")
    return lines


# --- an upload ----------------------------------------------------------------

def check_put(r, cloud, code, result):
    """Stored whole or not at all."""
    stored = cloud.stored()
    if r.clobber:
        check_clobber(r, cloud, code, stored, result)
    elif code == 0:
        hold(stored == r.data, "another object was stored")
    else:
        hold(stored in (r.old, r.data), "a part of the object is there")
    if code == 0:
        hold(result["bytes"] == r.size, "another size is told")
    if code == 0 and r.checksum and not (result.get("settled") or r.again):
        check_checksum(r, cloud)


def check_clobber(r, cloud, code, stored, result):
    """Nothing that was there is overwritten, and no other object is ours."""
    theirs = taken(r, cloud.log())
    if theirs or r.old is not None:
        hold(stored == (b"theirs" if theirs else r.old),
             "another's object was overwritten")
    else:
        hold(stored in (None, r.data), "a part of the object is there")
    if code == 0:
        hold(stored == r.data, "another object is called success")
    if code == 7:
        hold(stored is not None, "nothing is there, and it is said to exist")
        hold(stored != r.data or r.rules and result.get("why") in
             ("not_comparable", "not_there_any_more"),
             "the same bytes are there, and it is said to be another object")


def taken(r, log):
    """Did somebody else's object come to be?"""
    return any("replace_object" in r.rules[entry["rule"] - 1]
               for entry in log if entry.get("rule"))


def check_checksum(r, cloud):
    """The store keeps the one that was asked for; of the whole, if a CRC.
    It compares by itself; of a small object it is computed here, too."""
    kept = cloud.checksums().get(r.checksum)
    hold(kept, "there is no checksum")
    if "-" not in kept and r.size < 1 << 20:
        hold(kept == checksums.of_bytes(r.checksum, r.data),
             "another checksum is kept")


def check_uploads(cloud, results, kills):
    """No upload is forgotten. Nobody knows of one whose begin was answered
    when its run was killed."""
    told = any(x.get("leftover") or x.get("upload_id") or
               x.get("aborted") is False for x in results)
    left = cloud.uploads()
    hold(told or left <= kills, "%d uploads are left, and nobody says so" %
         left)


# --- a download ----------------------------------------------------------------

def check_get(r, cloud, code, result, got, where):
    """One version of the object, whole; or nothing, or a beginning of it."""
    versions = [r.data, cloud.stored()]
    there = None
    if r.way == "pipe":
        hold(code != 0 or got in versions, "other bytes came")
        hold(any(v is not None and v.startswith(got) for v in versions),
             "what came is no beginning of the object")
    else:
        if os.path.exists(where + "/out"):
            with open(where + "/out", "rb") as file:
                there = file.read()
        hold(there in (versions if code == 0 else [r.old]),
             "the file is not what it should be")
    if code == 0:
        hold(result["bytes"] == len(got if r.way == "pipe" else there),
             "another size is told")


def check_left(r, code, where):
    """Nothing is left beside the file, and no journal."""
    partial = [n for n in os.listdir(where) if ".ank-" in n]
    if r.again and code != 0:
        partial = [n for n in partial if n not in KEPT]
    hold(not partial, "left: %s" % " ".join(partial))
    journals = [n for n in os.listdir(where + JOURNALS)
                if n.endswith(".ndjson")] \
        if os.path.isdir(where + JOURNALS) else []
    hold(not journals or (r.again and code != 0), "a journal is left")


# --- requests -------------------------------------------------------------------

def check_attempts(lines):
    """No request has more attempts than allowed."""
    for line in lines:
        hold(line["event"] != "attempt" or
             line["attempt"] <= line["of"] <= RETRIES + 1,
             "more attempts than allowed")


def check_requests(r, log, lines):
    """No more than trouble explains."""
    attempts = [line for line in lines if line["event"] == "attempt"]
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
