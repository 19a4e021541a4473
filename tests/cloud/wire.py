# SPDX-License-Identifier: MIT
"""Bytes in and out of one connection, with nothing in between.

Knows HTTP/1.1 framing and no cloud. Not http.server, because a test needs the
exact bytes a client sent and full say over the bytes it gets, down to the
middle of a status line, and over how a connection ends (FIN, RST, silence).
"""
import array
import base64
import fcntl
import hashlib
import os
import select
import socket
import ssl
import struct
import termios
import time

import checksums

BLOCK = 256 * 1024
MAX_HEAD = 256 * 1024
BYTES_ACKED = 120       # where struct tcp_info has tcpi_bytes_acked


class Gone(Exception):
    """The client closed or reset the connection."""


class BadRequest(Exception):
    """What arrived is not an HTTP/1.1 request."""


class Request:
    """A request head exactly as received; text is Latin-1, one char a byte."""

    def __init__(self, head):
        lines = head.decode("latin-1").split("\r\n")
        parts = lines[0].split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            raise BadRequest("request line %r" % lines[0])
        self.method, self.target, self.version = parts
        self.headers = [self._header(line) for line in lines[1:]]
        self.length = self._length()
        self.keeps = None       # bytes that a rule lets a session keep
        self.chunked = self.get("transfer-encoding", "").lower() == "chunked"

    @staticmethod
    def _header(line):
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or "\n" in line:
            raise BadRequest("header line %r" % line)
        return name, value.strip(" \t")

    def _length(self):
        lengths = set(self.all("content-length"))
        if not lengths:
            return 0
        text = lengths.pop()
        if lengths or not text.isdigit():
            raise BadRequest("Content-Length")
        return int(text)

    def all(self, name):
        """Every value of a header, in order."""
        return [v for n, v in self.headers if n.lower() == name]

    def get(self, name, default=None):
        """The first value of a header."""
        values = self.all(name)
        return values[0] if values else default

    def expects_continue(self):
        """Does the client wait for 100 before it sends the body?"""
        return self.get("expect", "").lower() == "100-continue"


class Spool:
    """A request body as it arrives: a file, its length, SHA-256 and MD5.

    With DISCARD the bytes are hashed and thrown away, and the file is one
    hole of their length; SUMS are the checksums that will be asked for.
    """

    def __init__(self, path, discard=False, sums=()):
        self.path, self.discarded = path, discard
        self.file = open(path, "wb")
        self.length = 0
        self.sha256 = hashlib.sha256()
        self.md5 = hashlib.md5()
        self.sums = {n: checksums.ALGORITHMS[n]() for n in sums}

    def write(self, data):
        if not self.discarded:
            self.file.write(data)
        self.length += len(data)
        for one in (self.sha256, self.md5, *self.sums.values()):
            one.update(data)

    def checksum(self, name):
        """Base64 of a checksum of all that was written."""
        if name in self.sums:
            return base64.b64encode(self.sums[name].digest()).decode()
        self.done()
        return checksums.of_file(name, self.path)

    def facts(self):
        """What is kept of the bytes, should they be thrown away."""
        facts = {"size": self.length, "md5": self.md5.hexdigest(),
                 "sha256": self.sha256.hexdigest()}
        if self.discarded:
            facts["crc32"] = self.checksum("crc32")
        return facts

    def done(self):
        """No more bytes: what was written can be read by others."""
        if not self.file.closed:
            if self.discarded:
                self.file.truncate(self.length)
            self.file.close()

    def discard(self):
        """Forget the bytes, unless they were moved away as an object."""
        self.done()
        if os.path.exists(self.path):
            os.unlink(self.path)


