# SPDX-License-Identifier: MIT
"""Sends an answer, or spoils it in the way a rule asks for."""
import http.client
import os
import threading
import time

from answers import DECLARATION

BLOCK = 64 * 1024


class Hangs:
    """Keeps the file DIR/hang while any connection is silent on purpose.

    A client in virtual time lets its clock run only while the file exists.
    """

    def __init__(self, path, always=False):
        self.path = path
        self.lock = threading.Lock()
        self.count = 0
        if always:
            self.enter()

    def enter(self):
        with self.lock:
            self.count += 1
            if self.count == 1:
                with open(self.path, "w", encoding="ascii"):
                    pass

    def leave(self):
        with self.lock:
            self.count -= 1
            if self.count == 0 and os.path.exists(self.path):
                os.unlink(self.path)

    def hang(self, wire, reading_stopped=False):
        """Be silent until the client has gone."""
        if reading_stopped:
            wire.wait_stopped()
        else:
            wire.flush()
        self.enter()
        try:
            wire.wait_gone()
        finally:
            self.leave()
        wire.close(notify=False)


def reason(status):
    """The usual phrase of a status."""
    return http.client.responses.get(status, "Status")


def body_blocks(answer):
    """The bytes of an answer's body, block by block."""
    if answer.file is None:
        yield answer.body
        return
    left = answer.length
    with open(answer.file, "rb") as f:
        f.seek(answer.start)
        while left:
            block = f.read(min(BLOCK, left))
            if not block:
                return
            left -= len(block)
            yield block


def early_blocks(answer, rule):
    """A body that begins before its end is known: white space first.

    S3 sends the XML declaration, then spaces, then the document; others send
    spaces before everything.
    """
    body = answer.body
    if body.startswith(DECLARATION) and not rule.space_first:
        yield DECLARATION
        body = body[len(DECLARATION):]
    for _ in range(rule.spaces):
        time.sleep(rule.space_ms / 1000)
        yield b" "
    yield body


def blocks(answer, rule):
    """All that follows the headers."""
    early = rule.early_200 and answer.status == 200
    return early_blocks(answer, rule) if early else body_blocks(answer)


def framing(answer, rule, bodyless):
    """The header that frames the body: honest, false, chunked or none."""
    length = rule.length
    if length == "none":
        return [("Connection", "close")]
    if length in ("chunked", "chunked-cut"):
        return [("Transfer-Encoding", "chunked")]
    if answer.status in (204, 304) and bodyless:
        return []
    told = answer.length + (rule.spaces if rule.early_200 else 0)
    if isinstance(length, str):
        told += int(length)
    elif length is not None:
        told = length
    return [("Content-Length", str(told))]


def ends_connection(rule):
    """Is the framing such that only the end of the connection ends it?"""
    return rule.length is not None and rule.length != "chunked"


def head_bytes(answer, rule, bodyless):
    """Status line and headers, empty line included."""
    lines = ["HTTP/1.1 %d %s" % (answer.status,
                                 rule.reason or reason(answer.status))]
    own = {n.lower() for n, _ in answer.headers}
    headers = answer.headers + [
        h for h in framing(answer, rule, bodyless) if h[0].lower() not in own]
    for name, value in headers:
        name = name.lower() if rule.lowercase_headers else name
        lines.append("%s: %s" % (name, value))
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def interim_bytes(rule):
    """The 1xx responses that go first."""
    parts = []
    for one in rule.interim:
        status, headers = (one, {}) if isinstance(one, int) \
            else (one["status"], one.get("headers", {}))
        parts.append("HTTP/1.1 %d %s\r\n" % (status, reason(status)))
        parts += ["%s: %s\r\n" % h for h in headers.items()] + ["\r\n"]
    return "".join(parts).encode("latin-1")


class Player:
    """Plays one answer on one wire."""

    def __init__(self, wire, hangs):
        self.wire, self.hangs = wire, hangs

    def cut(self, rule, reading_stopped=False):
        """The end a rule asks for: close, RST, or silence."""
        if rule.how == "hang":
            self.hangs.hang(self.wire, reading_stopped)
        elif rule.how == "rst":
            self.wire.reset()
        else:
            self.wire.flush()
            self.wire.close(notify=bool(rule.close_notify))
        return False

    def send(self, data, rule):
        """Bytes at once, or a few at a time."""
        if not rule.dribble_ms:
            self.wire.send(data)
            return
        for i in range(0, len(data), rule.dribble_bytes):
            self.wire.send(data[i:i + rule.dribble_bytes])
            time.sleep(rule.dribble_ms / 1000)

    def play(self, answer, rule, bodyless):
        """Send it; True when the connection may carry another request."""
        if rule.delay_ms:
            time.sleep(rule.delay_ms / 1000)
        self.wire.send(interim_bytes(rule))
        if rule.at == "status":
            return self.cut(rule)
        if rule.raw is not None:
            self.wire.send(rule.raw.encode("latin-1"))
            self.wire.close(notify=rule.close_notify is not False)
            return False
        self.send(head_bytes(answer, rule, bodyless), rule)
        if rule.at == "headers":
            return self.cut(rule)
        if not bodyless and self._body(answer, rule):
            return self.cut(rule)
        return self.after(rule)

    def _body(self, answer, rule):
        """Send the body; True when it was cut short."""
        room = rule.at if isinstance(rule.at, int) else None
        chunked = rule.length in ("chunked", "chunked-cut")
        for block in blocks(answer, rule):
            if room is not None:
                block, room = block[:room], max(0, room - len(block))
            if chunked and block:
                block = b"%x\r\n%s\r\n" % (len(block), block)
            self.send(block, rule)
            if room == 0:
                return True
        if rule.length == "chunked":
            self.send(b"0\r\n\r\n", rule)
        return room is not None

    def after(self, rule):
        """What becomes of the connection once the answer is out."""
        if rule.then == "rst":
            self.wire.reset()
        elif rule.then == "finish":
            self.wire.finish(notify=rule.close_notify is not False)
        elif rule.then == "close" or ends_connection(rule):
            self.wire.flush()
            self.wire.close(notify=rule.close_notify is not False)
        else:
            return True
        return False
