"""Formulas as TeX where the page has it: in the alttext or an annotation of MathML, in a script for MathJax, in the alt
of a picture.  MathML without TeX stays as the text of its leaves.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks import attributes as attr
from gpucurate.sources.html.blocks.attributes import starts_with, value_of
from gpucurate.sources.html.blocks.characters import GREATER, LESS, SPACE, YES, Table, name_hash, skip_to
from gpucurate.sources.html.blocks.raw_text import find_end_tag
from gpucurate.sources.html.blocks.state import Scanner

MATH_BIT = cast(int, np.int64(62))  # in the memory of what is not closed
MATH_NAME, ANNOTATION_NAME = np.uint64(name_hash("math")), np.uint64(name_hash("annotation"))
ANNOTATION_TAG, TEX, MATH_TYPE, LATEX, MATH_WORD = (
    np.frombuffer(word, np.uint8) for word in (b"<annotation", b"tex", b"math/tex", b"latex", b"math")
)
DELIMITER = np.frombuffer(b"$", np.uint8)


@borrowing
def tex_of_math(src: Bytes, pos: int, stop: int, count: int, scanner: Scanner) -> tuple[int, int, int]:
    """`pos` is behind <math>.  Where its TeX stands (start, stop) and the position behind </math>; start -1 if none."""
    end = find_end_tag(src, pos, stop, MATH_NAME, MATH_BIT, scanner.counters)
    if end < 0:
        return -1, -1, pos
    start, tex_stop = value_of(scanner.attributes, count, attr.ALTTEXT)
    if start < 0:
        start, tex_stop = _annotation(src, pos, end, scanner.attributes)
    start, tex_stop = _trim(src, start, tex_stop)
    if start >= tex_stop:
        return -1, -1, pos
    return start, tex_stop, skip_to(src, end, stop, GREATER)


@borrowing
def _annotation(src: Bytes, pos: int, stop: int, attributes: Table) -> tuple[int, int]:
    """The content of <annotation encoding="application/x-tex"> in src[pos:stop], or (-1, -1)."""
    while pos < stop:
        if src[pos] == LESS and starts_with(src, pos, stop, ANNOTATION_TAG):
            behind, count, _ = attr.read_attributes(src, pos + len(ANNOTATION_TAG), stop, YES, attributes)
            start, value_stop = value_of(attributes, count, attr.ENCODING)
            if contains(src, start, value_stop, TEX):
                end = behind
                while end < stop and src[end] != LESS:
                    end += 1
                return behind, end
            pos = behind
        else:
            pos += 1
    return -1, -1


@borrowing
def is_tex_script(src: Bytes, attributes: Table, count: int) -> bool:
    """<script type="math/tex">, which MathJax shows as a formula."""
    start, stop = value_of(attributes, count, attr.TYPE)
    return start >= 0 and starts_with(src, start, stop, MATH_TYPE)


@borrowing
def tex_of_image(src: Bytes, attributes: Table, count: int) -> tuple[int, int]:
    """The alt of a picture whose class says that it is a formula, unless it only repeats one; or (-1, -1)."""
    start, stop = value_of(attributes, count, attr.CLASS)
    hidden, _ = value_of(attributes, count, attr.ARIA_HIDDEN)
    if start < 0 or hidden >= 0 or not (names_tex(src, start, stop) or contains(src, start, stop, MATH_WORD)):
        return -1, -1
    start, stop = value_of(attributes, count, attr.ALT)
    start, stop = _trim(src, start, stop)
    return (start, stop) if start < stop else (-1, -1)


@borrowing
def names_tex(src: Bytes, start: int, stop: int) -> bool:
    """Is `tex` a word of the class, or `latex` part of one?"""
    if contains(src, start, stop, LATEX):
        return True
    for k in range(start, stop - 2):
        if starts_with(src, k, stop, TEX) and (k == start or src[k - 1] <= SPACE):
            return k + 3 >= stop or src[k + 3] <= SPACE
    return False


@borrowing
def contains(src: Bytes, start: int, stop: int, word: Bytes) -> bool:
    """Does src[start:stop] contain `word`, without ASCII case?"""
    if start < 0:
        return False
    for k in range(start, stop - len(word) + 1):  # noqa: SIM110 (Numba compiles no generators)
        if starts_with(src, k, stop, word):
            return True
    return False


@borrowing
def _trim(src: Bytes, start: int, stop: int) -> tuple[int, int]:
    while start < stop and src[start] <= SPACE:
        start += 1
    while stop > start and src[stop - 1] <= SPACE:
        stop -= 1
    return start, stop
