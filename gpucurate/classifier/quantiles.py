"""Where the twentieths of a corpus begin by one classifier's score, for `combine: rank` of the step `quality`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gpucurate.core.errors import UserError
from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.run.live import RunContext
from gpucurate.run.ratings import rating_step, signal_of
from gpucurate.run.state import RunState
from gpucurate.run.walk import walk
from gpucurate.steps.quality import QualityConfig
from gpucurate.steps.quality.combination import QUANTILES_FILE, edges_of, quantiles_content
from gpucurate.steps.quality.model_directory import classifier_digest, find_directory
from gpucurate.steps.quality.step import DECIMALS
from gpucurate.store.atomic import write_bytes


def write_quantiles(
    context: RunContext, state: RunState, step: str | None, classifier: str | None, target: Path | None
) -> tuple[Path, int]:
    """Write the file for one classifier of a finished run, beside its model unless `target` names a place; returns the
    path and how many documents it rests on.

    Raises UserError where there is no such step or classifier, or fewer scored documents than shares.
    """
    live = rating_step(context, step)
    assert isinstance(live.entry.config, QualityConfig)
    classifiers = live.entry.config.classifiers
    name = classifier or next(iter(classifiers))
    if name not in classifiers or (classifier is None and len(classifiers) > 1):
        which = f"no classifier {name!r}{did_you_mean(name, classifiers)}" if classifier else "several classifiers"
        raise UserError(f"step {live.label!r} has {which}. Remedy: --classifier with one of {', '.join(classifiers)}")
    found = []
    for settled in state.parts:
        done = walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)
        judged = next(each for each in done.judged if each.label == live.label)
        scores = signal_of(done, live, judged, f"score_{name}")
        found.append(scores.filter(scores.is_valid()).to_numpy().astype(np.float64).round(DECIMALS))
    scored = np.concatenate([np.zeros(0), *found])
    try:
        edges = edges_of(scored)
    except ValueError as error:
        raise UserError(f"{name}: {error}. Remedy: score a larger corpus") from error
    directory = find_directory(classifiers[name].model)
    path = target or directory / QUANTILES_FILE
    write_bytes(path, quantiles_content(edges, len(scored), classifier_digest(directory)))
    return path, len(scored)
