"""The frozen shingle characters against the running interpreter's own database."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from gpucurate.device.shingle_characters import IDEOGRAPH, LETTER, SEPARATOR, shingle_characters
from tests.device.shingle_character_reference import entry


def test_every_assigned_character_has_the_entry_its_category_asks_for() -> None:
    frozen = shingle_characters().tolist()  # Unicode 15.1; no supported interpreter knows more
    assigned = [cp for cp in range(0x10000) if unicodedata.category(chr(cp)) != "Cn"]
    assert [f"U+{cp:04X}" for cp in assigned if entry(cp) != frozen[cp]] == []


@pytest.mark.skipif(unicodedata.unidata_version != "15.1.0", reason="the interpreter has another Unicode than 15.1")
def test_the_frozen_table_is_the_one_of_its_unicode_version() -> None:
    assert shingle_characters().tolist() == [entry(cp) for cp in range(0x10000)]


def test_the_table_is_read_only_and_shared() -> None:
    table = shingle_characters()
    assert table.dtype == np.uint32
    assert table.shape == (0x10000,)
    assert shingle_characters() is table
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1


@pytest.mark.parametrize(
    ("character", "kind", "folded"),
    [
        ("a", LETTER, "a"),
        ("A", LETTER, "a"),
        ("7", LETTER, "7"),
        ("É", LETTER, "é"),
        ("\u212a", LETTER, "k"),  # KELVIN SIGN
        ("\u0130", LETTER, "\u0130"),  # its lower case is two characters
        ("\u0301", LETTER, "\u0301"),
        ("中", IDEOGRAPH, "中"),
        ("の", IDEOGRAPH, "の"),
        ("ก", IDEOGRAPH, "ก"),
        ("©", IDEOGRAPH, "©"),
        ("\U0000ac00", LETTER, "\U0000ac00"),  # Korean is written with spaces
        ("_", SEPARATOR, "\0"),
        ("'", SEPARATOR, "\0"),
        ("€", SEPARATOR, "\0"),
        ("+", SEPARATOR, "\0"),
        ("。", SEPARATOR, "\0"),
        ("\u200d", SEPARATOR, "\0"),
    ],
)
def test_characters(character: str, kind: int, folded: str) -> None:
    assert int(shingle_characters()[ord(character)]) == kind << 24 | ord(folded)


def test_a_fold_is_final() -> None:
    table = shingle_characters()
    letters = np.flatnonzero(table >> 24 == LETTER)
    folded = table[letters] & 0xFFFFFF
    assert (table[folded] & 0xFFFFFF == folded).all()
    assert (table[folded] >> 24 == LETTER).all()
