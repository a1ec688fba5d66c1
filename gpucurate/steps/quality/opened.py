"""Classifiers opened once a process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from gpucurate.steps.quality.config import ClassifierConfig
from gpucurate.steps.quality.fasttext_classifier import FastTextClassifier
from gpucurate.steps.quality.model_directory import classifier_digest, find_directory, kind_of
from gpucurate.steps.quality.regressor import Regressor, Scored

KEPT_OPEN = 4  # a recipe hardly has more; a worker that serves other runs forgets the oldest
THREADS = 1  # there is a worker a core, and the same number everywhere gives the same sums


class Scorer(Protocol):
    """What a regressor and a fastText model have in common."""

    def score(self, texts: Sequence[str], called: Callable[[int], str]) -> Scored:
        """Scores and the tokens looked at."""
        ...


def open_classifier(config: ClassifierConfig, device: str) -> Scorer:
    """As `Regressor.open` and `FastTextClassifier.open`; a model that changed on disk is opened anew."""
    return _open(config, device, classifier_digest(find_directory(config.model)))


@lru_cache(maxsize=KEPT_OPEN)
def _open(config: ClassifierConfig, device: str, digest: str) -> Scorer:
    directory = find_directory(config.model)
    if kind_of(directory) == "fasttext":
        return FastTextClassifier.open(directory)
    return Regressor.open(
        str(directory),
        dtype=config.precision,
        device=device,
        max_tokens=config.max_tokens,
        long=config.long,
        max_windows=config.max_windows,
        threads=THREADS,
    )
