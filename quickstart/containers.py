"""gzip and brotli streams that do not compress: legal, and the same bytes whatever library a machine has.

Compressors change their output from version to version, and the pool is to be the same everywhere.  bz2 has had one
encoder for twenty years, so the dump is compressed by it.
"""

from __future__ import annotations

import zlib

LONGEST_BLOCK = 0xFFFF
GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # no name, no time, unknown system


def gzip_stream(data: bytes) -> bytes:
    """One gzip member (RFC 1952)."""
    return GZIP_HEAD + stored_blocks(data) + zlib.crc32(data).to_bytes(4, "little") + len(data).to_bytes(4, "little")


def stored_blocks(data: bytes) -> bytes:
    """Data as deflate blocks without compression (RFC 1951, section 3.2.4)."""
    blocks = []
    for start in range(0, max(len(data), 1), LONGEST_BLOCK):
        block = data[start : start + LONGEST_BLOCK]
        last = start + LONGEST_BLOCK >= len(data)
        size = len(block).to_bytes(2, "little")
        blocks += [bytes([last]), size, bytes(byte ^ 0xFF for byte in size), block]
    return b"".join(blocks)


def brotli_stream(data: bytes) -> bytes:
    """A brotli stream of one uncompressed meta-block (RFC 7932, section 9.2).  `data` has 1 to 65,536 bytes."""
    head = (len(data) - 1) << 4 | 1 << 20  # window of 64 KiB, not the last block, 4 nibbles of length, uncompressed
    return head.to_bytes(3, "little") + data + b"\x03"  # the last block is empty
