# SPDX-License-Identifier: MIT
"""What S3 says to one request on an object or a bucket.

Answers only; how an answer travels, or fails to, is decided elsewhere. Written
from the pages of the S3 API reference for PutObject, GetObject, HeadObject,
DeleteObject, HeadBucket and CreateBucket.
"""
import base64
import re
import uuid
from collections import namedtuple
from urllib.parse import unquote_to_bytes
from xml.sax.saxutils import escape

import checksums
import clock as clocks
import sigv4

Route = namedtuple("Route", "op bucket key path query virtual")

# Status of each error code that has one of its own; others are 400.
STATUS = {
    "AccessDenied": 403, "InternalError": 500, "MethodNotAllowed": 405,
    "ConditionalRequestConflict": 409, "InvalidAccessKeyId": 403,
    "InvalidRange": 416, "NoSuchBucket": 404, "NoSuchKey": 404,
    "NoSuchUpload": 404, "NoSuchVersion": 404, "NotImplemented": 501,
    "OperationAborted": 409, "PermanentRedirect": 301,
    "PreconditionFailed": 412, "RequestTimeTooSkewed": 403,
    "ServiceUnavailable": 503, "SignatureDoesNotMatch": 403,
    "SlowDown": 503, "TemporaryRedirect": 307, "TooManyRequests": 429,
    "MissingContentLength": 411, "InvalidObjectState": 403,
    "BucketAlreadyOwnedByYou": 409, "RequestExpired": 403,
}
MESSAGES = {
    "NoSuchKey": "The specified key does not exist.",
    "NoSuchBucket": "The specified bucket does not exist",
    "SlowDown": "Please reduce your request rate.",
    "InternalError": "We encountered an internal error. Please try again.",
    "PreconditionFailed": "At least one of the pre-conditions you specified "
                          "did not hold",
    "BadDigest": "The Content-MD5 you specified did not match what we "
                 "received.",
    "RequestTimeout": "Your socket connection to the server was not read "
                      "from or written to within the timeout period. Idle "
                      "connections will be closed.",
    "ExpiredToken": "The provided token has expired.",
    "InvalidRange": "The requested range is not satisfiable",
}
# Request headers kept with an object and given back with it.
KEPT = ("content-type", "cache-control", "content-disposition",
        "content-encoding", "content-language", "expires",
        "x-amz-storage-class", "x-amz-server-side-encryption",
        "x-amz-server-side-encryption-aws-kms-key-id",
        "x-amz-website-redirect-location")
CHECKSUMS = ("crc32", "crc32c", "crc64nvme", "sha1", "sha256")


class Answer:
    """A response that has not been sent: status, headers, body or a file."""

    def __init__(self, status, headers=(), body=b"", file=None, start=0,
                 length=None):
        self.status = status
        self.headers = list(headers)
        self.body = body
        self.file, self.start = file, start
        self.length = len(body) if length is None else length

    def set(self, name, value):
        """Replace a header, or with None remove it."""
        self.headers = [(n, v) for n, v in self.headers
                        if n.lower() != name.lower()]
        if value is not None:
            self.headers.append((name, value))

    def get(self, name):
        for n, v in self.headers:
            if n.lower() == name.lower():
                return v
        return None


def _xml(value):
    """Text or bytes-as-Latin-1 escaped for XML, as bytes-as-Latin-1."""
    try:
        value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        value = value.encode("utf-8", "replace").decode("latin-1")
    value = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "?", value)
    return escape(value)


def error_body(code, message=None, fields=None):
    """S3's error document."""
    parts = [("Code", code), ("Message", message or MESSAGES.get(code, code))]
    parts += list((fields or {}).items())
    parts += [("RequestId", uuid.uuid4().hex[:16].upper()),
              ("HostId", base64.b64encode(uuid.uuid4().bytes).decode())]
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<Error>%s</Error>'
            % "".join("<%s>%s</%s>" % (n, _xml(v), n)
                      for n, v in parts)).encode("latin-1")


