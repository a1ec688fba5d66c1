"""The character flags recomputed from an interpreter's own Unicode database: the oracle of the frozen table.

`python tests/device/cpu/unicode_reference.py` under Python 3.13 (Unicode 15.1) prints the text of RUNS.  It needs the
package `regex` for the property Sentence_Terminal, which `unicodedata` lacks.
"""

from __future__ import annotations

import base64
import unicodedata
import zlib

SPACE, WORD, LETTER, TEXTUAL, EXTEND, ALONE, TERMINAL = 1, 2, 4, 8, 16, 32, 64
WITHOUT_SPACES = [  # blocks of scripts that are written without spaces between words
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x3035),  # vertical kana repeat marks
    (0x3041, 0x312F),  # Hiragana, Katakana, Bopomofo
    (0x31A0, 0x31BF),  # Bopomofo extended
    (0x31F0, 0x31FF),  # Katakana phonetic extensions
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Myanmar extended B
    (0xAA60, 0xAA7F),  # Myanmar extended A
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9D),  # halfwidth Katakana
    (0x1AFF0, 0x1B16F),  # kana extensions
    (0x20000, 0x3FFFF),  # Han extensions B and later
]


def flags_without_terminal(cp: int) -> int:
    """All flags of a code point but TERMINAL, by the running interpreter."""
    category = unicodedata.category(chr(cp))
    if category == "Cs":
        return 0
    if chr(cp).isspace() or category in ("Cc", "Zs", "Zl", "Zp") or cp == 0x200B:
        return SPACE
    flags = 0
    if category[0] in "LMN" or category in ("Pc", "Cf"):
        flags |= WORD
    if category[0] == "L":
        flags |= LETTER
    if category[0] in "LMN":
        flags |= TEXTUAL
    if category[0] == "M" or category == "Cf":
        flags |= EXTEND
    if category in ("Lo", "Lm", "Nl") and any(first <= cp <= last for first, last in WITHOUT_SPACES):
        flags |= ALONE
    return flags


def encode_runs(flags: list[int]) -> str:
    """Run-length form of one flag byte per code point, compressed, as text of 112 columns."""
    packed = bytearray()
    last = 0
    for cp, flag in enumerate(flags):
        if cp and flag == flags[cp - 1]:
            continue
        distance, last = cp - last, cp
        while distance >= 128:
            packed.append(distance & 127 | 128)
            distance >>= 7
        packed += bytes([distance, flag])
    text = base64.b85encode(zlib.compress(bytes(packed), 9)).decode()
    return "\n".join(text[start : start + 112] for start in range(0, len(text), 112))


if __name__ == "__main__":
    import regex

    terminal = regex.compile(r"\p{Sentence_Terminal}")
    print(
        encode_runs(
            [
                flags_without_terminal(cp)
                | (TERMINAL if unicodedata.category(chr(cp)) not in ("Cn", "Cs") and terminal.match(chr(cp)) else 0)
                for cp in range(0x110000)
            ]
        )
    )
