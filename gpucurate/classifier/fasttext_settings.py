"""What the training of a fastText classifier can be told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpucurate.recipe.model import Block


class FastTextSettings(Block):
    """Settings of `gpucurate classifier train-fasttext`."""

    cut: float = Field(
        3.0, gt=0, le=5, description="With labels: documents of this score or more are the good ones; 3 as FineWeb-Edu."
    )
    word_ngrams: int = Field(2, ge=1, le=5, description="Longest run of words that is a feature; 2 as DCLM.")
    dimensions: int = Field(32, ge=1, le=1024, description="Width of the word vectors.")
    buckets: int = Field(
        1 << 18,
        ge=1 << 10,
        description="Hash buckets of runs of words; the file takes 4 bytes x `dimensions` for each and each word.",
    )
    min_count: int = Field(1, ge=1, description="Words that come less often are left out.")
    epochs: int = Field(5, ge=1, description="Passes over the examples; fastText's own default.")
    learning_rate: float = Field(0.1, gt=0, description="fastText's own default; few examples need more, 0.5 or 1.")
    balance: Literal["none", "equal"] = Field(
        "none", description="`equal` leaves out as many of the larger kind as it has more than the smaller."
    )
    held_out: float = Field(
        0.1, gt=0, lt=1, description="Part held out for the figures, by whole groups of a host or near-duplicates."
    )
    one_site: bool = Field(
        False, description="All is from one site, such as a wiki: only near-duplicates form groups to hold out."
    )
    seed: int = Field(0, ge=0, lt=2**31, description="Of the first weights, the order of the examples and the split.")
