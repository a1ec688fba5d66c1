"""From pages to a model file and a model card: the whole training, which is one command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from gpucurate.classifier.bootstrap import Figure
from gpucurate.classifier.main_content import folds
from gpucurate.classifier.main_content.examples import make_examples
from gpucurate.classifier.main_content.pages import Page
from gpucurate.classifier.main_content.settings import MainContentSettings
from gpucurate.classifier.main_content.teachers import TEACHERS, Answers
from gpucurate.classifier.main_content.training import train
from gpucurate.core.errors import InputError
from gpucurate.sources.html.blocks.feature_names import FEATURE_DIGEST
from gpucurate.sources.html.blocks.trees import Trees

MODEL, CARD = "model.npz", "card.json"
FEWEST_OF_LANGUAGE = 5  # pages from which a language is listed

Row = dict[str, dict[str, Figure]]  # "gold", "phrases" to their figures


@dataclass(frozen=True, slots=True)
class Product:
    """`figures` by extractor, `gpucurate` being out of fold."""

    trees: Trees
    figures: dict[str, Row]


def make_model(
    pages: Sequence[Page],
    answers: Mapping[str, Answers],
    settings: MainContentSettings,
    out: Path,
    say: Callable[[str], object],
) -> Product:
    """Train, choose the decision out of fold, and write `model.npz` and `card.json` to `out`.

    Raises InputError if there are no gold pages or none with phrases: then no decision can be chosen.
    """
    if not folds.gold_pages(pages) or not any(page.kind == "phrases" for page in pages):
        raise InputError(
            "a decision is chosen on both gold pages and pages with phrases. Remedy: name --gold, --phrases"
        )
    examples = make_examples(pages, answers, settings.gold_share)
    say(f"{len(examples)} pages, {sum(len(example.label) for example in examples)} blocks")
    drawn = folds.out_of_fold(examples, settings)
    decision = settings.decision or folds.best_decision(pages, drawn)
    if decision not in drawn:
        raise InputError(f"decision {decision} is none of {folds.DECISIONS}")
    trees = Trees(train(examples, settings, decision))
    systems = {"gpucurate": drawn[decision]} | {
        name: {page.key: answers[page.key][name] for page in pages} for name in TEACHERS
    }
    figures = {name: _row(pages, texts, settings.resamples) for name, texts in systems.items()}
    out.mkdir(parents=True, exist_ok=True)
    trees.save(out / MODEL)
    card = {
        "digest": trees.digest,
        "features": FEATURE_DIGEST,
        "pages_digest": blake3("".join(sorted(page.key for page in pages)).encode()).hexdigest(16),
        "pages": dict(Counter(page.kind for page in pages)),
        "sites": len({page.site for page in pages}),
        "blocks": sum(len(example.label) for example in examples),
        "settings": settings.model_dump(),
        "decision": decision,
        "figures": {name: _plain(row) for name, row in figures.items()},
        "languages": _by_language(pages, systems, settings.resamples),
    }
    (out / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return Product(trees, figures)


def _row(pages: Sequence[Page], texts: Mapping[str, str], resamples: int) -> Row:
    return {
        "gold": folds.gold_figures(folds.gold_pages(pages), texts, resamples),
        "phrases": folds.phrase_figures(pages, texts, resamples),
    }


def _plain(row: Row) -> dict[str, dict[str, list[float]]]:
    return {
        kind: {name: [round(x, 4) for x in (f.value, f.low, f.high)] for name, f in figures.items()}
        for kind, figures in row.items()
    }


def _by_language(
    pages: Sequence[Page], systems: Mapping[str, Mapping[str, str]], resamples: int
) -> dict[str, dict[str, float]]:
    """F1 of phrases by the language that pages say they are in."""
    counts = Counter(page.language for page in pages if page.kind == "phrases")
    found = {}
    for language, count in counts.most_common():
        if count >= FEWEST_OF_LANGUAGE:
            own = [page for page in pages if page.language == language]
            found[f"{language or 'untold'} ({count})"] = {
                name: round(folds.phrase_figures(own, texts, resamples)["F1"].value, 4)
                for name, texts in systems.items()
            }
    return found
