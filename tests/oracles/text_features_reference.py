"""Brute-force text features over Python strings: the definition in docs/rules.md, written the slow and obvious way.

Independent of the kernels but for the frozen character flags, which have an oracle of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from gpucurate.device.cpu.text_features.characters import (
    ALONE,
    EXTEND,
    LETTER,
    SPACE,
    TERMINAL,
    TEXTUAL,
    WORD,
    character_classes,
)
from gpucurate.device.features import DUPLICATE_GRAMS, GOPHER_STOP_WORDS, SHORT_LINE_CHARS, TOP_GRAMS


def is_(character: str, flag: int) -> bool:
    return bool(character_classes()[ord(character)] & flag)


def character_set(wanted: int, unwanted: int = 0) -> str:
    """The inside of a regex character class with all code points that have all of one set of flags, none of another."""
    flags = character_classes()
    chosen = ((flags & wanted) == wanted) & ((flags & unwanted) == 0)
    members = [cp for cp in chosen.nonzero()[0].tolist() if not 0xD800 <= cp < 0xE000]
    spans: list[list[int]] = []
    for cp in members:
        if spans and spans[-1][1] == cp - 1:
            spans[-1][1] = cp
        else:
            spans.append([cp, cp])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in spans)


@cache
def word_pattern() -> re.Pattern[str]:
    run = f"[{character_set(WORD, ALONE)}]+"
    joined = f"{run}(?:[.,]{run})*"
    alone = f"[{character_set(ALONE)}][{character_set(EXTEND)}]*"
    return re.compile(f"(?P<run>{joined}(?:['’]{joined})*)|{alone}|[^{character_set(SPACE)}]")


def words_of(text: str) -> list[str]:
    """The words of a text; a run such as rock'n'roll splits before its apostrophes."""
    found: list[str] = []
    for match in word_pattern().finditer(text):
        found += re.findall(r"['’]?[^'’]+", match["run"]) if match["run"] else [match[0]]
    return found


def stripped(text: str) -> str:
    start, stop = 0, len(text)
    while start < stop and is_(text[start], SPACE):
        start += 1
    while stop > start and is_(text[stop - 1], SPACE):
        stop -= 1
    return text[start:stop]


def duplicates(items: list[str]) -> tuple[int, int]:
    seen: set[str] = set()
    count = chars = 0
    for item in items:
        if item in seen:
            count += 1
            chars += len(item)
        seen.add(item)
    return count, chars


def top_gram_chars(words: list[str], n: int) -> int:
    grams = Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
    if not grams:
        return 0
    gram, count = grams.most_common(1)[0]
    return len(" ".join(gram)) * count


def duplicate_gram_chars(words: list[str], n: int) -> int:
    seen: set[tuple[str, ...]] = set()
    total = at = 0
    while at + n <= len(words):
        gram = tuple(words[at : at + n])
        if gram in seen:
            total += sum(map(len, gram))
            at += n
        else:
            seen.add(gram)
            at += 1
    return total


def paragraphs_of(text: str) -> list[str]:
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        if stripped(line):
            blocks[-1].append(line)
        else:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


def features_of(
    text: str, stop_words: tuple[str, ...] = GOPHER_STOP_WORDS, window: int | None = None
) -> dict[str, int]:
    """One row of TEXT_FEATURES; `window` is in bytes, as in the kernels."""
    words = words_of(text)
    text_words = [w for w in words if any(is_(c, TEXTUAL) for c in w)]
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    filled = [line for line in lines if stripped(line)]
    ends = [stripped(line) for line in filled]
    looked_at = text.encode()[:window].decode(errors="ignore")
    part_lines = [line for line in looked_at.split("\n") if stripped(line)]
    part_paragraphs = paragraphs_of(looked_at)
    part_words = words_of(looked_at)
    row = {
        "chars": len(text),
        "letters": sum(is_(c, LETTER) for c in text),
        "symbols": sum(not is_(c, TEXTUAL | SPACE) for c in text),
        "newlines": text.count("\n"),
        "hashes": text.count("#"),
        "ellipses": text.count("...") + text.count("…"),
        "words": len(words),
        "text_words": len(text_words),
        "text_word_chars": sum(map(len, text_words)),
        "letter_words": sum(any(is_(c, LETTER) for c in w) for w in words),
        "stop_words": len(set(stop_words) & set(words)),
        "lines": len(lines),
        "text_lines": len(filled),
        "bullet_lines": sum(line.startswith(("-", "•")) for line in ends),
        "ellipsis_lines": sum(line.endswith(("...", "…")) for line in ends),
        "terminal_lines": sum(is_(line[-1], TERMINAL) for line in ends),
        "short_lines": sum(len(line) <= SHORT_LINE_CHARS for line in filled),
        "repetition_chars": len(looked_at),
        "repetition_newlines": looked_at.count("\n"),
        "repetition_lines": len(part_lines),
        "paragraphs": len(part_paragraphs),
    }
    row["duplicate_lines"], row["duplicate_line_chars"] = duplicates(part_lines)
    row["duplicate_paragraphs"], row["duplicate_paragraph_chars"] = duplicates(part_paragraphs)
    for n in TOP_GRAMS:
        row[f"top_{n}_gram_chars"] = top_gram_chars(part_words, n)
    for n in DUPLICATE_GRAMS:
        row[f"duplicate_{n}_gram_chars"] = duplicate_gram_chars(part_words, n)
    return row
