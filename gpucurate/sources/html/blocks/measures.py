"""Counts over the text of a block: characters, words, punctuation, links, phrases, words of the title.

Words are what stands between white space; in scripts without spaces `WIDE` counts characters instead (ideographs, kana
and Thai, by the first byte of their UTF-8).
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks.automaton import BYTE_CLASS, CLASSES
from gpucurate.sources.html.blocks.characters import FNV_BASIS, FNV_PRIME, FOLDED, LETTER, Marks, Table
from gpucurate.sources.html.blocks.page import (
    CHARS,
    COMMAS,
    DIGITS,
    FIRST_LINK,
    LAST,
    LINK_CHARS,
    LINK_WORDS,
    LINKS,
    PHRASE_BITS,
    START,
    STOP,
    TERMINALS,
    TITLE_WORDS,
    UPPERS,
    WIDE,
    WORDS,
)
from gpucurate.sources.html.blocks.phrases import PHRASE_FOLLOW, PHRASE_FOUND
from gpucurate.sources.html.blocks.raw_text import is_title_word

# What a block ends with; quotes and closing brackets behind it do not count.
ENDS_OTHER, ENDS_SENTENCE, ENDS_CLAUSE, ENDS_COLON, CLOSING = range(5)
ASCII_END = np.zeros(256, np.uint8)
ASCII_END[list(b".!?")] = ENDS_SENTENCE
ASCII_END[list(b",;")] = ENDS_CLAUSE
ASCII_END[ord(":")] = ENDS_COLON
ASCII_END[list(b"\"')]")] = CLOSING


@borrowing
def measure(text: Bytes, block: Table, links: Table, title_words: Marks) -> np.uint64:
    """Fill the counts of a block; returns a hash of its visible characters."""
    pos, stop = int(np.int64(block[START])), int(np.int64(block[STOP]))
    link = int(block[FIRST_LINK])
    last_link = link + block[LINKS]
    chars = words = link_chars = link_words = terminals = commas = digits = uppers = wide = title = 0
    last = ENDS_OTHER
    phrases = np.uint32(0)
    state = int(PHRASE_FOLLOW[0])
    hashed = word = FNV_BASIS
    in_word = False
    while pos < stop:
        c = text[pos]
        if c <= 32:
            if in_word:
                in_word = False
                title += is_title_word(title_words, word)
                state = int(PHRASE_FOLLOW[state * CLASSES])
                phrases |= PHRASE_FOUND[state]
            pos += 1
            continue
        while link < last_link and links[link, 1] <= pos:
            link += 1
        in_link = link < last_link and links[link, 0] <= pos
        if not in_word:
            in_word = True
            word = FNV_BASIS
            words += 1
            link_words += in_link
            uppers += 65 <= c <= 90
        chars += 1
        link_chars += in_link
        if c < 128:
            cls = BYTE_CLASS[c]
            hashed = (hashed ^ np.uint64(c)) * FNV_PRIME
            if cls:
                word = (word ^ np.uint64(FOLDED[c])) * FNV_PRIME
            state = int(PHRASE_FOLLOW[state * CLASSES + cls])
            pos += 1
            if LETTER[c]:
                last = ENDS_OTHER
            else:
                end = ASCII_END[c]
                digits += 48 <= c <= 57
                commas += end == ENDS_CLAUSE
                if end == ENDS_SENTENCE:
                    terminals += pos >= stop or text[pos] <= 34 or text[pos] >= 128
                if end != CLOSING:
                    last = int(end)
        else:
            end, sort = _wide_punctuation(text, pos, stop)
            wide += sort == 1
            terminals += sort == 2
            commas += sort == 3
            last = last if end == CLOSING else end
            pos, state, hashed, word = _pass_character(text, pos, stop, state, hashed, word)
        phrases |= PHRASE_FOUND[state]
    if in_word:
        title += is_title_word(title_words, word)
        phrases |= PHRASE_FOUND[PHRASE_FOLLOW[state * CLASSES]]
    block[CHARS], block[WORDS], block[LINK_CHARS], block[LINK_WORDS] = chars, words, link_chars, link_words
    block[TERMINALS], block[COMMAS], block[DIGITS], block[UPPERS] = terminals, commas, digits, uppers
    block[WIDE], block[LAST], block[PHRASE_BITS], block[TITLE_WORDS] = wide, last, phrases, title
    return hashed


@borrowing
def _pass_character(
    text: Bytes, pos: int, stop: int, state: int, hashed: np.uint64, word: np.uint64
) -> tuple[int, int, np.uint64, np.uint64]:
    """The bytes of a character beyond ASCII go into the hashes and the automaton."""
    first = True
    while pos < stop and (first or text[pos] & 0xC0 == 0x80):
        first = False
        hashed = (hashed ^ np.uint64(text[pos])) * FNV_PRIME
        word = (word ^ np.uint64(text[pos])) * FNV_PRIME
        state = int(PHRASE_FOLLOW[state * CLASSES + BYTE_CLASS[text[pos]]])
        pos += 1
    return pos, state, hashed, word


@borrowing
def _wide_punctuation(text: Bytes, pos: int, stop: int) -> tuple[int, int]:
    """What a character beyond ASCII ends a block with, and its sort: 0 other, 1 wide, 2 terminal, 3 comma; a full stop
    or comma among ideographs is told as such."""
    a = text[pos]
    b = text[pos + 1] if pos + 1 < stop else np.uint8(0)
    c = text[pos + 2] if pos + 2 < stop else np.uint8(0)
    if a == 0xE3 and b == 0x80:
        if c == 0x82:  # ideographic full stop
            return ENDS_SENTENCE, 2
        if c == 0x81:  # ideographic comma
            return ENDS_OTHER, 3
        return (CLOSING if c == 0x8D or c == 0x8F else ENDS_OTHER), 1  # corner brackets
    if 0xE3 <= a <= 0xE9 or (a == 0xE0 and (b == 0xB8 or b == 0xB9)):  # kana, ideographs; Thai
        return ENDS_OTHER, 1
    if a == 0xEF and b == 0xBC:  # full-width ! ? ,
        if c == 0x81 or c == 0x9F:
            return ENDS_SENTENCE, 2
        return ENDS_OTHER, (3 if c == 0x8C else 0)
    if a == 0xE2 and b == 0x80:
        if c == 0x99 or c == 0x9D:  # closing quotes
            return CLOSING, 0
        return (ENDS_SENTENCE if c == 0xA6 else ENDS_OTHER), 0  # ellipsis
    if a == 0xC2 and b == 0xBB:  # guillemet
        return CLOSING, 0
    if a == 0xD8:  # Arabic comma, question mark
        return (ENDS_SENTENCE if b == 0x9F else ENDS_OTHER), (2 if b == 0x9F else (3 if b == 0x8C else 0))
    if (a == 0xE0 and b == 0xA5 and c == 0xA4) or (a == 0xDB and b == 0x94):  # danda, Urdu full stop
        return ENDS_SENTENCE, 2
    return ENDS_OTHER, 0
