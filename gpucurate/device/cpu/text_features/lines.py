"""Lines and paragraphs: how they begin and end, and which of them repeat.

A line ends at U+000A alone, a paragraph at a blank line.  Nothing here knows words.
"""

from __future__ import annotations

from typing import NamedTuple

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.device.cpu.text_features.characters import SPACE, TERMINAL, code_point
from gpucurate.device.cpu.text_features.hashing import SEED, finish, fold, hash_bytes, slot_of, table_size
from gpucurate.device.cpu.text_features.words import ELLIPSIS, FULL_STOP, NEWLINE, Hashes

HYPHEN, BULLET = 45, 0x2022


class LineCounts(NamedTuple):
    """The fields of TEXT_FEATURES that the shape of lines makes."""

    lines: int
    text_lines: int
    bullet_lines: int
    ellipsis_lines: int
    terminal_lines: int
    short_lines: int


class RepeatCounts(NamedTuple):
    """The fields of TEXT_FEATURES that equal lines and paragraphs make."""

    lines: int
    duplicate_lines: int
    duplicate_line_chars: int
    paragraphs: int
    duplicate_paragraphs: int
    duplicate_paragraph_chars: int


@inlined
def line_end(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Where the line that starts at `start` ends (its newline or `stop`), and how many code points it has."""
    at = start
    chars = 0
    while at < stop and text[at] != NEWLINE:
        chars += (text[at] & 0xC0) != 0x80
        at += 1
    return at, chars


@inlined
def lead_before(text: Bytes, at: int) -> int:
    """First byte of the code point that ends before `at`."""
    at -= 1
    while text[at] & 0xC0 == 0x80:
        at -= 1
    return at


@inlined
def trimmed(text: Bytes, start: int, stop: int, classes: Bytes) -> tuple[int, int]:
    """The span without the spaces at both ends; start == stop where there is nothing else."""
    while start < stop:
        cp, width = code_point(text, start)
        if not classes[cp] & SPACE:
            break
        start += width
    while stop > start:
        last = lead_before(text, stop)
        if not classes[code_point(text, last)[0]] & SPACE:
            break
        stop = last
    return start, stop


@kernel
def shape_of_lines(text: Bytes, start: int, stop: int, classes: Bytes, short_chars: int) -> LineCounts:
    """Counts over text[start:stop]; `short_chars` is the length up to which a line is short."""
    lines = text_lines = bullets = ellipses = terminals = short = 0
    while start < stop:
        end, chars = line_end(text, start, stop)
        first, last = trimmed(text, start, end, classes)
        start = end + 1
        lines += 1
        if first == last:
            continue
        text_lines += 1
        short += chars <= short_chars
        opening = code_point(text, first)[0]
        bullets += opening == HYPHEN or opening == BULLET
        closing = code_point(text, lead_before(text, last))[0]
        terminals += (classes[closing] & TERMINAL) != 0
        dotted = last - first >= 3 and closing == FULL_STOP
        dotted = dotted and text[last - 2] == FULL_STOP and text[last - 3] == FULL_STOP
        ellipses += closing == ELLIPSIS or dotted
    return LineCounts(lines, text_lines, bullets, ellipses, terminals, short)


@kernel
def repeats_of_lines(text: Bytes, start: int, stop: int, newlines: int, classes: Bytes, keys: Hashes) -> RepeatCounts:
    """Equal lines and paragraphs of text[start:stop], which has so many newlines; `keys` is scratch for two tables of
    table_size(newlines + 1)."""
    size = table_size(newlines + 1)
    line_keys = keys[:size]
    paragraph_keys = keys[size : 2 * size]
    line_keys[:] = 0
    paragraph_keys[:] = 0
    lines = duplicates = duplicate_chars = 0
    paragraphs = duplicate_paragraphs = duplicate_paragraph_chars = 0
    paragraph = SEED
    paragraph_chars = -1  # code points of the open paragraph; -1 where none is open
    while start <= stop:
        end, chars = line_end(text, start, stop)
        first, last = trimmed(text, start, end, classes)
        if first < last:
            key = hash_bytes(text, start, end)
            slot = slot_of(key, line_keys, size - 1)
            lines += 1
            if line_keys[slot] == key:
                duplicates += 1
                duplicate_chars += chars
            line_keys[slot] = key
            paragraph = fold(paragraph, key)
            paragraph_chars += chars + 1
        elif paragraph_chars >= 0:
            key = finish(paragraph)
            slot = slot_of(key, paragraph_keys, size - 1)
            paragraphs += 1
            if paragraph_keys[slot] == key:
                duplicate_paragraphs += 1
                duplicate_paragraph_chars += paragraph_chars
            paragraph_keys[slot] = key
            paragraph = SEED
            paragraph_chars = -1
        start = end + 1
    if paragraph_chars >= 0:
        paragraphs += 1
        key = finish(paragraph)
        if paragraph_keys[slot_of(key, paragraph_keys, size - 1)] == key:
            duplicate_paragraphs += 1
            duplicate_paragraph_chars += paragraph_chars
    return RepeatCounts(lines, duplicates, duplicate_chars, paragraphs, duplicate_paragraphs, duplicate_paragraph_chars)
