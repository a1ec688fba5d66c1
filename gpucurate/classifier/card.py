"""The model card: what was evaluated on what, every figure with its interval, and what cannot be concluded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpucurate.classifier.bootstrap import LEVEL
from gpucurate.classifier.evaluate_conclusions import FEW, WIDE, Conclusion, too_small
from gpucurate.classifier.evaluate_figures import MAIN, MODEL, OF_SLICES, Evaluation

SMALL = " †"  # after a figure that is too uncertain to conclude from
WHOLE = ("mae", "bias", "spearman", "kappa", "calibration error")
LIMITS = (
    "The ratings are the judge's. A classifier that agrees with it has learned what the judge rewards, whether or not "
    "that is what makes a corpus good; only training on the result can tell.",
    "Figures hold for documents like those sampled: other languages, sites and kinds of text need labels of their own.",
    "A cut chosen by looking at these figures looks better here than it will elsewhere.",
    "Intervals show what another draw of sites would change. They do not show what another judge, rubric or training "
    "run would.",
)


def model_card(
    found: Evaluation, about: Mapping[str, Any], said: Sequence[Conclusion], plots: Sequence[str] = ()
) -> str:
    """Markdown."""
    sections = [
        _head(found, about),
        _conclusions(said),
        _data(found),
        _predictors(found, about),
        _cuts(found),
        _confusion(found),
        _slices(found),
        _plots(plots),
        ["## Limits", "", *(f"- {limit}" for limit in LIMITS)],
        _lineage(about),
    ]
    return "\n".join(line for section in sections for line in [*section, ""])


def _head(found: Evaluation, about: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {about.get('model', 'Quality classifier')}"
    yield ""
    yield (
        f"{about['method'].capitalize()}: {found.documents:,} documents in {found.groups:,} groups "
        f"({about['groups_by']}), {about['labels']:,} labels by {', '.join(about['judges'])}. "
        f"Guard: {about['guard']}."
    )
    yield ""
    yield (
        f"In brackets: {LEVEL:.0%} intervals of a bootstrap over groups ({found.resamples:,} resamples). "
        f"{SMALL.strip()} marks what is too uncertain to conclude from: an interval wider than {WIDE:g}, or fewer than "
        f"{FEW} groups on a side of the cut. “–” is not defined. Every document counts by its sampling weight, so "
        "figures are estimates for the corpus that was sampled."
    )


def _conclusions(said: Sequence[Conclusion]) -> Iterator[str]:
    for title, small in (("## What the figures say", False), ("## Too small to conclude", True)):
        lines = [each.text for each in said if each.too_small == small]
        yield title
        yield ""
        yield from (f"- {line}" for line in lines or ["Nothing."])
        yield ""


def _data(found: Evaluation) -> Iterator[str]:
    yield "## Ratings"
    yield ""
    yield from _table(["rating", "documents", "groups", "share of the corpus"])
    for rating, count in found.rated.items():
        yield _row([str(rating), f"{count.documents:,}", f"{count.groups:,}", f"{count.share:.1%}"])


def _predictors(found: Evaluation, about: Mapping[str, Any]) -> Iterator[str]:
    yield "## The model and its baselines"
    yield ""
    yield (
        "`constant` is the median rating, `length` a parabola of the text's logarithmic length, `log perplexity` one "
        f"of its log perplexity ({about['log_perplexity']}); {about['baselines']}. `model, calibrated` went through an "
        "isotonic map fitted on the other folds."
    )
    yield ""
    metrics = [*WHOLE, *(name for name in found.figures[MODEL] if name.startswith("auc "))]
    yield from _table(["metric", *found.figures])
    for metric in metrics:
        cells = [
            f"{figures[metric]}{SMALL if too_small(metric, figures[metric], found) else ''}"
            if metric in figures
            else ""
            for figures in found.figures.values()
        ]
        yield _row([metric, *cells])


def _cuts(found: Evaluation) -> Iterator[str]:
    yield "## Cuts"
    yield ""
    yield "A cut of rating − .5 is what keeping a rounded score (`int_score`) of that rating comes to."
    yield ""
    yield from _table(["wanted", "kept", "predictor", "precision", "recall", "F1", "share kept"])
    for name in (metric.partition(" ")[2] for metric in found.figures[MODEL] if metric.startswith("f1 ")):
        wanted, cut = name.split("@")
        for predictor, figures in found.figures.items():
            cells = [
                f"{figures[key]}{SMALL if too_small(key, figures[key], found) else ''}"
                for key in (f"{metric} {name}" for metric in ("precision", "recall", "f1", "kept"))
            ]
            yield _row([f"rated ≥ {wanted}", f"score ≥ {cut}", predictor, *cells])


def _confusion(found: Evaluation) -> Iterator[str]:
    yield "## Confusion"
    yield ""
    yield "Rows are rounded ratings, columns rounded scores; cells are weights of documents."
    yield ""
    yield from _table(["", *map(str, range(6))])
    for rating, row in enumerate(found.confusion):
        yield _row([str(rating), *(f"{cell:,.6g}" for cell in row)])


def _slices(found: Evaluation) -> Iterator[str]:
    yield "## Slices"
    yield ""
    yield f"F1 is for rated ≥ {MAIN.wanted:g} at score ≥ {MAIN.cut:g}. A slice of fewer than {FEW} groups is marked."
    yield ""
    yield from _table(["slice", "documents", "groups", *OF_SLICES])
    for kind, named in found.slices.items():
        for name, each in named.items():
            mark = SMALL if each.groups < FEW else ""
            shown = [str(each.figures[metric]) for metric in OF_SLICES]
            yield _row([f"{kind}: {name}{mark}", f"{each.documents:,}", f"{each.groups:,}", *shown])


def _plots(plots: Sequence[str]) -> Iterator[str]:
    if plots:
        yield "## Plots"
        yield ""
        yield from (f"![{name}]({name}.png)" for name in plots)


def _lineage(about: Mapping[str, Any]) -> Iterator[str]:
    yield "## Lineage"
    yield ""
    yield f"- examples: `{about['examples_digest']}` (BLAKE3 over ids, texts, ratings and weights)"
    yield f"- judges: {', '.join(about['judges'])}; rubrics: {', '.join(f'`{each}`' for each in about['rubrics'])}"
    yield f"- seed of folds and resamples: {about['seed']}"
    for key, value in sorted(about.get("training", {}).items()):
        yield f"- training, {key}: `{value}`"


def _table(titles: Sequence[str]) -> Iterator[str]:
    yield _row(titles)
    yield "|" + "---|" * len(titles)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
