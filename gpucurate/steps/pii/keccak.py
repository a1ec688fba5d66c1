"""Keccak-256 as Ethereum uses it: the permutation of FIPS 202 with the padding of Keccak's submission (0x01), which no
module of the standard library offers.  Up to 135 bytes, one block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel

RATE = 136  # bytes a block for 256 bits of output: FIPS 202, table 3
ROTATIONS = np.array(
    [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14], np.uint64
)  # offsets of rho, lane x + 5 y: FIPS 202, table 2


def _round_constants() -> NDArray[np.uint64]:
    """Iota's constants from its shift register (FIPS 202, algorithm 5)."""
    register, constants = 1, []
    for _ in range(24):
        constant = 0
        for j in range(7):
            constant |= (register & 1) << ((1 << j) - 1)
            register <<= 1
            register ^= 0x171 if register & 0x100 else 0
        constants.append(constant)
    return np.array(constants, np.uint64)


CONSTANTS = _round_constants()


@kernel
def permute(a: NDArray[np.uint64]) -> None:
    """Keccak-f[1600] on 25 lanes, in place."""
    b, c = np.empty(25, np.uint64), np.empty(5, np.uint64)
    for r in range(24):
        for x in range(5):
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]
        for x in range(5):
            up = c[(x + 1) % 5]
            d = c[(x + 4) % 5] ^ ((up << np.uint64(1)) | (up >> np.uint64(63)))
            for y in range(5):
                a[x + 5 * y] ^= d
        for x in range(5):
            for y in range(5):
                lane, turn = a[x + 5 * y], ROTATIONS[x + 5 * y]
                turned = (lane << turn) | (lane >> ((np.uint64(64) - turn) & np.uint64(63)))
                b[y + 5 * ((2 * x + 3 * y) % 5)] = turned
        for x in range(5):
            for y in range(5):
                a[x + 5 * y] = b[x + 5 * y] ^ (~b[(x + 1) % 5 + 5 * y] & b[(x + 2) % 5 + 5 * y])
        a[0] ^= CONSTANTS[r]


def keccak256(message: bytes) -> bytes:
    """32 bytes; raises ValueError for more than 135 bytes."""
    if len(message) >= RATE:
        raise ValueError(f"one block holds {RATE - 1} bytes, not {len(message)}")
    block = bytearray(200)
    block[: len(message)] = message
    block[len(message)] ^= 0x01
    block[RATE - 1] ^= 0x80
    lanes = np.frombuffer(bytes(block), "<u8").astype(np.uint64)
    permute(lanes)
    return lanes[:4].astype("<u8").tobytes()
