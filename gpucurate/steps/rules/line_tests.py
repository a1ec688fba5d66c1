"""What C4 asks of one line: its words, its last character, its sentences, and the phrases it must not hold.

Compiled, on bytes; nothing here removes anything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes, Offsets, pack_texts
from gpucurate.device.cpu.text_features.characters import SPACE, TERMINAL, code_point
from gpucurate.device.cpu.text_features.lines import lead_before

LOREM, CURLY, SCRIPT, COOKIES = 1, 2, 4, 8
PHRASES = {  # C4, section 2.2, and its reference implementation (policy lines); in lower case
    "lorem ipsum": LOREM,
    "{": CURLY,
    "javascript": SCRIPT,
    "terms of use": COOKIES,
    "privacy policy": COOKIES,
    "cookie policy": COOKIES,
    "uses cookies": COOKIES,
    "use of cookies": COOKIES,
    "use cookies": COOKIES,
}
CITATION_WORDS = ("edit]", "citation needed]")  # after the bracket; digits or nothing may stand there too
SPACE_BYTE, FULL_STOP, OPEN_BRACKET, CLOSE_BRACKET = 0x20, 0x2E, 0x5B, 0x5D


class PhraseTable(NamedTuple):
    """Phrases as bytes, the flag of each, and for a byte in first, second and third place the phrases it fits (a bit
    each; a phrase without such a place fits every byte)."""

    data: Bytes
    offsets: Offsets
    flags: NDArray[np.int64]
    fits: NDArray[np.int64]  # [3, 256]
    citations: Bytes
    citation_offsets: Offsets


def phrase_table() -> PhraseTable:
    """The constants above as compiled code takes them."""
    data, offsets = pack_texts(list(PHRASES))
    citations, citation_offsets = pack_texts(list(CITATION_WORDS))
    fits = np.zeros((3, 256), np.int64)
    for number, phrase in enumerate(PHRASES):
        for place in range(3):
            fits[place, [phrase.encode()[place]] if place < len(phrase) else slice(None)] |= 1 << number
    return PhraseTable(data, offsets, np.array(list(PHRASES.values())), fits, citations, citation_offsets)


@kernel
def spaced_words(text: Bytes, start: int, stop: int, classes: Bytes) -> tuple[int, int]:
    """How many runs without white space there are, and how many code points the longest has."""
    words = length = longest = 0
    at = start
    while at < stop:
        cp, width = code_point(text, at)
        if classes[cp] & SPACE:
            length = 0
        else:
            words += length == 0
            length += 1
            longest = max(longest, length)
        at += width
    return words, longest


@kernel
def citation_end(text: Bytes, at: int, stop: int, table: PhraseTable) -> int:
    """End of the citation that begins at `at` (`[12]`, `[]`, `[edit]`, `[citation needed]`), or -1."""
    if text[at] != OPEN_BRACKET:
        return -1
    end = at + 1
    while end < stop and 0x30 <= text[end] <= 0x39:
        end += 1
    if end < stop and text[end] == CLOSE_BRACKET:
        return end + 1
    for k in range(table.citation_offsets.shape[0] - 1):
        first, last = table.citation_offsets[k], table.citation_offsets[k + 1]
        if at + 1 + last - first <= stop:
            same = True
            for j in range(first, last):
                same = same and text[at + 1 + j - first] == table.citations[j]
            if same:
                return int(at + 1 + last - first)
    return -1


@kernel
def copy_line(
    text: Bytes, start: int, stop: int, cut: bool, table: PhraseTable, line: Bytes, cites: NDArray[np.int64]
) -> tuple[int, int]:
    """Write the line to `line` in ASCII lower case, without its citations if `cut`; returns (bytes, citations).

    Start and end of each run of citations go to `cites`, with the space before it where nothing but space follows.
    """
    size = count = 0
    at = start
    while at < stop:
        byte = text[at]
        if cut and byte == OPEN_BRACKET:
            end = citation_end(text, at, stop, table)
            if end > 0:
                following = end
                while following > 0 and following < stop:
                    end = following
                    following = citation_end(text, end, stop, table)
                end = max(end, following)
                lone = at > start and text[at - 1] == SPACE_BYTE and (end == stop or text[end] == SPACE_BYTE)
                size -= lone
                cites[count, 0] = at - lone
                cites[count, 1] = end
                count += 1
                at = end
                continue
        line[size] = byte | 0x20 if 0x41 <= byte <= 0x5A else byte
        size += 1
        at += 1
    return size, count


@kernel
def phrases_in(line: Bytes, size: int, table: PhraseTable) -> int:
    """Flags of all phrases in the line."""
    found = 0
    for at in range(size):
        fitting = table.fits[0, line[at]]
        if not fitting:
            continue
        fitting &= table.fits[1, line[at + 1] if at + 1 < size else 0]
        fitting &= table.fits[2, line[at + 2] if at + 2 < size else 0]
        phrase = 0
        while fitting:
            first, last = table.offsets[phrase], table.offsets[phrase + 1]
            if fitting & 1 and at + last - first <= size:
                j = first
                while j < last and line[at + j - first] == table.data[j]:
                    j += 1
                if j == last:
                    found |= table.flags[phrase]
            fitting >>= 1
            phrase += 1
    return found


@inlined
def closes(cp: np.int64) -> bool:
    """End quotation marks and closing brackets."""
    return bool(cp == 0x22 or cp == 0x27 or cp == 0x29 or cp == 0x5D or cp == 0xBB or cp == 0x2019 or cp == 0x201D)


@kernel
def ends_well(line: Bytes, size: int, classes: Bytes) -> bool:
    """True if the last character is terminal punctuation or an end quotation mark, no ellipsis (C4, section 2.2)."""
    if size == 0:
        return False
    if size >= 3 and line[size - 1] == FULL_STOP and line[size - 2] == FULL_STOP and line[size - 3] == FULL_STOP:
        return False
    last = code_point(line, lead_before(line, size))[0]
    if last == 0x29 or last == 0x5D or last == 0xBB:
        return False
    return bool(classes[last] & TERMINAL) or closes(last)


@kernel
def sentences_in(line: Bytes, size: int, classes: Bytes) -> int:
    """Sentences of a line: each ends at terminal punctuation, with what closes after it, that white space or the end
    of the line follows (nothing need follow punctuation beyond ASCII); what is left at the end counts as one."""
    sentences = 0
    rest = False
    at = 0
    while at < size:
        cp, width = code_point(line, at)
        at += width
        if not classes[cp] & TERMINAL:
            rest = rest or not classes[cp] & SPACE
            continue
        wide = cp >= 0x80
        while at < size:
            cp, width = code_point(line, at)
            terminal = classes[cp] & TERMINAL != 0
            if not terminal and not closes(cp):
                break
            wide = wide or (terminal and cp >= 0x80)
            at += width
        rest = not (at >= size or wide or classes[code_point(line, at)[0]] & SPACE)
        sentences += not rest
    return sentences + rest
