"""FineWeb's own rules: lists, menus and fragments that Gopher's let through.

Source: Penedo et al., "The FineWeb Datasets", 2024, section 3.6.  As in FineWeb's pipeline they look at the text that
C4's line removal left.
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from gpucurate.core.reasons import Reason
from gpucurate.steps.rules.limits import Limits, Ratio, Share
from gpucurate.steps.rules.signals import Flags, Signals, above, below, by_reason, divided

ORIGIN = "FineWeb, section 3.6"
EDITED = "edited_"  # prefix of the columns measured after line removal
MEASURED = (
    "text_lines", "terminal_lines", "short_lines", "duplicate_line_chars", "repetition_chars", "repetition_newlines",
    "newlines", "words",
)  # fmt: skip


class FineWeb(Limits):
    """Thresholds; `null` switches a rule off."""

    min_terminal_lines: Share | None = Field(
        0.12, description="Least share of lines with text that end in terminal punctuation."
    )
    max_short_lines: Share | None = Field(0.67, description="Largest share of lines of at most 30 characters.")
    max_duplicate_line_chars: Share | None = Field(
        0.01, description="Largest share of characters in lines equal to an earlier one."
    )
    max_newlines_per_word: Ratio | None = Field(0.3, description="Largest number of line ends for each word.")


REASONS = (
    Reason("fineweb.empty", "no line with text", ORIGIN),
    Reason("fineweb.terminal_lines", "fewer lines end in terminal punctuation than min_terminal_lines", ORIGIN),
    Reason("fineweb.short_lines", "more short lines than max_short_lines", ORIGIN),
    Reason("fineweb.duplicate_line_chars", "more repeated characters than max_duplicate_line_chars", ORIGIN),
    Reason("fineweb.newlines", "more line ends for each word than max_newlines_per_word", ORIGIN),
)


def flags(table: pa.Table, limits: FineWeb) -> dict[Reason, Flags]:
    """Every rule's verdict on every document, each by itself."""
    signals = Signals(table, EDITED)
    printed = signals.count("repetition_chars") - signals.count("repetition_newlines")
    repeated = divided(signals.count("duplicate_line_chars"), printed)
    return by_reason(
        REASONS,
        {
            "fineweb.empty": signals.count("text_lines") == 0,
            "fineweb.terminal_lines": below(signals.share("terminal_lines", "text_lines"), limits.min_terminal_lines),
            "fineweb.short_lines": above(signals.share("short_lines", "text_lines"), limits.max_short_lines),
            "fineweb.duplicate_line_chars": above(repeated, limits.max_duplicate_line_chars),
            "fineweb.newlines": above(signals.share("newlines", "words"), limits.max_newlines_per_word),
        },
    )
