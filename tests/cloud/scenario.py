# SPDX-License-Identifier: MIT
"""Scenario files: which request gets which answer.

A JSON object of settings and "rules"; README.md lists every word. Everything is
checked when it is read: a misspelt word stops the cloud at once instead of
making a test pass for the wrong reason.
"""
import copy
import json
import threading

SETTINGS = {
    "about": "",                # what the scenario is for; a comment
    "rules": [],
    "service": "s3",            # who answers; SERVICES
    "namespace": "anknamespace",    # of OCI
    "oci_sessions": {"ank-session-token": {}},  # {"expired": true}
    "oci_issued": None,     # a file with the public key of all other sessions
    "clock": {},                # offset, now, date_offset, max_age, fake
    "region": "us-east-1",
    "bucket_regions": {},       # {"bucket": "eu-west-1"}
    "region_header": False,     # x-amz-bucket-region on every wrong region
    "buckets": ["bucket"],
    "keys": {"AKIDANKTEST": {
        "secret": "ank/test+SECRET/key0123456789abcdefghijk"}},
    "tokens": {"ya29.ank-test-token": {}},  # bearer: {"expired": true}
    "accounts": {"ankacct": "YW5rIHRlc3QgYWNjb3VudCBrZXkgMDEyMzQ1Njc4OQ=="},
    "anonymous": False,
    "domains": ["s3.localhost"],
    "base_path": "",
    "versioning": False,
    "default_checksum": None,   # computed for objects that bring none
    "require_checksum": False,  # as a bucket with Object Lock does
    "min_part": 5 << 20,        # bytes of a part that is not the last one
    "max_part": 5 << 30,
    "max_parts": 10000,
    "list_page": 1000,          # most parts or uploads of one answer
    "complete_again": 200,      # 404, or 412: its condition is looked at
    "most_uncommitted": 100000,  # blocks of Azure that wait for their list
    "exists_status": 409,       # Azure's word for a name that is taken; 412
    "ignore_conditions": False, # of what is stored, as some stores do
    "awkward_ids": False,       # upload IDs that a URL must encode
    "dead_session": 404,        # or 410: what a session says that is gone
    "rate_limit": False,        # an object may be written once a second
    "discard": False,           # hash bodies, keep none
    "proxy_auth": None,         # "user:password" a proxy client must show
    "blackhole": False,         # DIR/blackhole_port answers no SYN
}
SERVICES = {"s3", "gcs", "azure", "oci"}
CLOCK = {"offset", "now", "date_offset", "max_age", "fake"}
OPS = {"any", "accept", "connect", "put", "get", "head", "delete",
       "head_bucket", "put_bucket", "list", "location", "multipart",
       "create", "part", "complete", "abort", "list_parts", "list_uploads",
       "service", "post", "status", "namespace"}
MATCH = {"op", "method", "bucket", "key", "nth", "has_header", "path",
         "part"}
ACTION = {
    "status": None, "s3_error": None, "message": None, "fields": {},
    "headers": {}, "body": None, "body_file": None, "body_size": None,
    "store": None, "when": "body", "then": "keep",
    "close_at": None, "rst_at": None, "hang_at": None,
    "interim": [], "expect": "100", "delay_ms": 0,
    "dribble_ms": 0, "dribble_bytes": 1, "read_ms": 0, "read_bytes": 65536,
    "length": None, "lowercase_headers": False, "range": None,
    "replace_object": None, "delete_object": False, "close_notify": None,
    "date_offset": 0, "reason": None, "raw": None, "abort_upload": False,
    "early_200": False, "spaces": 3, "space_ms": 0, "space_first": False,
    "error_in_200": None, "truncated_200": False, "empty_200": False,
    "persist": None,
}
THEN = {"keep", "close", "finish", "rst", "read", "stale-close", "stale-rst"}


class Bad(Exception):
    """The scenario file says something this cloud does not know."""


def _known(words, allowed, where):
    extra = sorted(set(words) - set(allowed))
    if extra:
        raise Bad("%s: unknown word %s" % (where, ", ".join(extra)))


def parse_nth(value, word="nth"):
    """A test for the n-th match: 2, [1, 3], "2-4" or "3-"."""
    if value is None:
        return lambda n: True
    if isinstance(value, int):
        return lambda n: n == value
    if isinstance(value, list):
        return lambda n: n in value
    first, dash, last = str(value).partition("-")
    if not first.isdigit() or not dash or not (last == "" or last.isdigit()):
        raise Bad('"%s": %r is no number, list or "2-4"' % (word, value))
    return lambda n: n >= int(first) and (last == "" or n <= int(last))