def error(code, message=None, status=None, **fields):
    """An error answer."""
    return Answer(status or STATUS.get(code, 400),
                  [("Content-Type", "application/xml")],
                  error_body(code, message, fields))


class S3:
    """The service: routes a request, checks its signature, answers it."""

    def __init__(self, settings, store, clock):
        self.settings = settings
        self.store = store
        self.clock = clock
        self.verifier = sigv4.Verifier(
            settings["keys"], self.region_of, clock,
            settings["clock"].get("max_age", 900), settings["anonymous"])

    def region_of(self, bucket):
        """The region a bucket lives in."""
        return self.settings["bucket_regions"].get(bucket,
                                                   self.settings["region"])

    def route(self, request):
        """Which operation on which object a request is."""
        target = request.target
        if re.match("https?://", target):           # we are the proxy
            target = "/" + target.split("://", 1)[1].partition("/")[2]
        path, _, query = target.partition("?")
        host = (request.get("host") or "").rsplit(":", 1)[0]
        bucket, rest = self._virtual(host), path
        virtual = bucket is not None
        base = self.settings["base_path"]
        if base and rest.startswith(base + "/"):
            rest = rest[len(base):]
        if not virtual:
            bucket, _, rest = rest[1:].partition("/")
            bucket = unquote_to_bytes(bucket.encode("latin-1"))
            bucket = bucket.decode("latin-1")
        elif rest.startswith("/"):
            rest = rest[1:]
        key = unquote_to_bytes(rest.encode("latin-1"))
        return Route(self._op(request.method, bucket, key, query), bucket,
                     key, path, query, virtual)

    def _virtual(self, host):
        for domain in self.settings["domains"]:
            if host.endswith("." + domain):
                return host[:-len(domain) - 1]
        return None

    @staticmethod
    def _op(method, bucket, key, query):
        names = {n for n, _ in sigv4.split_query(query)}
        if b"uploads" in names or b"uploadId" in names:
            return "multipart"
        if key:
            return method.lower()
        if not bucket:
            return "service"
        if b"location" in names:
            return "location"
        return {"HEAD": "head_bucket", "PUT": "put_bucket",
                "GET": "list"}.get(method, method.lower() + "_bucket")

    def check(self, request, route):
        """The verdict on a request's signature."""
        return self.verifier.check(request, route.path, route.query,
                                   route.bucket)

    def refusal(self, verdict, request, route):
        """The error answer a request deserves by its head alone, or None."""
        if verdict.status:
            answer = error(verdict.name, verdict.message, verdict.status,
                           **verdict.fields)
            if "Region" in verdict.fields and (
                    route.op == "head_bucket"
                    or self.settings["region_header"]):
                answer.set("x-amz-bucket-region", verdict.fields["Region"])
            return answer
        if route.op not in ("service", "put_bucket") \
                and route.bucket not in self.store.buckets:
            return error("NoSuchBucket", BucketName=route.bucket)
        if request.get("x-amz-content-sha256", "").startswith("STREAMING-"):
            return error("NotImplemented", "aws-chunked is not supported")
        return None

    def answer(self, request, route, spool):
        """What S3 does and says, the signature being good."""
        handler = {"put": self._put, "get": self._get, "head": self._get,
                   "delete": self._delete, "head_bucket": self._head_bucket,
                   "put_bucket": self._put_bucket,
                   "location": self._location}.get(route.op)
        if handler is None:
            return error("NotImplemented", "not in this cloud: " + route.op)
        return self._body_problem(request, spool) \
            or handler(request, route, spool)

    @staticmethod
    def _body_problem(request, spool):
        """Does the body differ from what its headers promise?"""
        payload = request.get("x-amz-content-sha256")
        if payload and re.fullmatch("[0-9a-f]{64}", payload) \
                and payload != spool.sha256.hexdigest():
            return error("XAmzContentSHA256Mismatch", "The provided "
                         "'x-amz-content-sha256' header does not match what "
                         "was computed.",
                         ClientComputedContentSHA256=payload,
                         S3ComputedContentSHA256=spool.sha256.hexdigest())
        md5 = request.get("content-md5")
        if md5 is not None:
            if not re.fullmatch("[A-Za-z0-9+/]{22}==", md5):
                return error("InvalidDigest", "The Content-MD5 you specified "
                             "was invalid.")
            if base64.b64decode(md5) != spool.md5.digest():
                return error("BadDigest")
        for name in CHECKSUMS:
            told = request.get("x-amz-checksum-" + name)
            if told and told != checksums.of_file(name, spool.path):
                return error("BadDigest", "The %s you specified did not "
                             "match the calculated checksum." % name.upper())
        return None

    def _put(self, request, route, spool):
        if not request.get("content-length"):
            return error("MissingContentLength", "You must provide the "
                         "Content-Length HTTP header.")
        if self.settings["require_checksum"] and not any(
                request.get(n) for n in
                ["content-md5"] + ["x-amz-checksum-" + c for c in CHECKSUMS]):
            return error("InvalidRequest", "Content-MD5 OR x-amz-checksum- "
                         "HTTP header is required for Put Object requests "
                         "with Object Lock parameters")
        old = self.store.get(route.bucket, route.key)
        problem = self._write_condition(request, route, old)
        if problem:
            return problem
        meta = self._describe(request, spool)
        new = self.store.put(route.bucket, route.key, spool, meta,
                             self.settings["versioning"])
        answer = Answer(200, [("ETag", new.etag)])
        for name in ("x-amz-server-side-encryption",
                     "x-amz-server-side-encryption-aws-kms-key-id"):
            answer.set(name, request.get(name))
        for name, value in meta["checksums"].items():
            answer.set("x-amz-checksum-" + name, value)
        answer.set("x-amz-version-id", new.meta.get("version_id"))
        return answer

    def _write_condition(self, request, route, old):
        absent, same = request.get("if-none-match"), request.get("if-match")
        if absent is not None and absent != "*":
            return error("NotImplemented", "A header you provided implies "
                         "functionality that is not implemented",
                         Header="If-None-Match")
        if absent and old:
            return error("PreconditionFailed", Condition="If-None-Match")
        if same and not old:
            return error("NoSuchKey", Key=route.key.decode("latin-1"))
        if same and not _etag_in(same, old.etag):
            return error("PreconditionFailed", Condition="If-Match")
        return None

    def _describe(self, request, spool):
        """What is kept beside an object's bytes."""
        etag = spool.md5.hexdigest()
        if request.get("x-amz-server-side-encryption", "") == "aws:kms":
            etag = uuid.uuid4().hex         # no MD5 of anything
        headers = {n: request.get(n) for n in KEPT if request.get(n)}
        headers.update((n.lower(), v) for n, v in request.headers
                       if n.lower().startswith("x-amz-meta-"))
        sums = {n: request.get("x-amz-checksum-" + n) for n in CHECKSUMS
                if request.get("x-amz-checksum-" + n)}
        default = self.settings["default_checksum"]
        if default and not sums:
            sums[default] = checksums.of_file(default, spool.path)
        return {"etag": '"%s"' % etag, "headers": headers, "checksums": sums}

    def _get(self, request, route, _spool):
        version = dict(sigv4.split_query(route.query)).get(b"versionId")
        version = version and version.decode("latin-1")
        found = self.store.get(route.bucket, route.key, version)
        if not found:
            if version:
                return error("NoSuchVersion", Key=_text(route.key))
            return error("NoSuchKey", Key=_text(route.key))
        problem = _read_condition(request, found)
        if problem:
            return problem
        answer = Answer(200, self._object_headers(request, found),
                        file=found.path, length=found.size)
        wanted = request.get("range")
        return _ranged(answer, wanted, found.size) if wanted else answer

    def _object_headers(self, request, found):
        modified = clocks.imf_fixdate(found.meta["modified"])
        headers = [("Last-Modified", modified), ("ETag", found.etag),
                   ("Accept-Ranges", "bytes")]
        headers += found.meta["headers"].items()
        if "content-type" not in found.meta["headers"]:
            headers.append(("Content-Type", "binary/octet-stream"))
        if found.meta.get("version_id"):
            headers.append(("x-amz-version-id", found.meta["version_id"]))
        mode = request.get("x-amz-checksum-mode", "").upper()
        if mode == "ENABLED" and not request.get("range"):
            headers += self._checksum_headers(found)
        return headers

    def _checksum_headers(self, found):
        sums = found.meta["checksums"]
        default = self.settings["default_checksum"]
        if default and not sums:
            sums = {default: checksums.of_file(default, found.path)}
        if sums:
            yield "x-amz-checksum-type", "FULL_OBJECT"
        for name, value in sums.items():
            yield "x-amz-checksum-" + name, value

    def _delete(self, _request, route, _spool):
        self.store.delete(route.bucket, route.key)
        return Answer(204)

    def _head_bucket(self, _request, route, _spool):
        return Answer(200, [("x-amz-bucket-region",
                             self.region_of(route.bucket)),
                            ("Content-Type", "application/xml")])

    def _put_bucket(self, _request, route, _spool):
        self.store.buckets.add(route.bucket)
        return Answer(200, [("Location", "/" + route.bucket)])

    def _location(self, _request, route, _spool):
        region = self.region_of(route.bucket)
        text = "" if region == "us-east-1" else region
        return Answer(200, [("Content-Type", "application/xml")],
                      ('<?xml version="1.0" encoding="UTF-8"?>\n'
                       '<LocationConstraint xmlns="http://s3.amazonaws.com/'
                       'doc/2006-03-01/">%s</LocationConstraint>'
                       % text).encode())


