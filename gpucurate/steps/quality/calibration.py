"""The map from a classifier's score to the rating it stands for, as its `gpucurate.json` holds it.

`gpucurate classifier evaluate --calibrate` fits it (isotonic regression) and saves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import InputError
from gpucurate.steps.quality.model_directory import LINEAGE, lineage

ENTRY = "calibration"  # in gpucurate.json
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Knots of a map from score to expected rating, both ascending; constant beyond them."""

    score: Floats
    rating: Floats

    def __call__(self, score: Floats) -> Floats:
        """Expected ratings of scores."""
        return np.interp(score, self.score, self.rating)

    def digest(self) -> str:
        """64 hex digits over the knots."""
        return digest_settings({"score": self.score.tolist(), "rating": self.rating.tolist()})


def read_calibration(told: Mapping[str, Any]) -> Calibration | None:
    """The map in what training and evaluation wrote down, if there is one.  Raises ValueError where it is damaged."""
    entry = told.get(ENTRY)
    if not entry:
        return None
    try:
        found = Calibration(np.array(entry["score"], np.float64), np.array(entry["rating"], np.float64))
    except (KeyError, TypeError) as error:
        raise ValueError(f"its knots cannot be read: {error!r}") from error
    for knots in (found.score, found.rating):
        if knots.ndim != 1 or not len(knots) or not np.isfinite(knots).all() or (np.diff(knots) < 0).any():
            raise ValueError("its knots are no ascending numbers")
    if len(found.score) != len(found.rating):
        raise ValueError(f"{len(found.score)} scores for {len(found.rating)} ratings")
    return found


def saved_calibration(directory: Path) -> Calibration | None:
    """The map of the classifier in `directory`, if there is one.  Raises InputError where it is damaged."""
    try:
        return read_calibration(lineage(directory))
    except ValueError as error:
        raise InputError(
            f"the calibration in {directory / LINEAGE} is damaged ({error}). "
            "Remedy: gpucurate classifier evaluate --calibrate again, or calibrated: false"
        ) from error