class Rule:
    """One row of the scenario: what it matches and what it does."""

    def __init__(self, row, number):
        self.number = number
        where = "rule %s" % number
        _known(row, MATCH | set(ACTION) | {"about"}, where)
        self.match = {k: row[k] for k in MATCH if k in row}
        self.op = row.get("op", "any")
        self.nth = parse_nth(row.get("nth"))
        self.part = parse_nth(row.get("part"), "part")
        self.seen = 0
        for name, default in ACTION.items():
            setattr(self, name, row.get(name, default))
        self._check(where)

    def _check(self, where):
        if self.op not in OPS:
            raise Bad("%s: unknown op %r" % (where, self.op))
        if self.then not in THEN:
            raise Bad("%s: unknown then %r" % (where, self.then))
        if self.error_in_200 and (self.status or self.s3_error):
            raise Bad("%s: one of error_in_200, s3_error, status" % where)
        if sum(x is not None for x in
               (self.close_at, self.rst_at, self.hang_at)) > 1:
            raise Bad("%s: one of close_at, rst_at, hang_at" % where)
        if self.early_200 and self.length is None:
            self.length = "chunked"
        self.how, self.at = self._cut(where)
        self.before_body = self._when(where)
        if self.range not in (None, "ignore"):
            _known(self.range, {"shift", "total"}, where + " range")
        if self.replace_object is not None:
            _known(self.replace_object, {"text", "file", "flip", "touch"},
                   where + " replace_object")

    def _cut(self, where):
        for how in ("close", "rst", "hang"):
            at = getattr(self, how + "_at")
            if at is None:
                continue
            if isinstance(at, int) or at in ("accept", "status", "headers"):
                return how, at
            if str(at).startswith("request:") and at[8:].isdigit():
                return how, at
            raise Bad("%s: unknown place %r" % (where, at))
        return None, None

    def _when(self, where):
        """Body bytes to read before the answer; None means all."""
        if self.when == "headers":
            return 0
        if isinstance(self.when, int):
            return self.when
        if self.when != "body":
            raise Bad("%s: unknown when %r" % (where, self.when))
        return None

    def request_cut(self):
        """Body bytes after which reading ends for good, or None."""
        if isinstance(self.at, str) and self.at.startswith("request:"):
            return int(self.at[8:])
        return None

    def canned(self):
        """Does the rule bring its own answer?"""
        return (self.status, self.s3_error, self.error_in_200) \
            != (None, None, None)

    def does_work(self):
        """Is the request carried out (an object stored)?"""
        if self.store is not None:
            return self.store
        return not self.canned() and self.at != "status" \
            and self.request_cut() is None

    def fits(self, op, method, bucket, key, path, headers, part):
        """Do the words of the match, but nth, fit this request?"""
        want = self.match
        return (self.op == op or (self.op == "any" and op != "accept")) \
            and want.get("method", method) == method \
            and want.get("bucket", bucket) == bucket \
            and want.get("key", key) == key \
            and want.get("path", path) == path \
            and ("part" not in want
                 or (part is not None and self.part(part))) \
            and ("has_header" not in want
                 or want["has_header"].lower() in headers)


class Scenario:
    """Settings and rules of one run; counts how often each rule matched."""

    def __init__(self, text):
        try:
            data = json.loads(text or "{}")
        except ValueError as e:
            raise Bad("not JSON: %s" % e) from e
        _known(data, SETTINGS, "scenario")
        self.settings = copy.deepcopy(dict(SETTINGS, **data))
        _known(self.settings["clock"], CLOCK, "clock")
        _known([self.settings["service"]], SERVICES, "service")
        self.rules = [Rule(row, i + 1)
                      for i, row in enumerate(self.settings["rules"])]
        self.default = Rule({}, 0)
        self.lock = threading.Lock()

    def find(self, op, method="", bucket="", key="", path="", headers=(),
             part=None):
        """The first rule that wants this request; each one counts it."""
        chosen = None
        with self.lock:
            for rule in self.rules:
                if not rule.fits(op, method, bucket, key, path, headers,
                                 part):
                    continue
                rule.seen += 1
                if chosen is None and rule.nth(rule.seen):
                    chosen = rule
        return chosen or self.default

    def reads_slowly(self):
        """Does any rule read a body as from a slow line?"""
        return any(r.read_ms and r.read_bytes < 65536 for r in self.rules)

    def cuts_requests(self):
        """Does any rule stop reading in the middle of a body?"""
        return any(r.request_cut() is not None for r in self.rules)