class Wire:
    """One accepted socket, plain or TLS."""

    def __init__(self, sock):
        self.sock = sock
        self.buf = bytearray()
        self.open = True
        self.acked = 0          # once it is closed
        self.block = BLOCK      # a slow reader takes less at once
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def fill(self):
        """Receive something into the buffer; Gone at the end of stream."""
        try:
            data = self.sock.recv(self.block)
        except OSError as e:
            raise Gone(str(e)) from e
        if not data:
            raise Gone("end of stream")
        self.buf += data

    def read_head(self):
        """The next request's head without its empty line."""
        while True:
            end = self.buf.find(b"\r\n\r\n")
            if end >= 0:
                head = bytes(self.buf[:end])
                del self.buf[:end + 4]
                return head
            if self.buf[:1] == b"\x16":
                raise BadRequest("TLS spoken to a plain port")
            if len(self.buf) > MAX_HEAD:
                raise BadRequest("head too long")
            self.fill()

    def read_line(self):
        """A CRLF line of a chunked body."""
        while True:
            end = self.buf.find(b"\r\n")
            if end >= 0:
                line = bytes(self.buf[:end])
                del self.buf[:end + 2]
                return line
            self.fill()

    def take(self, most):
        """Between 1 and MOST bytes."""
        if not self.buf:
            self.fill()
        data = bytes(self.buf[:most])
        del self.buf[:most]
        return data

    def send(self, data):
        """All of DATA, or Gone."""
        try:
            self.sock.sendall(data)
        except OSError as e:
            raise Gone(str(e)) from e

    def unsent(self):
        """Bytes the peer's kernel has not acknowledged yet."""
        return self._ioctl(termios.TIOCOUTQ)

    def unread(self):
        """Bytes that arrived and that nobody has read."""
        return self._ioctl(termios.FIONREAD)

    def arrived(self):
        """Bytes sent so far that the peer's kernel has acknowledged."""
        try:
            info = self.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO,
                                        128)
        except OSError:         # given away in a handshake that failed
            return 0
        return struct.unpack_from("=Q", info, BYTES_ACKED)[0]

    def _ioctl(self, what):
        number = array.array("i", [0])
        fcntl.ioctl(self.sock.fileno(), what, number)
        return number[0]

    def close(self, notify=True):
        """End in order: TLS close_notify (when asked), then FIN."""
        if self.open:
            self._notify(notify)
            self.open = False
            self.acked = self.arrived()
            self.sock.close()

    def _notify(self, notify):
        if notify and isinstance(self.sock, ssl.SSLSocket):
            try:
                self.sock.settimeout(0.05)
                self.sock.unwrap()
            except (OSError, ValueError):
                pass

    def finish(self, notify=True):
        """Say FIN, read nothing more, and leave once the client has left.

        A plain close() with unread bytes would send RST instead of FIN.
        """
        self._notify(notify)
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        self.wait_gone(1.0)
        self.close(notify=False)

    def reset(self):
        """RST at once; what was sent before is on its way."""
        if self.open:
            self.flush()
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                 struct.pack("ii", 1, 0))
            self.close(notify=False)

    def flush(self, seconds=1.0):
        """Wait until the peer's kernel holds all that was sent."""
        end = time.monotonic() + seconds
        while self.unsent() and time.monotonic() < end:
            time.sleep(0.001)

    def wait_talk(self, seconds):
        """Wait until the client has sent something, and leave it unread."""
        select.select([self.sock], [], [], seconds)

    def wait_gone(self, seconds=None):
        """Wait, reading nothing, until the client is gone; True if it is."""
        end = None if seconds is None else time.monotonic() + seconds
        poll = select.poll()
        poll.register(self.sock.fileno(), select.POLLRDHUP)
        while end is None or time.monotonic() < end:
            if poll.poll(20) or self.peer_orphaned():
                return True
        return False

    def peer_orphaned(self):
        """Has the client closed a socket whose FIN cannot reach us?

        With our window at zero its FIN waits behind data we never read; on
        loopback the kernel's table tells: no row, or a row without an inode.
        """
        if self.sock.family != socket.AF_INET:
            return False
        try:
            with open("/proc/net/tcp", encoding="ascii") as f:
                rows = f.read().splitlines()[1:]
            want = tuple(_hex(*a) for a in (self.sock.getpeername(),
                                            self.sock.getsockname()))
        except OSError:
            return True
        for row in rows:
            cells = row.split()
            if (cells[1], cells[2]) == want:
                return cells[9] == "0"
        return True

    def wait_stopped(self):
        """Wait until nothing more arrives: our window is full or they rest."""
        last, since = -1, time.monotonic()
        while time.monotonic() - since < 0.05:
            now = self.unread()
            if now != last:
                last, since = now, time.monotonic()
            time.sleep(0.005)


def _hex(host, port):
    """An address as /proc/net/tcp writes it."""
    number = struct.unpack("=I", socket.inet_aton(host))[0]
    return "%08X:%04X" % (number, port)


class Body:
    """The body of one request, read on demand."""

    def __init__(self, wire, request, spool):
        self.wire, self.spool = wire, spool
        self.chunked = request.chunked
        self.left = 0 if self.chunked else request.length
        self.complete = not self.chunked and self.left == 0

    def read(self, upto=None):
        """Read to the end, or until UPTO bytes have been received."""
        while not self.complete and (upto is None or self.spool.length < upto):
            if self.chunked and self.left == 0:
                self._next_chunk()
                continue
            most = self.left if upto is None \
                else min(self.left, upto - self.spool.length)
            data = self.wire.take(min(most, BLOCK))
            self.spool.write(data)
            self.left -= len(data)
            if self.left == 0:
                self._end_of_piece()
        if self.complete:
            self.spool.done()

    def _next_chunk(self):
        size = self.wire.read_line().split(b";")[0].strip()
        try:
            self.left = int(size, 16)
        except ValueError as e:
            raise BadRequest("chunk size %r" % size) from e
        if self.left == 0:
            while self.wire.read_line():
                pass
            self.complete = True

    def _end_of_piece(self):
        if self.chunked:
            self.wire.read_line()
        else:
            self.complete = True
