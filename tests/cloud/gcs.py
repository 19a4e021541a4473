# SPDX-License-Identifier: MIT
"""What Google Cloud Storage says: the XML API, which is S3's with other names.

Written from the pages of the XML API (reference-headers, reference-status,
PUT, GET and multipart uploads), of request preconditions and of transcoding.
The JSON API is in gcs_json.py, who may ask in gcs_auth.py.
"""
import base64
import gzip
import re
import threading

import checksums
import clock as clocks
import gcs_json
import multipart
from answers import Answer, error
from gcs_auth import GoogleVerifier
from heads import STANDARD, etag_in, told_hashes, unframed
from s3 import S3, ranged

# Errors by the names the scenarios have for them, where Google says it
# otherwise: the code of the XML API and its status.
CODES = {
    "SlowDown": ("SlowDown", 429), "TooManyRequests": ("SlowDown", 429),
    "ExpiredToken": ("AuthenticationRequired", 401),
    "InvalidToken": ("AuthenticationRequired", 401),
    "RequestTimeout": ("RequestTimeout", 408),
}
NOT_HERE = "A header you provided implies functionality that is not " \
    "implemented."
CONDITIONS = ("x-goog-if-generation-match", "x-goog-if-metageneration-match")


def kept_headers(request):
    """What an object gives back when it is read."""
    headers = {n: request.get(n) for n in STANDARD + (
        "x-goog-storage-class",) if request.get(n)}
    headers.update((n.lower(), v) for n, v in request.headers
                   if n.lower().startswith("x-goog-meta-"))
    return headers


def hash_problem(told, spool):
    """The name of the hash that is wrong, or None."""
    for name, value in told.items():
        if name == "md5":
            actual = base64.b64encode(spool.md5.digest()).decode()
        elif name == "crc32c":
            actual = spool.checksum(name)
        else:
            return name
        if actual != value:
            return name
    return None


class Rate:
    """One write a second and object, when the scenario wants it."""

    def __init__(self, on, clock):
        self.on, self.clock = on, clock
        self.last = {}
        self.lock = threading.Lock()

    def exceeded(self, route):
        """Is this write too early? Else it counts."""
        if not self.on:
            return False
        with self.lock:
            now, name = self.clock.now(), (route.bucket, route.key)
            if now - self.last.get(name, now - 1) < 1:
                return True
            self.last[name] = now
            return False


