from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.tokens import siphash as module
from gpucurate.tokens.siphash import Key, derive_key, siphash

REFERENCE_KEY = Key(0x0706050403020100, 0x0F0E0D0C0B0A0908)
WORDS = st.integers(0, 2**64 - 1)


def plain(key: Key, words: list[int]) -> int:
    """SipHash-2-4 with Python's integers, after section 2.1 of the paper."""
    mask = 2**64 - 1

    def rotate(x: int, b: int) -> int:
        return (x << b | x >> (64 - b)) & mask

    v = [
        key.first ^ 0x736F6D6570736575,
        key.second ^ 0x646F72616E646F6D,
        key.first ^ 0x6C7967656E657261,
        key.second ^ 0x7465646279746573,
    ]

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & mask
            v[1] = rotate(v[1], 13) ^ v[0]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[3]) & mask
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & mask
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & mask
            v[1] = rotate(v[1], 17) ^ v[2]
            v[2] = rotate(v[2], 32)

    for word in [*words, (8 * len(words)) % 256 << 56]:
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


@pytest.mark.parametrize(("length", "hash_"), [(0, 0x726FDB47DD0E0E31), (8, 0x93F5F5799A932462)])
def test_vectors_of_the_reference_implementation(length: int, hash_: int) -> None:
    """Entries of `vectors_sip64` in the authors' code: key 00..0f, message 00, 01, ... of this many bytes."""
    message = np.frombuffer(bytes(range(length)), "<u8").reshape(1, -1)
    assert siphash(REFERENCE_KEY, message).tolist() == [hash_]


@given(WORDS, WORDS, st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=6))
@settings(deadline=None, max_examples=50)
def test_against_plain_integers(first: int, second: int, messages: list[tuple[int, int, int]]) -> None:
    key = Key(first, second)
    array = np.array(messages, np.uint64).reshape(-1, 3)
    assert siphash(key, array).tolist() == [plain(key, list(message)) for message in messages]


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = np.random.default_rng(0).integers(0, 2**64, (1000, 2), dtype=np.uint64)
    whole = siphash(REFERENCE_KEY, messages)
    monkeypatch.setattr(module, "BLOCK", 7)
    assert siphash(REFERENCE_KEY, messages).tolist() == whole.tolist()


def test_keys_differ_by_purpose_and_seed() -> None:
    keys = {derive_key(purpose, seed) for purpose in ("a", "b", "a 1") for seed in range(100)}
    assert len(keys) == 300
