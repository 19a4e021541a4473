# SPDX-License-Identifier: MIT
"""AWS Signature Version 4, from the verifying side.

Written from Amazon's pages "Create a signed AWS API request" and, for S3,
"Authenticating Requests (AWS Signature Version 4)", so that it shares no line
of thought with the signer under test. Works from the bytes received: it
decodes the target it was sent and encodes it again by the rules.
"""
import hashlib
import hmac
import re
from collections import namedtuple
from urllib.parse import unquote_to_bytes

import clock as clocks

# What the vendors call the same things.
Dialect = namedtuple("Dialect", "algorithm key vendor service terminator")
AWS4 = Dialect("AWS4-HMAC-SHA256", "AWS4", "amz", "s3", "aws4_request")
GOOG4 = Dialect("GOOG4-HMAC-SHA256", "GOOG4", "goog", "storage",
                "goog4_request")
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                       b"0123456789-._~")
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()

Auth = namedtuple("Auth", "key date region service terminator signed "
                          "signature amz_date expires presigned")
Verdict = namedtuple("Verdict", "name status message fields")


def ok(name="ok"):
    """A verdict that lets the request through."""
    return Verdict(name, 0, "", {})


def refuse(code, status, message, **fields):
    """A verdict that becomes an S3 error document."""
    return Verdict(code, status, message, fields)


def encode(data, keep=b""):
    """Percent-encode bytes as SigV4 wants: upper-case hex, ~ stays."""
    return "".join(chr(b) if b in UNRESERVED or b in keep else "%%%02X" % b
                   for b in data)


def canonical_path(raw):
    """S3's canonical URI: decoded once, encoded once, nothing folded."""
    return encode(unquote_to_bytes(raw.encode("latin-1")), b"/") or "/"


def split_query(raw):
    """Name and value, decoded, of each part of a raw query string."""
    pairs = []
    for piece in (p for p in raw.split("&") if p):
        name, _, value = piece.partition("=")
        pairs.append((unquote_to_bytes(name.encode("latin-1")),
                      unquote_to_bytes(value.encode("latin-1"))))
    return pairs


def canonical_query(raw, leave_out=()):
    """Pairs encoded, then sorted by name and value."""
    pairs = [(encode(n), encode(v)) for n, v in split_query(raw)
             if n not in leave_out]
    return "&".join("%s=%s" % pair for pair in sorted(pairs))


def canonical_headers(headers, signed):
    """One line a signed name; values trimmed, inner runs of space made one."""
    lines = []
    for name in signed:
        # Not str.split(): in Latin-1 it takes bytes of UTF-8 for spaces.
        values = [re.sub("[ \t\r\n]+", " ", v).strip(" ")
                  for n, v in headers if n.lower() == name]
        lines.append("%s:%s\n" % (name, ",".join(values)))
    return "".join(lines)


def canonical_request(method, path, query, headers, signed, payload):
    """The text whose hash is signed; PATH and QUERY already canonical."""
    return "\n".join((method, path, query,
                      canonical_headers(headers, signed),
                      ";".join(signed), payload))


def string_to_sign(canonical, amz_date, scope, dialect=AWS4):
    """The four lines that are signed."""
    digest = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
    return "\n".join((dialect.algorithm, amz_date, scope, digest))


def signature(secret, date, region, service, text, dialect=AWS4):
    """The HMAC chain, then the hex signature of TEXT."""
    key = (dialect.key + secret).encode()
    for part in (date, region, service, dialect.terminator):
        key = hmac.new(key, part.encode("latin-1"), hashlib.sha256).digest()
    return hmac.new(key, text.encode("latin-1"), hashlib.sha256).hexdigest()


def parse_header(value, amz_date, dialect=AWS4):
    """Auth of an Authorization header, None when it is malformed."""
    word, _, rest = value.partition(" ")
    fields = {}
    for piece in rest.split(","):
        name, _, text = piece.strip().partition("=")
        fields[name] = text
    scope = fields.get("Credential", "").split("/")
    if word != dialect.algorithm or len(scope) != 5 or not amz_date \
            or not re.fullmatch("[0-9a-f]{64}", fields.get("Signature", "")):
        return None
    return Auth(*scope, fields.get("SignedHeaders", "").split(";"),
                fields["Signature"], amz_date, None, False)


def parse_presigned(query):
    """Auth of a presigned URL's query, None when it is malformed."""
    fields = {n.decode("latin-1"): v.decode("latin-1")
              for n, v in split_query(query)}
    scope = fields.get("X-Amz-Credential", "").split("/")
    expires = fields.get("X-Amz-Expires", "")
    if fields.get("X-Amz-Algorithm") != AWS4.algorithm or len(scope) != 5 \
            or not expires.isdigit():
        return None
    return Auth(*scope, fields.get("X-Amz-SignedHeaders", "").split(";"),
                fields.get("X-Amz-Signature", ""),
                fields.get("X-Amz-Date", ""), int(expires), True)


