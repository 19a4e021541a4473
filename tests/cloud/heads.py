# SPDX-License-Identifier: MIT
"""What the headers of a request ask for: conditions, and what to keep."""
import clock as clocks
from answers import Answer, error

# Request headers kept with an object and given back with it.
STANDARD = ("content-type", "cache-control", "content-disposition",
            "content-encoding", "content-language", "expires")
KEPT = STANDARD + ("x-amz-storage-class", "x-amz-server-side-encryption",
                   "x-amz-server-side-encryption-aws-kms-key-id",
                   "x-amz-website-redirect-location")
CHECKSUMS = ("crc32", "crc32c", "crc64nvme", "sha1", "sha256")


def kept_headers(request):
    """What an object gives back when it is read."""
    headers = {n: request.get(n) for n in KEPT if request.get(n)}
    headers.update((n.lower(), v) for n, v in request.headers
                   if n.lower().startswith("x-amz-meta-"))
    return headers


def told_checksums(request):
    """The x-amz-checksum-* headers, by algorithm."""
    return {n: request.get("x-amz-checksum-" + n) for n in CHECKSUMS
            if request.get("x-amz-checksum-" + n)}


def told_hashes(request):
    """The x-goog-hash header, by algorithm; it may come in several lines."""
    pieces = ",".join(request.all("x-goog-hash")).split(",")
    pairs = (p.strip().partition("=") for p in pieces if p.strip())
    return {name: value for name, _, value in pairs}


def encryption(request):
    """Headers about encryption, which every answer repeats."""
    return [(n, request.get(n)) for n in KEPT
            if n.startswith("x-amz-server-side-") and request.get(n)]


def unframed(request, require_checksum):
    """411 or 400 for bytes without a length or a wanted checksum, or None."""
    if not request.get("content-length"):
        return error("MissingContentLength", "You must provide the "
                     "Content-Length HTTP header.")
    if require_checksum and not request.get("content-md5") \
            and not told_checksums(request):
        return error("InvalidRequest", "Content-MD5 OR x-amz-checksum- "
                     "HTTP header is required for Put Object requests "
                     "with Object Lock parameters")
    return None


def write_condition(request, key, old):
    """412, 404 or 501 for a write over OLD (or nothing), or None."""
    absent, same = request.get("if-none-match"), request.get("if-match")
    if absent is not None and absent != "*":
        return error("NotImplemented", "A header you provided implies "
                     "functionality that is not implemented",
                     Header="If-None-Match")
    if absent and old:
        return error("PreconditionFailed", Condition="If-None-Match")
    if same and not old:
        return error("NoSuchKey", Key=key.decode("latin-1"))
    if same and not etag_in(same, old.etag):
        return error("PreconditionFailed", Condition="If-Match")
    return None


def etag_in(header, etag):
    """Does an If-Match list name this ETag? S3 takes it unquoted too."""
    names = [n.strip() for n in header.split(",")]
    return "*" in names or etag in names or etag.strip('"') in names


def read_condition(request, found):
    """412 or 304 by RFC 9110 13.2.2, or None."""
    modified = found.meta["modified"]
    same, other = request.get("if-match"), request.get("if-none-match")
    before = clocks.parse_http_date(request.get("if-unmodified-since"))
    after = clocks.parse_http_date(request.get("if-modified-since"))
    if same is not None:
        if not etag_in(same, found.etag):
            return error("PreconditionFailed", Condition="If-Match")
    elif before is not None and modified > before:
        return error("PreconditionFailed", Condition="If-Unmodified-Since")
    if other is not None:
        unchanged = etag_in(other, found.etag)
    else:
        unchanged = after is not None and modified <= after
    if unchanged:
        return Answer(304, [("ETag", found.etag),
                            ("Last-Modified", clocks.imf_fixdate(modified))])
    return None
