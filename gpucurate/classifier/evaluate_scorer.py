"""Running the model that is evaluated, and training those of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpucurate.classifier.evaluate import Scorer, Trainer
from gpucurate.classifier.examples import Example
from gpucurate.classifier.train import TrainSettings, train
from gpucurate.run.progress import Progress
from gpucurate.steps.quality.fasttext_classifier import FastTextClassifier
from gpucurate.steps.quality.model_directory import kind_of
from gpucurate.steps.quality.regressor import Regressor


def model_scorer(
    directory: Path, lineage: Mapping[str, Any], device: str, long: str | None = None, max_tokens: int | None = None
) -> Scorer:
    """Scores by a regressor, with `long` and `max_tokens` as it was trained unless others are given, or by fastText.

    Raises what `Regressor.open` and `FastTextClassifier.open` do.
    """
    if kind_of(directory) == "fasttext":
        opened = FastTextClassifier.open(directory)
        return lambda texts: opened.score(texts, "text {}".format).values
    trained = lineage.get("settings", {})
    return Regressor.open(
        str(directory),
        device=device,
        long=long or trained.get("long", "truncate"),
        max_tokens=max_tokens or trained.get("max_tokens", 512),
        max_windows=trained.get("max_windows", 8),
    ).scores


def trainer(
    settings: TrainSettings, pool: Sequence[Example], work: Path, device: str, progress: Progress | None = None
) -> Trainer:
    """Trains each fold's model below `work`, where the next call finds what a stopped one has finished."""

    def train_fold(number: int, examples: Sequence[Example]) -> Scorer:
        out = work / f"fold-{number}"
        train(examples, out, settings, device=device, progress=progress, pool=pool, cache=work / "features")
        return model_scorer(out, {"settings": settings.model_dump()}, device)

    return train_fold
