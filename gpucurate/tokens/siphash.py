"""SipHash-2-4 over arrays: a keyed 64-bit hash that is the same on every machine and needs no compiler.

Aumasson and Bernstein, "SipHash: a fast short-input PRF" (INDOCRYPT 2012), section 2.1, for messages of whole words.
The shuffle of documents and the order of rows in an epoch both stand on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

Words = NDArray[np.uint64]
INITIAL = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)  # section 2.1
COMPRESSION_ROUNDS, FINALIZATION_ROUNDS = 2, 4
BLOCK = 4096  # messages at a time, so that the state stays in the first caches


class Key(NamedTuple):
    """128 bits, as two words."""

    first: int
    second: int


def derive_key(purpose: str, seed: int) -> Key:
    """First 16 bytes of BLAKE3 over purpose and seed, little-endian."""
    digest = blake3(f"gpucurate {purpose} {seed}".encode()).digest(length=16)
    return Key(int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little"))


def siphash(key: Key, messages: Words) -> Words:
    """Hashes (uint64 [n]) of n messages of m 8-byte little-endian words (uint64 [n, m])."""
    hashes = np.empty(len(messages), np.uint64)
    for begin in range(0, len(messages), BLOCK):
        hashes[begin : begin + BLOCK] = _hash_block(key, messages[begin : begin + BLOCK])
    return hashes


def _hash_block(key: Key, messages: Words) -> Words:
    count, words = messages.shape
    state = [
        np.full(count, constant ^ half, np.uint64)
        for constant, half in zip(INITIAL, (key.first, key.second) * 2, strict=True)
    ]
    length = np.full(count, (words * 8 % 256) << 56, np.uint64)  # the last word holds the length in bytes
    for word in [*np.ascontiguousarray(messages.T), length]:
        state[3] ^= word
        _rounds(state, COMPRESSION_ROUNDS)
        state[0] ^= word
    state[2] ^= np.uint64(0xFF)
    _rounds(state, FINALIZATION_ROUNDS)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _rounds(state: list[Words], count: int) -> None:
    """SipRound (figure 2.2) in place; additions are modulo 2^64."""
    v0, v1, v2, v3 = state
    scratch = np.empty_like(v0)
    for _ in range(count):
        v0 += v1
        _rotate(v1, 13, scratch)
        v1 ^= v0
        _rotate(v0, 32, scratch)
        v2 += v3
        _rotate(v3, 16, scratch)
        v3 ^= v2
        v0 += v3
        _rotate(v3, 21, scratch)
        v3 ^= v0
        v2 += v1
        _rotate(v1, 17, scratch)
        v1 ^= v2
        _rotate(v2, 32, scratch)


def _rotate(words: Words, bits: int, scratch: Words) -> None:
    np.right_shift(words, np.uint64(64 - bits), out=scratch)
    np.left_shift(words, np.uint64(bits), out=words)
    words |= scratch
