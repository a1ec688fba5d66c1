"""Evaluation of a model on labels it has not seen, and cross-validation of a way to train.

Both end in the same directory: `evaluation.json`, `scores.jsonl` (every example with its rating and scores), plots and
a model card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpucurate.classifier.association import Floats
from gpucurate.classifier.baselines import LogPerplexity, baselines, cross_fitted, fitted_in_place
from gpucurate.classifier.calibration import isotonic, save_calibration
from gpucurate.classifier.evaluate_figures import RESAMPLES, Evaluation, evaluate
from gpucurate.classifier.evaluate_output import write_evaluation
from gpucurate.classifier.examples import Example, examples_digest
from gpucurate.classifier.guard import read_lineage, refuse_benchmarks, refuse_known
from gpucurate.classifier.split import folds, groups
from gpucurate.core.errors import InputError

FOLDS = 5
FEWEST = 20  # examples: as many as `evaluate_conclusions` wants groups

Scorer = Callable[[Sequence[str]], Floats]
Trainer = Callable[[int, Sequence[Example]], Scorer]  # number of the fold, examples to train on


@dataclass(frozen=True, slots=True)
class Terms:
    """How to evaluate."""

    by_host: bool = True  # a site is a group; else near-duplicates alone are
    folds: int = FOLDS
    resamples: int = RESAMPLES
    seed: int = 0
    log_perplexity: LogPerplexity | None = None  # of a language model; else of character n-grams
    perplexity_of: str = "character 5-grams of texts it is not measured on"


def evaluate_model(
    directory: Path,
    score: Scorer,
    examples: Sequence[Example],
    out: Path,
    terms: Terms,
    files: Sequence[Path] = (),
    train: Sequence[Example] = (),
    calibrate: bool = False,
    name: str | None = None,
) -> Evaluation:
    """Evaluate the model in `directory`, which `score` runs, and write the result to `out`.

    Baselines are fitted on `train` if given, else on the examples themselves.  `files` are those the examples
    come from; `name` is what the model is called.  With `calibrate` the map from scores to ratings is saved into the
    model; its figures are crossed over folds.  Raises UserError if the model was trained, chosen or filtered with any
    of the examples.
    """
    name = name or str(directory)
    lineage = read_lineage(directory)
    refuse_benchmarks(name, lineage, files)
    checked = refuse_known(name, directory, examples)
    _enough(examples)
    fold = folds(examples, terms.folds, terms.seed, terms.by_host)
    scores = score([e.text for e in examples])
    if train:
        fitted = baselines(train, examples, terms.log_perplexity)
    else:
        fitted = fitted_in_place(examples, fold, terms.log_perplexity)
    grouped = groups(examples, terms.by_host)
    found = evaluate(examples, scores, fitted, grouped, fold, terms.resamples, terms.seed)
    about = {
        "method": "held-out examples",
        "model": name,
        "guard": "no example was trained, chosen or calibrated on, nor is a near-duplicate of one that was"
        if checked
        else "not checked: the model does not say what it was trained on",
        "training": {key: lineage[key] for key in sorted(lineage) if key != "calibration"},
        "baselines": f"fitted on {len(train):,} training examples"
        if train
        else "fitted on the examples they are measured on, which favours them a little",
        **_about(examples, terms),
    }
    write_evaluation(out, found, about, examples, {"model": scores, **fitted})
    if calibrate:
        truth, weight = (np.array([getattr(e, name) for e in examples]) for name in ("score", "weight"))
        save_calibration(directory, isotonic(scores, truth, weight), examples)
    return found


def cross_validate(
    train: Trainer, examples: Sequence[Example], out: Path, terms: Terms, about: dict[str, Any]
) -> Evaluation:
    """Train a model on all folds but one, score that one with it, for every fold; write the result to `out`.

    The figures are of the way to train, not of one model.  `about` says what is trained.
    """
    _enough(examples)
    fold = folds(examples, terms.folds, terms.seed, terms.by_host)
    scores = np.empty(len(examples))
    for number in range(terms.folds):
        held = fold == number
        scorer = train(number, [e for e, h in zip(examples, held, strict=True) if not h])
        scores[held] = scorer([e.text for e, h in zip(examples, held, strict=True) if h])
    fitted = cross_fitted(examples, fold, terms.log_perplexity)
    grouped = groups(examples, terms.by_host)
    found = evaluate(examples, scores, fitted, grouped, fold, terms.resamples, terms.seed, models=True)
    whole = {
        "method": f"cross-validation over {terms.folds} folds",
        "guard": "each example was scored by a model that had seen neither it, its site nor a near-duplicate"
        if terms.by_host
        else "each example was scored by a model that had seen neither it nor a near-duplicate",
        "baselines": f"crossed over the same {terms.folds} folds; ranks are compared within folds",
        **about,
        **_about(examples, terms),
    }
    write_evaluation(out, found, whole, examples, {"model": scores, **fitted})
    return found


def _enough(examples: Sequence[Example]) -> None:
    if len(examples) < FEWEST:
        raise InputError(
            f"{len(examples)} labelled examples say nothing about a classifier. Remedy: label {FEWEST} or more, "
            "better hundreds"
        )


def _about(examples: Sequence[Example], terms: Terms) -> dict[str, Any]:
    return {
        "examples_digest": examples_digest(examples),
        "judges": sorted({judge for e in examples for judge in e.judges}),
        "rubrics": sorted({rubric for e in examples for rubric in e.rubrics}),
        "labels": sum(e.labels for e in examples),
        "groups_by": "host and near-duplicates" if terms.by_host else "near-duplicates",
        "log_perplexity": terms.perplexity_of,
        "seed": terms.seed,
    }
