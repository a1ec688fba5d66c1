"""Scores of pages by models that saw no page of their site, and the decision that is best on them.

Gold pages are scored by runs of four words, precision and recall averaged over pages; phrase pages by their phrases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from gpucurate.classifier.bootstrap import Figure, intervals
from gpucurate.classifier.main_content.examples import Example
from gpucurate.classifier.main_content.pages import Page
from gpucurate.classifier.main_content.settings import MainContentSettings
from gpucurate.classifier.main_content.shingles import precision_recall
from gpucurate.classifier.main_content.training import train
from gpucurate.core.text_buffers import pack_texts
from gpucurate.sources.html.blocks.extraction import extract_pages
from gpucurate.sources.html.blocks.trees import Forest, Trees
from gpucurate.sources.html.blocks.writing.options import Options

DECISIONS = tuple(round(0.3 + 0.02 * step, 2) for step in range(16))  # .30 to .60
SHORT_GOLD = 1500  # characters; shorter ones among Readability's pages are made up to test one rule

Texts = dict[str, str]  # key of the page to its text
Floats = NDArray[np.float64]


def fold_of(site: str, settings: MainContentSettings) -> int:
    """Depends on the site and the seed alone, so that further pages move no site."""
    digest = blake3(f"{settings.seed} {site}".encode()).digest(8)
    return int.from_bytes(digest, "little") % settings.folds


def out_of_fold(examples: Sequence[Example], settings: MainContentSettings) -> dict[float, Texts]:
    """The texts of labelled pages at each decision, drawn by the model that saw nothing of their site."""
    drawn: dict[float, Texts] = {decision: {} for decision in DECISIONS}
    for fold in range(settings.folds):
        held_out = [e.page for e in examples if fold_of(e.page.site, settings) == fold and e.page.kind != "silver"]
        seen = [e for e in examples if fold_of(e.page.site, settings) != fold]
        if held_out and seen:
            forest = train(seen, settings, DECISIONS[0])
            for decision in DECISIONS:
                drawn[decision].update(texts_of(held_out, forest._replace(decision=decision)))
    return drawn


def texts_of(pages: Sequence[Page], forest: Forest) -> Texts:
    """What the engine draws with this forest."""
    batch = pack_texts([page.html.encode("utf-8", "replace") for page in pages])
    found = extract_pages(batch, Trees(forest).forest, Options()).texts
    data, ends = found.data.tobytes(), found.offsets.tolist()
    return {page.key: data[ends[k] : ends[k + 1]].decode("utf-8", "replace") for k, page in enumerate(pages)}


def gold_text(page: Page) -> str:
    """The article cut by hand as plain text, by an extractor that is none of those compared."""
    from lxml import html

    root = html.fromstring(f"<div>{page.gold}</div>")
    return "\n".join(text.strip() for text in root.itertext() if text.strip())


def gold_pages(pages: Sequence[Page]) -> list[tuple[Page, str]]:
    """Pages with an article of some length, and its text."""
    found = [(page, gold_text(page)) for page in pages if page.gold is not None]
    return [(page, text) for page, text in found if len(text) >= SHORT_GOLD]


def gold_figures(gold: Sequence[tuple[Page, str]], texts: Mapping[str, str], resamples: int) -> dict[str, Figure]:
    """F1, precision and recall with intervals over sites; a page without text has a recall of 0 and no precision."""
    pairs = np.array([precision_recall(text, texts.get(page.key, "")) for page, text in gold])

    def metrics(weights: Floats) -> dict[str, Floats]:
        known = ~np.isnan(pairs)
        means = [weights[:, known[:, c]] @ pairs[known[:, c], c] / weights[:, known[:, c]].sum(1) for c in (0, 1)]
        return _three(*means)

    return intervals(metrics, np.ones(len(pairs)), _sites([page for page, _ in gold]), resamples, 0)


def phrase_figures(pages: Sequence[Page], texts: Mapping[str, str], resamples: int) -> dict[str, Figure]:
    """F1, precision and recall of phrases with intervals over sites, counted as trafilatura's evaluation counts."""
    labelled = [page for page in pages if page.kind == "phrases"]
    counts = np.array([_phrases(page, texts.get(page.key, "")) for page in labelled], np.float64)

    def metrics(weights: Floats) -> dict[str, Floats]:
        hits, misses, wrong = (weights @ counts).T
        return _three(hits / np.maximum(1, hits + wrong), hits / np.maximum(1, hits + misses))

    return intervals(metrics, np.ones(len(counts)), _sites(labelled), resamples, 0)


def best_decision(pages: Sequence[Page], drawn: Mapping[float, Texts]) -> float:
    """The decision with the highest mean of both F1."""
    gold = gold_pages(pages)

    def both(decision: float) -> float:
        texts = drawn[decision]
        return gold_figures(gold, texts, 1)["F1"].value + phrase_figures(pages, texts, 1)["F1"].value

    return max(drawn, key=both)


def _three(precision: Floats, recall: Floats) -> dict[str, Floats]:
    return {"F1": 2 * precision * recall / np.maximum(1e-9, precision + recall), "P": precision, "R": recall}


def _phrases(page: Page, text: str) -> tuple[int, int, int]:
    hits = sum(phrase in text for phrase in page.wanted)
    return hits, len(page.wanted) - hits, sum(phrase in text for phrase in page.unwanted)


def _sites(pages: Sequence[Page]) -> NDArray[np.int64]:
    names = sorted({page.site for page in pages})
    return np.array([names.index(page.site) for page in pages], np.int64)
