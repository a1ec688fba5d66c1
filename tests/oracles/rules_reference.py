"""Every rule set over Python strings, one text at a time, stopping at the first reason: what the papers say, plainly.

Words, spaces and sentence ends are those of docs/rules.md; thresholds are the published ones.
"""

from __future__ import annotations

import re

from gpucurate.device.cpu.text_features.characters import LETTER, SPACE, TERMINAL, TEXTUAL
from gpucurate.device.features import GOPHER_STOP_WORDS
from tests.oracles.text_features_reference import (
    duplicate_gram_chars,
    duplicates,
    is_,
    paragraphs_of,
    stripped,
    top_gram_chars,
    words_of,
)

POLICY = (
    "terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies",
)  # fmt: skip
CLOSING = "\"')]»’”"


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def gopher_quality(text: str) -> str | None:
    words = words_of(text)
    textual = [w for w in words if any(is_(c, TEXTUAL) for c in w)]
    lines = text.split("\n")[: -1 if text.endswith("\n") or not text else None]
    ends = [stripped(line) for line in lines]
    length = share(sum(map(len, textual)), len(textual))
    rules = {
        "gopher.short": len(textual) < 50,
        "gopher.long": len(textual) > 100_000,
        "gopher.word_length": length < 3 or length > 10,
        "gopher.hash_ratio": share(text.count("#"), len(words)) > 0.1,
        "gopher.ellipsis_ratio": share(text.count("...") + text.count("…"), len(words)) > 0.1,
        "gopher.bullet_lines": share(sum(e.startswith(("•", "-")) for e in ends), len(lines)) > 0.9,
        "gopher.ellipsis_lines": share(sum(e.endswith(("...", "…")) for e in ends), len(lines)) > 0.3,
        "gopher.letter_words": share(sum(any(is_(c, LETTER) for c in w) for w in words), len(words)) < 0.8,
        "gopher.stop_words": len(set(GOPHER_STOP_WORDS) & set(words)) < 2,
    }
    return next((code for code, holds in rules.items() if holds), None)


def gopher_repetition(text: str) -> str | None:
    words, paragraphs = words_of(text), paragraphs_of(text)
    lines = [line for line in text.split("\n") if stripped(line)]
    for name, items in (("paragraph", paragraphs), ("line", lines)):
        count, chars = duplicates(items)
        if share(count, len(items)) > 0.3:
            return f"gopher.duplicate_{name}s"
        if share(chars, len(text)) > 0.2:
            return f"gopher.duplicate_{name}_chars"
    for n, most in ((2, 0.20), (3, 0.18), (4, 0.16)):
        if share(top_gram_chars(words, n), len(text)) > most:
            return f"gopher.top_{n}_gram"
    for n, most in ((5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10)):
        if share(duplicate_gram_chars(words, n), len(text)) > most:
            return f"gopher.duplicate_{n}_gram"
    return None


def fineweb(text: str) -> str | None:
    lines = [line for line in text.split("\n") if stripped(line)]
    if not lines:
        return "fineweb.empty"
    if sum(is_(stripped(line)[-1], TERMINAL) for line in lines) / len(lines) < 0.12:
        return "fineweb.terminal_lines"
    if sum(len(line) <= 30 for line in lines) / len(lines) > 0.67:
        return "fineweb.short_lines"
    if duplicates(lines)[1] / len(text.replace("\n", "")) > 0.01:
        return "fineweb.duplicate_line_chars"
    return "fineweb.newlines" if share(text.count("\n"), len(words_of(text))) > 0.3 else None


def lesson(text: str) -> str | None:
    textual = [w for w in words_of(text) if any(is_(c, TEXTUAL) for c in w)]
    lines = [line for line in text.split("\n") if stripped(line)]
    length = share(sum(map(len, textual)), len(textual))
    rules = {
        "lesson.short": len(text) < 200,
        "lesson.long": len(text) > 1_000_000,
        "lesson.word_length": length < 3 or length > 12,
        "lesson.letters": share(sum(is_(c, LETTER) for c in text), len(text)) < 0.6,
        "lesson.symbols": share(sum(not is_(c, TEXTUAL | SPACE) for c in text), len(text)) > 0.15,
        "lesson.duplicate_lines": share(duplicates(lines)[0], len(lines)) > 0.3,
        "lesson.stop_words": len(set(GOPHER_STOP_WORDS) & set(words_of(text))) < 2,
    }
    return next((code for code, holds in rules.items() if holds), None)


def spaced(text: str) -> list[str]:
    return "".join(" " if is_(c, SPACE) else c for c in text).split()


def sentences_of(line: str) -> int:
    """Marked with a separator after each end, then counted."""
    marked, at = "", 0
    while at < len(line):
        begin = at
        if is_(line[at], TERMINAL):
            while at < len(line) and (is_(line[at], TERMINAL) or line[at] in CLOSING):
                at += 1
            run = line[begin:at]
            wide = any(ord(c) > 127 and is_(c, TERMINAL) for c in run)
            marked += run + ("\0" if wide or at == len(line) or is_(line[at], SPACE) else "")
        else:
            marked += line[at]
            at += 1
    return sum(bool(stripped(piece)) for piece in marked.split("\0"))


def c4_line(line: str, terminal: bool = False) -> tuple[str | None, str]:
    """(what removes the line or None, the line without spaces at its ends and without citations)."""
    words = spaced(line)
    clean = re.sub(r"( ?)((?:\[[0-9]*\]|\[edit\]|\[citation needed\])+)(?=(.)?)", _citation, stripped(line))
    clean = stripped(clean)
    low = clean.encode().lower().decode()
    if any(len(word) > 1000 for word in words):
        return "c4.long_word", clean
    if terminal and (clean.endswith("...") or not clean or not (is_(clean[-1], TERMINAL) or clean[-1] in "\"'’”")):
        return "c4.no_terminal", clean
    if len(words) < 3:
        return "c4.short_line", clean
    if "lorem ipsum" in low:
        return "lorem", clean
    if "javascript" in low:
        return "c4.javascript", clean
    if "{" in clean:
        return "curly", clean
    if any(phrase in low for phrase in POLICY):
        return "c4.policy", clean
    return None, clean


def _citation(match: re.Match[str]) -> str:
    return "" if match[3] in (None, " ") and match.start() > 0 else match[1]


def c4(text: str) -> str | None:
    sentences = lines_left = 0
    lines = [line for line in text.split("\n") if stripped(line)]
    for verdict, _ in map(c4_line, lines):
        if verdict in ("lorem", "curly"):
            return "c4.lorem_ipsum" if verdict == "lorem" else "c4.curly_bracket"
    for verdict, clean in map(c4_line, lines):
        if verdict is None:
            sentences += sentences_of(clean)
            lines_left += 1
    if sentences < 5:
        return "c4.few_sentences"
    return None if lines_left else "c4.no_lines"


def c4_text(text: str, terminal: bool = False) -> list[str]:
    """What line removal leaves of the lines with text, stripped and without citations.

    A line that makes the whole page go stays, but for the removals that come after that test.
    """
    left = []
    for line in text.split("\n"):
        if stripped(line):
            verdict, clean = c4_line(line, terminal)
            low = clean.encode().lower().decode()
            if verdict == "lorem" and "javascript" in low:
                verdict = "c4.javascript"
            elif verdict in ("lorem", "curly") and any(phrase in low for phrase in POLICY):
                verdict = "c4.policy"
            if verdict in (None, "lorem", "curly") and clean:
                left.append(clean)
    return left
