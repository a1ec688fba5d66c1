"""A small plain rule set to teach with: six rules that can be explained at a blackboard.

The numbers are round and ours, no paper's; for a corpus that matters take the published sets.
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from gpucurate.core.reasons import Reason
from gpucurate.steps.rules.limits import Count, Limits, Ratio, Share
from gpucurate.steps.rules.signals import Flags, Signals, above, below, by_reason

ORIGIN = "gpucurate, docs/rules.md"


class Lesson(Limits):
    """Thresholds; `null` switches a rule off."""

    min_chars: Count | None = Field(200, description="Least number of characters.")
    max_chars: Count | None = Field(1_000_000, description="Largest number of characters.")
    min_word_length: Ratio | None = Field(3, description="Least mean length of words, in characters.")
    max_word_length: Ratio | None = Field(12, description="Largest mean length of words.")
    min_letters: Share | None = Field(0.6, description="Least share of characters that are letters.")
    max_symbols: Share | None = Field(
        0.15, description="Largest share of characters that are neither letters, marks, numbers nor space."
    )
    max_duplicate_lines: Share | None = Field(0.3, description="Largest share of lines equal to an earlier one.")
    min_stop_words: Count | None = Field(2, description="Least number of different stop words.")


REASONS = (
    Reason("lesson.short", "fewer characters than min_chars", ORIGIN),
    Reason("lesson.long", "more characters than max_chars", ORIGIN),
    Reason("lesson.word_length", "mean word length outside min_word_length to max_word_length", ORIGIN),
    Reason("lesson.letters", "fewer letters than min_letters", ORIGIN),
    Reason("lesson.symbols", "more symbols than max_symbols", ORIGIN),
    Reason("lesson.duplicate_lines", "more repeated lines than max_duplicate_lines", ORIGIN),
    Reason("lesson.stop_words", "fewer different stop words than min_stop_words", ORIGIN),
)


def flags(table: pa.Table, limits: Lesson) -> dict[Reason, Flags]:
    """Every rule's verdict on every document, each by itself."""
    signals = Signals(table)
    length = signals.share("text_word_chars", "text_words")
    repeated = signals.share("duplicate_lines", "repetition_lines")
    return by_reason(
        REASONS,
        {
            "lesson.short": below(signals.count("chars"), limits.min_chars),
            "lesson.long": above(signals.count("chars"), limits.max_chars),
            "lesson.word_length": below(length, limits.min_word_length) | above(length, limits.max_word_length),
            "lesson.letters": below(signals.share("letters", "chars"), limits.min_letters),
            "lesson.symbols": above(signals.share("symbols", "chars"), limits.max_symbols),
            "lesson.duplicate_lines": above(repeated, limits.max_duplicate_lines),
            "lesson.stop_words": below(signals.count("stop_words"), limits.min_stop_words),
        },
    )
