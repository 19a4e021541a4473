# SPDX-License-Identifier: MIT
"""Blocks: what Azure says to Put Block, Put Block List and Get Block List.

Blocks that are not committed lie in uploads/, an upload for each writer of a
blob: those whose ids have the same beginning. What is said of them is said of
all of a blob's, as there are no uploads in Azure.
"""
import base64
import binascii
import os
import re
import uuid
from xml.etree import ElementTree

import checksums
import clock as clocks
from answers import DECLARATION, Answer
from azure_answers import MIB, condition, error, kept_headers

MOST_BLOCK = 4000 * MIB
MOST_COMMITTED, MOST_UNCOMMITTED = 50000, 100000


def split_id(args):
    """What an id says for scenarios and for the log: a writer, a number."""
    try:
        raw = base64.b64decode(args["blockid"], validate=True)
    except binascii.Error:
        return
    text = raw.decode("latin-1")
    digits = re.search("[0-9]*$", text).group()
    args["uploadId"] = text[:len(text) - len(digits)]
    args["block_number"] = int(digits) if digits else None


def _local(element):
    return element.tag.rpartition("}")[2]


def listed(spool):
    """The entries of a block list: (where to look, id); None for none."""
    spool.done()
    try:
        with open(spool.path, "rb") as f:
            root = ElementTree.fromstring(f.read())
    except ElementTree.ParseError:
        return None
    kinds = {"Latest", "Committed", "Uncommitted"}
    if _local(root) != "BlockList" \
            or any(_local(e) not in kinds for e in root):
        return None
    return [(_local(e), (e.text or "").strip()) for e in root]


def range_sum(request, answer):
    """The sum of a range of at most 4 MiB, if it is asked for."""
    asked = request.get("x-ms-range-get-content-crc64") == "true"
    if asked and answer.length > 4 * MIB:
        return error("OutOfRangeInput", status=400)
    if asked:
        with open(answer.file, "rb") as f:
            f.seek(answer.start)
            crc = checksums.of_bytes("crc64nvme", f.read(answer.length))
        answer.set("x-ms-content-crc64", base64.b64encode(
            base64.b64decode(crc)[::-1]).decode())
    return answer


