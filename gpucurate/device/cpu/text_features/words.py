"""The word splitter, and all that can be counted while it walks over a document once.

docs/rules.md defines the words; this is the same rule on bytes.  It must never look at anything but the text: no
dictionary, no language.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.device.cpu.text_features.characters import ALONE, EXTEND, LETTER, SPACE, TEXTUAL, WORD, code_point
from gpucurate.device.cpu.text_features.hashing import SEED, finish, slot_of, spell

Hashes = NDArray[np.uint64]
Lengths = NDArray[np.int32]

NEWLINE, HASH, APOSTROPHE, COMMA, FULL_STOP = 10, 35, 39, 44, 46
ELLIPSIS, RIGHT_QUOTE = 0x2026, 0x2019


class WordCounts(NamedTuple):
    """The fields of TEXT_FEATURES that words and characters make."""

    chars: int
    letters: int
    symbols: int
    newlines: int
    hashes: int
    ellipses: int
    words: int
    text_words: int
    text_word_chars: int
    letter_words: int
    stop_words: int


@kernel
def split_words(
    text: Bytes, start: int, stop: int, classes: Bytes, stop_keys: Hashes, stop_seen: Bytes, keep: int,
    hashes: Hashes, lengths: Lengths,
) -> WordCounts:  # fmt: skip
    """Split text[start:stop] and count; hash and length (code points) of the first `keep` words are written down.

    `stop_keys` is the open-addressing table of the stop words' hashes, `stop_seen` (one byte a slot) is scratch.
    """
    chars = letters = symbols = newlines = hash_marks = ellipses = 0
    words = text_words = text_word_chars = letter_words = stop_words = 0
    stop_mask = stop_keys.shape[0] - 1
    stop_seen[:] = 0
    dots_end = -1  # where a run of one or two full stops ends that may still become an ellipsis
    dots = 0
    word_end = -1  # where the last word of letters ended: an apostrophe right there belongs to the next
    at = start
    while at < stop:
        cp, width = code_point(text, at)
        flags = classes[cp]
        chars += 1
        if flags & SPACE:
            newlines += cp == NEWLINE
            at += width
            continue
        value = spell(SEED, cp)
        length = 1
        seen = flags
        letters += (flags & LETTER) != 0
        symbols += (flags & TEXTUAL) == 0
        in_word = flags & WORD != 0 and flags & ALONE == 0
        if not in_word and not flags & ALONE:
            hash_marks += cp == HASH
            ellipses += cp == ELLIPSIS
            if cp == FULL_STOP:
                dots = dots + 1 if dots_end == at else 1
                dots_end = at + 1
                if dots == 3:
                    ellipses += 1
                    dots = 0
            if (cp == APOSTROPHE or cp == RIGHT_QUOTE) and word_end == at and at + width < stop:
                following = classes[code_point(text, at + width)[0]]
                in_word = following & WORD != 0 and following & ALONE == 0
        at += width
        while at < stop and (in_word or flags & ALONE):
            cp, width = code_point(text, at)
            more = classes[cp]
            if in_word:
                if not more & WORD or more & ALONE:
                    if (cp != FULL_STOP and cp != COMMA) or at + 1 >= stop:
                        break
                    following = classes[code_point(text, at + 1)[0]]
                    if not following & WORD or following & ALONE:
                        break
            elif not more & EXTEND:
                break
            value = spell(value, cp)
            length += 1
            seen |= more
            letters += (more & LETTER) != 0
            symbols += (more & TEXTUAL) == 0
            at += width
        chars += length - 1
        if in_word:
            word_end = at
        key = finish(value)
        if words < keep:
            hashes[words] = key
            lengths[words] = length
        words += 1
        letter_words += (seen & LETTER) != 0
        if seen & TEXTUAL:
            text_words += 1
            text_word_chars += length
            slot = slot_of(key, stop_keys, stop_mask)
            if stop_keys[slot] == key and not stop_seen[slot]:
                stop_seen[slot] = 1
                stop_words += 1
    return WordCounts(
        chars, letters, symbols, newlines, hash_marks, ellipses, words, text_words, text_word_chars, letter_words,
        stop_words,
    )  # fmt: skip
