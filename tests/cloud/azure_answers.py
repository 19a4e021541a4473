# SPDX-License-Identifier: MIT
"""Azure's error answers, and what the headers of a request ask for."""
import base64
import re

from answers import DECLARATION, Answer, xml_text
from heads import etag_in

MIB = 1 << 20
STATUS = {
    "AuthenticationFailed": 403, "AuthorizationFailure": 403,
    "AuthorizationPermissionMismatch": 403, "BlobAlreadyExists": 409,
    "BlobArchived": 409, "BlobNotFound": 404, "BlockCountExceedsLimit": 409,
    "ConditionNotMet": 412, "ContainerAlreadyExists": 409,
    "ContainerNotFound": 404, "InternalError": 500, "InvalidRange": 416,
    "LeaseIdMissing": 412, "MissingContentLengthHeader": 411,
    "NoAuthenticationInformation": 401, "OperationTimedOut": 500,
    "RequestBodyTooLarge": 413, "ResourceNotFound": 404, "ServerBusy": 503,
    "UnsupportedHttpVerb": 405, "InvalidAuthenticationInfo": 401,
}
# The codes of S3 that scenarios speak, as Azure says the same.
SAME = {
    "AccessDenied": ("AuthorizationFailure", 403),
    "BadDigest": ("Md5Mismatch", 400),
    "ExpiredToken": ("InvalidAuthenticationInfo", 401),
    "ExpiredSas": ("AuthenticationFailed", 403),
    "InvalidAccessKeyId": ("AuthenticationFailed", 403),
    "InvalidToken": ("InvalidAuthenticationInfo", 401),
    "NoSuchBucket": ("ContainerNotFound", 404),
    "NoSuchKey": ("BlobNotFound", 404),
    "NoSuchUpload": ("InvalidBlockList", 400),
    "InvalidPart": ("InvalidBlockList", 400),
    "PreconditionFailed": ("ConditionNotMet", 412),
    "RequestTimeout": ("OperationTimedOut", 500),
    "RequestTimeTooSkewed": ("AuthenticationFailed", 403),
    "ServiceUnavailable": ("ServerBusy", 503),
    "SignatureDoesNotMatch": ("AuthenticationFailed", 403),
    "SlowDown": ("ServerBusy", 503),
    "TooManyRequests": ("ServerBusy", 503),
    "XAmzContentSHA256Mismatch": ("Md5Mismatch", 400),
}
MESSAGES = {
    "ServerBusy": "Ingress is over the account limit.",
    "BlobNotFound": "The specified blob does not exist.",
    "ContainerNotFound": "The specified container does not exist.",
    "BlobAlreadyExists": "The specified blob already exists.",
    "ConditionNotMet": "The condition specified using HTTP conditional "
                       "header(s) is not met.",
    "BlobArchived": "This operation is not permitted on an archived blob.",
    "Md5Mismatch": "The MD5 value specified in the request did not match "
                   "with the MD5 value calculated by the server.",
    "Crc64Mismatch": "The CRC64 value specified in the request did not match "
                     "with the CRC64 value calculated by the server.",
    "InvalidBlockList": "The specified block list is invalid.",
    "InvalidBlobOrBlock": "The specified blob or block content is invalid.",
    "InternalError": "Server encountered an internal error. Please try again "
                     "after some time.",
    "OperationTimedOut": "Operation could not be completed within the "
                         "specified time.",
    "AuthenticationFailed": "Server failed to authenticate the request. Make "
                            "sure the value of Authorization header is formed "
                            "correctly including the signature.",
}
# Headers that say what a blob is; x-ms-blob-NAME becomes NAME.
FACTS = ("content-type", "content-encoding", "content-language",
         "content-disposition", "cache-control")


def error(code, message=None, status=None, **fields):
    """An error answer: a document, and its code in a header."""
    code, usual = SAME.get(code, (code, STATUS.get(code, 400)))
    items = [("Code", code), ("Message", message or MESSAGES.get(code, code))]
    items += fields.items()
    body = "<Error>%s</Error>" % "".join(
        "<%s>%s</%s>" % (n, xml_text(v), n) for n, v in items)
    return Answer(status or usual, [("Content-Type", "application/xml"),
                                    ("x-ms-error-code", code)],
                  b"\xef\xbb\xbf" + DECLARATION + body.encode("latin-1"))


def condition(request, old, exists=409):
    """The refusal of a write over OLD (or nothing), or None."""
    absent, same = request.get("if-none-match"), request.get("if-match")
    if absent == "*" and old:
        return error("BlobAlreadyExists", status=409) if exists == 409 \
            else error("ConditionNotMet")
    if absent and absent != "*" and old and etag_in(absent, old.etag):
        return error("ConditionNotMet")
    if same and (not old or not etag_in(same, old.etag)):
        return error("ConditionNotMet")
    return None


def sums_problem(request, spool):
    """Does the body differ from what its headers promise?"""
    md5, crc = request.get("content-md5"), request.get("x-ms-content-crc64")
    if md5 and crc:
        return error("InvalidHeaderValue", "both MD5 and CRC64 are given")
    if md5 and not re.fullmatch("[A-Za-z0-9+/]{22}==", md5):
        return error("InvalidMd5", "The MD5 value specified in the request "
                     "is invalid.")
    if md5 and base64.b64decode(md5) != spool.md5.digest():
        return error("Md5Mismatch")
    if crc and crc != crc64(spool):
        return error("Crc64Mismatch")
    return None


def crc64(spool):
    """The body's CRC-64 as Azure writes it: the low byte first."""
    return base64.b64encode(base64.b64decode(
        spool.checksum("crc64nvme"))[::-1]).decode()


def metadata_problem(request):
    """Names of metadata are identifiers."""
    for name, _ in request.headers:
        if name.lower().startswith("x-ms-meta-") and not re.fullmatch(
                "[A-Za-z_][A-Za-z0-9_]*", name[len("x-ms-meta-"):]):
            return error("InvalidMetadata", "The metadata specified is "
                         "invalid. It has characters that are not permitted.")
    return None


def kept_headers(request, direct):
    """What a blob gives back when it is read; DIRECT: its own content
    headers are the blob's too."""
    kept = {}
    for name in FACTS:
        value = request.get("x-ms-blob-" + name)
        if value is None and direct:
            value = request.get(name)
        if value:
            kept[name] = value
    kept.update((n.lower(), v) for n, v in request.headers
                if n.lower().startswith("x-ms-meta-"))
    tier = request.get("x-ms-access-tier")
    if tier:
        kept["x-ms-access-tier"] = tier
    return kept
