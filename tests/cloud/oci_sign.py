# SPDX-License-Identifier: MIT
"""Oracle's request signature, version 1, from the verifying side.

Written from the page "Request Signatures" and, for the arithmetic, RFC 8017
8.2.2 and 9.2: a public key is two numbers, and verifying is one power. Shares
no line with the signer under test. Works from the bytes received.
"""
import base64
import hashlib
import json
import os
import re

import clock as clocks
from sigv4 import ok, refuse

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../vectors/oci_signature_sdk.json")
TEST_KEY = "fake-2048-a"        # the key of the harness, of the vectors' keys
TENANCY, USER = "ocid1.tenancy.oc1..ank", "ocid1.user.oc1..ank"
# DigestInfo of SHA-256, RFC 8017 9.2 note 1.
SHA256_INFO = bytes.fromhex("3031300d060960864801650304020105000420")
PLAIN = {"(request-target)", "host"}
BODY = {"content-length", "content-type", "x-content-sha256"}


def der_integers(data):
    """The integers of a SEQUENCE, as PKCS#1 writes a private key."""
    def item(at):
        length, at = data[at + 1], at + 2
        if length & 0x80:
            more = length & 0x7f
            length = int.from_bytes(data[at:at + more], "big")
            at += more
        return at, at + length
    at, end = item(0)
    numbers = []
    while at < end:
        start, at = item(at)
        numbers.append(int.from_bytes(data[start:at], "big"))
    return numbers


def vector_key(name=TEST_KEY):
    """Modulus and exponent of a key of the vectors, and its fingerprint."""
    with open(VECTORS, encoding="utf-8") as f:
        key = json.load(f)["keys"][name]
    text = "".join(line for line in key["pem_pkcs1"].splitlines()
                   if not line.startswith("-"))
    _, modulus, exponent = der_integers(base64.b64decode(text))[:3]
    return (modulus, exponent), key["fingerprint_md5_of_public_der"]


def verifies(public, text, signature):
    """Is SIGNATURE (bytes) that of TEXT (bytes) by the key PUBLIC?"""
    modulus, exponent = public
    size = (modulus.bit_length() + 7) // 8
    if len(signature) != size:
        return False
    tail = SHA256_INFO + hashlib.sha256(text).digest()
    want = b"\0\1" + b"\xff" * (size - len(tail) - 3) + b"\0" + tail
    got = pow(int.from_bytes(signature, "big"), exponent, modulus)
    return got.to_bytes(size, "big") == want


def parse(value):
    """The parameters of an Authorization header, None when malformed."""
    word, _, rest = (value or "").partition(" ")
    fields = dict(re.findall(r'(\w+)="([^"]*)"', rest))
    if word != "Signature" or fields.get("version") != "1" \
            or fields.get("algorithm") != "rsa-sha256" \
            or not {"keyId", "headers", "signature"} <= set(fields):
        return None
    return fields


def signing_string(request, names):
    """The lines that are signed, or None when one is of no header."""
    lines = []
    for name in names:
        if name == "(request-target)":
            value = "%s %s" % (request.method.lower(), request.target)
        else:
            value = ", ".join(request.all(name)) or None
        if value is None:
            return None
        lines.append("%s: %s" % (name, value))
    return "\n".join(lines)


def denied(name, why):
    """401, whatever the reason; the log has the NAME."""
    return refuse(name, 401, why)


class Verifier:
    """Checks requests against the key, the sessions and the clock."""

    def __init__(self, settings, clock):
        self.clock = clock
        self.max_skew = settings["clock"].get("max_age", 300)
        self.anonymous = settings["anonymous"]
        self.public, fingerprint = vector_key()
        self.sessions = settings["oci_sessions"]
        self.issued = settings["oci_issued"]
        self.key_id = "/".join((TENANCY, USER, fingerprint))

    def check(self, request, plain):
        """The verdict; PLAIN: the body need not be signed."""
        if request.get("authorization") is None:
            return ok("anonymous") if self.anonymous \
                else denied("AccessDenied", "the request is not signed")
        fields = parse(request.get("authorization"))
        if fields is None:
            return denied("SignatureDoesNotMatch", "malformed Authorization")
        names = fields["headers"].lower().split(" ")
        return self._identity(fields["keyId"]) or self._time(request, names) \
            or self._coverage(request, names, plain) \
            or self._signature(request, names, fields)

    def _identity(self, key_id):
        session = self.sessions.get(key_id[3:]) \
            if key_id.startswith("ST$") else None
        if session is not None:
            return denied("ExpiredToken", "the session is over") \
                if session.get("expired") else None
        if key_id.startswith("ST$") and self.issued:
            return None
        if key_id != self.key_id:
            return denied("InvalidAccessKeyId", "no key " + key_id)
        return None

    def _time(self, request, names):
        name = "x-date" if "x-date" in names else "date"
        claimed = clocks.parse_http_date(request.get(name))
        if name not in names or claimed is None:
            return denied("InvalidRequest", "no date is signed")
        if abs(self.clock.now() - claimed) > self.max_skew:
            return denied("RequestTimeTooSkewed", "the date is off by more "
                          "than %d s" % self.max_skew)
        return None

    @staticmethod
    def _coverage(request, names, plain):
        missing = (PLAIN if plain else PLAIN | BODY) - set(names)
        if missing:
            return denied("InvalidRequest", "not signed: "
                          + ", ".join(sorted(missing)))
        if "%2f" in request.target.partition("?")[2].lower():
            return denied("InvalidRequest", "%2F in the query")
        return None

    def _key(self, fields):
        """The key of the session that others have issued, or of all else."""
        import oci_instance
        if not self.issued or fields["keyId"][3:] in self.sessions \
                or not fields["keyId"].startswith("ST$"):
            return self.public
        with open(self.issued, "rb") as f:
            return oci_instance.public_of(f.read())

    def _signature(self, request, names, fields):
        text = signing_string(request, names)
        try:
            raw = base64.b64decode(fields["signature"],
                                   validate=True)
        except ValueError:
            raw = b""
        if text is not None and verifies(self._key(fields),
                                         text.encode("latin-1"), raw):
            return ok()
        return denied("SignatureDoesNotMatch", "not a signature over %r"
                      % text)
