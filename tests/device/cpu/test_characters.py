"""The frozen character flags against the running interpreter's own database, and UTF-8 decoding."""

from __future__ import annotations

import unicodedata

import pytest

from gpucurate.device.cpu.text_features.characters import character_classes, is_one_word
from gpucurate.device.cpu.text_features.unicode_runs import RUNS
from tests.device.cpu.unicode_reference import TERMINAL, encode_runs, flags_without_terminal


def test_every_assigned_character_has_the_flags_its_category_asks_for() -> None:
    frozen = character_classes().tolist()  # Unicode 15.1; no supported interpreter knows more
    wrong = [
        f"U+{cp:04X}"
        for cp in range(0x110000)
        if unicodedata.category(chr(cp)) not in ("Cn", "Cs") and flags_without_terminal(cp) != frozen[cp] & ~TERMINAL
    ]
    assert wrong == []


def test_the_table_is_its_own_encoding() -> None:
    assert encode_runs(character_classes().tolist()) == RUNS.strip()


def test_sentences_end_in_many_scripts() -> None:
    ends = character_classes() & TERMINAL != 0
    assert all(ends[ord(c)] for c in ".!?。！？؟۔।።…"[:-1])
    assert not ends[ord("…")]
    assert not ends[ord(",")]


@pytest.mark.parametrize("word", ["the", "don", "हिन्दी", "中", "กำ"[:1], "e\u0301", "snake_case", "1990"])
def test_one_word(word: str) -> None:
    assert is_one_word(word)


@pytest.mark.parametrize("word", ["", "don't", "to be", "中文", "-", "_", "a-b", "\u200d", "a中"])
def test_not_one_word(word: str) -> None:
    assert not is_one_word(word)
