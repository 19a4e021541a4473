# SPDX-License-Identifier: MIT
"""Google's JSON API, as far as objects are read, written and deleted.

Written from the reference of the JSON API and the page "Perform resumable
uploads"; sessions are in gcs_sessions.py. Its official client works with it.
"""
import base64
import json
import re
from urllib.parse import quote, unquote_to_bytes

import clock as clocks
import sigv4
from answers import MESSAGES, STATUS, Answer
from gcs_sessions import Sessions
from s3 import Route

# The reasons of the JSON API for the codes of the XML API.
REASONS = {
    "SlowDown": "rateLimitExceeded", "AuthenticationRequired": "authError",
    "AccessDenied": "forbidden", "NoSuchKey": "notFound",
    "NoSuchBucket": "notFound", "NoSuchUpload": "notFound",
    "PreconditionFailed": "conditionNotMet", "InternalError": "backendError",
    "ServiceUnavailable": "backendError", "BadDigest": "invalid",
}
SESSION_OPS = ("part", "complete", "status", "abort")


def is_json(route):
    """Is it a request of this API?"""
    return route.args.get("api") == "json"


def is_session(route):
    """Does it speak to a resumable session?"""
    return is_json(route) and route.op in SESSION_OPS


def error(code, message=None, status=None):
    """An error document of this API."""
    status = status or STATUS.get(code, 400)
    message = message or MESSAGES.get(code, code)
    one = {"message": message, "domain": "global",
           "reason": REASONS.get(code, "invalid")}
    return document({"error": {"code": status, "message": message,
                               "errors": [one]}}, status)


def document(value, status=200):
    """An answer in JSON."""
    return Answer(status, [("Content-Type",
                            "application/json; charset=UTF-8")],
                  json.dumps(value, indent=2).encode())


