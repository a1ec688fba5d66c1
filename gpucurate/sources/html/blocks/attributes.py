"""The attributes of a tag: found in one pass, then asked for what they say.

Only those that mean something to the scanner are remembered, as places in the source.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks.automaton import BYTE_CLASS, CLASSES
from gpucurate.sources.html.blocks.characters import (
    APOSTROPHE,
    COLON,
    EQUALS,
    FNV_BASIS,
    FNV_PRIME,
    FOLDED,
    GREATER,
    QUOTE,
    SLASH,
    SPACE,
    Table,
    find,
    name_table,
)
from gpucurate.sources.html.blocks.keywords import HIDDEN, KEYWORD_FOLLOW, KEYWORD_FOUND, LONGEST_VALUE
from gpucurate.sources.html.blocks.state import ATTRIBUTE, MAX_ATTRIBUTES, VALUE_START, VALUE_STOP

# `NAMING` attributes say what an element is for; their words are looked for.
(NAMING, STYLE_ATTRIBUTE, HIDDEN_ATTRIBUTE, ARIA_HIDDEN, HREF, REL, PROPERTY, CONTENT, LANG, ALT, ALTTEXT) = map(
    np.int32, range(1, 12)
)
ENCODING, TYPE, DATETIME, CLASS, START_NUMBER = map(np.int32, range(12, 17))
KEYS, NUMBERS = name_table(
    {
        "class": int(CLASS),
        **dict.fromkeys(("id", "role", "itemprop", "data-component", "data-testid"), int(NAMING)),
        "style": int(STYLE_ATTRIBUTE),
        "hidden": int(HIDDEN_ATTRIBUTE),
        "aria-hidden": int(ARIA_HIDDEN),
        "href": int(HREF),
        "rel": int(REL),
        **dict.fromkeys(("name", "property", "http-equiv"), int(PROPERTY)),
        "content": int(CONTENT),
        "lang": int(LANG),
        "xml:lang": int(LANG),
        "alt": int(ALT),
        "alttext": int(ALTTEXT),
        "encoding": int(ENCODING),
        "type": int(TYPE),
        "datetime": int(DATETIME),
        "start": int(START_NUMBER),
    }
)
DISPLAY, NONE_VALUE, VISIBILITY, HIDDEN_VALUE = (
    np.frombuffer(word, np.uint8) for word in (b"display", b"none", b"visibility", b"hidden")
)


@borrowing
def read_attributes(src: Bytes, pos: int, stop: int, wanted: bool, attributes: Table) -> tuple[int, int, bool]:
    """Attributes from behind the tag's name on; remembers those known if they are `wanted`.

    Returns the position behind the tag, how many were remembered, and whether the tag ends in '/>'.  Quotes that never
    close reach to the end of the page, as in browsers.
    """
    count = 0
    closed = False
    while pos < stop:
        c = src[pos]
        if c == GREATER:
            return pos + 1, count, closed
        if c <= SPACE or c == SLASH:
            closed = c == SLASH
            pos += 1
            continue
        closed = False
        name_start = pos
        hashed = FNV_BASIS
        while pos < stop and not (src[pos] <= SPACE or src[pos] == GREATER or src[pos] == SLASH):
            if src[pos] == EQUALS and pos > name_start:
                break
            hashed = (hashed ^ np.uint64(FOLDED[src[pos]])) * FNV_PRIME
            pos += 1
        start, value_stop, pos = _read_value(src, pos, stop)
        if wanted and count < MAX_ATTRIBUTES:
            number = find(KEYS, NUMBERS, hashed)
            if number:
                attributes[count, ATTRIBUTE] = number
                attributes[count, VALUE_START] = start
                attributes[count, VALUE_STOP] = value_stop
                count += 1
    return pos, count, closed


@borrowing
def _read_value(src: Bytes, pos: int, stop: int) -> tuple[int, int, int]:
    """Start and stop of the value behind a name (equal if there is none) and the position behind it."""
    k = pos
    while k < stop and src[k] <= SPACE:
        k += 1
    if k >= stop or src[k] != EQUALS:
        return pos, pos, pos
    k += 1
    while k < stop and src[k] <= SPACE:
        k += 1
    if k < stop and (src[k] == QUOTE or src[k] == APOSTROPHE):
        quote = src[k]
        end = k + 1
        while end < stop and src[end] != quote:
            end += 1
        return k + 1, end, min(end + 1, stop)
    end = k
    while end < stop and src[end] > SPACE and src[end] != GREATER:
        end += 1
    return k, end, end


@borrowing
def value_of(attributes: Table, count: int, wanted: np.int32) -> tuple[int, int]:
    """Where the value of an attribute stands, or (-1, -1)."""
    for k in range(count):
        if attributes[k, ATTRIBUTE] == wanted:
            return int(attributes[k, VALUE_START]), int(attributes[k, VALUE_STOP])
    return -1, -1


@borrowing
def naming(src: Bytes, attributes: Table, count: int) -> tuple[np.uint64, np.uint64]:
    """Keywords in class, id and their like as a mask with the bit HIDDEN, and a hash of their words without digits."""
    mask = np.uint64(0)
    hashed = np.uint64(0)
    for k in range(count):
        kind = attributes[k, ATTRIBUTE]
        start, stop = int(np.int64(attributes[k, VALUE_START])), int(np.int64(attributes[k, VALUE_STOP]))
        if kind == CLASS or kind == NAMING:
            state = int(KEYWORD_FOLLOW[0])
            before = 0
            for pos in range(start, min(stop, start + LONGEST_VALUE)):
                cls = BYTE_CLASS[src[pos]]
                if cls or before:
                    state = int(KEYWORD_FOLLOW[state * CLASSES + cls])
                    mask |= np.uint64(KEYWORD_FOUND[state])
                    hashed = (hashed ^ np.uint64(cls)) * FNV_PRIME
                before = cls
            if before:
                mask |= np.uint64(KEYWORD_FOUND[KEYWORD_FOLLOW[state * CLASSES]])
        elif (
            kind == HIDDEN_ATTRIBUTE
            or (kind == ARIA_HIDDEN and start < stop and FOLDED[src[start]] == 116)
            or (kind == STYLE_ATTRIBUTE and _style_hides(src, start, stop))
        ):
            mask |= HIDDEN
    return mask, hashed


@borrowing
def _style_hides(src: Bytes, start: int, stop: int) -> bool:
    """Does a style say `display: none` or `visibility: hidden`?"""
    for pos in range(start + len(DISPLAY), stop):
        if src[pos] == COLON:
            end = pos
            while end > start and src[end - 1] <= SPACE:
                end -= 1
            k = pos + 1
            while k < stop and src[k] <= SPACE:
                k += 1
            shown = starts_with(src, max(start, end - len(DISPLAY)), end, DISPLAY)
            if (
                starts_with(src, k, stop, NONE_VALUE)
                if shown
                else (
                    starts_with(src, k, stop, HIDDEN_VALUE)
                    and starts_with(src, max(start, end - len(VISIBILITY)), end, VISIBILITY)
                )
            ):
                return True
    return False


@borrowing
def starts_with(src: Bytes, pos: int, stop: int, word: Bytes) -> bool:
    """Does src[pos:stop] begin with `word` (in lower case), without ASCII case?"""
    if stop - pos < len(word):
        return False
    for k in range(len(word)):  # noqa: SIM110 (Numba compiles no generators)
        if FOLDED[src[pos + k]] != word[k]:
            return False
    return True
