"""White space, line ends and invisible characters, folded in one walk over the bytes of a document.

A walk that only looks comes first, since most documents of a clean source need nothing.  Unicode normalisation forms
are not known here.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes, Offsets

PLAIN, BLANK, BREAK, GONE = 0, 1, 2, 3
CLEAN, DIRTY = 0, 1  # the two bits of `inspect`
UNSURE_FORM = 2


@inlined
def kind_at(text: Bytes, at: int, byte_order_marks: bool, zero_width: bool) -> tuple[int, int]:
    """Kind and length in bytes of the character at `at`, where the byte there is not printable ASCII.

    BLANK: space, tab and the Unicode spaces (Zs).  BREAK: LF, VT, FF, CR, NEL, U+2028, U+2029 (Unicode, section 5.8).
    GONE: other controls (Cc), and by choice U+FEFF, and U+00AD, U+200B, U+2060.
    """
    lead = text[at]
    if lead < 0x80:
        if lead == 0x20 or lead == 0x09:
            return BLANK, 1
        return (BREAK if 0x0A <= lead <= 0x0D else GONE), 1
    if lead < 0xE0:
        if lead == 0xC2:
            second = text[at + 1]
            if second < 0xA0:
                return (BREAK if second == 0x85 else GONE), 2
            if second == 0xA0:
                return BLANK, 2
            if second == 0xAD and zero_width:
                return GONE, 2
        return PLAIN, 2
    if lead < 0xF0:
        second, third = text[at + 1], text[at + 2]
        if lead == 0xE2 and second == 0x80:
            if third <= 0x8A or third == 0xAF:
                return BLANK, 3
            if third == 0xA8 or third == 0xA9:
                return BREAK, 3
            if third == 0x8B and zero_width:
                return GONE, 3
        elif lead == 0xE2 and second == 0x81:
            if third == 0x9F:
                return BLANK, 3
            if third == 0xA0 and zero_width:
                return GONE, 3
        elif (lead == 0xE3 and second == 0x80 and third == 0x80) or (lead == 0xE1 and second == 0x9A and third == 0x80):
            return BLANK, 3
        elif lead == 0xEF and second == 0xBB and third == 0xBF and byte_order_marks:
            return GONE, 3
        return PLAIN, 3
    return PLAIN, 4


@inlined
def form_is_sure(text: Bytes, at: int) -> bool:
    """True where the character, which is not ASCII, keeps any text in NFC: below U+0300, or in a block that neither
    composes nor reorders.  (Such properties are stable: Unicode Standard Annex 15, section 3.)

    The blocks are Cyrillic up to U+047F, general punctuation U+2002 to U+203F, Han U+4000 to U+9FFF, and the Hangul
    syllables; everything else is left to `unicodedata`.
    """
    lead = text[at]
    if lead < 0xCC or lead == 0xD0 or lead == 0xD1:
        return True
    if lead == 0xE2:
        return bool(text[at + 1] == 0x80 and text[at + 2] >= 0x82)
    return bool(0xE4 <= lead <= 0xE9 or lead == 0xEB or lead == 0xEC)


@kernel
def inspect(
    text: Bytes, offsets: Offsets, compatibility: bool, byte_order_marks: bool, zero_width: bool, found: Bytes
) -> None:
    """Write CLEAN, or DIRTY and UNSURE_FORM, for every document: exactly what `fold_spaces` would change is DIRTY.

    With `compatibility` (NFKC) every character beyond ASCII makes the form unsure.
    """
    for d in range(found.shape[0]):
        at, stop = offsets[d], offsets[d + 1]
        flags = CLEAN
        breaks = 1  # as if a break came before: spaces and breaks at the start are dirty
        blank = False
        started = False
        while at < stop:
            lead = text[at]
            if 0x20 < lead < 0x7F:
                breaks = 0
                blank = False
                started = True
                at += 1
                continue
            if lead >= 0x80 and (compatibility or not form_is_sure(text, at)):
                flags |= UNSURE_FORM
            kind, width = kind_at(text, at, byte_order_marks, zero_width)
            if kind == PLAIN:
                breaks = 0
                blank = False
                started = True
            elif kind == BREAK:
                breaks += 1
                if blank or lead != 0x0A or breaks > 2 or not started:
                    flags |= DIRTY
            elif kind == BLANK:
                if blank or breaks or lead != 0x20:
                    flags |= DIRTY
                blank = True
            else:
                flags |= DIRTY
            at += width
        if started and (blank or breaks):
            flags |= DIRTY
        found[d] = flags


@kernel
def fold_spaces(text: Bytes, start: int, stop: int, byte_order_marks: bool, zero_width: bool, out: Bytes) -> int:
    """Write text[start:stop] folded to the start of `out` (at least as long); returns how many bytes it took."""
    size = 0
    at = start
    breaks = 0
    blank = False
    after_cr = False
    while at < stop:
        lead = text[at]
        kind, width = PLAIN, 1
        if lead <= 0x20 or lead >= 0x7F:
            kind, width = kind_at(text, at, byte_order_marks, zero_width)
        if kind == PLAIN:
            if size:
                for _ in range(min(breaks, 2)):
                    out[size] = 0x0A
                    size += 1
                if blank and not breaks:
                    out[size] = 0x20
                    size += 1
            breaks = 0
            blank = False
            after_cr = False
            for k in range(width):
                out[size] = text[at + k]
                size += 1
        elif kind == BREAK:
            if not (after_cr and lead == 0x0A):
                breaks += 1
            after_cr = lead == 0x0D
        elif kind == BLANK:
            blank = True
            after_cr = False
        at += width
    return size


@kernel
def fold_documents(
    text: Bytes, offsets: Offsets, rows: Offsets, byte_order_marks: bool, zero_width: bool
) -> tuple[Bytes, Offsets]:
    """`fold_spaces` of the chosen documents, one after another: data and offsets [len(rows) + 1]."""
    size = 0
    for k in range(rows.shape[0]):
        size += offsets[rows[k] + 1] - offsets[rows[k]]
    data = np.empty(size, np.uint8)
    folded = np.zeros(rows.shape[0] + 1, np.int64)
    for k in range(rows.shape[0]):
        begin, end = offsets[rows[k]], offsets[rows[k] + 1]
        taken = fold_spaces(text, begin, end, byte_order_marks, zero_width, data[folded[k] :])
        folded[k + 1] = folded[k] + taken
    return data[: folded[-1]], folded
