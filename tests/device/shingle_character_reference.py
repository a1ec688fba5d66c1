"""The shingle characters recomputed from an interpreter's own Unicode database: the oracle of the frozen table.

`python tests/device/shingle_character_reference.py` under Python 3.13 (Unicode 15.1) prints the text of RUNS.
"""

from __future__ import annotations

import base64
import unicodedata
import zlib
from itertools import groupby

SEPARATOR, LETTER, IDEOGRAPH = 0, 1, 2
WORDS_OF_THEIR_OWN = [
    (0x0E01, 0x0E4E),  # Thai
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x9FFF),  # Han, extension A
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9D),  # halfwidth Katakana
]


def entry(cp: int) -> int:
    """`class << 24 | folded` of a code point below 65,536, by the running interpreter."""
    if 0xD800 <= cp < 0xE000:
        return SEPARATOR
    character = chr(cp)
    category = unicodedata.category(character)
    if category[0] not in "LMN" and category != "So":
        return SEPARATOR
    lower = character.lower()
    folded = ord(lower) if len(lower) == 1 and ord(lower) < 0x10000 else cp
    alone = category == "So" or any(first <= cp <= last for first, last in WORDS_OF_THEIR_OWN)
    return (IDEOGRAPH if alone else LETTER) << 24 | folded


def encode_runs(entries: list[int]) -> str:
    """Runs of (distance, zigzag of folded - code point, times 3, plus class) as varints, compressed, as text."""

    def what(cp: int) -> int:
        kind = entries[cp] >> 24
        shift = (entries[cp] & 0xFFFFFF) - cp if kind else 0
        return (2 * shift if shift >= 0 else -2 * shift - 1) * 3 + kind

    packed = bytearray()
    last = 0
    for value, run in groupby(range(len(entries)), what):
        start = next(run)
        packed += _varint(start - last) + _varint(value)
        last = start
    text = base64.b85encode(zlib.compress(bytes(packed), 9)).decode()
    return "\n".join(text[start : start + 112] for start in range(0, len(text), 112))


def _varint(number: int) -> bytes:
    digits = bytearray()
    while number >= 128:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


if __name__ == "__main__":
    print(encode_runs([entry(cp) for cp in range(0x10000)]))
