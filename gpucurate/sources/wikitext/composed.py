"""Texts made of several short arguments of a template: lists, measures, dates.

Everything is written into a small buffer first, so that the order of pieces is free; the caller bounds the length of
the call, and the tables bound the texts between.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.arguments import Arguments
from gpucurate.sources.wikitext.characters import (
    COMMA,
    DASH,
    ONE,
    ORIGIN,
    SLASH,
    SPACE,
    ZERO,
    copy_bytes,
    is_digit,
)
from gpucurate.sources.wikitext.rules import BEFORE, BETWEEN, FIRST, LAST, Rules
from gpucurate.sources.wikitext.rules import DAY_FIRST as DAY_FIRST_COLUMN
from gpucurate.sources.wikitext.shown_templates import (
    ABBREVIATED,
    ADJECTIVE,
    DAY_FIRST,
    LOWER_CASE,
    POSITION_1,
    POSITION_2,
    POSITION_3,
    POSITIONS,
)

LONGEST_CALL = 400  # bytes of a call that is composed
BUFFER_BYTES = 1024  # LONGEST_CALL, and a dozen texts between


@kernel
def compose_join(out: Bytes, arguments: Arguments, row: int, buffer: Bytes, rules: Rules) -> int:
    """`before`, and the arguments FIRST to LAST with `between` in between; returns the length, 0 if all are empty."""
    n = start = _put_text(rules.templates[row, BEFORE], buffer, int(ORIGIN), rules)
    for slot in range(rules.templates[row, FIRST], rules.templates[row, LAST] + 1):
        if _is_given(arguments, slot):
            if n > start:
                n = _put_text(rules.templates[row, BETWEEN], buffer, n, rules)
            n = _put_argument(out, arguments, slot, buffer, n)
    return n if n > start else 0


@kernel
def compose_measure(out: Bytes, arguments: Arguments, buffer: Bytes, rules: Rules) -> int:
    """{{convert}} without the conversion: 777 km², 5 to 10 km, 6 ft 4 in, 10-km; returns the length."""
    n = _put_argument(out, arguments, POSITION_1, buffer, int(ORIGIN))
    number = int(POSITION_1)
    while number + 2 <= POSITIONS:
        joined = _find(out, arguments, number + 1, names.RANGE, rules)
        if joined < 0:
            break
        n = _put_text(joined, buffer, n, rules)
        n = _put_argument(out, arguments, number + 2, buffer, n)
        number += 2
    if number == POSITIONS or not _is_given(arguments, number + 1):
        return n
    hyphenated = _is_given(arguments, ADJECTIVE) and out[arguments[ADJECTIVE, 0] + 1] == 110  # adj=on
    n = _put_unit(out, arguments, number + 1, hyphenated and not _is_given(arguments, ABBREVIATED), buffer, n, rules)
    smaller = number + 3
    if smaller > POSITIONS or _find(out, arguments, smaller, names.COMPOUND_UNIT, rules) < 0:
        return n
    if _is_given(arguments, smaller - 1) and is_digit(out[arguments[smaller - 1, 0]]):
        buffer[n] = SPACE
        n = _put_argument(out, arguments, smaller - 1, buffer, n + 1)
        n = _put_unit(out, arguments, smaller, False, buffer, n, rules)
    return n


@kernel
def compose_date(out: Bytes, arguments: Arguments, row: int, buffer: Bytes, rules: Rules) -> int:
    """`before`, then 1990, May 1990, May 3, 1990 or 3 May 1990; returns the length.

    A first argument that is no number is taken for a date in words.
    """
    n = _put_text(rules.templates[row, BEFORE], buffer, int(ORIGIN), rules)
    if n and _is_given(arguments, LOWER_CASE):
        buffer[0] |= 32
    in_words = not (_is_given(arguments, POSITION_1) and is_digit(out[arguments[1, 0]]))
    day_first = rules.templates[row, DAY_FIRST_COLUMN] == 1
    if _is_given(arguments, DAY_FIRST):
        day_first = out[arguments[DAY_FIRST, 0]] | 32 == 121 or out[arguments[DAY_FIRST, 0]] == 49  # y, 1
    with_month = not in_words and _is_given(arguments, POSITION_2)
    with_day = with_month and _is_given(arguments, POSITION_3)
    if with_day and day_first:
        n = _put_day(out, arguments, buffer, n)
        buffer[n] = SPACE
        n += 1
    if with_month:
        month = _find(out, arguments, POSITION_2, names.MONTH, rules)
        n = _put_text(month, buffer, n, rules) if month >= 0 else _put_argument(out, arguments, POSITION_2, buffer, n)
        buffer[n] = SPACE
        n += 1
    if with_day and not day_first:
        n = _put_day(out, arguments, buffer, n)
        buffer[n], buffer[n + 1] = COMMA, SPACE
        n += 2
    return _put_argument(out, arguments, POSITION_1, buffer, n)


@kernel
def compose_fraction(out: Bytes, arguments: Arguments, buffer: Bytes) -> int:
    """3 1/2, 1/2, or 1/2 where only the denominator is given; returns the length."""
    parts = int(ORIGIN)
    while parts < 3 and _is_given(arguments, parts + 1):
        parts += 1
    n = int(ORIGIN)
    if parts == 1:
        buffer[0], buffer[1] = ONE, SLASH
        n = 2
    for slot in range(int(POSITION_1), parts + 1):
        if slot > 1:
            buffer[n] = SLASH if slot == parts else SPACE
            n += 1
        n = _put_argument(out, arguments, slot, buffer, n)
    return n


@kernel
def _put_day(out: Bytes, arguments: Arguments, buffer: Bytes, n: int) -> int:
    begin, end = arguments[3, 0], arguments[3, 1]
    leading_zero = end - begin == 2 and out[begin] == ZERO
    return copy_bytes(out, begin + leading_zero, end, buffer, n)


@kernel
def _put_unit(
    out: Bytes, arguments: Arguments, slot: int | np.int64, hyphen: bool, buffer: Bytes, n: int, rules: Rules
) -> int:
    """A blank or hyphen and the symbol of a unit; a rate (/km2) follows its number directly."""
    symbol = _find(out, arguments, slot, names.UNIT, rules)
    first = rules.text[symbol >> names.TEXT_LENGTH_BITS] if symbol >= 0 else out[arguments[slot, 0]]
    if first != SLASH:
        buffer[n] = DASH if hyphen else SPACE
        n += 1
    return _put_text(symbol, buffer, n, rules) if symbol >= 0 else _put_argument(out, arguments, slot, buffer, n)


@kernel
def _put_text(reference: int, buffer: Bytes, n: int, rules: Rules) -> int:
    start = reference >> names.TEXT_LENGTH_BITS
    return copy_bytes(rules.text, start, start + (reference & ((1 << names.TEXT_LENGTH_BITS) - 1)), buffer, n)


@kernel
def _put_argument(out: Bytes, arguments: Arguments, slot: int | np.int64, buffer: Bytes, n: int) -> int:
    if arguments[slot, 0] < 0:
        return n
    return copy_bytes(out, arguments[slot, 0], arguments[slot, 1], buffer, n)


@kernel
def _is_given(arguments: Arguments, slot: int | np.int64) -> bool:
    return bool(0 <= arguments[slot, 0] < arguments[slot, 1])


@kernel
def _find(out: Bytes, arguments: Arguments, slot: int | np.int64, kind: names.Kind, rules: Rules) -> int:
    if not _is_given(arguments, slot):
        return -1
    return names.find_name(rules.keys, rules.values, kind, out, arguments[slot, 0], arguments[slot, 1])
