"""A fastText model's probability of each of its labels, as Dolma's taggers use them (Soldaini et al. 2024, arXiv
2402.00159, section 5.3): the whole text is one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpucurate.core.errors import InputError, MissingExtra
from gpucurate.steps.quality.fasttext_line import LABEL_PREFIX, as_line
from gpucurate.steps.toxicity.fasttext_file import check_whole
from gpucurate.steps.toxicity.models import LabelScores


@dataclass(slots=True)
class FastTextLabels:
    """An opened model."""

    model: Any  # fasttext's
    labels: tuple[str, ...]  # without prefix, sorted

    @classmethod
    def open(cls, path: Path) -> FastTextLabels:
        """Raises InputError for a file that is no classifier, MissingExtra."""
        try:
            import fasttext
        except ImportError as error:
            raise MissingExtra("scoring with fastText", "fasttext-community", "classifier") from error
        try:
            check_whole(path)
            model = fasttext.load_model(str(path))
        except (ValueError, RuntimeError, OSError) as error:
            raise InputError(
                f"the fastText model {path} cannot be used: {error}. Remedy: copy it again, or name a classifier"
            ) from error
        labels = sorted(label.removeprefix(LABEL_PREFIX) for label in model.get_labels())
        return cls(model, tuple(labels))

    def score(self, texts: Sequence[str], called: Callable[[int], str]) -> LabelScores:
        """[texts, labels]: 0 to 1; a text of which the model knows no word may have 0 for all."""
        values = np.zeros((len(texts), len(self.labels)))
        if len(texts):
            place = {LABEL_PREFIX + label: n for n, label in enumerate(self.labels)}
            labels, chances = self.model.predict([as_line(text) for text in texts], k=-1)
            for row, pair in enumerate(zip(labels, chances, strict=True)):
                for label, chance in zip(*pair, strict=True):
                    values[row, place[label]] = chance
        return LabelScores(values.clip(0, 1), np.zeros(len(texts), np.int64))  # it answers up to 1.00001

    def told(self) -> list[str]:
        """Nothing."""
        return []
