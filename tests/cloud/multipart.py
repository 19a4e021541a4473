# SPDX-License-Identifier: MIT
"""What S3 says to an upload in parts.

Written from the pages of the S3 API reference for CreateMultipartUpload,
UploadPart, CompleteMultipartUpload, AbortMultipartUpload, ListParts and
ListMultipartUploads.
"""
import base64
from urllib.parse import quote

import clock as clocks
from answers import Answer, Refused, document, refuse
from heads import (encryption, kept_headers, told_checksums, unframed,
                   write_condition)
from parts import (COMPOSITE, MISFIT, UNKNOWN_PART, check_part, check_whole,
                   joined_crc, kind_of, listed_parts, wanted_checksum,
                   whole_checksums, whole_etag)

OPS = ("create", "part", "complete", "abort", "list_parts", "list_uploads")
STRANGER = ("The specified upload does not exist. The upload ID may be "
            "invalid, or the upload may have been aborted or completed.")


def op(method, key, args):
    """Which of the operations a request with uploads or uploadId is."""
    if "uploadId" not in args:
        names = {"GET": "list_uploads"} if not key else {"POST": "create"}
    elif "partNumber" in args:
        names = {"PUT": "part"}
    else:
        names = {"POST": "complete", "DELETE": "abort", "GET": "list_parts"}
    return names.get(method, "multipart")


