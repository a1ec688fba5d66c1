"""A fastText classifier in the place of a regressor: five times the probability of its positive label.

The factor puts it on the scale of the regressors, 0 to 5.  fastText reads words, so that length costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import InputError, MissingExtra
from gpucurate.steps.quality.fasttext_line import LABEL_PREFIX, as_line
from gpucurate.steps.quality.model_directory import FASTTEXT_FILE, lineage
from gpucurate.steps.quality.regressor import Scored

SCALE = 5.0  # as FineWeb-Edu rates


@dataclass(slots=True)
class FastTextClassifier:
    """An opened model."""

    name: str
    model: Any  # fasttext's
    positive: str  # label, with its prefix

    @classmethod
    def open(cls, directory: Path) -> FastTextClassifier:
        """Raises InputError for a damaged model or one that lacks its positive label, MissingExtra."""
        try:
            import fasttext
        except ImportError as error:
            raise MissingExtra("scoring with fastText", "fasttext-community", "classifier") from error
        try:
            model = fasttext.load_model(str(directory / FASTTEXT_FILE))
        except (ValueError, RuntimeError) as error:
            raise InputError(f"{directory / FASTTEXT_FILE} cannot be read: {error}. Remedy: train it again") from error
        positive = str(lineage(directory).get("positive", ""))
        positive = positive if positive.startswith(LABEL_PREFIX) else LABEL_PREFIX + positive
        if positive not in model.get_labels():
            raise InputError(
                f"the fastText model in {directory} has no label {positive!r}; it has {', '.join(model.get_labels())}. "
                "Remedy: train it again"
            )
        return cls(str(directory), model, positive)

    def score(self, texts: Sequence[str], called: Callable[[int], str]) -> Scored:
        """[texts]: 0 to 5; fastText counts no tokens."""
        labels, chances = self.model.predict([as_line(text) for text in texts], k=-1)
        found = [dict(zip(*pair, strict=True))[self.positive] for pair in zip(labels, chances, strict=True)]
        values: NDArray[np.float64] = np.array(found, np.float64).clip(0, 1) * SCALE  # it answers up to 1.00001
        return Scored(values, np.zeros(len(texts), np.int64))
