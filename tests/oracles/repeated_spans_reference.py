"""Repeated passages as plainly as they can be said: every window of every document in one dictionary."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from gpucurate.device.shingle_characters import IDEOGRAPH, LETTER, shingle_characters

Unit = tuple[Any, int, int]  # what must be equal, first byte, end
Span = tuple[int, int]
TERMINAL = ".!?\u3002\u061f\u2026"  # of Sentence_Terminal what the tests use; the ellipsis is none
CLOSING = "\"')]\u00bb\u2019\u201d"


def words(text: str) -> list[Unit]:
    found: list[Unit] = []
    at, inside = 0, False
    for character in text:
        size, point = len(character.encode()), ord(character)
        kind, folded = (IDEOGRAPH if point >= 0x1F000 else LETTER), point
        if point < 0x10000:
            kind, folded = divmod(int(shingle_characters()[point]), 1 << 24)
        if kind == LETTER and inside:
            spelled, start, _ = found[-1]
            found[-1] = ((*spelled, folded), start, at + size)
        elif kind in (LETTER, IDEOGRAPH):
            found.append(((folded,), at, at + size))
        inside = kind == LETTER
        at += size
    return found


def lines(text: str) -> list[Unit]:
    return _matched(r"[^\S\n]*(\S(?:[^\n]*\S)?)", text)


def paragraphs(text: str) -> list[Unit]:
    return _matched(r"(\S(?:(?!\n[^\S\n]*\n)[\s\S])*)", text)


def sentences(text: str) -> list[Unit]:
    end = rf"[.!?\u3002][.!?\u3002{re.escape(CLOSING)}]*"
    found: list[Unit] = []
    for line, start, _ in lines(text):
        rest, at = line.decode(), start
        while rest.strip():
            stop = next(
                (m.end() for m in re.finditer(end, rest) if "\u3002" in m[0] or not rest[m.end() :][:1].strip()),
                len(rest),
            )
            sentence = rest[:stop]
            begin = at + len(sentence.encode()) - len(sentence.lstrip().encode())
            spelled = sentence.strip().encode()
            found.append((spelled, begin, begin + len(spelled)))
            at += len(sentence.encode())
            rest = rest[stop:]
    return found


def _matched(pattern: str, text: str) -> list[Unit]:
    found = []
    for match in re.finditer(pattern, text):
        spelled = match[1].rstrip().encode()
        start = len(text[: match.start(1)].encode())
        found.append((spelled, start, start + len(spelled)))
    return found


UNITS = {"passages": words, "lines": lines, "paragraphs": paragraphs, "c4_sentences": sentences}


def gone_units(
    documents: Sequence[tuple[bytes, str]], mode: str, units: int, least: int, boilerplate: int | None
) -> list[set[int]]:
    """For each (record id, text) the numbers of the units that are cut."""
    split = [UNITS[mode](text) for _, text in documents]
    places: dict[tuple[Any, ...], list[tuple[bytes, int, int]]] = defaultdict(list)
    for d, (record_id, text) in enumerate(documents):
        for i in range(len(split[d]) - units + 1):
            window = split[d][i : i + units]
            count = sum(window[0][1] <= start < window[-1][2] for _, start, _ in words(text)) if least > 1 else least
            if mode == "passages" or count >= least:
                places[tuple(spelled for spelled, _, _ in window)].append((record_id, d, i))
    gone: list[set[int]] = [set() for _ in documents]
    for occurrences in places.values():
        occurrences.sort()
        _, first, at = occurrences[0]
        apart: list[tuple[int, int]] = []
        for _, d, i in occurrences:
            if not apart or apart[-1][0] != d or i >= apart[-1][1] + units:
                apart.append((d, i))
        for _, d, i in occurrences:
            again = d != first or i >= at + units
            if again if boilerplate is None else len(apart) > boilerplate:
                gone[d].update(range(i, i + units))
    return gone


def left(text: str, mode: str, gone: set[int]) -> str:
    """The text without its gone units, by the rule of docs/repeated-spans.md."""
    raw, split = text.encode(), UNITS[mode](text)
    for first in sorted((u for u in gone if u - 1 not in gone), reverse=True):
        last = first
        while last + 1 in gone:
            last += 1
        start, end = split[first][1], split[last][2]
        until = split[last + 1][1] if last + 1 < len(split) else len(raw)
        between = raw[end:until]
        parts = re.fullmatch(rb"([^ \t\n\r]*)([ \t\n\r]*)([\s\S]*)", between)
        assert parts is not None
        if parts[2]:
            alone = not raw[:start].rpartition(b"\n")[2].strip(b" \t\r")
            end += len(parts[1]) + (0 if b"\n" in parts[2] and not alone else len(parts[2]))
        elif last + 1 == len(split):
            end = len(raw)
        raw = raw[:start] + raw[end:]
    return raw.decode()
