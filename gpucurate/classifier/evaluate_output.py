"""The directory an evaluation leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from gpucurate.classifier.association import Floats
from gpucurate.classifier.card import model_card
from gpucurate.classifier.evaluate_conclusions import conclusions
from gpucurate.classifier.evaluate_figures import Evaluation
from gpucurate.classifier.examples import Example
from gpucurate.classifier.plots import write_plots
from gpucurate.store.atomic import write_bytes

JSON, SCORES, CARD = "evaluation.json", "scores.jsonl", "model-card.md"


def write_evaluation(
    out: Path,
    found: Evaluation,
    about: Mapping[str, Any],
    examples: Sequence[Example],
    scores: Mapping[str, Floats],
) -> None:
    """Write figures, scores, plots and card, each file atomically, over those of an earlier evaluation."""
    said = conclusions(found)
    whole = {"about": dict(about), **asdict(found), "conclusions": [asdict(each) for each in said]}
    write_bytes(out / JSON, orjson.dumps(_plain(whole), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    rows = [
        {"record_id": e.record_id, "rating": e.score, **{name: float(each[at]) for name, each in scores.items()}}
        for at, e in enumerate(examples)
    ]
    write_bytes(out / SCORES, b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    plots = write_plots(out, found)
    write_bytes(out / CARD, model_card(found, about, said, plots).encode())


def _plain(value: Any) -> Any:
    """Keys as text, NaN as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
