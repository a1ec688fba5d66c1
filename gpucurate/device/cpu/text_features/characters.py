"""What each code point is to the word splitter: one byte of flags, the same on every Python and every machine.

`unicodedata` follows the interpreter (14.0 in Python 3.11, 15.1 in 3.13), so the flags are frozen in
`unicode_runs.py`; this module unfolds them into a table and decodes UTF-8.  It must never ask the interpreter's own
database.
"""

from __future__ import annotations

import base64
import zlib
from functools import cache

import numpy as np

from gpucurate.core.compiled import inlined
from gpucurate.core.text_buffers import Bytes, read_only
from gpucurate.device.cpu.text_features.unicode_runs import RUNS

SPACE = 1  # White_Space, controls, U+200B: separates words, never part of one
WORD = 2  # letters, marks, numbers, connector punctuation (`_`), format characters: run together into words
LETTER = 4  # general category L
TEXTUAL = 8  # general categories L, M, N: a word without any is a symbol
EXTEND = 16  # marks and format characters: stay with the character before them
ALONE = 32  # letters of scripts written without spaces (Han, kana, Thai, Lao, Khmer, Myanmar, ...): each is a word
TERMINAL = 64  # ends a sentence (Unicode property Sentence_Terminal)

CODE_POINTS = 0x110000


@cache
def character_classes() -> Bytes:
    """Flags of every code point: uint8 [0x110000], read-only, made once per process (about a millisecond)."""
    packed = zlib.decompress(base64.b85decode("".join(RUNS.split())))
    table = np.zeros(CODE_POINTS, np.uint8)
    length = shift = start = 0
    previous = 0
    reading_flags = False
    for byte in packed:  # runs of (distance from the last run's start as a varint, flags)
        if reading_flags:
            table[start - length : start] = previous
            previous, length, shift, reading_flags = byte, 0, 0, False
        else:
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                start += length
                reading_flags = True
    table[start:] = previous
    return read_only(table)


def is_one_word(word: str) -> bool:
    """True if the splitter takes `word` as exactly one word that has a letter, mark or number."""
    flags = [int(character_classes()[ord(c)]) for c in word]
    if not flags or not all(f & WORD for f in flags) or not any(f & TEXTUAL for f in flags):
        return False
    return not any(f & ALONE for f in flags[1:]) and (not flags[0] & ALONE or all(f & EXTEND for f in flags[1:]))


@inlined
def code_point(text: Bytes, at: int) -> tuple[np.int64, int]:
    """The code point whose first byte is text[at], and its length in bytes.  The text must be valid UTF-8."""
    lead = np.int64(text[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (text[at + 1] & 0x3F), 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | np.int64(text[at + 1] & 0x3F) << 6 | (text[at + 2] & 0x3F), 3
    high = (lead & 0x07) << 18 | np.int64(text[at + 1] & 0x3F) << 12
    return high | np.int64(text[at + 2] & 0x3F) << 6 | (text[at + 3] & 0x3F), 4
