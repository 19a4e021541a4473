# SPDX-License-Identifier: MIT
"""The list that completes an upload, and the sums over its parts."""
import base64
import hashlib
import uuid
from xml.etree import ElementTree

import checksums
from answers import refuse
from heads import CHECKSUMS, told_checksums

FULL, COMPOSITE = "FULL_OBJECT", "COMPOSITE"
# The types an algorithm knows; the first one is meant when none is named.
TYPES = {"crc32": (COMPOSITE, FULL), "crc32c": (COMPOSITE, FULL),
         "crc64nvme": (FULL,), "sha1": (COMPOSITE,), "sha256": (COMPOSITE,)}
MISFIT = ("Checksum Type mismatch occurred, expected checksum Type: %s, "
          "actual checksum Type: %s")
UNKNOWN_PART = ("One or more of the specified parts could not be found.  The "
                "part may not have been uploaded, or the specified entity "
                "tag may not match the part's entity tag.")


def wanted_checksum(request):
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


def listed_parts(spool):
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


def check_part(upload, part, stored):
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


def whole_etag(meta, parts):
    """MD5 of the MD5s and their number; under KMS no MD5 of anything."""
    digest = hashlib.md5(b"".join(bytes.fromhex(p["md5"]) for p in parts))
    first = digest.hexdigest()
    if "aws:kms" in dict(meta["encryption"]).values():
        first = uuid.uuid4().hex
    return '"%s-%d"' % (first, len(parts))


def kind_of(meta, name):
    """The checksum type of an upload, or of what S3 adds by itself."""
    return meta["type"] or TYPES[name][-1]


def joined_crc(name, pieces):
    """Base64 of the CRC of pieces in a row: (CRC, length) of each."""
    whole = pieces[0][0]
    for crc, size in pieces[1:]:
        whole = checksums.combine(name, whole, crc, size)
    return base64.b64encode(whole).decode()


def whole_checksums(meta, settings, parts):
    """The checksum of the object from those of its parts."""
    name = meta["algorithm"] or settings["default_checksum"]
    if not name:
        return {}
    sums = [base64.b64decode(p["checksums"][name]) for p in parts]
    if kind_of(meta, name) == COMPOSITE:
        value = checksums.of_bytes(name, b"".join(sums))
        return {name: "%s-%d" % (value, len(parts))}
    return {name: joined_crc(name, list(zip(sums, (p["size"] for p in parts))))}


def check_whole(request, meta, parts, sums):
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