class Gcs(S3):
    """The service."""

    def __init__(self, settings, store, clock):
        super().__init__(settings, store, clock)
        self.verifier = GoogleVerifier(settings, clock)
        self.rate = Rate(settings["rate_limit"], clock)
        self.json = gcs_json.Json(self)
        self.multipart.kept = kept_headers
        self.versioning = settings["versioning"] and "generation"
        self.multipart.versioning = self.versioning

    # --- who asks for what -------------------------------------------------

    def route(self, request):
        return self.json.route(request) or super().route(request)

    def check(self, request, route):
        if gcs_json.is_session(route):      # its address is the permission
            return self.verifier.session()
        return self.verifier.check(request, route.path, route.query,
                                   route.bucket)

    @staticmethod
    def error(route, code, message=None, status=None, **fields):
        code, usual = CODES.get(code, (code, None))
        if gcs_json.is_json(route):
            return gcs_json.error(code, message, status or usual)
        return error(code, message, status or usual, **fields)

    @staticmethod
    def greeting(number):
        return [("x-guploader-uploadid", "ABPankfake%013d" % number),
                ("Server", "UploadServer")]

    def unsigned(self, request):
        return self.verifier.unsigned(request)

    def canonical(self, route):
        return gcs_json.is_json(route) or super().canonical(route)

    def forget(self, route):
        if not self.json.forget(route):
            super().forget(route)

    def refusal(self, verdict, request, route):
        if verdict.status:
            answer = self.error(route, verdict.name, verdict.message,
                                verdict.status, **verdict.fields)
            if verdict.status == 401:
                answer.set("WWW-Authenticate", 'Bearer realm="https://'
                           'accounts.google.com/", error="invalid_token"')
            return answer
        if route.op not in ("service", "put_bucket") \
                and route.bucket not in self.store.buckets:
            return self.error(route, "NoSuchBucket")
        return None

    def spooling(self, request, route):
        if gcs_json.is_json(route):
            return False, {"crc32c"} if route.op == "put" else set()
        discard, _ = super().spooling(request, route)
        names = {"crc32"} if discard else set()
        if route.op == "put" or "crc32c" in told_hashes(request):
            names.add("crc32c")
        return discard, names

    def answer(self, request, route, spool):
        if gcs_json.is_json(route):
            return self.json.answer(request, route, spool)
        if route.op in multipart.OPS and any(
                request.get(n) for n in CONDITIONS):
            return error("NotImplemented", NOT_HERE, 400)
        answer = super().answer(request, route, spool)
        if route.op == "complete" and answer.status == 200:
            found = self.store.get(route.bucket, route.key)
            answer.headers += [(n, v) for n, v in self.facts(found)
                               if n in ("x-goog-generation", "x-goog-hash")]
        return answer

    # --- the XML API -------------------------------------------------------

    def _body_problem(self, request, route, spool):
        spool.done()
        for name in ("x-goog-content-sha256", "x-amz-content-sha256"):
            payload = request.get(name, "")
            if re.fullmatch("[0-9a-f]{64}", payload) \
                    and payload != spool.sha256.hexdigest():
                return error("XAmzContentSHA256Mismatch", "The provided '%s' "
                             "header does not match what was computed." % name)
        told = told_hashes(request)
        if request.get("content-md5"):
            told["md5"] = request.get("content-md5")
        wrong = hash_problem(told, spool) if route.op in ("put", "part") \
            else None
        if wrong:
            return error("BadDigest", "The %s you specified did not match "
                         "what we received." % wrong)
        return None

    @staticmethod
    def condition(old, want):
        """Does a write over OLD violate WANT, a generation as text?"""
        return want is not None and (
            old is not None if want == "0"
            else old is None or old.generation != want)

    def _put(self, request, route, spool):
        problem = unframed(request, False)
        if problem:
            return problem
        with self.store.lock:
            old = self.store.get(route.bucket, route.key)
            if self.condition(old, request.get(CONDITIONS[0])):
                return error("PreconditionFailed")
            if self.rate.exceeded(route):
                return self.error(route, "SlowDown")
            new = self.keep(route, spool, kept_headers(request))
        return Answer(200, [("ETag", new.etag)] + self.facts(new))

    def keep(self, route, spool, headers):
        """Make a body the object."""
        spool.done()
        meta = dict(spool.facts(), etag='"%s"' % spool.md5.hexdigest(),
                    checksums={}, crc32c=spool.checksum("crc32c"),
                    headers=headers)
        return self.store.put(route.bucket, route.key, spool.path, meta,
                              self.versioning)

    @staticmethod
    def hashes(found):
        """crc32c, and MD5 unless the object was made of parts."""
        meta = found.meta
        if "crc32c" not in meta:
            meta["crc32c"] = checksums.of_file("crc32c", found.path)
            found.save()
        yield "crc32c", meta["crc32c"]
        if "parts" not in meta:
            yield "md5", checksums.of_file("md5", found.path)

    def facts(self, found):
        """The x-goog-* headers of an object."""
        meta = found.meta
        return [("x-goog-generation", found.generation),
                ("x-goog-metageneration", "1"),
                ("x-goog-stored-content-encoding",
                 meta["headers"].get("content-encoding", "identity")),
                ("x-goog-stored-content-length", str(found.size)),
                ("x-goog-storage-class",
                 meta["headers"].get("x-goog-storage-class", "STANDARD"))
                ] + [("x-goog-hash", "%s=%s" % h) for h in self.hashes(found)]

    def find(self, route, generation):
        """The object, in that generation when one is asked for."""
        found = self.store.get(route.bucket, route.key)
        if generation is None or (found and found.generation == generation):
            return found
        return self.store.get(route.bucket, route.key, generation) \
            if self.versioning else None

    def _get(self, request, route, _spool):
        found = self.find(route, route.args.get("generation"))
        if not found:
            return error("NoSuchKey")
        problem = read_condition(request, found)
        return problem or self.bytes_of(request, found)

    def bytes_of(self, request, found):
        """An object as it travels, whole or a range of it."""
        headers = [("Last-Modified",
                    clocks.imf_fixdate(found.meta["modified"])),
                   ("ETag", found.etag), ("Accept-Ranges", "bytes")]
        headers += self.facts(found)
        kept = dict(found.meta["headers"])
        kept.setdefault("content-type", "application/octet-stream")
        kept.pop("x-goog-storage-class", None)
        if self._unpacks(request, kept):
            return self._unpacked(found, headers, kept)
        answer = Answer(200, headers + list(kept.items()), file=found.path,
                        length=found.size)
        wanted = request.get("range")
        return ranged(answer, wanted, found.size) if wanted else answer

    @staticmethod
    def _unpacks(request, kept):
        """Decompressive transcoding: stored as gzip, and not asked for so."""
        return kept.get("content-encoding") == "gzip" \
            and "no-transform" not in kept.get("cache-control", "") \
            and "gzip" not in request.get("accept-encoding", "")

    @staticmethod
    def _unpacked(found, headers, kept):
        """The bytes that were packed; a range is not heard of."""
        kept = {n: v for n, v in kept.items() if n != "content-encoding"}
        with open(found.path, "rb") as f:
            body = gzip.decompress(f.read())
        return Answer(200, headers + list(kept.items()) + [
            ("Warning", "214 UploadServer gunzipped")], body)

    def _delete(self, request, route, _spool):
        found = self.find(route, route.args.get("generation"))
        if not found:
            return error("NoSuchKey")
        if self.condition(found, request.get(CONDITIONS[0])):
            return error("PreconditionFailed")
        self.store.delete(route.bucket, route.key)
        return Answer(204)

    def _head_bucket(self, _request, _route, _spool):
        return Answer(200, [("Content-Type", "application/xml")])


def read_condition(request, found):
    """412 or 304 for a read, or None."""
    want = request.get(CONDITIONS[0])
    same, other = request.get("if-match"), request.get("if-none-match")
    if (want is not None and want != found.generation) or (
            same is not None and not etag_in(same, found.etag)):
        return error("PreconditionFailed")
    if other is not None and etag_in(other, found.etag):
        return Answer(304, [("ETag", found.etag)])
    return None
