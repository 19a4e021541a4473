# SPDX-License-Identifier: MIT
"""Who may ask: Azure's Shared Key, shared access signatures, bearer tokens.

Written from Microsoft's pages "Authorize with Shared Key", "Create a service
SAS" and "Create an account SAS" (versions 2020-12-06 and later), from the
verifying side: it sees the bytes received and nothing of the signer's.
"""
import base64
import calendar
import hashlib
import hmac
import time

import clock as clocks
from sigv4 import ok, refuse, split_query

SLOTS = ("content-encoding", "content-language", "content-length",
         "content-md5", "content-type", "date", "if-modified-since",
         "if-match", "if-none-match", "if-unmodified-since", "range")
BAD = "SignatureDoesNotMatch"
SKEW = 900
NEEDS = {"put": "cw", "part": "cw", "complete": "cw", "get": "r",
         "head": "r", "list_parts": "r", "delete": "d"}


def mac(key, text):
    """Base64 of the HMAC that all of these are."""
    digest = hmac.new(base64.b64decode(key), text.encode("latin-1"),
                      hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def dictionary(name):
    """The service's order: '_' before digits before letters."""
    return [(0 if c == "_" else 1, c) for c in name]


def canonical_headers(request):
    """The x-ms- headers, a line each."""
    own = {}
    for name, value in request.headers:
        name = name.lower()
        if name.startswith("x-ms-"):
            own.setdefault(name, []).append(value.strip(" \t"))
    return "".join("%s:%s\n" % (n, ",".join(own[n]))
                   for n in sorted(own, key=dictionary))


def canonical_resource(account, path, query):
    """The account, the path as received, the decoded query by name."""
    values = {}
    for name, value in split_query(query):
        values.setdefault(name.decode("latin-1").lower(), []).append(
            value.decode("latin-1"))
    return "/%s%s" % (account, path) + "".join(
        "\n%s:%s" % (n, ",".join(sorted(values[n]))) for n in sorted(values))


def string_to_sign(request, account, path, query):
    """What Shared Key signs."""
    lines = [request.method]
    for name in SLOTS:
        value = request.get(name, "").strip(" \t")
        if name == "content-length" and value == "0":
            value = ""
        if name == "date" and request.get("x-ms-date"):
            value = ""
        lines.append(value)
    return "\n".join(lines) + "\n" + canonical_headers(request) \
        + canonical_resource(account, path, query)


def parse_time(text):
    """Epoch seconds of a SAS's times, None for none."""
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ", "%Y-%m-%d"):
        try:
            return calendar.timegm(time.strptime(text, form))
        except ValueError:
            pass
    return None


def account_text(account, sas):
    """The string that an account SAS signs."""
    fields = [account] + [sas.get(n, "") for n in (
        "sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "ses")]
    return "".join(f + "\n" for f in fields)


def service_text(account, sas, route):
    """The string that a blob's or container's SAS signs."""
    resource = "/blob/%s/%s" % (account, route.bucket)
    if sas.get("sr") == "b":
        resource += "/" + route.key.decode("latin-1")
    fields = [sas.get("sp", ""), sas.get("st", ""), sas.get("se", ""),
              resource]
    fields += [sas.get(n, "") for n in ("si", "sip", "spr", "sv", "sr")]
    fields += [sas.get("snapshot", "")]
    fields += [sas.get(n, "") for n in ("ses", "rscc", "rscd", "rsce", "rscl",
                                        "rsct")]
    return "\n".join(fields)


class Verifier:
    """Checks requests against the accounts, the tokens and the clock."""

    def __init__(self, settings, clock):
        self.settings = settings
        self.accounts = settings["accounts"]
        self.clock = clock
        self.max_skew = settings["clock"].get("max_age", SKEW)

    def check(self, request, route):
        """The verdict on one request, body unseen."""
        self.clock.saw(request.get("x-ms-date"))
        word, _, rest = (request.get("authorization") or "").partition(" ")
        if word == "SharedKey":
            return self._shared_key(request, route, rest)
        if word == "Bearer":
            return self._bearer(request, rest)
        if word:
            return refuse("InvalidAuthenticationInfo", 400, "Authentication "
                          "information is not given in the correct format.")
        if "sig" in route.args:
            return self._sas(route)
        if self.settings["anonymous"]:
            return ok("anonymous")
        return refuse("AccessDenied", 401, "Server failed to authenticate "
                      "the request.")

    def _shared_key(self, request, route, rest):
        account, _, given = rest.partition(":")
        if account != route.account or account not in self.accounts:
            return refuse("InvalidAccessKeyId", 403, "no such account here")
        claimed = clocks.parse_http_date(request.get("x-ms-date"))
        if claimed is None:
            return refuse(BAD, 403, "no date")
        text = string_to_sign(request, account, route.path, route.query)
        if not hmac.compare_digest(mac(self.accounts[account], text), given):
            return refuse(BAD, 403, "Server failed to authenticate the "
                          "request.", AuthenticationErrorDetail="The MAC "
                          "signature found in the HTTP request '%s' is not "
                          "the same as any computed signature. Server used "
                          "following string to sign: '%s'." % (given, text))
        if abs(self.clock.now() - claimed) > self.max_skew:
            return refuse("RequestTimeTooSkewed", 403, "Server failed to "
                          "authenticate the request.",
                          AuthenticationErrorDetail="Request date header too "
                          "old: '%s'" % request.get("x-ms-date"))
        return ok()

    def _bearer(self, request, token):
        known = self.settings["tokens"].get(token)
        version = request.get("x-ms-version", "")
        if version < "2017-11-09":
            return refuse(BAD, 403, "a bearer token needs a newer version")
        if known is None:
            return refuse("InvalidToken", 401, "Server failed to "
                          "authenticate the request.")
        if known.get("expired"):
            return refuse("ExpiredToken", 401, "Lifetime validation failed. "
                          "The token is expired.")
        return ok()

    def _sas(self, route):
        sas, now = route.args, self.clock.now()
        account = route.account
        if account not in self.accounts:
            return refuse("InvalidAccessKeyId", 403, "no such account here")
        text = account_text(account, sas) if "ss" in sas \
            else service_text(account, sas, route)
        if not hmac.compare_digest(mac(self.accounts[account], text),
                                   sas["sig"]):
            return refuse(BAD, 403, "Server failed to authenticate the "
                          "request.", AuthenticationErrorDetail="Signature "
                          "did not match. String to sign used was " + text)
        start, end = parse_time(sas.get("st", "")), parse_time(sas.get("se",
                                                                      ""))
        if end is None or now > end or (start is not None and now < start):
            return refuse("ExpiredSas", 403, "Server failed to authenticate "
                          "the request.", AuthenticationErrorDetail="Signed "
                          "expiry time [%s] must be after signed start time "
                          "and now" % sas.get("se"))
        if not set(NEEDS.get(route.op, "rcwdl")) & set(sas.get("sp", "")):
            return refuse("AuthorizationPermissionMismatch", 403, "This "
                          "request is not authorized to perform this "
                          "operation using this permission.")
        return ok()
