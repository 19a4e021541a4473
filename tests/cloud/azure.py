# SPDX-License-Identifier: MIT
"""What Azure's blob service says to one request on a blob or a container.

Answers only; how an answer travels, or fails to, is decided elsewhere. Written
from Microsoft's pages for Put Blob, Get Blob, Get Blob Properties, Delete
Blob and the error codes of the blob service; blocks are in azure_blocks.py.
A path begins with the account, as an emulator's does, unless the host does.
"""
import base64
import re
import uuid
from collections import namedtuple
from urllib.parse import unquote_to_bytes

import azure_auth
import azure_blocks
import clock as clocks
import sigv4
from answers import Answer
from azure_answers import (condition, crc64, error, kept_headers,
                           metadata_problem, sums_problem)
from heads import etag_in

MOST_PUT = 5000 << 20


class Route(namedtuple("Route", "op account bucket key path query args")):
    """What a request is about; ARGS is its query, decoded."""

    @property
    def part(self):
        """The number a block's id ends in, None where there is none."""
        return self.args.get("block_number")


class Azure:
    """The service: routes a request, checks its signature, answers it."""

    def __init__(self, settings, store, clock):
        self.settings = settings
        self.store = store
        self.clock = clock
        self.verifier = azure_auth.Verifier(settings, clock)
        self.blocks = azure_blocks.Blocks(settings, store, clock)

    # --- what the connection asks of any service ---------------------------

    @staticmethod
    def error(_route, code, message=None, status=None, **fields):
        """An error answer in this service's words."""
        return error(code, message, status, **fields)

    @staticmethod
    def greeting(number):
        """Headers that each answer has; NUMBER is the request's."""
        return [("x-ms-request-id", "REQ%013d" % number),
                ("x-ms-version", "2024-11-04"),
                ("Server", "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0")]

    @staticmethod
    def unsigned(_request):
        """Shared Key signs all that it can."""
        return []

    @staticmethod
    def canonical(route):
        """Was the path sent in the plainest encoding?"""
        return sigv4.canonical_path(route.path) == route.path

    def check(self, request, route):
        """The verdict on a request's signature."""
        return self.verifier.check(request, route)

    def forget(self, route):
        """Somebody else drops the blocks of a blob."""
        self.blocks.forget(route)

    def spooling(self, request, route):
        """Are the bytes of a body thrown away, and which checksums of them
        will be asked for?"""
        if route.op not in ("put", "part"):
            return False, ()
        discard = self.settings["discard"]
        names = {"crc32"} if discard else set()
        if request.get("x-ms-content-crc64"):
            names.add("crc64nvme")
        return discard, names

    def route(self, request):
        """Which operation on which blob a request is."""
        path, _, query = request.target.partition("?")
        host = (request.get("host") or "").rsplit(":", 1)[0]
        rest = path
        base = self.settings["base_path"]
        if base and rest.startswith(base + "/"):
            rest = rest[len(base):]
        account, dot, _ = host.partition(".blob.")
        if not dot:
            account, _, rest = rest[1:].partition("/")
            rest = "/" + rest
        account = re.sub("-secondary$", "", account)
        bucket, _, key = rest[1:].partition("/")
        key = unquote_to_bytes(key.encode("latin-1"))
        bucket = unquote_to_bytes(bucket.encode("latin-1")).decode("latin-1")
        args = {n.decode("latin-1").lower(): v.decode("latin-1")
                for n, v in sigv4.split_query(query)}
        if "blockid" in args:
            azure_blocks.split_id(args)
        op = self._op(request.method, bucket, key, args)
        return Route(op, account, bucket, key, path, query, args)

    @staticmethod
    def _op(method, bucket, key, args):
        comp = args.get("comp")
        if comp in ("block", "blocklist"):
            return {("PUT", "block"): "part", ("PUT", "blocklist"): "complete",
                    ("GET", "blocklist"): "list_parts"}.get((method, comp),
                                                            "multipart")
        if key:
            return method.lower()
        if not bucket:
            return "service"
        if comp == "list":
            return "list"
        return {"HEAD": "head_bucket", "GET": "head_bucket",
                "PUT": "put_bucket"}.get(method, method.lower() + "_bucket")

    def refusal(self, verdict, _request, route):
        """The error answer a request deserves by its head alone, or None."""
        if verdict.status:
            answer = error(verdict.name, verdict.message, **verdict.fields)
            if answer.status == 401:
                answer.set("WWW-Authenticate", "Bearer authorization_uri="
                           "https://login.microsoftonline.com/t/oauth2/"
                           "authorize resource_id=https://storage.azure.com")
            return answer
        if route.op not in ("service", "put_bucket") \
                and route.bucket not in self.store.buckets:
            return error("ContainerNotFound")
        return None

    def answer(self, request, route, spool):
        """What Azure does and says, the signature being good."""
        handler = {"put": self._put, "get": self._get, "head": self._get,
                   "delete": self._delete, "head_bucket": self._head_bucket,
                   "put_bucket": self._put_bucket, "part": self.blocks.part,
                   "complete": self.blocks.complete,
                   "list_parts": self.blocks.list}.get(route.op)
        if not request.get("x-ms-version") and "sv" not in route.args:
            return error("MissingRequiredHeader", HeaderName="x-ms-version")
        if handler is None:
            return error("UnsupportedHttpVerb", "not in this cloud: "
                         + route.op)
        with self.store.lock:
            answer = metadata_problem(request) \
                or sums_problem(request, spool) \
                or handler(request, route, spool)
        answer.set("x-ms-client-request-id",
                   request.get("x-ms-client-request-id"))
        return answer

    # --- blobs -------------------------------------------------------------

    def _put(self, request, route, spool):
        if request.get("content-length") is None:
            return error("MissingContentLengthHeader")
        if request.get("x-ms-blob-type") != "BlockBlob":
            return error("InvalidHeaderValue", HeaderName="x-ms-blob-type")
        if spool.length > MOST_PUT:
            return error("RequestBodyTooLarge", MaxLimit=str(MOST_PUT))
        old = self.store.get(route.bucket, route.key)
        problem = condition(request, old, self.settings["exists_status"])
        if problem:
            return problem
        told = request.get("x-ms-blob-content-md5")
        md5 = base64.b64encode(spool.md5.digest()).decode()
        if told and told != md5:
            return error("Md5Mismatch")
        spool.done()
        crc = crc64(spool) if request.get("x-ms-content-crc64") else None
        self.blocks.forget(route)
        new = self._store(route, spool.path, dict(
            spool.facts(), headers=kept_headers(request, True),
            content_md5=md5))
        answer = self.blocks.created(new)
        answer.set("Content-MD5", md5)
        answer.set("x-ms-content-crc64", crc)
        return answer

    def _store(self, route, path, meta):
        meta["etag"] = '"0x8D%s"' % uuid.uuid4().hex[:13].upper()
        meta["checksums"] = {}
        return self.store.put(route.bucket, route.key, path, meta,
                              self.settings["versioning"])

    def _get(self, request, route, _spool):
        version = route.args.get("versionid")
        found = self.store.get(route.bucket, route.key, version)
        if not found:
            return error("BlobNotFound")
        problem = self._read_condition(request, found)
        if problem:
            return problem
        tier = found.meta["headers"].get("x-ms-access-tier", "")
        if tier == "Archive" and route.op == "get":
            return error("BlobArchived")
        answer = Answer(200, self._headers(found), file=found.path,
                        length=found.size)
        wanted = request.get("x-ms-range") or request.get("range")
        return self._ranged(request, answer, wanted, found) if wanted \
            else answer

    @staticmethod
    def _read_condition(request, found):
        same, other = request.get("if-match"), request.get("if-none-match")
        if same and not etag_in(same, found.etag):
            return error("ConditionNotMet")
        if other and etag_in(other, found.etag):
            return Answer(304, [("ETag", found.etag),
                                ("x-ms-error-code", "ConditionNotMet")])
        return None

    @staticmethod
    def _headers(found):
        headers = [("Last-Modified",
                    clocks.imf_fixdate(found.meta["modified"])),
                   ("ETag", found.etag), ("Accept-Ranges", "bytes"),
                   ("x-ms-blob-type", "BlockBlob"),
                   ("x-ms-creation-time",
                    clocks.imf_fixdate(found.meta["modified"])),
                   ("x-ms-server-encrypted", "true")]
        headers += found.meta["headers"].items()
        if "content-type" not in found.meta["headers"]:
            headers.append(("Content-Type", "application/octet-stream"))
        if found.meta.get("content_md5"):
            headers.append(("Content-MD5", found.meta["content_md5"]))
        if found.meta.get("version_id"):
            headers.append(("x-ms-version-id", found.meta["version_id"]))
        return headers

    @staticmethod
    def _ranged(request, answer, wanted, found):
        m = re.fullmatch(r"bytes=(\d+)-(\d*)", wanted)
        if not m:
            return error("InvalidHeaderValue", HeaderName="x-ms-range")
        size = found.size
        start = int(m.group(1))
        end = min(int(m.group(2) or size), size - 1)
        if start >= size:
            refused = error("InvalidRange")
            refused.set("Content-Range", "bytes */%d" % size)
            return refused
        answer.status = 206
        answer.start, answer.length = start, end - start + 1
        answer.set("Content-Range", "bytes %d-%d/%d" % (start, end, size))
        answer.set("Content-MD5", None)
        answer.set("x-ms-blob-content-md5", found.meta.get("content_md5"))
        return azure_blocks.range_sum(request, answer)

    def _delete(self, _request, route, _spool):
        if not self.store.get(route.bucket, route.key):
            return error("BlobNotFound")
        self.store.delete(route.bucket, route.key)
        return Answer(202, [("x-ms-delete-type-permanent", "true")])

    @staticmethod
    def _head_bucket(_request, _route, _spool):
        return Answer(200, [("ETag", '"0x8D0"')])

    def _put_bucket(self, _request, route, _spool):
        if route.bucket in self.store.buckets:
            return error("ContainerAlreadyExists")
        self.store.buckets.add(route.bucket)
        return Answer(201, [("ETag", '"0x8D0"')])