class Json:
    """Routes and answers."""

    def __init__(self, gcs):
        self.gcs, self.store = gcs, gcs.store
        self.sessions = Sessions(gcs, self)

    def route(self, request):
        """The route of a request of this API, None for any other."""
        path, _, query = request.target.partition("?")
        m = re.fullmatch("(/upload|/download)?/storage/v1/b/([^/]+)"
                         "(?:/o(?:/([^/]+))?)?", path)
        if not m:
            return None
        way, bucket, name = m.groups()
        args = {n.decode("latin-1"): v.decode("latin-1")
                for n, v in sigv4.split_query(query)}
        args["api"] = "json"
        key = unquote_to_bytes((name or "").encode("latin-1")) \
            or args.get("name", "").encode("latin-1")
        if "upload_id" in args:
            args["uploadId"] = args["upload_id"]
            key = self.sessions.key(args["upload_id"]) or key
        bucket = unquote_to_bytes(bucket.encode("latin-1")).decode("latin-1")
        return Route(self._op(request, way, name, args), bucket, key, path,
                     query, False, args)

    @staticmethod
    def _op(request, way, name, args):
        if "upload_id" in args:
            return Sessions.op(request)
        if way == "/upload":
            return "create" if args.get("uploadType") == "resumable" \
                else "put"
        if name is None:
            return "list" if request.target.partition("?")[0].endswith("/o") \
                else "head_bucket"
        if request.method == "GET":
            return "get" if args.get("alt") == "media" else "head"
        return request.method.lower()

    @staticmethod
    def kept(about):
        """The headers an object gives back, from its description."""
        return headers_of(about)

    def forget(self, route):
        """The session of a request is gone; False when it names none."""
        return is_json(route) and self.sessions.forget(route)

    def answer(self, request, route, spool):
        """What is done and said."""
        work = {"put": self._put, "get": self._get, "head": self._head,
                "delete": self._delete, "head_bucket": self._bucket}.get(
                    route.op) or self.sessions.handler(route.op)
        if work is None:
            return error("NotImplemented", "not in this cloud: " + route.op)
        with self.store.lock:
            return work(request, route, spool)

    # --- an object ---------------------------------------------------------

    def resource(self, route, found):
        """The JSON that describes an object."""
        key = quote(route.key, safe="")
        headers = found.meta["headers"]
        hashes = dict(self.gcs.hashes(found))
        made = clocks.iso8601(found.meta["modified"])
        value = {"kind": "storage#object", "bucket": route.bucket,
                 "name": route.key.decode("utf-8", "replace"),
                 "id": "%s/%s/%s" % (route.bucket, key, found.generation),
                 "selfLink": "/storage/v1/b/%s/o/%s" % (route.bucket, key),
                 "generation": found.generation, "metageneration": "1",
                 "contentType": headers.get("content-type",
                                            "application/octet-stream"),
                 "storageClass": headers.get("x-goog-storage-class",
                                             "STANDARD"),
                 "size": str(found.size), "crc32c": hashes["crc32c"],
                 "etag": base64.b64encode(
                     found.generation.encode()).decode(),
                 "timeCreated": made, "updated": made}
        if "md5" in hashes:
            value["md5Hash"] = hashes["md5"]
        own = {n[len("x-goog-meta-"):]: v for n, v in headers.items()
               if n.startswith("x-goog-meta-")}
        for name in ("cache-control", "content-disposition",
                     "content-encoding", "content-language"):
            if name in headers:
                value[camel(name)] = headers[name]
        return dict(value, metadata=own) if own else value

    def stored(self, route, found):
        """The answer to a write."""
        answer = document(self.resource(route, found))
        answer.headers += [("ETag", found.etag)] + self.gcs.facts(found)
        return answer

    def refused(self, route, old):
        """412 when the generation asked for is another one, or None."""
        if self.gcs.condition(old, route.args.get("ifGenerationMatch")):
            return error("PreconditionFailed")
        return None

    def save(self, route, spool, headers, told):
        """The bytes of SPOOL become the object, unless they may not."""
        old = self.store.get(route.bucket, route.key)
        problem = self.refused(route, old)
        if problem:
            return problem
        if self.gcs.rate.exceeded(route):
            return self.gcs.error(route, "SlowDown")
        if told.get("crc32c") not in (None, spool.checksum("crc32c")):
            return error("BadDigest", 'Provided CRC32C "%s" doesn\'t match '
                         'calculated CRC32C.' % told["crc32c"])
        md5 = base64.b64encode(spool.md5.digest()).decode()
        if told.get("md5") not in (None, md5):
            return error("BadDigest", 'Provided MD5 hash "%s" doesn\'t match '
                         'calculated MD5 hash.' % told["md5"])
        return self.stored(route, self.gcs.keep(route, spool, headers))

    def _put(self, request, route, spool):
        """uploadType=media, or multipart: JSON and bytes in one body."""
        spool.done()
        if route.args.get("uploadType") != "multipart":
            kind = request.get("content-type")
            return self.save(route, spool,
                             {"content-type": kind} if kind else {}, {})
        with open(spool.path, "rb") as f:
            pieces = related(request, f.read())
        if not pieces:
            return error("BadRequest", "no multipart/related body")
        about, kind, data = pieces
        if about.get("name"):
            route = route._replace(key=about["name"].encode())
        again = type(spool)(self.store.new_spool(), sums=("crc32c",))
        again.write(data)
        again.done()
        return self.save(route, again, headers_of(about, kind),
                         {"crc32c": about.get("crc32c"),
                          "md5": about.get("md5Hash")})

    def _found(self, route):
        """The object and no problem, or the problem."""
        found = self.gcs.find(route, route.args.get("generation"))
        if not found:
            return None, error("NoSuchKey", "No such object: %s/%s" % (
                route.bucket, route.key.decode("utf-8", "replace")))
        return found, self.refused(route, found)

    def _get(self, request, route, _spool):
        found, problem = self._found(route)
        return problem or self.gcs.bytes_of(request, found)

    def _head(self, _request, route, _spool):
        found, problem = self._found(route)
        return problem or document(self.resource(route, found))

    def _delete(self, _request, route, _spool):
        _, problem = self._found(route)
        if not problem:
            self.store.delete(route.bucket, route.key)
        return problem or Answer(204)

    @staticmethod
    def _bucket(_request, route, _spool):
        return document({"kind": "storage#bucket", "id": route.bucket,
                         "name": route.bucket, "location": "US",
                         "storageClass": "STANDARD"})


def camel(name):
    """content-type as contentType."""
    first, *rest = name.split("-")
    return first + "".join(w.capitalize() for w in rest)


def headers_of(about, kind=None):
    """The headers an object gives back, from its description in JSON."""
    headers = {n: about[camel(n)] for n in (
        "content-type", "cache-control", "content-disposition",
        "content-encoding", "content-language") if about.get(camel(n))}
    if kind and "content-type" not in headers:
        headers["content-type"] = kind
    if about.get("storageClass"):
        headers["x-goog-storage-class"] = about["storageClass"]
    headers.update(("x-goog-meta-" + n.lower(), str(v))
                   for n, v in (about.get("metadata") or {}).items())
    return headers


def related(request, body):
    """Description, type and bytes of a multipart/related body, or None."""
    m = re.search('boundary="?([^";]+)"?', request.get("content-type", ""))
    if not m:
        return None
    mark = b"--" + m.group(1).strip().encode()
    pieces = body.split(mark)
    if len(pieces) < 4 and not body.rstrip().endswith(mark + b"--"):
        return None
    about_piece = pieces[1]
    data_piece = mark.join(pieces[2:-1])
    about = json.loads(_payload(about_piece)[1] or b"{}")
    head, data = _payload(data_piece)
    kind = re.search(rb"(?i)content-type:\s*([^\r\n]+)", head)
    return about, kind and kind.group(1).decode("latin-1"), data


def _payload(piece):
    """Head and bytes of one piece, without the line ends of its borders."""
    head, _, data = piece.partition(b"\r\n\r\n")
    return head, data[:-2] if data.endswith(b"\r\n") else data
