"""Gates for numbers: groups of digits as people write phones, cards and dotted addresses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.steps.pii.signs import ALNUM, CLASS, DIGIT, digits_at, glued, glued_after, is_in, separator

MAX_NUMBER = 96  # bytes of digits and separators looked at together; longer runs are cut between groups
MOST_GROUPS = 8  # groups of one number, more are several


@kernel
def number(text: Bytes, i: int, low: int, high: int) -> tuple[int, int, int, int]:
    """Groups of digits from i on: start (a leading `+` or `(` included), end, digits, and where the run is over.

    Digits are 0 where the run is part of something else.
    """
    start = i
    while start > low and text[start - 1] in (40, 43) and i - start < 2:  # ( +
        start -= 1
    if start < i:
        attached = is_in(text, start - 1, low, high, ALNUM)
    else:
        attached = glued(text, start, low)
    digits, end, digits_before, end_before = 0, i, 0, i
    j, groups = i, 0
    while True:
        digits_before, end_before = digits, end
        groups += 1
        while j < high and CLASS[text[j]] & DIGIT and j - start < MAX_NUMBER:
            j += 1
            digits += 1
        end = j
        signs, blanks = 0, 0
        while signs < 3:
            width = separator(text, j, high)
            if width == 0:
                break
            if text[j] == 32 and blanks == 1:
                break
            blanks = int(text[j] == 32)
            j += width
            signs += 1
        if signs == 0 or not is_in(text, j, low, high, DIGIT) or j - start >= MAX_NUMBER:
            break
    if groups > MOST_GROUPS and 2 * digits < 3 * groups:  # a table of single digits
        return start, end, 0, end
    if glued_after(text, end, high) and not extension(text, end, high):
        return start, end_before, 0 if attached else digits_before, end
    return start, end, 0 if attached else digits, end


@kernel
def extension(text: Bytes, i: int, high: int) -> bool:
    """Whether `x` and a digit, or `ext`, stands at i, as behind a phone number."""
    if text[i] | 32 == 120:
        return i + 1 < high and CLASS[text[i + 1]] & DIGIT != 0
    return i + 2 < high and text[i] | 32 == 101 and text[i + 1] | 32 == 120 and text[i + 2] | 32 == 116


@kernel
def luhn(digits: NDArray[np.uint8], n: int) -> bool:
    """Whether the first n digits have the sum of ISO/IEC 7812-1, annex B."""
    total = 0
    for k in range(n):
        d = int(digits[n - 1 - k])
        if k % 2:
            d = 2 * d - 9 if d > 4 else 2 * d
        total += d
    return total % 10 == 0


@kernel
def card(text: Bytes, i: int, low: int, high: int) -> int:
    """End of a payment card number that begins at i, else i: 13 to 19 digits together or in groups as cards print
    them (4-4-4-4, 4-6-5, 4-6-4, 4-4-4-4-3, 4-4-4-1), all joined by blanks or all by hyphens, with a Luhn sum."""
    if glued(text, i, low):
        return i
    digits = np.empty(19, np.uint8)
    n, j, best, shape, sign = 0, i, i, 0, 0
    for group in range(5):
        before = n
        while is_in(text, j, low, high, DIGIT):
            if n == 19:
                return best
            digits[n] = text[j] - 48
            n += 1
            j += 1
        shape = shape * 10 + n - before
        whole = n >= 13 if group == 0 else shape in (4444, 465, 464, 44443, 4441)
        if whole and not glued_after(text, j, high) and luhn(digits, n):
            best = j
        if group == 0:
            if n != 4 or j >= high or text[j] not in (32, 45):
                return best
            sign = int(text[j])
        if not (j + 1 < high and text[j] == sign and is_in(text, j + 1, low, high, DIGIT)):
            return best
        j += 1
    return best


@kernel
def quad(text: Bytes, i: int, low: int, high: int) -> int:
    """End of four dotted groups of one to three digits that begin at i, else i."""
    path = i > low and text[i - 1] == 47  # http://198.51.100.1 is fine
    if (i > low and text[i - 1] == 46) or (glued(text, i, low) and not path):
        return i
    j = i
    for group in range(4):
        n = digits_at(text, j, high)
        if n == 0 or n > 3:
            return i
        j += n
        if group < 3:
            if j >= high or text[j] != 46:
                return i
            j += 1
    sign = j < high and text[j] in (45, 46, 95)
    if is_in(text, j + int(sign), low, high, ALNUM):
        return i
    return j
