# SPDX-License-Identifier: MIT
"""What OCI Object Storage says to one request on an object.

Answers only. Written from Oracle's reference of the Object Storage Service
API: PutObject, GetObject, HeadObject, DeleteObject, GetNamespace, HeadBucket;
uploads in parts are oci_parts.py's.
"""
import base64
import re
import uuid
from collections import namedtuple
from urllib.parse import unquote_to_bytes

import checksums
import clock as clocks
import oci_sign
import sigv4
from answers import Answer, Refused
from oci_parts import Parts
from oci_says import (check_read, check_write, document, error, etag_of,
                      refuse)

KEPT = ("content-type", "content-language", "content-encoding",
        "content-disposition", "cache-control", "storage-tier")


class Route(namedtuple("Route", "op bucket key path query args namespace")):
    """What a request is about; ARGS is its query, decoded."""

    virtual = False

    @property
    def part(self):
        """The number of the part, None where there is none."""
        text = self.args.get("uploadPartNum", "")
        return int(text) if text.isascii() and text.isdigit() else None


def kept_headers(request):
    """What an object gives back when it is read."""
    headers = {n: request.get(n) for n in KEPT if request.get(n)}
    headers.update((n.lower(), v) for n, v in request.headers
                   if n.lower().startswith("opc-meta-"))
    return headers