class Blocks:
    """The three operations; whoever calls holds the store's lock."""

    def __init__(self, settings, store, clock):
        self.settings = settings
        self.store, self.uploads = store, store.uploads
        self.clock = clock

    def _of(self, route):
        """The uploads of a blob."""
        key = route.key.decode("latin-1")
        return [u for u in self.uploads.all(route.bucket)
                if u.meta["key"] == key]

    def _stored(self, route):
        """By id: the uncommitted blocks of a blob, and where they lie."""
        return {p["id"]: (u, p) for u in self._of(route)
                for p in u.parts().values()}

    def forget(self, route):
        """All uncommitted blocks of a blob are gone."""
        with self.store.lock:
            for upload in self._of(route):
                upload.remove()

    # --- Put Block -----------------------------------------------------------

    def part(self, request, route, spool):
        """Put Block."""
        if request.get("content-length") is None:
            return error("MissingContentLengthHeader")
        raw = self._raw_id(route.args.get("blockid", ""))
        if raw is None:
            return error("InvalidQueryParameterValue",
                               QueryParameterName="blockid")
        if spool.length == 0:
            return error("InvalidHeaderValue",
                               HeaderName="Content-Length")
        if spool.length > MOST_BLOCK:
            return error("RequestBodyTooLarge",
                               MaxLimit=str(MOST_BLOCK))
        return self._room(route, raw) or self._keep(request, route, spool)

    @staticmethod
    def _raw_id(text):
        try:
            raw = base64.b64decode(text, validate=True)
        except binascii.Error:
            return None
        return raw if 1 <= len(raw) <= 64 else None

    def _room(self, route, raw):
        stored = self._stored(route)
        if any(len(base64.b64decode(one)) != len(raw) for one in stored):
            return error("InvalidBlobOrBlock")
        most = self.settings["most_uncommitted"]
        if len(stored) >= most and route.args["blockid"] not in stored:
            return error("BlockCountExceedsLimit", "The uncommitted "
                               "block count cannot exceed the maximum limit "
                               "of %d blocks." % most)
        return None

    def _keep(self, request, route, spool):
        writer = route.args["uploadId"]
        upload = next((u for u in self._of(route)
                       if u.meta["writer"] == writer), None)
        if upload is None:
            upload = self.uploads.begin(
                route.bucket, route.key.decode("latin-1"),
                {"writer": writer})
        number = route.args["block_number"]
        if number is None:
            number = max(upload.parts(), default=0) + 1
        spool.done()
        answer = Answer(201, [("x-ms-request-server-encrypted", "true")])
        if request.get("content-md5"):
            answer.set("Content-MD5", request.get("content-md5"))
        else:
            crc = spool.sums.get("crc64nvme")
            answer.set("x-ms-content-crc64", crc and base64.b64encode(
                crc.digest()[::-1]).decode())
        upload.put_part(spool.path, dict(
            spool.facts(), number=number, id=route.args["blockid"],
            modified=int(self.clock.now())))
        return answer

    # --- Put Block List --------------------------------------------------------

    def complete(self, request, route, spool):
        """Put Block List."""
        wanted = listed(spool)
        if wanted is None:
            return error("InvalidXmlDocument")
        if len(wanted) > MOST_COMMITTED:
            return error("BlockListTooLong", "The block list may not "
                               "contain more than 50,000 blocks.")
        old = self.store.get(route.bucket, route.key)
        problem = condition(request, old, self.settings["exists_status"])
        if problem:
            return problem
        pieces = self._pieces(route, old, wanted)
        if pieces is None:
            return error("InvalidBlockList")
        return self._commit(request, route, pieces)

    def _pieces(self, route, old, wanted):
        """Each block of the list: its file, offset, size and id."""
        stored = self._stored(route)
        committed, offset = {}, 0
        for block in (old.meta.get("blocks", []) if old else []):
            committed[block["id"]] = (old.path, offset, block["size"],
                                      block["id"])
            offset += block["size"]
        pieces = []
        for kind, name in wanted:
            found = None
            if kind in ("Latest", "Uncommitted") and name in stored:
                upload, part = stored[name]
                found = (upload.path(part["number"]), 0, part["size"], name)
            elif kind in ("Latest", "Committed"):
                found = committed.get(name)
            if found is None:
                return None
            pieces.append(found)
        return pieces

    def _commit(self, request, route, pieces):
        path = self.store.new_spool()
        with open(path, "wb") as out:
            for name, offset, size, _ in pieces:
                self._copy(out, name, offset, size)
        meta = {"etag": '"0x8D%s"' % uuid.uuid4().hex[:13].upper(),
                "headers": kept_headers(request, False),
                "checksums": {},
                "size": os.path.getsize(path),
                "content_md5": request.get("x-ms-blob-content-md5"),
                "blocks": [{"id": p[3], "size": p[2]} for p in pieces]}
        new = self.store.put(route.bucket, route.key, path, meta,
                             self.settings["versioning"])
        self.forget(route)
        return self.created(new)

    def _copy(self, out, name, offset, size):
        if self.settings["discard"]:
            out.truncate(out.tell() + size)
            out.seek(0, os.SEEK_END)
            return
        with open(name, "rb") as f:
            f.seek(offset)
            while size:
                block = f.read(min(size, MIB))
                out.write(block)
                size -= len(block)

    def created(self, new):
        """The answer to a write that made a blob."""
        answer = Answer(201, [
            ("ETag", new.etag),
            ("Last-Modified", clocks.imf_fixdate(new.meta["modified"])),
            ("x-ms-request-server-encrypted", "true")])
        answer.set("x-ms-version-id", new.meta.get("version_id"))
        return answer

    # --- Get Block List --------------------------------------------------------

    def list(self, _request, route, _spool):
        """Get Block List: what is committed, what is not."""
        old = self.store.get(route.bucket, route.key)
        stored = self._stored(route)
        if not old and not stored:
            return error("BlobNotFound")
        kind = route.args.get("blocklisttype", "committed")
        text = ""
        if kind != "uncommitted":
            text += _section("CommittedBlocks", [
                (b["id"], b["size"]) for b in (
                    old.meta.get("blocks", []) if old else [])])
        if kind != "committed":
            text += _section("UncommittedBlocks", sorted(
                (i, p["size"]) for i, (_, p) in stored.items()))
        answer = Answer(200, [("Content-Type", "application/xml")],
                        b"\xef\xbb\xbf" + DECLARATION
                        + ("<BlockList>%s</BlockList>" % text).encode())
        if old:
            answer.set("ETag", old.etag)
        return answer


def _section(name, blocks):
    return "<%s>%s</%s>" % (name, "".join(
        "<Block><Name>%s</Name><Size>%d</Size></Block>" % b
        for b in blocks), name)
