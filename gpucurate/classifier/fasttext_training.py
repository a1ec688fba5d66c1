"""Training a fastText classifier: a linear model over hashed words and runs of words, thousands of documents a second.

One thread and a seed: the same examples in any order give the same file.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from gpucurate.classifier.examples import Example, examples_digest
from gpucurate.classifier.fasttext_settings import FastTextSettings
from gpucurate.classifier.guard import read_lineage
from gpucurate.classifier.split import split
from gpucurate.classifier.train.output import is_finished, new_directory, write_lineage
from gpucurate.classifier.train.training import FEWEST
from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import InputError, MissingExtra, UserError
from gpucurate.steps.quality.fasttext_line import LABEL_PREFIX, as_line

GOOD, REST = "good", "rest"
MODEL = "model.bin"
TEXT = "training.txt"
VERSION = 1  # of what a training does; raise it where the same settings can give other weights


@dataclass(frozen=True, slots=True)
class TrainedFastText:
    """A finished training."""

    path: Path
    train: int
    held_out: int
    figures: Mapping[str, float]  # of the held-out part; see `figures_of`
    found: bool  # whether it was there already


def train_fasttext(
    good: Sequence[Example],
    rest: Sequence[Example],
    out: Path,
    settings: FastTextSettings,
    *,
    benchmarks: Sequence[dict[str, str]] = (),
) -> TrainedFastText:
    """Teach a classifier to tell `good` from `rest` and write it into the new directory `out`, or find it there.

    Raises InputError for too few examples, UserError for settings under which it diverges or an `out` that holds
    something else, StorageError, MissingExtra.
    """
    try:
        import fasttext
    except ImportError as error:
        raise MissingExtra("gpucurate classifier train-fasttext", "fasttext-community", "classifier") from error
    is_good = {e.record_id for e in good}
    train, held_out = split(
        _hashed([*good, *rest], settings.seed), settings.held_out, settings.seed, not settings.one_site
    )
    if settings.balance == "equal":
        train = _balanced(train, is_good)
    counts = {part: _counts(examples, is_good) for part, examples in (("train", train), ("held_out", held_out))}
    _check(counts)
    lineage = _lineage(train, held_out, is_good, counts, settings, benchmarks)
    if is_finished(out, str(lineage["training"])):
        return TrainedFastText(out, len(train), len(held_out), read_lineage(out)["figures"], True)
    with new_directory(out) as directory:
        text = directory / TEXT
        with text.open("w", encoding="utf-8", newline="\n") as file:
            for e in train:
                file.write(f"{LABEL_PREFIX}{GOOD if e.record_id in is_good else REST} {as_line(e.text)}\n")
        try:
            model = fasttext.train_supervised(
                input=str(text),
                lr=settings.learning_rate,
                dim=settings.dimensions,
                epoch=settings.epochs,
                minCount=settings.min_count,
                wordNgrams=settings.word_ngrams,
                bucket=settings.buckets,
                seed=settings.seed,
                thread=1,
                verbose=0,
            )
        except RuntimeError as error:
            raise UserError(f"fastText gave up: {error}. Remedy: a lower learning_rate") from error
        text.unlink()
        model.save_model(str(directory / MODEL))
        truth = np.array([e.record_id in is_good for e in held_out])
        figures = figures_of(truth, probabilities(model, [e.text for e in held_out]))
        write_lineage(directory, {**lineage, "figures": figures}, train, held_out)
    return TrainedFastText(out, len(train), len(held_out), figures, False)


def probabilities(model: Any, texts: Sequence[str]) -> NDArray[np.float64]:
    """[texts]: of being good, by an opened fastText model."""
    labels, found = model.predict([as_line(text) for text in texts], k=2)
    place = [list(names).index(LABEL_PREFIX + GOOD) for names in labels]
    return np.array([each[n] for each, n in zip(found, place, strict=True)], np.float64).clip(0, 1)


def figures_of(truth: NDArray[np.bool_], chances: NDArray[np.float64]) -> dict[str, float]:
    """How well probabilities tell the good: precision, recall and F1 at 0.5, area under the ROC curve, base rate.

    A figure whose denominator is 0 is 0.
    """
    chosen = chances >= 0.5
    hits = float((truth & chosen).sum())
    precision, recall = hits / max(chosen.sum(), 1), hits / max(truth.sum(), 1)
    _, place, ties = np.unique(chances, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]  # mean rank of equal values, from 1
    good, rest = int(truth.sum()), int((~truth).sum())
    area = (ranks[truth].sum() - good * (good + 1) / 2) / max(good * rest, 1)
    return {
        "precision": float(precision),
        "recall": float(recall),
        "f1": float(2 * precision * recall / max(precision + recall, 1e-12)),
        "area_under_roc": float(area),
        "base_rate": float(truth.mean()),
    }


def _hashed(examples: Sequence[Example], seed: int) -> list[Example]:
    """In the order of a keyed hash of their ids: fastText learns in the order of the lines."""
    return sorted(examples, key=lambda e: blake3(f"{seed}/{e.record_id}".encode()).digest())


def _balanced(examples: Sequence[Example], is_good: set[str]) -> list[Example]:
    """The first of the larger kind, as many as there are of the smaller, among all of that one."""
    least = min(_counts(examples, is_good).values())
    left = {True: least, False: least}
    kept = []
    for example in examples:
        kind = example.record_id in is_good
        if left[kind]:
            left[kind] -= 1
            kept.append(example)
    return kept


def _counts(examples: Sequence[Example], is_good: set[str]) -> dict[str, int]:
    good = sum(e.record_id in is_good for e in examples)
    return {GOOD: good, REST: len(examples) - good}


def _check(counts: Mapping[str, Mapping[str, int]]) -> None:
    if sum(counts["train"].values()) < FEWEST:
        raise InputError(
            f"{sum(counts['train'].values())} examples to train on, at least {FEWEST} needed. Remedy: label more"
        )
    for part, name in (("train", "to train on"), ("held_out", "held out")):
        for kind, count in counts[part].items():
            if not count:
                raise InputError(
                    f"of the kind {kind!r} there is no example {name}. Remedy: more examples of it, from more sites, "
                    "or another held_out or seed"
                )


def _lineage(
    train: Sequence[Example],
    held_out: Sequence[Example],
    is_good: set[str],
    counts: Mapping[str, Mapping[str, int]],
    settings: FastTextSettings,
    benchmarks: Sequence[dict[str, str]],
) -> dict[str, Any]:
    everything = [*train, *held_out]
    deciding = {
        "version": VERSION,
        "settings": settings.model_dump(mode="json"),
        "examples": [examples_digest(part) for part in (train, held_out)],
        "good": digest_settings(sorted(e.record_id for e in everything if e.record_id in is_good)),
        "benchmarks": list(benchmarks),
    }
    return {
        "kind": "fasttext",
        "positive": GOOD,
        "training": digest_settings(deciding),
        "settings": deciding["settings"],
        "examples": {"train": len(train), "held_out": len(held_out), "digest": examples_digest(everything)},
        "kinds": counts,
        "judges": sorted({judge for e in everything for judge in e.judges}),
        "rubrics": sorted({rubric for e in everything for rubric in e.rubrics}),
        "benchmarks": list(benchmarks),
        "packages": {p: importlib.metadata.version(p) for p in ("gpucurate", "fasttext-community", "numpy")},
    }
