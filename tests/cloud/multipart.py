# SPDX-License-Identifier: MIT
"""What S3 says to an upload in parts.

Written from the pages of the S3 API reference for CreateMultipartUpload,
UploadPart, CompleteMultipartUpload, AbortMultipartUpload, ListParts and
ListMultipartUploads.
"""
import base64
import hashlib
import uuid
from urllib.parse import quote
from xml.etree import ElementTree

import checksums
import clock as clocks
from answers import Answer, document, error
from heads import (CHECKSUMS, encryption, kept_headers, told_checksums,
                   unframed, write_condition)

OPS = ("create", "part", "complete", "abort", "list_parts", "list_uploads")
FULL, COMPOSITE = "FULL_OBJECT", "COMPOSITE"
# The types an algorithm knows; the first one is meant when none is named.
TYPES = {"crc32": (COMPOSITE, FULL), "crc32c": (COMPOSITE, FULL),
         "crc64nvme": (FULL,), "sha1": (COMPOSITE,), "sha256": (COMPOSITE,)}
STRANGER = ("The specified upload does not exist. The upload ID may be "
            "invalid, or the upload may have been aborted or completed.")
MISFIT = ("Checksum Type mismatch occurred, expected checksum Type: %s, "
          "actual checksum Type: %s")
UNKNOWN_PART = ("One or more of the specified parts could not be found.  The "
                "part may not have been uploaded, or the specified entity "
                "tag may not match the part's entity tag.")


def op(method, key, args):
    """Which of the operations a request with uploads or uploadId is."""
    if "uploadId" not in args:
        names = {"GET": "list_uploads"} if not key else {"POST": "create"}
    elif "partNumber" in args:
        names = {"PUT": "part"}
    else:
        names = {"POST": "complete", "DELETE": "abort", "GET": "list_parts"}
    return names.get(method, "multipart")


