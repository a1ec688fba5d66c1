"""Plots of an evaluation, each as PNG and SVG; the same figures give the same bytes with one version of matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpucurate.classifier.bootstrap import Figure
from gpucurate.classifier.evaluate_figures import CALIBRATED, MAIN, MODEL, OF_SLICES, Evaluation
from gpucurate.core.errors import MissingExtra
from gpucurate.store.atomic import atomic_file

FORMATS = ("png", "svg")
PIXELS_AN_INCH = 120
WITH_INTERVAL: Any = {"fmt": "o", "capsize": 3, "markersize": 4}
COMPARED = ("spearman", "kappa", f"auc {MAIN.wanted:g}", f"f1 {MAIN.name}")
SETTINGS: Any = {"svg.hashsalt": "gpucurate", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}


def write_plots(out: Path, found: Evaluation) -> list[str]:
    """Write all plots into `out`; their names without ending.  Raises MissingExtra without matplotlib."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure as Canvas
    except ImportError as error:
        raise MissingExtra("gpucurate classifier evaluate", error.name or "matplotlib", "classifier") from error
    drawings: dict[str, Callable[[Any, Evaluation], None]] = {
        "predictors": _predictors,
        "cuts": _cuts,
        "confusion": _confusion,
        "calibration": _calibration,
        "slices": _slices,
    }
    for name, draw in drawings.items():
        with mpl.rc_context(SETTINGS):
            canvas = Canvas(figsize=(6.4, 4.4), layout="constrained", dpi=PIXELS_AN_INCH)
            draw(canvas, found)
            for kind in FORMATS:
                # no date and no version: an unchanged evaluation is an unchanged file
                metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
                with atomic_file(out / f"{name}.{kind}") as temporary:
                    canvas.savefig(temporary, format=kind, metadata=metadata)
    return list(drawings)


def _predictors(canvas: Any, found: Evaluation) -> None:
    axes = canvas.subplots()
    names = [name for name in found.figures if name != CALIBRATED]
    for at, name in enumerate(names):
        shift = 0.15 * (at - (len(names) - 1) / 2)
        _with_intervals(axes, np.arange(len(COMPARED)) + shift, [found.figures[name][m] for m in COMPARED], name)
    axes.set_xticks(range(len(COMPARED)), COMPARED)
    axes.axhline(0, color="0.7", linewidth=0.8)
    axes.set_title(f"The model and its baselines ({found.documents:,} documents, {found.groups:,} groups)")
    axes.legend()


def _cuts(canvas: Any, found: Evaluation) -> None:
    axes = canvas.subplots()
    names = [name.partition(" ")[2] for name in found.figures[MODEL] if name.startswith("f1 ")]
    for at, metric in enumerate(("precision", "recall", "f1")):
        figures = [found.figures[MODEL][f"{metric} {name}"] for name in names]
        _with_intervals(axes, np.arange(len(names)) + 0.18 * (at - 1), figures, metric)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("rating wanted @ score kept from")
    axes.set_title("Precision, recall and F1 at each cut")
    axes.legend()


def _confusion(canvas: Any, found: Evaluation) -> None:
    axes = canvas.subplots()
    table = np.array(found.confusion)
    share = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for (row, column), value in np.ndenumerate(table):
        if value:
            colour = "white" if share[row, column] > 0.5 else "black"
            axes.text(column, row, f"{value:,.0f}", ha="center", va="center", color=colour)
    axes.set_xlabel("score, rounded")
    axes.set_ylabel("rating, rounded")
    axes.set_title("Documents, by weight; colour: share of the rating")


def _calibration(canvas: Any, found: Evaluation) -> None:
    axes = canvas.subplots()
    axes.plot([0, 5], [0, 5], color="0.7", linewidth=0.8, label="calibrated")
    scores = np.array([each.score for each in found.calibration])
    _with_intervals(axes, scores, [each.rating for each in found.calibration], "model")
    axes.set_xlabel("mean score of a tenth of the documents")
    axes.set_ylabel("their mean rating")
    axes.set_title("Calibration")
    axes.legend()


def _slices(canvas: Any, found: Evaluation) -> None:
    axes = canvas.subplots()
    metric = OF_SLICES[0]
    labels, figures = ["all"], [found.figures[MODEL][metric]]
    for kind, named in found.slices.items():
        for name, each in named.items():
            labels.append(f"{kind} {name} ({each.documents:,})")
            figures.append(each.figures[metric])
    canvas.set_size_inches(6.4, 1.2 + 0.22 * len(labels))
    _with_intervals(axes, np.arange(len(labels), dtype=float), figures, metric, across=True)
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlabel("mean absolute error")
    axes.set_title("Slices")


def _with_intervals(axes: Any, at: np.ndarray, figures: list[Figure], label: str, across: bool = False) -> None:
    """Points with their intervals; hollow ones have none."""
    there = [(x, f) for x, f in zip(at.tolist(), figures, strict=True) if not np.isnan(f.value)]
    sure = [(x, f) for x, f in there if not np.isnan(f.width)]
    values = [f.value for _, f in sure]
    # a percentile interval can lie beside its value; matplotlib takes no negative length
    length = [[max(f.value - f.low, 0) for _, f in sure], [max(f.high - f.value, 0) for _, f in sure]]
    place = [x for x, _ in sure]
    if across:
        drawn = axes.errorbar(values, place, xerr=length, label=label, **WITH_INTERVAL)
    else:
        drawn = axes.errorbar(place, values, yerr=length, label=label, **WITH_INTERVAL)
    unsure = np.array([(x, f.value) for x, f in there if np.isnan(f.width)]).reshape(-1, 2)
    if len(unsure):
        x, y = unsure.T[::-1] if across else unsure.T
        axes.scatter(x, y, facecolors="none", edgecolors=drawn[0].get_color(), s=20)
