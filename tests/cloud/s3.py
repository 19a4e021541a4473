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

import checksums
import clock as clocks
import multipart
import sigv4
from answers import Answer, error
from heads import (encryption, kept_headers, read_condition, told_checksums,
                   unframed, write_condition)

class Route(namedtuple("Route", "op bucket key path query virtual args")):
    """What a request is about; ARGS is its query, decoded."""

    @property
    def part(self):
        """The number of the part, None where there is none."""
        text = self.args.get("partNumber", "")
        return int(text) if text.isascii() and text.isdigit() else None


class S3:
    """The service: routes a request, checks its signature, answers it."""

    def __init__(self, settings, store, clock):
        self.settings = settings
        self.store = store
        self.clock = clock
        self.verifier = sigv4.Verifier(
            settings["keys"], self.region_of, clock,
            settings["clock"].get("max_age", 900), settings["anonymous"])
        self.multipart = multipart.Multipart(settings, store, clock)

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
        args = {n.decode("latin-1"): v.decode("latin-1")
                for n, v in sigv4.split_query(query)}
        return Route(self._op(request.method, bucket, key, args), bucket,
                     key, path, query, virtual, args)

    def _virtual(self, host):
        for domain in self.settings["domains"]:
            if host.endswith("." + domain):
                return host[:-len(domain) - 1]
        return None

    @staticmethod
    def _op(method, bucket, key, args):
        if "uploads" in args or "uploadId" in args:
            return multipart.op(method, key, args)
        if key:
            return method.lower()
        if not bucket:
            return "service"
        if "location" in args:
            return "location"
        return {"HEAD": "head_bucket", "PUT": "put_bucket",
                "GET": "list"}.get(method, method.lower() + "_bucket")

    @staticmethod
    def error(_route, code, message=None, status=None, **fields):
        """An error answer in this service's words."""
        return error(code, message, status, **fields)

    @staticmethod
    def greeting(number):
        """Headers that each answer has; NUMBER is the request's."""
        return [("x-amz-id-2", "ankfake"),
                ("x-amz-request-id", "REQ%013d" % number),
                ("Server", "AmazonS3")]

    @staticmethod
    def unsigned(request):
        """Headers a careful signer would have covered."""
        return sigv4.unsigned_headers(request)

    @staticmethod
    def canonical(route):
        """Was the path sent as it was signed?"""
        return sigv4.canonical_path(route.path) == route.path

    def check(self, request, route):
        """The verdict on a request's signature."""
        return self.verifier.check(request, route.path, route.query,
                                   route.bucket)

    def forget(self, route):
        """Somebody else ends the upload of a request."""
        self.multipart.forget(route)

    def spooling(self, request, route):
        """Are the bytes of a body thrown away, and which checksums of them
        will be asked for? Those are computed as the bytes arrive."""
        if route.op not in ("put", "part"):
            return False, ()
        discard = self.settings["discard"]
        names = {"crc32"} if discard else set()
        names |= {*told_checksums(request), self.multipart.algorithm(route),
                  self.settings["default_checksum"]}
        return discard, names - {None}

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
                   "location": self._location}.get(route.op) \
            or self.multipart.handler(route.op)
        if handler is None:
            return error("NotImplemented", "not in this cloud: " + route.op)
        return self._body_problem(request, route, spool) \
            or handler(request, route, spool)

    @staticmethod
    def _body_problem(request, route, spool):
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
        if route.op == "complete":      # there they are the whole object's
            return None
        for name, told in told_checksums(request).items():
            if told != spool.checksum(name):
                return error("BadDigest", "The %s you specified did not "
                             "match the calculated checksum." % name.upper())
        return None

    def _put(self, request, route, spool):
        problem = unframed(request, self.settings["require_checksum"])
        if problem:
            return problem
        old = self.store.get(route.bucket, route.key)
        problem = write_condition(request, route.key, old)
        if problem and not self.settings["ignore_conditions"]:
            return problem
        meta = self._describe(request, spool)
        spool.done()
        new = self.store.put(route.bucket, route.key, spool.path, meta,
                             self.settings["versioning"])
        answer = Answer(200, [("ETag", new.etag)] + encryption(request))
        for name, value in meta["checksums"].items():
            answer.set("x-amz-checksum-" + name, value)
        answer.set("x-amz-version-id", new.meta.get("version_id"))
        return answer

    def _describe(self, request, spool):
        """What is kept beside an object's bytes."""
        etag = spool.md5.hexdigest()
        if request.get("x-amz-server-side-encryption", "") == "aws:kms":
            etag = uuid.uuid4().hex         # no MD5 of anything
        sums = told_checksums(request)
        default = self.settings["default_checksum"]
        if default and not sums:
            sums[default] = spool.checksum(default)
        return dict(spool.facts(), etag='"%s"' % etag, checksums=sums,
                    headers=kept_headers(request))

    def _get(self, request, route, _spool):
        version = route.args.get("versionId")
        found = self.store.get(route.bucket, route.key, version)
        if not found:
            if version:
                return error("NoSuchVersion", Key=_text(route.key))
            return error("NoSuchKey", Key=_text(route.key))
        problem = read_condition(request, found)
        if problem:
            return problem
        answer = Answer(200, self._object_headers(request, found),
                        file=found.path, length=found.size)
        wanted = request.get("range")
        return ranged(answer, wanted, found.size) if wanted else answer

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
            yield "x-amz-checksum-type", found.meta.get("checksum_type",
                                                        "FULL_OBJECT")
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


def ranged(answer, wanted, size):
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
