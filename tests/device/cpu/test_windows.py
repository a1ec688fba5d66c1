"""Sampled windows against plain Python: every span of consecutive windows, its first least hash."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cpu.windows import PIECE
from tests.device.cpu.near_duplicates import reference
from tests.device.cpu.near_duplicates.test_shingles import texts

CPU = CpuBackend()


def expected(text: bytes, window: int, span: int) -> list[tuple[int, int]]:
    if len(reference.words(text)) < window:
        return []
    hashes = reference.shingles(text, window)
    spans = [range(i, i + span) for i in range(len(hashes) - span + 1)]
    return [(i, hashes[i]) for i in sorted({min(each, key=lambda i: (hashes[i], i)) for each in spans})]


def check(documents: list[bytes], window: int, span: int) -> int:
    made = CPU.sampled_windows(pack_texts(documents), window, span)
    pairs = list(zip(made.positions.tolist(), made.hashes.tolist(), strict=True))
    found = [pairs[a:b] for a, b in pairwise(made.offsets.tolist())]
    assert found == [expected(text, window, span) for text in documents]
    return len(pairs)


@given(st.lists(texts, max_size=4), st.integers(1, 5), st.integers(1, 5))
def test_any_text(documents: list[bytes], window: int, span: int) -> None:
    check(documents, window, span)


@given(st.lists(st.lists(st.sampled_from([b"a", b"b"]), max_size=60).map(b" ".join), max_size=3), st.integers(1, 6))
def test_equal_hashes(documents: list[bytes], span: int) -> None:
    check(documents, 2, span)


@pytest.mark.parametrize(("window", "span"), [(1, 1), (25, 26), (30, 99)])
def test_documents_of_several_pieces(window: int, span: int) -> None:
    """Windows, and the neighbours that decide about them, on both sides of where a piece ends."""
    documents = [" ".join(str(n * n % 997) for n in range(PIECE + words)) for words in (-1, 0, 1, PIECE + 250)]
    documents += ["same " * (PIECE + 7), ". " * 3 * PIECE, "one" + " ." * 9000]
    assert check([text.encode() for text in documents], window, span) > 50


def test_nothing_and_too_little() -> None:
    assert CPU.sampled_windows(pack_texts([]), 2, 2).offsets.tolist() == [0]
    assert CPU.sampled_windows(pack_texts(["", "a b"]), 2, 2).offsets.tolist() == [0, 0, 0]
    for window, span in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="windows of"):
            CPU.sampled_windows(pack_texts(["a"]), window, span)
