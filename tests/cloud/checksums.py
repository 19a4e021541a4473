# SPDX-License-Identifier: MIT
"""Checksums of object bytes, computed here and by nobody's library but
Python's own: the CRCs that Python lacks are written out from their
polynomials (CRC-32C: RFC 3720 B.4; CRC-64/NVME: NVM Express 1.0, 5.2.1.3.4).
"""
import base64
import hashlib
import struct
import zlib


def _table(poly, bits):
    """The reflected remainders of all values of that many bits."""
    table = []
    for value in range(1 << bits):
        for _ in range(bits):
            value = (value >> 1) ^ (poly if value & 1 else 0)
        table.append(value)
    return table


class _TableCrc:
    """A reflected CRC with all-ones at both ends; update() and digest()."""
    poly, bits = 0, 0
    table = pairs = None        # by byte, and by two of them

    def __init__(self):
        if type(self).pairs is None:        # the other one is there by then
            type(self).table = _table(self.poly, 8)
            type(self).pairs = _table(self.poly, 16)
        self.ones = (1 << self.bits) - 1
        self.crc = self.ones

    def update(self, data):
        crc, table, pairs = self.crc, self.table, self.pairs
        even = len(data) & ~1
        for (pair,) in struct.iter_unpack("<H", memoryview(data)[:even]):
            crc = pairs[(crc ^ pair) & 65535] ^ (crc >> 16)
        for byte in data[even:]:
            crc = table[(crc ^ byte) & 255] ^ (crc >> 8)
        self.crc = crc

    def digest(self):
        return (self.crc ^ self.ones).to_bytes(self.bits // 8, "big")


class Crc32c(_TableCrc):
    """Castagnoli."""
    poly, bits = 0x82F63B78, 32


class Crc64Nvme(_TableCrc):
    """The CRC S3 computes by default, and Azure's.

    Byte by byte a body of some MiB would take seconds. So a block is taken as
    LANES rows of DEEP bytes that are worked on side by side, each with a
    register of its own; then the registers are joined.
    """
    poly, bits = 0x9A6C9329AC4BC9B5, 64
    LANES, DEEP = 1024, 64
    slices = shifts = None

    def __init__(self):
        super().__init__()
        self.rest = bytearray()

    def update(self, data):
        self.rest += data
        size = self.LANES * self.DEEP
        whole = len(self.rest) - len(self.rest) % size
        for at in range(0, whole, size):
            self._block(bytes(self.rest[at:at + size]))
        del self.rest[:whole]

    def digest(self):
        super().update(bytes(self.rest))
        self.rest.clear()
        return super().digest()

    def _block(self, data):
        if type(self).slices is None:
            self._prepare()
        # Byte k of all registers; only the first row goes on from before.
        planes = [self.crc >> 8 * k & 255 for k in range(8)] + [0]
        for at in range(self.DEEP):
            column = int.from_bytes(data[at::self.DEEP], "little")
            index = (planes[0] ^ column).to_bytes(self.LANES, "little")
            planes = [planes[k + 1] ^ int.from_bytes(
                index.translate(self.slices[k]), "little")
                      for k in range(8)] + [0]
        rows = zip(*(p.to_bytes(self.LANES, "little") for p in planes[:8]))
        crc = 0
        for row in rows:
            crc = self._behind(crc) ^ int.from_bytes(bytes(row), "little")
        self.crc = crc

    def _behind(self, crc):
        """A register after DEEP zeros."""
        out = 0
        for table in self.shifts:
            out ^= table[crc & 255]
            crc >>= 8
        return out

    @classmethod
    def _prepare(cls):
        bits = []
        for bit in range(64):
            crc = 1 << bit
            for _ in range(cls.DEEP):
                crc = cls.table[crc & 255] ^ (crc >> 8)
            bits.append(crc)
        cls.shifts = [[_sum_of(bits[8 * k:8 * k + 8], b) for b in range(256)]
                      for k in range(8)]
        # Last, as it tells the other threads that all is there.
        cls.slices = [bytes(v >> 8 * k & 255 for v in cls.table)
                      for k in range(8)]


def _sum_of(bits, chosen):
    """The exclusive or of the chosen ones."""
    out = 0
    for n, value in enumerate(bits):
        if chosen >> n & 1:
            out ^= value
    return out


class Crc32:
    """zlib's CRC in the same shape."""
    poly, bits = 0xEDB88320, 32

    def __init__(self):
        self.crc = 0

    def update(self, data):
        self.crc = zlib.crc32(data, self.crc)

    def digest(self):
        return self.crc.to_bytes(4, "big")


ALGORITHMS = {"crc32": Crc32, "crc32c": Crc32c, "crc64nvme": Crc64Nvme,
              "sha1": hashlib.sha1, "sha256": hashlib.sha256,
              "md5": hashlib.md5}


def of_file(name, path):
    """Base64 of checksum NAME over a file, as x-amz-checksum-* carries it."""
    algorithm = ALGORITHMS[name]()
    with open(path, "rb") as f:
        while True:
            block = f.read(1 << 20)
            if not block:
                break
            algorithm.update(block)
    return base64.b64encode(algorithm.digest()).decode()


def of_bytes(name, data):
    """Base64 of checksum NAME over bytes."""
    algorithm = ALGORITHMS[name]()
    algorithm.update(data)
    return base64.b64encode(algorithm.digest()).decode()


def combine(name, first, second, second_len):
    """The CRC of A and B in a row from CRC(A), CRC(B) and the length of B.

    CRC(A) is shifted by the bytes of B, that is multiplied by x^(8 * length).
    """
    kind = ALGORITHMS[name]
    factor, square, power = 1 << (kind.bits - 1), 1 << (kind.bits - 2), \
        8 * second_len
    while power:
        if power & 1:
            factor = _times(kind, factor, square)
        square = _times(kind, square, square)
        power >>= 1
    value = _times(kind, factor, int.from_bytes(first, "big")) \
        ^ int.from_bytes(second, "big")
    return value.to_bytes(kind.bits // 8, "big")


def _times(kind, a, b):
    """The product of two reflected polynomials, modulo the CRC's."""
    product, bit = 0, 1 << (kind.bits - 1)
    while bit:
        if a & bit:
            product ^= b
        b = (b >> 1) ^ (kind.poly if b & 1 else 0)
        bit >>= 1
    return product
