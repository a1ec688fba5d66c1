"""Settings of `repeated_spans`, and what they mean for the search: units, and how many in a row are compared."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from gpucurate.recipe.model import StepConfig


class Mode(StrEnum):
    """What is compared."""

    PASSAGES = "passages"
    C4_SENTENCES = "c4_sentences"
    LINES = "lines"
    PARAGRAPHS = "paragraphs"


# Words: 50 as Lee et al. 2022, section 4.1 (50 tokens, about 40 words); lines of 10 words as the second of FineWeb's
# line experiments (section 3.4), and paragraphs alike; C4 (section 2.2) asks nothing of its three sentences.
LEAST_WORDS = {Mode.PASSAGES: 50, Mode.C4_SENTENCES: 1, Mode.LINES: 10, Mode.PARAGRAPHS: 10}
C4_SENTENCES = 3  # C4, section 2.2
MOST_WORDS = 1000  # a window's hash costs a GPU as many steps as it has words


class RepeatedSpansConfig(StepConfig):
    """Settings of `repeated_spans`."""

    mode: Mode = Field(
        Mode.PASSAGES,
        description="What is compared: `passages`, any run of at least `words` words; `c4_sentences`, three sentences "
        "in a row (C4's rule); `lines`; `paragraphs`.",
    )
    words: int | None = Field(
        None,
        ge=1,
        le=MOST_WORDS,
        description="Least number of words of what is compared. Unless set: 50 for passages, 10 for lines and "
        "paragraphs, 1 for three sentences.",
    )
    boilerplate: int | None = Field(
        None,
        ge=1,
        description="If set, what occurs more than so many times is cut everywhere, what is rarer stays everywhere. "
        "Otherwise the one in the document of the smallest record id stays, all others are cut.",
    )

    @property
    def least_words(self) -> int:
        """Words that what is compared must have."""
        return LEAST_WORDS[self.mode] if self.words is None else self.words

    @property
    def units(self) -> int:
        """How many units in a row are compared: words, sentences, lines or paragraphs."""
        if self.mode is Mode.PASSAGES:
            return self.least_words
        return C4_SENTENCES if self.mode is Mode.C4_SENTENCES else 1
