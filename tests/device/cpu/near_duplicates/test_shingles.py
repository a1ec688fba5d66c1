"""Signatures and sets against plain Python, over ordinary, nasty and damaged text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device import shingle_characters
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cpu.near_duplicates import characters, minhash, sets
from gpucurate.device.hash_family import affine32
from tests.device.cpu.near_duplicates import reference

CPU = CpuBackend()
PIECES = [
    *"abzAZ09 \n\t.,'-_@[`{/:~\x7f\0",
    *("word", "Eightful", "NINETEENLETTERSLONG", "a" * 16, "   ", "; ", "don't", "x86-64"),
    *"éÉßİ\u212aЖж中文のก한©°€。\u00a0\u200d\u0301\u07ff\u0800\uffff",
    *"\U0001d400\U0001efff\U0001f000\U0001f600\U00020000\U0010ffff",
]
DAMAGED = [b"\x80", b"\xbf", b"\xc0", b"\xc1\x81", b"\xc3", b"\xe0\x80\x80", b"\xe4\xb8", b"\xed\xa0\x80", b"\xf0\x9f"]
DAMAGED += [b"\xf0\x80\x80\x80", b"\xf0\x80\x81\x81", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80", b"\xfe", b"\xff\xff"]
texts = st.lists(st.sampled_from([*(p.encode() for p in PIECES), *DAMAGED]), max_size=40).map(b"".join)


def check(documents: list[bytes], k: int, hashes: int = 8) -> None:
    family = affine32(hashes, 3)
    a, b = family.a.tolist(), family.b.tolist()
    signed = CPU.signatures(pack_texts(documents), k, family)
    found = CPU.shingle_sets(pack_texts(documents), k)
    assert signed.rows.tolist() == [reference.signature(text, k, a, b) for text in documents]
    expected = [reference.shingles(text, k) for text in documents]
    assert signed.shingles.tolist() == [len(each) for each in expected]
    ends = found.offsets.tolist()
    pieces = [found.hashes[start:stop].tolist() for start, stop in pairwise(ends)]
    assert pieces == [sorted(set(each)) for each in expected]


@given(st.lists(texts, max_size=4), st.integers(1, 7))
@example([b"abcdefgh", b"abcdefghi", b"abcdefgh ijklmnop", b"abcdefg\xc3\xa9"], 1)
def test_any_text(documents: list[bytes], k: int) -> None:
    check(documents, k)


@given(st.lists(st.binary(max_size=60), max_size=4), st.integers(1, 3))
def test_any_bytes(documents: list[bytes], k: int) -> None:
    check(documents, k)


@given(st.lists(st.text(max_size=30), max_size=4), st.integers(1, 3))
def test_any_characters(documents: list[str], k: int) -> None:
    check([text.encode("utf-8", "surrogatepass") for text in documents], k)


@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize("words", [*range(minhash.PIECE - 2, minhash.PIECE + 9), sets.PIECE + 3, 9_001])
def test_long_documents_go_through_in_pieces(words: int, k: int) -> None:
    check([b" ".join(b"w%d" % (i % 997) for i in range(words)), "字é".encode() * (words // 2)], k, hashes=2)


def test_a_word_longer_than_a_piece() -> None:
    check([b"x" * 50_000, "ж".encode() * 20_000 + b" y", b"y " + b"\x80" * 30_000], 2, hashes=2)


@pytest.mark.parametrize("hashes", [1, 2, 7, 8, 9, 20, 112, 117, 260])
def test_any_number_of_hashes(hashes: int) -> None:
    check([b"the quick brown fox jumps over the lazy dog " * 3, b"cat dog", b""], 5, hashes)


def test_documents_in_the_middle_of_a_buffer() -> None:
    whole = pack_texts([b"before it", b"one two three", b"", b"four five six seven", b"after it"])
    part = TextBuffers(whole.data, whole.offsets[1:4])
    alone = pack_texts([b"one two three", b""])
    family = affine32(16, 1)
    found, expected = CPU.signatures(part, 2, family), CPU.signatures(alone, 2, family)
    assert found.rows[:2].tolist() == expected.rows.tolist()
    assert found.shingles.tolist() == [2, 0, 3][: len(found.shingles)]
    assert CPU.shingle_sets(part, 2).hashes[:2].tolist() == CPU.shingle_sets(alone, 2).hashes.tolist()


def test_short_and_empty_documents() -> None:
    signed = CPU.signatures(pack_texts(["cat", "dog", "cat", "", " .,!", "cat dog", "Cat, Dog!"]), 5, affine32(112, 1))
    assert signed.shingles.tolist() == [1, 1, 1, 0, 0, 1, 1]
    assert (signed.rows[0] == signed.rows[2]).all()
    assert (signed.rows[0] != signed.rows[1]).any()
    assert (signed.rows[3:5] == 0xFFFFFFFF).all()
    assert (signed.rows[5] == signed.rows[6]).all()


def test_no_documents() -> None:
    signed = CPU.signatures(pack_texts(list[str]()), 5, affine32(112, 1))
    assert (signed.rows.shape, signed.shingles.shape) == ((0, 112), (0,))
    found = CPU.shingle_sets(pack_texts(list[str]()), 5)
    assert (found.offsets.tolist(), found.hashes.tolist()) == ([0], [])


def test_a_shingle_has_words() -> None:
    with pytest.raises(ValueError, match="a shingle of 0 words"):
        CPU.signatures(pack_texts(["a"]), 0, affine32(8, 1))
    with pytest.raises(ValueError, match="a shingle of -1 words"):
        CPU.shingle_sets(pack_texts(["a"]), -1)


def test_classes_written_twice_agree() -> None:
    assert characters.LETTER == shingle_characters.LETTER
    assert characters.IDEOGRAPH == shingle_characters.IDEOGRAPH