class Refused(Exception):
    """An answer that ends the work."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer


def refuse(code, message=None, **fields):
    raise Refused(error(code, message, **fields))


class Multipart:
    """The six operations."""

    def __init__(self, settings, store, clock):
        self.settings = settings
        self.store, self.uploads = store, store.uploads
        self.clock = clock

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

    def _find(self, route):
        upload = self.uploads.find(route.bucket, route.key.decode("latin-1"),
                                   route.args["uploadId"])
        if upload is None:
            refuse("NoSuchUpload", STRANGER, UploadId=route.args["uploadId"])
        return upload

    # --- create ----------------------------------------------------------

    def _create(self, request, route, _spool):
        algorithm, kind = _wanted_checksum(request)
        meta = {"headers": kept_headers(request), "algorithm": algorithm,
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
        upload.put_part(spool.path, {
            "number": number, "size": spool.length, "etag": etag,
            "md5": spool.md5.hexdigest(), "checksums": sums,
            "sha256": spool.sha256.hexdigest(),
            "modified": int(self.clock.now())})
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
        if request.get("content-type", "").startswith(
                "application/x-www-form-urlencoded"):
            refuse("InvalidRequest", "a form is no list of parts")
        listed = _listed_parts(spool)
        again = self.uploads.completed.get(route.args["uploadId"])
        if again and self.settings["complete_again"] != 404:
            return self._again(request, route, listed, again)
        upload = self._find(route)
        parts = self._chosen(upload, listed)
        sums = _whole_checksums(upload.meta, self.settings, parts)
        _check_whole(request, upload.meta, parts, sums)
        self._check_condition(request, route)
        return self._finish(route, upload, parts, sums, listed)

    def _check_condition(self, request, route):
        old = self.store.get(route.bucket, route.key)
        problem = write_condition(request, route.key, old)
        if problem:
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
            _check_part(upload, part, stored.get(part["number"]))
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
        meta = {"etag": _whole_etag(upload.meta, parts),
                "headers": upload.meta["headers"], "checksums": sums,
                "parts": parts}
        for name in sums:
            meta["checksum_type"] = _kind(upload.meta, name)
        whole = upload.join(parts, self.settings["discard"])
        new = self.store.put(route.bucket, route.key, whole, meta,
                             self.settings["versioning"])
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


def _wanted_checksum(request):
    """The algorithm and type an upload is begun with, or None twice."""
    name = request.get("x-amz-checksum-algorithm")
    kind = request.get("x-amz-checksum-type")
    if name is None:
        if kind is not None:
            refuse("InvalidRequest", "The x-amz-checksum-type header can "
                   "only be used with the x-amz-checksum-algorithm header.")
        return None, None
    types = TYPES.get(name.lower())
    if types is None:
        refuse("InvalidRequest", "Checksum algorithm provided is "
               "unsupported. Please try again with any of the valid types: "
               "[CRC32, CRC32C, CRC64NVME, SHA1, SHA256]")
    if kind is not None and kind.upper() not in types:
        refuse("InvalidRequest", "The %s checksum type cannot be used with "
               "the %s checksum algorithm." % (kind.upper(), name.lower()))
    return name.lower(), kind.upper() if kind else types[0]


def _listed_parts(spool):
    """The parts a completion names, as the XML has them."""
    spool.done()
    try:
        with open(spool.path, "rb") as f:
            root = ElementTree.fromstring(f.read())
        if _local(root) != "CompleteMultipartUpload" or not len(root):
            raise ValueError
        return [_listed_part(p) for p in root]
    except (ElementTree.ParseError, ValueError, KeyError):
        return refuse("MalformedXML", "The XML you provided was not "
                      "well-formed or did not validate against our published "
                      "schema")


def _local(element):
    return element.tag.rpartition("}")[2]


def _listed_part(element):
    if _local(element) != "Part":
        raise ValueError
    said = {_local(e): (e.text or "").strip() for e in element}
    sums = {n: said["Checksum" + n.upper()] for n in CHECKSUMS
            if "Checksum" + n.upper() in said}
    return {"number": int(said["PartNumber"]), "checksums": sums,
            "etag": said["ETag"].strip('"')}


def _check_part(upload, part, stored):
    """Is a part of the list the one that was stored?"""
    if stored is None or stored["etag"].strip('"') != part["etag"] or any(
            stored["checksums"].get(n) != v
            for n, v in part["checksums"].items()):
        refuse("InvalidPart", UNKNOWN_PART, UploadId=upload.id,
               PartNumber=str(part["number"]), ETag=part["etag"])
    want = upload.meta["algorithm"]
    if upload.meta["type"] == COMPOSITE and want not in part["checksums"]:
        refuse("InvalidRequest", "The upload was created using a %s "
               "checksum. The complete request must include the checksum "
               "for each part. It was missing for part %d in the request."
               % (want, part["number"]))


def _whole_etag(meta, parts):
    """MD5 of the MD5s and their number; under KMS no MD5 of anything."""
    digest = hashlib.md5(b"".join(bytes.fromhex(p["md5"]) for p in parts))
    first = digest.hexdigest()
    if "aws:kms" in dict(meta["encryption"]).values():
        first = uuid.uuid4().hex
    return '"%s-%d"' % (first, len(parts))


def _kind(meta, name):
    """The checksum type of an upload, or of what S3 adds by itself."""
    return meta["type"] or TYPES[name][-1]


def _whole_checksums(meta, settings, parts):
    """The checksum of the object from those of its parts."""
    name = meta["algorithm"] or settings["default_checksum"]
    if not name:
        return {}
    sums = [base64.b64decode(p["checksums"][name]) for p in parts]
    if _kind(meta, name) == COMPOSITE:
        value = checksums.of_bytes(name, b"".join(sums))
        return {name: "%s-%d" % (value, len(parts))}
    whole = sums[0]
    for part, one in zip(parts[1:], sums[1:]):
        whole = checksums.combine(name, whole, one, part["size"])
    return {name: base64.b64encode(whole).decode()}


def _check_whole(request, meta, parts, sums):
    """What a completion says of the whole object, against what it is."""
    size = request.get("x-amz-mp-object-size")
    if size is not None and size != str(sum(p["size"] for p in parts)):
        refuse("InvalidRequest", "The provided 'x-amz-mp-object-size' header "
               "does not match what was computed.")
    kind = request.get("x-amz-checksum-type")
    if kind is not None and kind.upper() != meta["type"]:
        refuse("InvalidRequest", MISFIT % (meta["type"] or "null", kind))
    for name, told in told_checksums(request).items():
        if told not in (sums.get(name), sums.get(name, "").split("-")[0]):
            refuse("BadDigest", "The %s you specified did not match the "
                   "calculated checksum." % name)


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
