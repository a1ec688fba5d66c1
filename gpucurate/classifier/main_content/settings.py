"""What the training can be told."""

from __future__ import annotations

from pydantic import Field

from gpucurate.recipe.model import Block


class MainContentSettings(Block):
    """Settings of `gpucurate classifier main-content`."""

    rounds: int = Field(150, ge=1, le=2000, description="Trees a bag.")
    bags: int = Field(3, ge=1, le=20, description="Models of different seeds whose log-odds are averaged.")
    learning_rate: float = Field(0.06, gt=0, le=1, description="Of the boosting.")
    least_rows: int = Field(30, ge=1, description="Fewest blocks in a leaf.")
    feature_share: float = Field(0.3, gt=0, le=1, description="Features a tree may use.")
    row_share: float = Field(0.7, gt=0, le=1, description="Blocks a tree sees.")
    l2: float = Field(5.0, ge=0, description="Penalty on the size of leaves.")
    gold_share: float = Field(
        0.3, ge=0, le=1, description="Where an article was cut by hand, its part in the label; teachers have the rest."
    )
    folds: int = Field(5, ge=2, le=20, description="Parts of the sites; each is scored by a model that saw none of it.")
    decision: float | None = Field(
        None, gt=0, lt=1, description="Probability from which a block is kept; unset, the best out of fold is taken."
    )
    resamples: int = Field(1000, ge=100, description="Draws of the bootstrap for the intervals.")
    seed: int = Field(0, ge=0, lt=2**31, description="Of folds, trees and bootstrap.")
