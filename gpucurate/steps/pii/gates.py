"""Gates for what a sign gives away: `@`, colons, a country code with check digits, `-----BEGIN `."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.steps.pii.signs import ALNUM, CLASS, DIGIT, DOMAIN, HEX, LOCAL, TOKEN_SIGN, UPPER, is_in

MAX_LOCAL, MAX_DOMAIN = 64, 255  # RFC 5321, section 4.5.3.1
MAX_COLONS = 64  # an IPv6 address has at most 45 characters
MAX_IBAN = 42  # 34 characters (ISO 13616) and blanks between groups of four
BEGIN_MARK = np.frombuffer(b"-----BEGIN ", np.uint8)  # RFC 7468, section 3
MIN_IBAN = 15  # Norway's


@kernel
def email(text: Bytes, at: int, low: int, high: int) -> tuple[int, int]:
    """Ends of the address around the `@`; equal where there is none.  Latin letters beyond ASCII (U+00C0 to U+024F)
    count as local part, so that no piece of an address is taken for the whole."""
    start = at
    floor = max(low, at - MAX_LOCAL)
    while start > floor:
        if CLASS[text[start - 1]] & LOCAL:
            start -= 1
        elif start - 2 >= floor and 0x80 <= text[start - 1] < 0xC0 and 0xC3 <= text[start - 2] <= 0xC9:
            start -= 2
        else:
            break
    end = at + 1
    ceiling = min(high, at + 1 + MAX_DOMAIN)
    dots = 0
    while end < ceiling and CLASS[text[end]] & DOMAIN:
        dots += text[end] == 46
        end += 1
    return (start, end) if start < at and dots > 0 else (at, at)


@kernel
def colons(text: Bytes, i: int, low: int, high: int) -> tuple[int, int, bool]:
    """Ends of the hexadecimal groups around the colon at i, and whether they can be an IPv6 or MAC address: with `::`
    or at least five colons."""
    start = i
    while start > low and i - start < 4 and CLASS[text[start - 1]] & HEX:
        start -= 1
    count, double, end = 0, False, i
    ceiling = min(high, start + MAX_COLONS)
    while end < ceiling and (CLASS[text[end]] & HEX or text[end] in (58, 46)):
        if text[end] == 58:
            count += 1
            double |= end > start and text[end - 1] == 58
        end += 1
    outside = is_in(text, start - 1, low, high, TOKEN_SIGN) or is_in(text, end, low, high, ALNUM)
    return start, end, not outside and (double or count >= 5) and end - start > 2


@kernel
def iban(text: Bytes, i: int, low: int, high: int) -> int:
    """End of what may be an IBAN whose first digit stands at i (two capitals before it), else i."""
    if not (is_in(text, i - 1, low, high, UPPER) and is_in(text, i - 2, low, high, UPPER)):
        return i
    if is_in(text, i - 3, low, high, TOKEN_SIGN) or not is_in(text, i + 1, low, high, DIGIT):
        return i
    j, signs, last = i, 2, i
    while j < high and j - i < MAX_IBAN:
        if CLASS[text[j]] & (DIGIT | UPPER):
            signs += 1
            last = j + 1
        elif text[j] not in (32, 45) or text[j - 1] in (32, 45):
            break
        j += 1
    return last if signs >= MIN_IBAN else i


@kernel
def begins(text: Bytes, i: int, high: int) -> bool:
    """Whether `-----BEGIN ` stands at i."""
    if i + len(BEGIN_MARK) > high:
        return False
    equal = 0
    for k in range(len(BEGIN_MARK)):
        equal += text[i + k] == BEGIN_MARK[k]
    return equal == len(BEGIN_MARK)
