"""The one fast pass over a batch: cheap gates that find where a detector should look.

Gates are bytes that personal data cannot do without: `@`, groups of digits, colons between hexadecimal digits, long
tokens with a digit, `-----BEGIN `.  Every look around a gate is bounded, so the pass is linear in the bytes whatever
they are.  Text is read as ASCII; bytes of other characters only ever end a candidate, except where said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.steps.pii.digit_groups import card, number, quad
from gpucurate.steps.pii.gates import begins, colons, email, iban
from gpucurate.steps.pii.signs import ALNUM, CLASS, DIGIT, LOWER, TOKEN_SIGN, UPPER

EMAIL, NUMBER, CARD, QUAD, COLONS, TOKEN, IBAN, BEGIN = 1, 2, 3, 4, 5, 6, 7, 8  # kinds of candidate
MIN_TOKEN = 16  # shortest key or wallet looked at
MIN_ID, MIN_ID_DIGITS = 9, 4  # shortest id with letters, and the digits it has
MIN_DIGITS = 7  # shortest phone number looked at


@kernel
def scan(
    text: Bytes, offsets: Offsets, capacity: int
) -> tuple[int, NDArray[np.int8], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Candidates of a batch: how many there are, and kind, row, start and end (offsets into `text`) of the first
    `capacity`, by row and roughly by start.  If there are more, call again with room for all."""
    kinds, rows = np.empty(capacity, np.int8), np.empty(capacity, np.int32)
    starts, ends = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    n = 0
    for d in range(offsets.shape[0] - 1):
        low, high = offsets[d], offsets[d + 1]
        number_until, colons_until, token, flags, digits_seen = low, low, low, 0, 0
        for i in range(low, high + 1):
            bits = CLASS[text[i]] if i < high else 0
            if bits & TOKEN_SIGN == 0:
                long = i - token >= MIN_TOKEN or (i - token >= MIN_ID and digits_seen >= MIN_ID_DIGITS)
                if long and flags & DIGIT and flags & (UPPER | LOWER):
                    n = _put(kinds, rows, starts, ends, n, TOKEN, d, token, i)
                token, flags, digits_seen = i + 1, 0, 0
                if i == high:
                    break
                if text[i] == 64:
                    start, end = email(text, i, low, high)
                    if start < end:
                        n = _put(kinds, rows, starts, ends, n, EMAIL, d, start, end)
                elif text[i] == 58 and i >= colons_until:
                    start, end, found = colons(text, i, low, high)
                    colons_until = end
                    if found:
                        n = _put(kinds, rows, starts, ends, n, COLONS, d, start, end)
                continue
            flags |= bits
            if bits & DIGIT:
                digits_seen += 1
                if i > low and CLASS[text[i - 1]] & ALNUM:
                    end = iban(text, i, low, high)
                    if end > i:
                        n = _put(kinds, rows, starts, ends, n, IBAN, d, i - 2, end)
                    continue
                end = card(text, i, low, high)
                if end > i:
                    n = _put(kinds, rows, starts, ends, n, CARD, d, i, end)
                end = quad(text, i, low, high)
                if end > i:
                    n = _put(kinds, rows, starts, ends, n, QUAD, d, i, end)
                if i >= number_until:
                    start, end, digits, number_until = number(text, i, low, high)
                    if digits >= MIN_DIGITS:
                        n = _put(kinds, rows, starts, ends, n, NUMBER, d, start, end)
            elif text[i] == 45 and begins(text, i, high) and not (i > low and text[i - 1] == 45):
                n = _put(kinds, rows, starts, ends, n, BEGIN, d, i, i + 11)
    return n, kinds, rows, starts, ends


@inlined
def _put(kinds: Any, rows: Any, starts: Any, ends: Any, n: int, kind: int, row: int, start: int, end: int) -> int:
    if n < kinds.shape[0]:
        kinds[n], rows[n], starts[n], ends[n] = kind, row, start, end
    return n + 1


def candidates(
    text: Bytes, offsets: Offsets
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Kind, row, start and end (offsets into `text`) of every candidate."""
    room = int(offsets[-1] - offsets[0]) // 64 + 64
    n, kinds, rows, starts, ends = scan(text, offsets, room)
    if n > room:
        n, kinds, rows, starts, ends = scan(text, offsets, n)
    return kinds[:n], rows[:n], starts[:n], ends[:n]
