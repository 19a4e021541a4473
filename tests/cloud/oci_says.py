# SPDX-License-Identifier: MIT
"""What OCI Object Storage puts in words: its errors, its conditions."""
import json
import re
import uuid

import clock as clocks
from answers import Answer, Refused

# Status of the service's codes; others are 400.
STATUS = {
    "NotAuthenticated": 401, "Forbidden": 403, "BucketIsReadonly": 403,
    "NotFound": 404, "NamespaceNotFound": 404, "ObjectNotFound": 404,
    "BucketNotFound": 404, "UploadNotFound": 404,
    "NotAuthorizedOrNotFound": 404, "RequestTimeout": 408,
    "ConcurrentBucketUpdate": 409, "ConcurrentObjectUpdate": 409,
    "IncorrectState": 409, "NotRestored": 409, "ContentLengthRequired": 411,
    "PreconditionFailed": 412, "IfMatchFailed": 412, "IfNoneMatchFailed": 412,
    "RequestEntityTooLarge": 413, "InvalidRange": 416,
    "TooManyRequests": 429, "InternalServerError": 500,
    "NotImplemented": 501, "BadGateway": 502, "ServiceUnavailable": 503,
}
# A scenario speaks of S3's codes, so that one scenario serves every provider.
SAME = {
    "SlowDown": "TooManyRequests", "InternalError": "InternalServerError",
    "NoSuchKey": "ObjectNotFound", "NoSuchBucket": "BucketNotFound",
    "NoSuchUpload": "UploadNotFound", "NoSuchVersion": "ObjectNotFound",
    "PreconditionFailed": "IfNoneMatchFailed",
    "ConditionalRequestConflict": "ConcurrentObjectUpdate",
    "OperationAborted": "ConcurrentObjectUpdate",
    "BadDigest": "UnmatchedContentMD5",
    "XAmzContentSHA256Mismatch": "UnmatchedContentMD5",
    "AccessDenied": "NotAuthorizedOrNotFound",
    "SignatureDoesNotMatch": "NotAuthenticated",
    "InvalidAccessKeyId": "NotAuthenticated",
    "ExpiredToken": "NotAuthenticated", "InvalidToken": "NotAuthenticated",
    "RequestTimeTooSkewed": "NotAuthenticated",
    "RequestExpired": "NotAuthenticated",
    "InvalidPart": "InvalidUploadPart",
    "InvalidPartOrder": "InvalidUploadPartOrder",
    "EntityTooLarge": "RequestEntityTooLarge",
    "EntityTooSmall": "InvalidUploadPart", "InvalidObjectState": "NotRestored",
    "MissingContentLength": "ContentLengthRequired",
}
WORDS = {
    "NotAuthenticated": "The required information to complete authentication "
                        "was not provided or was incorrect.",
    "BucketNotFound": "Either the bucket does not exist in the namespace or "
                      "you are not authorized to access it",
    "TooManyRequests": "Too many requests for the tenant",
    "InternalServerError": "An internal server error occurred.",
}


def error(code, message=None, status=None):
    """An error answer: a JSON document of two members."""
    code = SAME.get(code, code)
    return document({"code": code, "message": message or WORDS.get(code, code)},
                    status or STATUS.get(code, 400))


def document(value, status=200):
    """An answer whose body is JSON."""
    return Answer(status, [("Content-Type", "application/json")],
                  json.dumps(value).encode())


def refuse(code, message=None):
    """End the work with an error."""
    raise Refused(error(code, message))


def etag_of(found):
    """This service's ETags are UUIDs, and have no quotes."""
    text = found.etag.strip('"')
    return str(uuid.UUID(text)) if re.fullmatch("[0-9a-f]{32}", text) else text


def named(header, found):
    """Does a list of ETags name this object's?"""
    names = [n.strip().strip('"') for n in header.split(",")]
    return "*" in names or etag_of(found) in names


def check_write(request, old):
    """Refuse a write over OLD (or nothing) that its condition forbids."""
    absent, same = request.get("if-none-match"), request.get("if-match")
    if absent is not None and absent != "*":
        refuse("IfNoneMatchDisallowed")
    if absent and old:
        refuse("IfNoneMatchFailed", "The If-None-Match header is '*' but "
               "there is an existing entity")
    if same and not (old and named(same, old)):
        refuse("IfMatchFailed", "The If-Match header does not match the "
               "entity tag")


def check_read(request, found):
    """Refuse a read: 412 or 304."""
    same, other = request.get("if-match"), request.get("if-none-match")
    if same is not None and not named(same, found):
        refuse("IfMatchFailed", "The If-Match header does not match the "
               "entity tag")
    if other is not None and named(other, found):
        raise Refused(Answer(304, [
            ("ETag", etag_of(found)),
            ("Last-Modified", clocks.imf_fixdate(found.meta["modified"]))]))
