"""Gopher's repetition rules: how much of a document says the same again.

Source: Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher", 2021, appendix A.1.1,
table A1; read as datatrove reads it, which FineWeb used.  Lines and paragraphs are those with text.
"""

from __future__ import annotations

import pyarrow as pa
from pydantic import Field

from gpucurate.core.reasons import Reason
from gpucurate.device.features import DUPLICATE_GRAMS, TOP_GRAMS
from gpucurate.steps.rules.limits import Limits, Share
from gpucurate.steps.rules.signals import Flags, Signals, above, by_reason

ORIGIN = "Gopher, appendix A.1.1, table A1"


class GopherRepetition(Limits):
    """Largest shares; `null` switches a rule off."""

    duplicate_lines: Share | None = Field(0.30, description="Largest share of lines equal to an earlier one.")
    duplicate_line_chars: Share | None = Field(0.20, description="Largest share of characters in such lines.")
    duplicate_paragraphs: Share | None = Field(0.30, description="Largest share of paragraphs equal to an earlier one.")
    duplicate_paragraph_chars: Share | None = Field(0.20, description="Largest share of characters in such paragraphs.")
    top_2_gram: Share | None = Field(0.20, description="Largest share of characters in the most frequent word pair.")
    top_3_gram: Share | None = Field(0.18, description="The same for three words in a row.")
    top_4_gram: Share | None = Field(0.16, description="The same for four words in a row.")
    duplicate_5_gram: Share | None = Field(0.15, description="Largest share of characters in repeated runs of 5 words.")
    duplicate_6_gram: Share | None = Field(0.14, description="The same for runs of 6 words.")
    duplicate_7_gram: Share | None = Field(0.13, description="The same for runs of 7 words.")
    duplicate_8_gram: Share | None = Field(0.12, description="The same for runs of 8 words.")
    duplicate_9_gram: Share | None = Field(0.11, description="The same for runs of 9 words.")
    duplicate_10_gram: Share | None = Field(0.10, description="The same for runs of 10 words.")


REASONS = (
    Reason("gopher.duplicate_paragraphs", "too many paragraphs repeat an earlier one", ORIGIN),
    Reason("gopher.duplicate_paragraph_chars", "too many characters are in repeated paragraphs", ORIGIN),
    Reason("gopher.duplicate_lines", "too many lines repeat an earlier one", ORIGIN),
    Reason("gopher.duplicate_line_chars", "too many characters are in repeated lines", ORIGIN),
    *(Reason(f"gopher.top_{n}_gram", f"the most frequent {n} words fill too much of it", ORIGIN) for n in TOP_GRAMS),
    *(
        Reason(f"gopher.duplicate_{n}_gram", f"repeated runs of {n} words fill too much of it", ORIGIN)
        for n in DUPLICATE_GRAMS
    ),
)


def flags(table: pa.Table, limits: GopherRepetition) -> dict[Reason, Flags]:
    """Every rule's verdict on every document, each by itself."""
    signals = Signals(table)
    found = {
        "gopher.duplicate_lines": above(signals.share("duplicate_lines", "repetition_lines"), limits.duplicate_lines),
        "gopher.duplicate_paragraphs": above(
            signals.share("duplicate_paragraphs", "paragraphs"), limits.duplicate_paragraphs
        ),
    }
    of_chars = ["duplicate_line", "duplicate_paragraph", *(f"top_{n}_gram" for n in TOP_GRAMS)]
    for name in [*of_chars, *(f"duplicate_{n}_gram" for n in DUPLICATE_GRAMS)]:
        field = name if name.endswith("gram") else f"{name}_chars"
        share = signals.share(f"{name}_chars", "repetition_chars")
        found[f"gopher.{field}"] = above(share, getattr(limits, field))
    return by_reason(REASONS, found)
