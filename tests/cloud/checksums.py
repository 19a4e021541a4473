# SPDX-License-Identifier: MIT
"""Checksums of object bytes, computed here and by nobody's library but
Python's own: the CRCs that Python lacks are written out from their
polynomials (CRC-32C: RFC 3720 B.4; CRC-64/NVME: NVM Express 1.0, 5.2.1.3.4).
"""
import base64
import hashlib
import zlib


def _table(poly):
    """The 256 reflected remainders of a polynomial."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (poly if byte & 1 else 0)
        table.append(byte)
    return table


class _TableCrc:
    """A reflected CRC with all-ones at both ends; update() and digest().

    Byte by byte a body of some MiB would take seconds. So a block is taken as
    LANES rows of DEEP bytes that are worked on side by side, each with a
    register of its own; then the registers are joined.
    """
    poly, bits = 0, 0
    LANES, DEEP = 1024, 64
    table = slices = shifts = None

    def __init__(self):
        if type(self).table is None:
            type(self).table = _table(self.poly)
        self.ones = (1 << self.bits) - 1
        self.crc = self.ones
        self.rest = bytearray()

    def update(self, data):
        self.rest += data
        size = self.LANES * self.DEEP
        whole = len(self.rest) - len(self.rest) % size
        for at in range(0, whole, size):
            self._block(bytes(self.rest[at:at + size]))
        del self.rest[:whole]

    def digest(self):
        crc, table = self.crc, self.table
        for byte in self.rest:
            crc = table[(crc ^ byte) & 255] ^ (crc >> 8)
        self.crc = crc
        self.rest.clear()
        return (crc ^ self.ones).to_bytes(self.bits // 8, "big")

    def _block(self, data):
        if type(self).slices is None:
            self._prepare()
        # Byte k of all registers; only the first row goes on from before.
        wide = range(self.bits // 8)
        planes = [self.crc >> 8 * k & 255 for k in wide] + [0]
        for at in range(self.DEEP):
            column = int.from_bytes(data[at::self.DEEP], "little")
            index = (planes[0] ^ column).to_bytes(self.LANES, "little")
            planes = [planes[k + 1] ^ int.from_bytes(
                index.translate(self.slices[k]), "little")
                      for k in wide] + [0]
        rows = zip(*(p.to_bytes(self.LANES, "little") for p in planes[:-1]))
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
        for bit in range(cls.bits):
            crc = 1 << bit
            for _ in range(cls.DEEP):
                crc = cls.table[crc & 255] ^ (crc >> 8)
            bits.append(crc)
        wide = range(cls.bits // 8)
        cls.shifts = [[_sum_of(bits[8 * k:8 * k + 8], b) for b in range(256)]
                      for k in wide]
        # Last, as it tells the other threads that all is there.
        cls.slices = [bytes(v >> 8 * k & 255 for v in cls.table) for k in wide]


class Crc32c(_TableCrc):
    """Castagnoli."""
    poly, bits = 0x82F63B78, 32


class Crc64Nvme(_TableCrc):
    """The CRC S3 computes by default, and Azure's."""
    poly, bits = 0x9A6C9329AC4BC9B5, 64


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