def _text(key):
    return key.decode("utf-8", "replace")


def _etag_in(header, etag):
    """Does an If-Match list name this ETag? S3 takes it unquoted too."""
    names = [n.strip() for n in header.split(",")]
    return "*" in names or etag in names or etag.strip('"') in names


def _read_condition(request, found):
    """412 or 304 by RFC 9110 13.2.2, or None."""
    modified = found.meta["modified"]
    same, other = request.get("if-match"), request.get("if-none-match")
    before = clocks.parse_http_date(request.get("if-unmodified-since"))
    after = clocks.parse_http_date(request.get("if-modified-since"))
    if same is not None:
        if not _etag_in(same, found.etag):
            return error("PreconditionFailed", Condition="If-Match")
    elif before is not None and modified > before:
        return error("PreconditionFailed", Condition="If-Unmodified-Since")
    if other is not None:
        unchanged = _etag_in(other, found.etag)
    else:
        unchanged = after is not None and modified <= after
    if unchanged:
        return Answer(304, [("ETag", found.etag),
                            ("Last-Modified", clocks.imf_fixdate(modified))])
    return None


def _ranged(answer, wanted, size):
    """Cut an answer to one byte range: 206, 416, or all when it is no range."""
    m = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
    if not m or m.groups() == ("", ""):
        return answer
    first, last = m.groups()
    if first == "":
        start, end = max(0, size - int(last)), size - 1
    else:
        start, end = int(first), min(int(last or size), size - 1)
        if last and int(last) < start:
            return answer
    if start >= size or (first == "" and int(last) == 0):
        refused = error("InvalidRange", RangeRequested=wanted,
                        ActualObjectSize=str(size))
        refused.set("Content-Range", "bytes */%d" % size)
        return refused
    answer.status = 206
    answer.start, answer.length = start, end - start + 1
    answer.set("Content-Range", "bytes %d-%d/%d" % (start, end, size))
    return answer
