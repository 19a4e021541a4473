# SPDX-License-Identifier: MIT
"""Uploads that are under way, as files a test can look at.

uploads/ID/upload.json  what was said when it began; ID is quoted as in a URL
uploads/ID/3            the bytes of part 3
uploads/ID/3.json       its number, size, ETag, MD5, SHA-256 and checksums
"""
import json
import os
import shutil
import uuid
from urllib.parse import quote

AWKWARD = "+/=~ &<%"              # what an ID may hold, for all that is said


class Upload:
    """One upload: its folder and what is known of it."""

    def __init__(self, folder, meta):
        self.folder, self.meta = folder, meta

    @property
    def id(self):
        return self.meta["id"]

    def path(self, number):
        return os.path.join(self.folder, str(number))

    def put_part(self, spooled, meta):
        """Make the file SPOOLED a part, whatever had its number before."""
        os.replace(spooled, self.path(meta["number"]))
        _save(self.path(meta["number"]) + ".json", meta)

    def parts(self):
        """What is known of each part, by number, ascending."""
        numbers = sorted(int(n[:-5]) for n in os.listdir(self.folder)
                         if n.endswith(".json") and n[:-5].isdigit())
        return {n: _load(self.path(n) + ".json") for n in numbers}

    def join(self, parts, discard):
        """The bytes of PARTS as one file; the upload is of no use after."""
        whole = self.path(parts[0]["number"])
        if discard:
            os.truncate(whole, sum(p["size"] for p in parts))
            return whole
        with open(whole, "ab") as out:
            for part in parts[1:]:
                with open(self.path(part["number"]), "rb") as f:
                    shutil.copyfileobj(f, out, 1 << 20)
                os.unlink(self.path(part["number"]))
        return whole

    def remove(self):
        """Forget it and its bytes."""
        shutil.rmtree(self.folder)


class Uploads:
    """All of them. Whoever calls holds the store's lock."""

    def __init__(self, folder, clock, awkward):
        self.folder = os.path.join(folder, "uploads")
        os.makedirs(self.folder, exist_ok=True)
        self.clock = clock
        self.tail = AWKWARD if awkward else ""
        self.serial = 0
        self.completed = {}             # ID: what its completion made

    def begin(self, bucket, key, meta):
        """A new upload for an object; BUCKET and KEY as Latin-1."""
        self.serial += 1
        meta = dict(meta, id=uuid.uuid4().hex + self.tail, bucket=bucket,
                    key=key, begun=int(self.clock.now()), serial=self.serial)
        folder = self._folder(meta["id"])
        os.mkdir(folder)
        _save(os.path.join(folder, "upload.json"), meta)
        return Upload(folder, meta)

    def find(self, bucket, key, upload_id):
        """The open upload of that ID and object, or None."""
        folder = self._folder(upload_id)
        if not upload_id or not os.path.isdir(folder):
            return None
        found = Upload(folder, _load(os.path.join(folder, "upload.json")))
        same = (found.meta["bucket"], found.meta["key"]) == (bucket, key)
        return found if same else None

    def all(self, bucket):
        """The open uploads of a bucket by key, then by age."""
        found = [Upload(os.path.join(self.folder, n), _load(
            os.path.join(self.folder, n, "upload.json")))
                 for n in os.listdir(self.folder)]
        return sorted((u for u in found if u.meta["bucket"] == bucket),
                      key=lambda u: (u.meta["key"], u.meta["serial"]))

    def _folder(self, upload_id):
        return os.path.join(self.folder,
                            quote(upload_id, safe="", encoding="latin-1"))


def _load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def _save(path, meta):
    """Write a file, whole or not at all."""
    with open(path + ".tmp", "w", encoding="utf-8") as f:
        json.dump(meta, f)
    os.replace(path + ".tmp", path)