class Multipart:
    """The six operations."""

    def __init__(self, settings, store, clock):
        self.settings = settings
        self.store, self.uploads = store, store.uploads
        self.clock = clock
        self.kept = kept_headers
        self.versioning = settings["versioning"]

    def handler(self, name):
        """The function that answers an operation, None for a strange one."""
        if name not in OPS:
            return None
        work = getattr(self, "_" + name)

        def answer(request, route, spool):
            try:
                with self.store.lock:
                    return work(request, route, spool)
            except Refused as refused:
                return refused.answer
        return answer

    def _look(self, route):
        return self.uploads.find(route.bucket, route.key.decode("latin-1"),
                                 route.args.get("uploadId", ""))

    def _find(self, route):
        upload = self._look(route)
        if upload is None:
            refuse("NoSuchUpload", STRANGER, UploadId=route.args["uploadId"])
        return upload

    def forget(self, route):
        """Somebody else aborts the upload of a request."""
        with self.store.lock:
            upload = self._look(route)
            if upload:
                upload.remove()

    def algorithm(self, route):
        """The checksum the upload of a request was begun with, or None."""
        with self.store.lock:
            upload = self._look(route)
            return upload and upload.meta["algorithm"]

    # --- create ----------------------------------------------------------

    def _create(self, request, route, _spool):
        algorithm, kind = wanted_checksum(request)
        meta = {"headers": self.kept(request), "algorithm": algorithm,
                "type": kind, "encryption": encryption(request)}
        key = route.key.decode("latin-1")
        upload = self.uploads.begin(route.bucket, key, meta)
        answer = document("InitiateMultipartUploadResult", [
            ("Bucket", route.bucket), ("Key", key), ("UploadId", upload.id)])
        answer.headers += encryption(request)
        if algorithm:
            answer.set("x-amz-checksum-algorithm", algorithm.upper())
            answer.set("x-amz-checksum-type", kind)
        answer.upload_id = upload.id
        return answer

    # --- part ------------------------------------------------------------

    def _part(self, request, route, spool):
        number = self._part_number(route)
        problem = unframed(request, self.settings["require_checksum"])
        if problem:
            return problem
        if request.get("x-amz-copy-source"):
            refuse("NotImplemented", "parts are not copied in this cloud")
        if spool.length > self.settings["max_part"]:
            refuse("EntityTooLarge", "Your proposed upload exceeds the "
                   "maximum allowed size", ProposedSize=str(spool.length),
                   MaxSizeAllowed=str(self.settings["max_part"]))
        upload = self._find(route)
        sums = self._part_checksums(request, upload, spool)
        etag = '"%s"' % spool.md5.hexdigest()
        spool.done()
        upload.put_part(spool.path, dict(
            spool.facts(), number=number, etag=etag, checksums=sums,
            modified=int(self.clock.now())))
        answer = Answer(200, [("ETag", etag)] + [
            tuple(h) for h in upload.meta["encryption"]])
        if upload.meta["algorithm"]:
            _add_checksums(answer, sums)
        return answer

    def _part_number(self, route):
        text, most = route.args["partNumber"], self.settings["max_parts"]
        if not text.isascii() or not text.isdigit() \
                or not 1 <= int(text) <= most:
            refuse("InvalidArgument", "Part number must be an integer "
                   "between 1 and %d, inclusive" % most,
                   ArgumentName="partNumber", ArgumentValue=text)
        return int(text)

    def _part_checksums(self, request, upload, spool):
        """By algorithm; those the upload did not announce are refused."""
        told, want = told_checksums(request), upload.meta["algorithm"]
        actual = next(iter(told), None)
        missing = want and not told and upload.meta["type"] == COMPOSITE
        if missing or (told and actual != want):
            refuse("InvalidRequest", MISFIT % (want or "null",
                                               actual or "null"))
        name = want or self.settings["default_checksum"]
        return {name: spool.checksum(name)} if name else {}

    # --- complete --------------------------------------------------------

    def _complete(self, request, route, spool):
        if "application/x-www-form-urlencoded" in request.all("content-type"):
            refuse("InvalidRequest", "a form is no list of parts")
        listed = listed_parts(spool)
        again = self.uploads.completed.get(route.args["uploadId"])
        if again and self.settings["complete_again"] != 404:
            return self._again(request, route, listed, again)
        upload = self._find(route)
        parts = self._chosen(upload, listed)
        sums = whole_checksums(upload.meta, self.settings, parts)
        check_whole(request, upload.meta, parts, sums)
        self._check_condition(request, route)
        return self._finish(route, upload, parts, sums, listed)

    def _check_condition(self, request, route):
        old = self.store.get(route.bucket, route.key)
        problem = write_condition(request, route.key, old)
        if problem and not self.settings["ignore_conditions"]:
            raise Refused(problem)

    def _again(self, request, route, listed, again):
        """The same completion once more."""
        if (again["bucket"], again["key"]) != (route.bucket, route.key):
            refuse("NoSuchUpload", STRANGER)
        if self.settings["complete_again"] == 412:
            self._check_condition(request, route)
        if listed != again["listed"]:
            refuse("InvalidPart", UNKNOWN_PART)
        return _completed(again)

    def _chosen(self, upload, listed):
        """The stored parts the list names, each of them checked."""
        numbers = [p["number"] for p in listed]
        if numbers != sorted(set(numbers)):
            refuse("InvalidPartOrder", "The list of parts was not in "
                   "ascending order. The parts list must be specified in "
                   "order by part number.", UploadId=upload.id)
        stored = upload.parts()
        for part in listed:
            check_part(upload, part, stored.get(part["number"]))
        chosen = [stored[n] for n in numbers]
        least = self.settings["min_part"]
        for part in chosen[:-1]:
            if part["size"] < least:
                refuse("EntityTooSmall", "Your proposed upload is smaller "
                       "than the minimum allowed size",
                       ProposedSize=str(part["size"]),
                       MinSizeAllowed=str(least),
                       PartNumber=str(part["number"]),
                       ETag=part["etag"].strip('"'))
        return chosen

    def _finish(self, route, upload, parts, sums, listed):
        """Now the object appears, and the upload is gone."""
        meta = {"etag": whole_etag(upload.meta, parts),
                "headers": upload.meta["headers"], "checksums": sums,
                "parts": parts, "size": sum(p["size"] for p in parts)}
        for name in sums:
            meta["checksum_type"] = kind_of(upload.meta, name)
        if self.settings["discard"]:
            meta["crc32"] = joined_crc("crc32", [
                (base64.b64decode(p["crc32"]), p["size"]) for p in parts])
        whole = upload.join(parts, self.settings["discard"])
        new = self.store.put(route.bucket, route.key, whole, meta,
                             self.versioning)
        upload.remove()
        done = {"bucket": route.bucket, "key": route.key, "listed": listed,
                "meta": new.meta, "encryption": upload.meta["encryption"]}
        self.uploads.completed[upload.id] = done
        return _completed(done)

    # --- abort and lists -------------------------------------------------

    def _abort(self, _request, route, _spool):
        self._find(route).remove()
        return Answer(204)

    def _list_parts(self, _request, route, _spool):
        upload = self._find(route)
        after = _number(route, "part-number-marker", 0)
        most = min(_number(route, "max-parts", 1000),
                   self.settings["list_page"])
        parts = [p for n, p in upload.parts().items() if n > after]
        page = parts[:most]
        items = [("Bucket", route.bucket), ("Key", upload.meta["key"]),
                 ("UploadId", upload.id), ("StorageClass", "STANDARD"),
                 ("PartNumberMarker", str(after)),
                 ("NextPartNumberMarker", str(page[-1]["number"] if page
                                              else 0)),
                 ("MaxParts", str(most)),
                 ("IsTruncated", _bool(len(parts) > len(page)))]
        if upload.meta["algorithm"]:
            items += [("ChecksumAlgorithm", upload.meta["algorithm"].upper()),
                      ("ChecksumType", upload.meta["type"])]
        told = upload.meta["algorithm"] is not None
        items += [("Part", _part_items(p, told)) for p in page]
        return document("ListPartsResult", items)

    def _list_uploads(self, _request, route, _spool):
        args = route.args
        start = (args.get("key-marker", ""), args.get("upload-id-marker"))
        found = [u for u in self.uploads.all(route.bucket)
                 if u.meta["key"].startswith(args.get("prefix", ""))]
        found = _after(found, *start)
        most = min(_number(route, "max-uploads", 1000),
                   self.settings["list_page"])
        page = found[:most]
        text = _url if args.get("encoding-type") == "url" else str
        items = [("Bucket", route.bucket), ("KeyMarker", text(start[0])),
                 ("UploadIdMarker", start[1] or ""),
                 ("Prefix", text(args.get("prefix", ""))),
                 ("MaxUploads", str(most)),
                 ("IsTruncated", _bool(len(found) > len(page)))]
        if len(found) > len(page) and page:
            items += [("NextKeyMarker", text(page[-1].meta["key"])),
                      ("NextUploadIdMarker", page[-1].id)]
        items += [("Upload", [
            ("Key", text(u.meta["key"])), ("UploadId", u.id),
            ("StorageClass", "STANDARD"),
            ("Initiated", clocks.iso8601(u.meta["begun"]))]) for u in page]
        return document("ListMultipartUploadsResult", items)