class Verifier:
    """Checks requests against the keys, the region and the clock."""

    def __init__(self, keys, region_of, clock, max_skew=900, anonymous=False,
                 dialect=AWS4):
        self.keys = keys
        self.region_of = region_of
        self.clock = clock
        self.max_skew = max_skew
        self.anonymous = anonymous
        self.dialect = dialect
        self.prefix = "x-%s-" % dialect.vendor

    def check(self, request, path, query, bucket):
        """The verdict on one request, body unseen."""
        date = request.get(self.prefix + "date")
        self.clock.saw(date)
        authorization = request.get("authorization")
        presigned = "X-Amz-Signature=" in query
        if not authorization and not presigned:
            return self._unsigned()
        auth = parse_presigned(query) if presigned \
            else parse_header(authorization, date, self.dialect)
        if auth is None:
            return refuse("AuthorizationHeaderMalformed", 400,
                          "The authorization header is malformed.")
        return self._scope(auth, bucket) or self._identity(auth, request,
                                                           query) \
            or self._time(auth) or self._coverage(auth, request) \
            or self._signature(auth, request, path, query)

    def _unsigned(self):
        if self.anonymous:
            return ok("anonymous")
        return refuse("AccessDenied", 403, "Access Denied")

    def _scope(self, auth, bucket):
        """Region, service, terminator and date of the credential scope."""
        want = self.region_of(bucket)
        start = "The authorization header is malformed; "
        if want is not None and auth.region != want:
            return refuse("AuthorizationHeaderMalformed", 400, start +
                          "the region '%s' is wrong; expecting '%s'"
                          % (auth.region, want), Region=want)
        if auth.service != self.dialect.service \
                or auth.terminator != self.dialect.terminator:
            return refuse("AuthorizationHeaderMalformed", 400, start +
                          "incorrect service or terminal.")
        if auth.amz_date[:8] != auth.date:
            return refuse("AuthorizationHeaderMalformed", 400, start +
                          "Invalid credential date.")
        return None

    def _identity(self, auth, request, query):
        """The access key and its session token."""
        known = self.keys.get(auth.key)
        if known is None:
            return refuse("InvalidAccessKeyId", 403, "The AWS Access Key Id "
                          "you provided does not exist in our records.",
                          AWSAccessKeyId=auth.key)
        token = request.get("x-amz-security-token")
        if auth.presigned:
            token = dict(split_query(query)).get(b"X-Amz-Security-Token",
                                                 b"").decode() or None
        if known.get("token") != token:
            return refuse("InvalidToken", 400, "The provided token is "
                          "malformed or otherwise invalid.")
        if known.get("expired"):
            return refuse("ExpiredToken", 400,
                          "The provided token has expired.")
        return None

    def _time(self, auth):
        """Is the date within what the server's clock allows?"""
        claimed, now = clocks.parse_amz_date(auth.amz_date), self.clock.now()
        if claimed is None:
            return refuse("AccessDenied", 403, "AWS authentication requires "
                          "a valid Date or x-amz-date header")
        if auth.presigned:
            if now > claimed + auth.expires:
                return refuse("AccessDenied", 403, "Request has expired",
                              ServerTime=clocks.iso8601(now))
        elif abs(now - claimed) > self.max_skew:
            return refuse("RequestTimeTooSkewed", 403, "The difference "
                          "between the request time and the current time "
                          "is too large.", RequestTime=auth.amz_date,
                          ServerTime=clocks.iso8601(now),
                          MaxAllowedSkewMilliseconds=str(
                              int(self.max_skew * 1000)))
        return None

    def _coverage(self, auth, request):
        """Host and every x-amz-* header that was sent must be signed."""
        sent = {n.lower() for n, _ in request.headers}
        must = {n for n in sent if n.startswith(self.prefix)} | {"host"}
        missing = sorted(must - set(auth.signed))
        if missing:
            return refuse("AccessDenied", 403, "There were headers present "
                          "in the request which were not signed",
                          HeadersNotSigned=", ".join(missing))
        if auth.signed != sorted(auth.signed) or set(auth.signed) - sent:
            return refuse("SignatureDoesNotMatch", 403, "SignedHeaders names "
                          "headers that were not sent, or is not sorted.")
        digest = self.prefix + "content-sha256"
        if not auth.presigned and not request.get(digest):
            return refuse("InvalidRequest", 400, "Missing required header "
                          "for this request: " + digest)
        return None

    def _signature(self, auth, request, path, query):
        """The arithmetic itself."""
        payload = request.get(self.prefix + "content-sha256",
                              "UNSIGNED-PAYLOAD")
        leave_out = (b"X-Amz-Signature",) if auth.presigned else ()
        canonical = canonical_request(
            request.method, canonical_path(path),
            canonical_query(query, leave_out), request.headers, auth.signed,
            payload)
        scope = "/".join((auth.date, auth.region, auth.service,
                          auth.terminator))
        text = string_to_sign(canonical, auth.amz_date, scope, self.dialect)
        want = signature(self.keys[auth.key]["secret"], auth.date,
                         auth.region, auth.service, text, self.dialect)
        if hmac.compare_digest(want, auth.signature):
            return ok()
        return refuse("SignatureDoesNotMatch", 403, "The request signature "
                      "we calculated does not match the signature you "
                      "provided. Check your key and signing method.",
                      AWSAccessKeyId=auth.key, StringToSign=text,
                      SignatureProvided=auth.signature,
                      StringToSignBytes=text.encode().hex(" "),
                      CanonicalRequest=canonical,
                      CanonicalRequestBytes=canonical.encode().hex(" "))


def unsigned_headers(request, dialect=AWS4):
    """Headers a careful signer covers but this one left out (for the log)."""
    auth = parse_header(request.get("authorization") or "",
                        request.get("x-%s-date" % dialect.vendor), dialect)
    if auth is None:
        return []
    careful = {"content-type", "content-md5", "range"}
    sent = {n.lower() for n, _ in request.headers}
    return sorted(n for n in sent - set(auth.signed)
                  if n in careful or n.startswith("if-"))
