# SPDX-License-Identifier: MIT
"""Resumable uploads of Google's JSON API.

A session is an address that keeps what arrives in order, 256 KiB at a time,
and makes an object of it once all is there; only then its condition is looked
at. uploads/ID/ holds upload.json and data.
"""
import hashlib
import json
import os
import re

import checksums
from answers import Answer
from heads import told_hashes

UNIT = 256 * 1024


class Sessions:
    """All sessions, and what may be said to one."""

    def __init__(self, gcs, api):
        self.gcs, self.api, self.uploads = gcs, api, gcs.store.uploads
        self.known = {}                 # ID: bucket, key, args, about
        self.made = {}                  # ID: the answer that ended it

    @staticmethod
    def op(request):
        """Which operation a request to a session is."""
        if request.method == "DELETE":
            return "abort"
        said = said_range(request)
        if said is None:
            return "complete"
        first, last, total = said
        if first is None:
            return "complete" if total == 0 else "status"
        return "complete" if last is None or last + 1 == total else "part"

    def key(self, upload_id):
        """The key that a session is for, or None."""
        return self.known.get(upload_id, {}).get("key")

    def forget(self, route):
        """The session ends, whatever it held."""
        known = self.known.pop(route.args.get("uploadId"), None)
        if known:
            known["upload"].remove()
        return known is not None

    def handler(self, op):
        """The function that answers an operation."""
        return {"create": self._create, "part": self._data,
                "complete": self._data, "status": self._data,
                "abort": self._abort}.get(op)

    def _gone(self):
        status = self.gcs.settings["dead_session"]
        return Answer(status, [("Content-Type", "text/plain")],
                      b"Not Found" if status == 404 else b"Gone")

    def _create(self, request, route, spool):
        spool.done()
        with open(spool.path, "rb") as f:
            about = json.loads(f.read() or b"{}")
        kind = request.get("x-upload-content-type")
        if kind:
            about.setdefault("contentType", kind)
        key = route.key or about.get("name", "").encode()
        if not key:
            return self.api_error("Required", "Required")
        upload = self.uploads.begin(route.bucket, key.decode("latin-1"),
                                    {"about": about, "session": True})
        with open(self._data_path(upload), "wb"):
            pass
        self.known[upload.id] = {
            "key": key, "upload": upload, "about": about,
            "route": route._replace(key=key),
            "total": request.get("x-upload-content-length")}
        answer = Answer(200, [(
            "Location", "http://%s/upload/storage/v1/b/%s/o?uploadType="
            "resumable&upload_id=%s" % (request.get("host"), route.bucket,
                                        upload.id)),
            ("X-GUploader-UploadID", upload.id)])
        answer.upload_id = upload.id
        return answer

    def api_error(self, code, message, status=400):
        """An error of the API."""
        route = type("R", (), {"args": {"api": "json"}})
        return self.gcs.error(route, code, message, status)

    @staticmethod
    def _data_path(upload):
        return os.path.join(upload.folder, "data")

    def _abort(self, _request, route, _spool):
        return Answer(499) if self.forget(route) else self._gone()

    def _data(self, request, route, spool):
        """Bytes that go on where the session is, or the question where."""
        name = route.args["uploadId"]
        if name in self.made:
            return self._again(name)
        known = self.known.get(name)
        if known is None:
            return self._gone()
        spool.done()
        path = self._data_path(known["upload"])
        at = os.path.getsize(path)
        said = said_range(request)
        if said is None:
            said = (0, None, None) if at == 0 else (at, None, None)
        first, last, total = said
        if first is None:
            if total is not None and total == at:
                return self._finish(name, known, at)
            return self._incomplete(at)
        problem = self._misfit(first, last, total, at, request, spool)
        if problem:
            return problem
        at = self._append(path, spool, first, at, request)
        ends = total if last is not None else first + spool.length
        arrived = not request.length or spool.length == request.length
        if arrived and ends == at and request.keeps is None:
            return self._finish(name, known, at, request)
        return self._incomplete(at)

    def _misfit(self, first, last, total, at, request, spool):
        """400 for a piece that is none."""
        if first > at:
            return self.api_error("invalid", "Invalid request.  There were "
                                  "%d byte(s) before this piece." % at)
        if last is None:
            return None
        told = last + 1 - first
        if request.length and told != request.length:
            return self.api_error("invalid", "Content-Range and "
                                  "Content-Length differ.")
        if last + 1 != total and told % UNIT:
            return self.api_error("invalid", "A piece that is not the last "
                                  "one has to be a multiple of 256 KiB.")
        if not request.length and spool.length != told:
            return self.api_error("invalid", "Content-Range and body differ.")
        return None

    @staticmethod
    def _append(path, spool, first, at, request):
        """Keep what is new of a piece; the size that is there then."""
        skip = at - first
        room = max(0, spool.length - skip)
        whole = not request.length or spool.length == request.length
        if request.keeps is not None:
            room, whole = min(room, request.keeps), False
        if not whole:
            room = (at + room) // UNIT * UNIT - at
        if room > 0:
            with open(spool.path, "rb") as f, open(path, "ab") as out:
                f.seek(skip)
                out.write(f.read(room))
        return os.path.getsize(path)

    @staticmethod
    def _incomplete(at):
        """308, which tells how far the session is; nothing tells nothing."""
        answer = Answer(308, [("Content-Type", "text/plain")])
        if at:
            answer.set("Range", "bytes=0-%d" % (at - 1))
        return answer

    def _finish(self, name, known, size, request=None):
        """All is there: the object appears, or its condition fails."""
        spool = _Spooled(self._data_path(known["upload"]), size)
        told = told_hashes(request) if request else {}
        about = known["about"]
        told.setdefault("crc32c", about.get("crc32c"))
        told.setdefault("md5", about.get("md5Hash"))
        answer = self.api.save(known["route"], spool,
                               self.api.kept(about), told)
        if answer.status == 200:
            self.made[name] = answer
        if answer.status in (200, 412):
            self.known.pop(name)
            known["upload"].remove()
        return answer

    def _again(self, name):
        """What a session that has ended well keeps saying."""
        first = self.made[name]
        return Answer(200, first.headers, first.body)


class _Spooled:
    """Bytes on disk in the shape of a body that arrived."""

    def __init__(self, path, size):
        self.path, self.length = path, size
        self.md5, self.sha256 = hashlib.md5(), hashlib.sha256()
        with open(path, "rb") as f:
            for block in iter(lambda: f.read(1 << 20), b""):
                self.md5.update(block)
                self.sha256.update(block)

    def done(self):
        """They are all there."""

    def checksum(self, name):
        return checksums.of_file(name, self.path)

    def facts(self):
        """As wire.Spool's."""
        return {"size": self.length, "md5": self.md5.hexdigest(),
                "sha256": self.sha256.hexdigest()}


def said_range(request):
    """First, last and total of a Content-Range; None where there is a * or
    nothing. No such header, or none that can be read: None."""
    m = re.fullmatch(r"bytes (?:\*|(\d+)-(\d+|\*))/(\d+|\*)",
                     request.get("content-range", ""))
    if not m:
        return None
    return tuple(None if g in (None, "*") else int(g) for g in m.groups())
