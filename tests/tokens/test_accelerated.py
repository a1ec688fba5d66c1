from __future__ import annotations

import unicodedata

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import Offsets, pack_texts
from gpucurate.tokens.accelerated import GuardedEngine, category_runs, texts_with, unassigned
from gpucurate.tokens.engines import Ids
from tests.tokens.small_corpus import ByteEngine


class Fast(ByteEngine):
    """Marks what it has encoded."""

    name = "fast"

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        tokens, offsets = super().encode(texts)
        return tokens + np.uint32(1000), offsets


@given(st.lists(st.text(st.sampled_from("aé中\u0378\U0001fbff\ue000\n"), max_size=5), max_size=8))
@settings(deadline=None)
def test_texts_with_unassigned_code_points_go_to_the_reference(texts: list[str]) -> None:
    tokens, offsets = GuardedEngine(Fast(), ByteEngine()).encode(pa.array(texts, pa.large_string()))
    for i, text in enumerate(texts):
        unknown = any(unicodedata.category(letter) == "Cn" for letter in text)
        expected = [byte + (0 if unknown else 1000) for byte in text.encode()]
        assert tokens[offsets[i] : offsets[i + 1]].tolist() == expected


def test_every_code_point_is_told_apart() -> None:
    letters = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    found = texts_with(*pack_texts(letters), unassigned())
    assert found.tolist() == [unicodedata.category(letter) == "Cn" for letter in letters]


def test_runs_cover_all_code_points() -> None:
    runs = category_runs()
    assert [first for first, _, _ in runs[1:]] == [last + 1 for _, last, _ in runs[:-1]]
    assert (runs[0][0], runs[-1][1]) == (0, 0x10FFFF)


@given(st.lists(st.text()))
def test_unassigned_code_points_are_found_as_python_finds_them(texts: list[str]) -> None:
    found = texts_with(*pack_texts(texts), unassigned())
    assert found.tolist() == [any(unicodedata.category(c) == "Cn" for c in text) for text in texts]
