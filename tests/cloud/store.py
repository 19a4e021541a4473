# SPDX-License-Identifier: MIT
"""Objects as files, so that a test can put one there and read one back.

objects/ID        the bytes, ID = hex SHA-256 of the bytes "BUCKET/KEY"
objects/ID.json   what is known beside the bytes; made when it is missing,
                  so seeding an object means copying one file
objects/index     a line for each object stored: ID, space, BUCKET/KEY quoted
"""
import base64
import hashlib
import json
import os
import shutil
import threading
import uuid
from urllib.parse import quote_from_bytes

import checksums
from uploads import Uploads

FLIPPED = bytes(b ^ 1 for b in range(256))


def object_id(bucket, key):
    """The file name of an object; BUCKET is text, KEY bytes."""
    return hashlib.sha256(bucket.encode("latin-1") + b"/" + key).hexdigest()


class Object:
    """One stored object: where its bytes are and what is said of them."""

    def __init__(self, path, meta):
        self.path, self.meta = path, meta

    @property
    def size(self):
        return os.path.getsize(self.path)

    @property
    def etag(self):
        return self.meta["etag"]

    @property
    def generation(self):
        return self.meta.get("generation",
                             "%d000000" % self.meta["modified"])

    def save(self):
        """Write the meta file, whole or not at all."""
        temporary = self.path + ".json.tmp"
        with open(temporary, "w", encoding="utf-8") as f:
            json.dump(self.meta, f)
        os.replace(temporary, self.path + ".json")


class Store:
    """All objects of one run of the cloud."""

    def __init__(self, folder, clock, settings):
        self.folder = os.path.join(folder, "objects")
        self.spools = os.path.join(folder, "spool")
        os.makedirs(self.folder, exist_ok=True)
        os.makedirs(self.spools, exist_ok=True)
        self.clock = clock
        self.buckets = set(settings["buckets"])
        self.lock = threading.RLock()
        self.serial = 0
        self.generation = 0
        self.uploads = Uploads(folder, clock, settings["awkward_ids"])

    def new_spool(self):
        """A path for the bytes of a body that is arriving."""
        with self.lock:
            self.serial += 1
            return os.path.join(self.spools, str(self.serial))

    def path(self, bucket, key):
        return os.path.join(self.folder, object_id(bucket, key))

    def get(self, bucket, key, version=None):
        """The object, or None."""
        path = self.path(bucket, key)
        if version and os.path.exists(path + "." + version):
            path += "." + version
        if not os.path.exists(path):
            return None
        with self.lock:
            return self._load(path, version)

    def _load(self, path, version):
        if not os.path.exists(path + ".json"):
            Object(path, self._describe_seed(path)).save()
        with open(path + ".json", encoding="utf-8") as f:
            found = Object(path, json.load(f))
        known = found.meta.get("version_id", "null")
        return found if version in (None, known) else None

    def _describe_seed(self, path):
        md5 = base64.b64decode(checksums.of_file("md5", path)).hex()
        return {"etag": '"%s"' % md5, "modified": int(self.clock.now()),
                "headers": {}, "checksums": {}}

    def put(self, bucket, key, spooled, meta, versioned=False):
        """Make the file SPOOLED the object; returns it."""
        path = self.path(bucket, key)
        with self.lock:
            os.replace(spooled, path)
            meta = dict(meta, modified=int(self.clock.now()))
            meta["generation"] = self._generation()
            if versioned:
                meta["version_id"] = meta["generation"] \
                    if versioned == "generation" else uuid.uuid4().hex
                version = Object(path + "." + meta["version_id"], meta)
                shutil.copyfile(path, version.path)
                version.save()
            new = Object(path, meta)
            new.save()
            self._index(bucket, key)
        return new

    def _generation(self):
        """Microseconds, as Google numbers what becomes of a name."""
        self.generation = max(self.generation + 1,
                              int(self.clock.now() * 1000000))
        return str(self.generation)

    def _index(self, bucket, key):
        with open(os.path.join(self.folder, "index"), "a",
                  encoding="ascii") as f:
            f.write("%s %s/%s\n" % (object_id(bucket, key),
                                    quote_from_bytes(bucket.encode("latin-1")),
                                    quote_from_bytes(key)))

    def delete(self, bucket, key):
        """Remove an object; absent is fine."""
        with self.lock:
            for name in (self.path(bucket, key),
                         self.path(bucket, key) + ".json"):
                if os.path.exists(name):
                    os.unlink(name)

    def replace(self, bucket, key, how):
        """Somebody else changes the object between two requests.

        HOW: {"text": …} or {"file": …} new bytes; {"flip": true} every byte
        another, same length; {"touch": true} same bytes, new ETag and date.
        """
        with self.lock:
            old = self.get(bucket, key)
            path = self.path(bucket, key)
            if how.get("touch"):
                old.meta.update(etag='"%s"' % uuid.uuid4().hex,
                                modified=old.meta["modified"] + 1)
                old.meta.pop("generation", None)
                old.save()
                return
            with open(path + ".new", "wb") as f:
                f.write(self._new_bytes(path, how))
            os.replace(path + ".new", path)
            meta = self._describe_seed(path)
            if old:
                meta["modified"] = old.meta["modified"] + 1
            Object(path, meta).save()

    @staticmethod
    def _new_bytes(path, how):
        if "text" in how:
            return how["text"].encode()
        source = how.get("file", path)
        with open(source, "rb") as f:
            data = f.read()
        return data if "file" in how else data.translate(FLIPPED)