def _bool(value):
    return "true" if value else "false"


def _url(text):
    return quote(text, safe="/", encoding="latin-1")


def _number(route, name, default):
    text = route.args.get(name) or str(default)
    if not text.isascii() or not text.isdigit():
        refuse("InvalidArgument", "Provided %s not an integer or within "
               "integer range" % name, ArgumentName=name, ArgumentValue=text)
    return int(text)


def _after(found, key, upload_id):
    """The uploads that follow the two markers of a list."""
    left = [u for u in found if u.meta["key"] > key]
    if upload_id:
        same = [u for u in found if u.meta["key"] == key]
        ids = [u.id for u in same]
        if upload_id in ids:
            left = same[ids.index(upload_id) + 1:] + left
    return left


def _part_items(part, told):
    items = [("PartNumber", str(part["number"])),
             ("LastModified", clocks.iso8601(part["modified"])),
             ("ETag", part["etag"]), ("Size", str(part["size"]))]
    return items + (_checksum_items(part["checksums"]) if told else [])


def _checksum_items(sums):
    return [("Checksum" + n.upper(), v) for n, v in sums.items()]


def _add_checksums(answer, sums):
    for name, value in sums.items():
        answer.set("x-amz-checksum-" + name, value)


def _completed(done):
    """The answer to a completion, also when it is asked for again."""
    meta, key = done["meta"], done["key"].decode("latin-1")
    items = [("Location", "http://s3.localhost/%s/%s"
              % (_url(done["bucket"]), _url(key))),
             ("Bucket", done["bucket"]), ("Key", key),
             ("ETag", meta["etag"])] + _checksum_items(meta["checksums"])
    if meta["checksums"]:
        items.append(("ChecksumType", meta["checksum_type"]))
    answer = document("CompleteMultipartUploadResult", items)
    answer.headers += [tuple(h) for h in done["encryption"]]
    answer.set("x-amz-version-id", meta.get("version_id"))
    return answer