class Oci:
    """The service: routes a request, checks its signature, answers it."""

    def __init__(self, settings, store, clock):
        self.settings, self.store, self.clock = settings, store, clock
        self.verifier = oci_sign.Verifier(settings, clock)
        self.parts = Parts(settings, store, clock)

    # --- what a request is -------------------------------------------------

    def route(self, request):
        """Which operation on which object a request is."""
        target = request.target
        if re.match("https?://", target):           # we are the proxy
            target = "/" + target.split("://", 1)[1].partition("/")[2]
        path, _, query = target.partition("?")
        rest, base = path, self.settings["base_path"]
        if base and rest.startswith(base + "/"):
            rest = rest[len(base):]
        args = {n.decode("latin-1"): v.decode("latin-1")
                for n, v in sigv4.split_query(query)}
        pieces = rest.split("/", 6) + [""] * 6
        namespace, bucket = (unquote_to_bytes(p).decode("latin-1")
                             for p in (pieces[2], pieces[4]))
        key = unquote_to_bytes(pieces[6].encode("latin-1"))
        op = self._op(request.method, pieces, key, args)
        return Route(op, bucket, key, path, query, args, namespace)

    @staticmethod
    def _op(method, pieces, key, args):
        if pieces[1] != "n" or (pieces[3] and pieces[3] != "b"):
            return "service"
        if not pieces[4]:
            return "namespace" if method == "GET" and not pieces[2] \
                else "service"
        if pieces[5] == "u":
            return Parts.op(method, key, args)
        if pieces[5] == "o":
            return method.lower() if key else "list"
        return {"HEAD": "head_bucket", "PUT": "put_bucket"}.get(
            method, method.lower() + "_bucket")

    @staticmethod
    def canonical(route):
        """Was the path sent as it was signed? It is signed as it is sent."""
        return route is not None

    @staticmethod
    def unsigned(_request):
        """Headers a careful signer would have covered: others cannot be."""
        return []

    def check(self, request, route):
        """The verdict on a request's signature. The bytes of objects are the
        exception: they are not signed."""
        plain = request.method in ("GET", "HEAD", "DELETE") \
            or route.op in ("put", "part")
        return self.verifier.check(request, plain)

    def forget(self, route):
        """Somebody else aborts the upload of a request."""
        self.parts.forget(route)

    def spooling(self, _request, route):
        """Are the bytes thrown away, and which checksums are needed?"""
        discard = self.settings["discard"] and route.op in ("put", "part")
        return discard, {"crc32"} if discard else set()

    # --- what it gets --------------------------------------------------------

    @staticmethod
    def error(_route, code, message=None, status=None, **_fields):
        """An error answer in this service's words."""
        return error(code, message, status)

    @staticmethod
    def greeting(number):
        """Headers that each answer has; NUMBER is the request's."""
        return [("opc-request-id", "REQ%013d" % number)]

    def refusal(self, verdict, _request, route):
        """The error answer a request deserves by its head alone, or None."""
        if verdict.status:
            return error("NotAuthenticated", status=verdict.status)
        if route.op in ("service", "namespace"):
            return None
        if route.namespace != self.settings["namespace"]:
            return error("NamespaceNotFound", "You do not have authorization "
                         "to perform this request, or the requested resource "
                         "could not be found.")
        if route.op != "put_bucket" \
                and route.bucket not in self.store.buckets:
            return error("BucketNotFound")
        return None

    def answer(self, request, route, spool):
        """What the service does and says, the signature being good."""
        handler = {"put": self._put, "get": self._get, "head": self._get,
                   "delete": self._delete, "head_bucket": self._head_bucket,
                   "put_bucket": self._put_bucket,
                   "namespace": self._namespace}.get(route.op) \
            or self.parts.handler(route.op)
        if handler is None:
            return error("NotImplemented", "not in this cloud: " + route.op)
        try:
            self._check_body(request, spool)
            with self.store.lock:
                return handler(request, route, spool)
        except Refused as refused:
            return refused.answer

    @staticmethod
    def _check_body(request, spool):
        """Does the body differ from what its headers promise?"""
        sha256 = request.get("x-content-sha256")
        if sha256 is not None and base64.b64encode(
                spool.sha256.digest()).decode() != sha256:
            refuse("NotAuthenticated")
        md5 = request.get("content-md5")
        if md5 is None:
            return
        if not re.fullmatch("[A-Za-z0-9+/]{22}==", md5):
            refuse("InvalidContentMD5")
        mine = base64.b64encode(spool.md5.digest()).decode()
        if md5 != mine:
            refuse("UnmatchedContentMD5", "The computed MD5 of the request "
                   "body (%s) does not match the Content-MD5 header (%s)"
                   % (mine, md5))

    def _put(self, request, route, spool):
        if not request.get("content-length"):
            refuse("ContentLengthRequired")
        check_write(request, self.store.get(route.bucket, route.key))
        meta = dict(spool.facts(), etag=str(uuid.uuid4()), checksums={},
                    headers=kept_headers(request))
        spool.done()
        new = self.store.put(route.bucket, route.key, spool.path, meta,
                             self.settings["versioning"])
        answer = Answer(200, [
            ("ETag", etag_of(new)), ("Last-Modified", clocks.imf_fixdate(
                new.meta["modified"])),
            ("opc-content-md5", base64.b64encode(
                spool.md5.digest()).decode())])
        answer.set("version-id", new.meta.get("version_id"))
        return answer

    def _get(self, request, route, _spool):
        found = self.store.get(route.bucket, route.key,
                               route.args.get("versionId"))
        if not found:
            refuse("ObjectNotFound", "The object '%s' was not found in the "
                   "bucket '%s'" % (route.key.decode("utf-8", "replace"),
                                    route.bucket))
        check_read(request, found)
        answer = Answer(200, list(self._object_headers(found)),
                        file=found.path, length=found.size)
        wanted = request.get("range")
        return _ranged(answer, wanted, found.size) if wanted else answer

    @staticmethod
    def _object_headers(found):
        meta = found.meta
        yield "Last-Modified", clocks.imf_fixdate(meta["modified"])
        yield "ETag", etag_of(found)
        yield "Accept-Ranges", "bytes"
        yield from meta["headers"].items()
        if "content-type" not in meta["headers"]:
            yield "Content-Type", "application/octet-stream"
        if meta.get("version_id"):
            yield "version-id", meta["version_id"]
        if meta.get("multipart_md5"):
            yield "opc-multipart-md5", meta["multipart_md5"]
        else:
            yield "Content-MD5", _base64(meta["md5"]) if "md5" in meta \
                else checksums.of_file("md5", found.path)

    def _delete(self, _request, route, _spool):
        if not self.store.get(route.bucket, route.key):
            refuse("ObjectNotFound")
        self.store.delete(route.bucket, route.key)
        return Answer(204)

    def _head_bucket(self, _request, _route, _spool):
        return Answer(200, [("ETag", str(uuid.uuid4()))])

    def _put_bucket(self, _request, route, _spool):
        self.store.buckets.add(route.bucket)
        return Answer(200)

    def _namespace(self, _request, _route, _spool):
        return document(self.settings["namespace"])


def _base64(digest):
    return base64.b64encode(bytes.fromhex(digest)).decode()


def _ranged(answer, wanted, size):
    """Cut an answer to one byte range: 206, 416, or all when it is no range."""
    m = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
    if not m or m.groups() == ("", ""):
        return answer
    first, last = m.groups()
    start = max(0, size - int(last)) if first == "" else int(first)
    end = min(int(last or size), size - 1) if first else size - 1
    if first and last and int(last) < start:
        return answer
    if start >= size:
        refused = error("InvalidRange", "The range is not satisfiable")
        refused.set("Content-Range", "bytes */%d" % size)
        return refused
    answer.status = 206
    answer.start, answer.length = start, end - start + 1
    answer.set("Content-Range", "bytes %d-%d/%d" % (start, end, size))
    answer.set("Content-MD5", None)
    return answer
