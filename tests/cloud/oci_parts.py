# SPDX-License-Identifier: MIT
"""What OCI Object Storage says to an upload in parts.

Written from the reference pages of CreateMultipartUpload, UploadPart,
CommitMultipartUpload, AbortMultipartUpload and ListMultipartUploadParts.
"""
import base64
import hashlib
import json
import uuid

import clock as clocks
from answers import Answer
from oci_says import check_write, document, etag_of, refuse
from parts import joined_crc

# Of the JSON that begins an upload: the header each member becomes.
MEMBERS = {"contentType": "content-type",
           "contentLanguage": "content-language",
           "contentEncoding": "content-encoding",
           "contentDisposition": "content-disposition",
           "cacheControl": "cache-control", "storageTier": "storage-tier"}


def _json(request, spool):
    """The object that a body holds."""
    spool.done()
    if request.get("content-type", "").split(";")[0] != "application/json":
        refuse("UnsupportedMediaType")
    try:
        with open(spool.path, "rb") as f:
            value = json.loads(f.read())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        refuse("InvalidJSON", "Could not parse body as %s" % "an object")
    return value


class Parts:
    """The operations."""

    def __init__(self, settings, store, clock):
        self.settings, self.store, self.clock = settings, store, clock
        self.uploads = store.uploads

    @staticmethod
    def op(method, key, args):
        """Which of the operations a request below /u is."""
        if not key:
            names = {"POST": "create", "GET": "list_uploads"}
        elif "uploadPartNum" in args:
            names = {"PUT": "part"}
        else:
            names = {"POST": "complete", "DELETE": "abort",
                     "GET": "list_parts"}
        return names.get(method, "multipart")

    def handler(self, name):
        """The function that answers an operation, None for a strange one."""
        return {"create": self._create, "part": self._part,
                "complete": self._commit, "abort": self._abort,
                "list_parts": self._list_parts}.get(name)

    def forget(self, route):
        """Somebody else aborts the upload of a request."""
        with self.store.lock:
            upload = self._look(route)
            if upload:
                upload.remove()

    def _look(self, route):
        return self.uploads.find(route.bucket, route.key.decode("latin-1"),
                                 route.args.get("uploadId", ""))

    def _find(self, route):
        upload = self._look(route)
        if upload is None:
            refuse("UploadNotFound", "The upload was not found")
        return upload

    def _create(self, request, route, spool):
        body = _json(request, spool)
        if not isinstance(body.get("object"), str) or not body["object"]:
            refuse("MissingObjectName")
        extra = set(body) - set(MEMBERS) - {"object", "metadata"}
        if extra:
            refuse("InvalidJSON", "unknown member " + ", ".join(extra))
        key = body["object"].encode("utf-8", "surrogatepass")
        check_write(request, self.store.get(route.bucket, key))
        headers = {MEMBERS[n]: body[n] for n in MEMBERS if n in body}
        for name, value in body.get("metadata", {}).items():
            if not name.startswith("opc-meta-"):
                refuse("InvalidMetadata", name)
            headers[name.lower()] = value
        upload = self.uploads.begin(route.bucket, key.decode("latin-1"),
                                    {"headers": headers})
        answer = document({
            "namespace": route.namespace, "bucket": route.bucket,
            "object": body["object"], "uploadId": upload.id,
            "timeCreated": clocks.iso8601(upload.meta["begun"])})
        answer.upload_id = upload.id
        return answer

    def _part(self, request, route, spool):
        number = route.part
        if not number or number > self.settings["max_parts"]:
            refuse("InvalidUploadPartNumber")
        if not request.get("content-length"):
            refuse("ContentLengthRequired")
        if spool.length > self.settings["max_part"]:
            refuse("RequestEntityTooLarge")
        upload = self._find(route)
        spool.done()
        etag = str(uuid.uuid4())
        upload.put_part(spool.path, dict(
            spool.facts(), number=number, etag=etag, checksums={},
            modified=int(self.clock.now())))
        return Answer(200, [("ETag", etag), (
            "opc-content-md5", base64.b64encode(
                spool.md5.digest()).decode())])

    def _commit(self, request, route, spool):
        body = _json(request, spool)
        upload = self._find(route)
        parts = self._chosen(upload, body)
        check_write(request, self.store.get(route.bucket, route.key))
        meta = {"etag": str(uuid.uuid4()), "checksums": {},
                "headers": upload.meta["headers"],
                "multipart_md5": _whole_md5(parts), "parts": parts,
                "size": sum(p["size"] for p in parts)}
        if self.settings["discard"]:
            meta["crc32"] = joined_crc("crc32", [
                (base64.b64decode(p["crc32"]), p["size"]) for p in parts])
        whole = upload.join(parts, self.settings["discard"])
        new = self.store.put(route.bucket, route.key, whole, meta,
                             self.settings["versioning"])
        upload.remove()
        answer = Answer(200, [
            ("ETag", etag_of(new)), ("Last-Modified", clocks.imf_fixdate(
                new.meta["modified"])),
            ("opc-multipart-md5", meta["multipart_md5"])])
        answer.set("version-id", new.meta.get("version_id"))
        return answer

    def _chosen(self, upload, body):
        """The stored parts that are listed, each of them checked."""
        try:
            listed = [(p["partNum"], p["etag"])
                      for p in body["partsToCommit"]]
            left_out = set(body.get("partsToExclude") or [])
        except (KeyError, TypeError):
            return refuse("InvalidJSON")
        numbers = [n for n, _ in listed]
        if not numbers or numbers != sorted(set(numbers)):
            refuse("InvalidUploadPartOrder")
        stored = upload.parts()
        for number, etag in listed:
            if number not in stored or stored[number]["etag"] != etag:
                refuse("InvalidUploadPart", "part %s" % number)
        if set(numbers) | left_out != set(stored) | left_out \
                or left_out & set(numbers):
            refuse("InvalidUploadPart", "every part is either committed or "
                   "excluded")
        chosen = [stored[n] for n in numbers]
        if any(p["size"] < self.settings["min_part"] for p in chosen[:-1]):
            refuse("InvalidUploadPart", "a part is too small")
        return chosen

    def _abort(self, _request, route, _spool):
        self._find(route).remove()
        return Answer(204)

    def _list_parts(self, _request, route, _spool):
        parts = list(self._find(route).parts().values())
        page = route.args.get("page", "page-0")
        limit = route.args.get("limit", "100")
        if not page.startswith("page-") or not page[5:].isdigit():
            refuse("InvalidPage")
        if not limit.isdigit() or not 1 <= int(limit) <= 1000:
            refuse("InvalidLimit")
        start = int(page[5:])
        end = start + min(int(limit), self.settings["list_page"])
        answer = document([
            {"partNumber": p["number"], "etag": p["etag"],
             "md5": base64.b64encode(bytes.fromhex(p["md5"])).decode(),
             "size": p["size"]} for p in parts[start:end]])
        if end < len(parts):
            answer.set("opc-next-page", "page-%d" % end)
        return answer


def _whole_md5(parts):
    """The MD5 of the parts' MD5s, and how many they are."""
    joined = b"".join(bytes.fromhex(p["md5"]) for p in parts)
    return "%s-%d" % (base64.b64encode(hashlib.md5(joined).digest()).decode(),
                      len(parts))
