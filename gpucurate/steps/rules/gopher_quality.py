"""Gopher's quality rules: is this prose at all.

Source: Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher", 2021, appendix A.1.1;
read as datatrove reads it, which FineWeb used.  Words are those of docs/rules.md.
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from gpucurate.core.reasons import Reason
from gpucurate.steps.rules.limits import Count, Limits, Ratio, Share
from gpucurate.steps.rules.signals import Flags, Signals, above, below, by_reason

ORIGIN = "Gopher, appendix A.1.1"


class GopherQuality(Limits):
    """Thresholds; `null` switches a rule off."""

    min_words: Count | None = Field(50, description="Least number of words that have a letter, mark or number.")
    max_words: Count | None = Field(100_000, description="Largest number of such words.")
    min_word_length: Ratio | None = Field(3, description="Least mean length of those words, in characters.")
    max_word_length: Ratio | None = Field(10, description="Largest mean length of those words.")
    max_symbol_share: Ratio | None = Field(
        0.1, description="Largest number of `#`, and of ellipses, for each word (punctuation counts as words here)."
    )
    max_bullet_lines: Share | None = Field(0.9, description="Largest share of lines that begin with a bullet.")
    max_ellipsis_lines: Share | None = Field(0.3, description="Largest share of lines that end with an ellipsis.")
    min_letter_words: Share | None = Field(0.8, description="Least share of words with a letter.")
    min_stop_words: Count | None = Field(2, description="Least number of different stop words in the document.")


REASONS = (
    Reason("gopher.short", "fewer words than min_words", ORIGIN),
    Reason("gopher.long", "more words than max_words", ORIGIN),
    Reason("gopher.word_length", "mean word length outside min_word_length to max_word_length", ORIGIN),
    Reason("gopher.hash_ratio", "more hash signs for each word than max_symbol_share", ORIGIN),
    Reason("gopher.ellipsis_ratio", "more ellipses for each word than max_symbol_share", ORIGIN),
    Reason("gopher.bullet_lines", "more lines that begin with a bullet than max_bullet_lines", ORIGIN),
    Reason("gopher.ellipsis_lines", "more lines that end with an ellipsis than max_ellipsis_lines", ORIGIN),
    Reason("gopher.letter_words", "fewer words with a letter than min_letter_words", ORIGIN),
    Reason("gopher.stop_words", "fewer different stop words than min_stop_words", ORIGIN),
)


def flags(table: pa.Table, limits: GopherQuality) -> dict[Reason, Flags]:
    """Every rule's verdict on every document, each by itself."""
    signals = Signals(table)
    length = signals.share("text_word_chars", "text_words")
    return by_reason(
        REASONS,
        {
            "gopher.short": below(signals.count("text_words"), limits.min_words),
            "gopher.long": above(signals.count("text_words"), limits.max_words),
            "gopher.word_length": below(length, limits.min_word_length) | above(length, limits.max_word_length),
            "gopher.hash_ratio": above(signals.share("hashes", "words"), limits.max_symbol_share),
            "gopher.ellipsis_ratio": above(signals.share("ellipses", "words"), limits.max_symbol_share),
            "gopher.bullet_lines": above(signals.share("bullet_lines", "lines"), limits.max_bullet_lines),
            "gopher.ellipsis_lines": above(signals.share("ellipsis_lines", "lines"), limits.max_ellipsis_lines),
            "gopher.letter_words": below(signals.share("letter_words", "words"), limits.min_letter_words),
            "gopher.stop_words": below(signals.count("stop_words"), limits.min_stop_words),
        },
    )
