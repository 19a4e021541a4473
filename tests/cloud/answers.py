# SPDX-License-Identifier: MIT
"""An answer before it is sent, and S3's error documents."""
import base64
import re
import uuid
from xml.sax.saxutils import escape

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'

# Status of each error code that has one of its own; others are 400.
STATUS = {
    "AccessDenied": 403, "InternalError": 500, "MethodNotAllowed": 405,
    "ConditionalRequestConflict": 409, "InvalidAccessKeyId": 403,
    "InvalidRange": 416, "NoSuchBucket": 404, "NoSuchKey": 404,
    "NoSuchUpload": 404, "NoSuchVersion": 404, "NotImplemented": 501,
    "OperationAborted": 409, "PermanentRedirect": 301,
    "PreconditionFailed": 412, "RequestTimeTooSkewed": 403,
    "ServiceUnavailable": 503, "SignatureDoesNotMatch": 403,
    "SlowDown": 503, "TemporaryRedirect": 307, "TooManyRequests": 429,
    "MissingContentLength": 411, "InvalidObjectState": 403,
    "BucketAlreadyOwnedByYou": 409, "RequestExpired": 403,
}
MESSAGES = {
    "NoSuchKey": "The specified key does not exist.",
    "NoSuchBucket": "The specified bucket does not exist",
    "SlowDown": "Please reduce your request rate.",
    "InternalError": "We encountered an internal error. Please try again.",
    "PreconditionFailed": "At least one of the pre-conditions you specified "
                          "did not hold",
    "BadDigest": "The Content-MD5 you specified did not match what we "
                 "received.",
    "RequestTimeout": "Your socket connection to the server was not read "
                      "from or written to within the timeout period. Idle "
                      "connections will be closed.",
    "ExpiredToken": "The provided token has expired.",
    "InvalidRange": "The requested range is not satisfiable",
}


class Answer:
    """A response that has not been sent: status, headers, body or a file."""

    def __init__(self, status, headers=(), body=b"", file=None, start=0,
                 length=None):
        self.status = status
        self.headers = list(headers)
        self.body = body
        self.file, self.start = file, start
        self.length = len(body) if length is None else length
        self.upload_id = None           # of an upload that it began

    def set(self, name, value):
        """Replace a header, or with None remove it."""
        self.headers = [(n, v) for n, v in self.headers
                        if n.lower() != name.lower()]
        if value is not None:
            self.headers.append((name, value))

    def get(self, name):
        for n, v in self.headers:
            if n.lower() == name.lower():
                return v
        return None


def xml_text(value):
    """Text or bytes-as-Latin-1 escaped for XML, as bytes-as-Latin-1."""
    try:
        value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        value = value.encode("utf-8", "replace").decode("latin-1")
    value = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "?", value)
    return escape(value)


def error_body(code, message=None, fields=None):
    """S3's error document."""
    parts = [("Code", code), ("Message", message or MESSAGES.get(code, code))]
    parts += list((fields or {}).items())
    parts += [("RequestId", uuid.uuid4().hex[:16].upper()),
              ("HostId", base64.b64encode(uuid.uuid4().bytes).decode())]
    return DECLARATION + ("<Error>%s</Error>" % "".join(
        "<%s>%s</%s>" % (n, xml_text(v), n)
        for n, v in parts)).encode("latin-1")


def error(code, message=None, status=None, **fields):
    """An error answer."""
    return Answer(status or STATUS.get(code, 400),
                  [("Content-Type", "application/xml")],
                  error_body(code, message, fields))


def document(root, items):
    """A 200 with XML; ITEMS are pairs of name and text or further pairs."""
    body = '<%s xmlns="%s">%s</%s>' % (root, NAMESPACE, _elements(items),
                                       root)
    return Answer(200, [("Content-Type", "application/xml")],
                  DECLARATION + body.encode("latin-1"))


def _elements(items):
    return "".join(
        "<%s>%s</%s>" % (n, _elements(v) if isinstance(v, list)
                         else xml_text(v).replace('"', "&quot;"), n)
        for n, v in items)


class Refused(Exception):
    """An answer that ends the work."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer


def refuse(code, message=None, **fields):
    """End the work with an error answer."""
    raise Refused(error(code, message, **fields))
