"""C4's rules: pages that are not prose go, and lines that are not content are removed from the others.

Source: Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", 2020,
section 2.2, and the order of tests of its reference implementation.  Removing lines without terminal punctuation is
off by default, as in FineWeb (section 3.5: it removes too much).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from gpucurate.core.errors import RecipeError
from gpucurate.core.reasons import Reason
from gpucurate.core.text_buffers import TextBuffers, text_array
from gpucurate.device.cpu.text_features.characters import character_classes
from gpucurate.recipe.model import Block
from gpucurate.steps.contract import Edit
from gpucurate.steps.edits import column_of_changes, spans_table, without_spans
from gpucurate.steps.rules.limits import Count
from gpucurate.steps.rules.line_removal import KINDS, Found, LineOptions, Spans, walk_lines
from gpucurate.steps.rules.line_tests import OPEN_BRACKET, phrase_table
from gpucurate.steps.rules.signals import Flags, Signals, below, by_reason

ORIGIN = "C4, section 2.2"
LINE_END = 0x0A
WORDS_A_PATTERN = 200  # RE2 refuses patterns beyond a size, and slows down before


class C4(Block):
    """Rules for pages, and which lines to remove."""

    judging: ClassVar[frozenset[str]] = frozenset({"min_sentences", "lorem_ipsum", "curly_bracket"})
    min_sentences: Count | None = Field(5, description="Least number of sentences in the lines that stay.")
    lorem_ipsum: bool = Field(True, description="Drop pages with the words lorem ipsum.")
    curly_bracket: bool = Field(True, description="Drop pages with a `{`, which are mostly program code.")
    bad_words: str | None = Field(
        None, description="Text file with a word or phrase on each line; pages that hold one, in any case, are dropped."
    )
    bad_words_anywhere: bool = Field(
        False, description="Find those also inside of longer words, for languages written without spaces."
    )
    terminal_punctuation: bool = Field(
        False, description="Remove lines that do not end in terminal punctuation or an end quotation mark."
    )
    min_line_words: Count | None = Field(3, description="Remove lines of fewer words (between spaces).")
    max_word_chars: Count | None = Field(1000, description="Remove lines with a longer word.")
    javascript: bool = Field(True, description="Remove lines with the word javascript.")
    policy: bool = Field(True, description="Remove lines about cookies, privacy policies and terms of use.")
    citations: bool = Field(True, description="Remove `[1]`, `[]`, `[edit]` and `[citation needed]` inside of lines.")

    def measuring(self) -> dict[str, object]:
        """What shapes signals and edit; the list of bad words counts by its digest, not by its place."""
        return self.model_dump(mode="json", exclude=set(self.judging) | {"bad_words"})


REASONS = (
    Reason("c4.lorem_ipsum", "the page has the words lorem ipsum", ORIGIN),
    Reason("c4.curly_bracket", "the page has a curly bracket", ORIGIN),
    Reason("c4.few_sentences", "fewer sentences than min_sentences are left", ORIGIN),
    Reason("c4.bad_words", "the page has a word of the user's list", ORIGIN),
    Reason("c4.no_lines", "every line was removed", ORIGIN),
)


class Removal(NamedTuple):
    """Signals (`c4_*`, one row a document) and what line removal would leave."""

    signals: dict[str, pa.Array]
    edit: Edit


def walk(texts: TextBuffers, settings: C4) -> Removal:
    """Walk all lines.  Whether the edit is used is the caller's choice; the signals count what it leaves."""
    data, offsets = texts
    documents = texts.documents
    used = data[offsets[0] : offsets[-1]]
    room = int(np.count_nonzero(used == LINE_END) + np.count_nonzero(used == OPEN_BRACKET)) + documents
    found = Found(
        np.zeros(documents, np.int64),
        np.zeros(documents, np.int64),
        np.zeros(documents, np.bool_),
        np.zeros(documents, np.bool_),
    )
    row, start, end = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    spans = Spans(row, start, end, np.empty(room, np.int8), np.zeros(1, np.int64))
    walk_lines(data, offsets, character_classes(), phrase_table(), _line_options(settings), found, spans)
    count = int(spans.used[0])
    row, start, end = row[:count], start[:count], end[:count]
    kinds = pa.DictionaryArray.from_arrays(pa.array(spans.kind[:count]), pa.array(KINDS)).cast(pa.string())
    edit = Edit(column_of_changes(*without_spans(data, offsets, row, start, end)), spans_table(row, start, end, kinds))
    signals = {
        "c4_sentences": pa.array(found.sentences),
        "c4_text_lines": pa.array(found.text_lines),
        "c4_lorem_ipsum": pa.array(found.lorem),
        "c4_curly_bracket": pa.array(found.curly),
        "c4_bad_words": _bad_words(texts, settings),
    }
    return Removal(signals, edit)


def flags(table: pa.Table, limits: C4) -> dict[Reason, Flags]:
    """Every rule's verdict on every document, each by itself."""
    signals = Signals(table)
    return by_reason(
        REASONS,
        {
            "c4.lorem_ipsum": signals.flag("c4_lorem_ipsum") & limits.lorem_ipsum,
            "c4.curly_bracket": signals.flag("c4_curly_bracket") & limits.curly_bracket,
            "c4.few_sentences": below(signals.count("c4_sentences"), limits.min_sentences),
            "c4.bad_words": signals.flag("c4_bad_words"),
            "c4.no_lines": signals.count("c4_text_lines") == 0,
        },
    )


def read_bad_words(path: str) -> list[str]:
    """The user's list, in lower case; raises RecipeError where it cannot be read or is empty."""
    try:
        words = [line.strip().lower() for line in Path(path).read_text("utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as wrong:
        raise RecipeError(f"rules: c4: bad_words: cannot read {path!r} as UTF-8 text ({wrong})") from wrong
    words = sorted({word for word in words if word})
    if not words:
        raise RecipeError(f"rules: c4: bad_words: {path!r} holds no words")
    return words


def _bad_words(texts: TextBuffers, settings: C4) -> pa.Array:
    """Whether a page holds one of the user's words, flanked by nothing, or by what is no letter, mark or number."""
    if settings.bad_words is None:
        return pa.array(np.zeros(texts.documents, np.bool_))
    column = text_array(texts.data, texts.offsets)
    words = read_bad_words(settings.bad_words)
    found = pa.array(np.zeros(texts.documents, np.bool_))
    for first in range(0, len(words), WORDS_A_PATTERN):
        pattern = "|".join(map(re.escape, words[first : first + WORDS_A_PATTERN]))
        if not settings.bad_words_anywhere:
            pattern = rf"(?:^|[^\pL\pM\pN_])(?:{pattern})(?:$|[^\pL\pM\pN_])"
        found = pc.or_(found, pc.match_substring_regex(column, pattern, ignore_case=True))
    return found


def _line_options(settings: C4) -> LineOptions:
    return LineOptions(
        -1 if settings.max_word_chars is None else settings.max_word_chars,
        settings.terminal_punctuation,
        -1 if settings.min_line_words is None else settings.min_line_words,
        settings.javascript,
        settings.policy,
        settings.citations,
    )
