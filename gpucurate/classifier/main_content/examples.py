"""Pages and what is said of them, to rows that trees learn from.

The label of a block is the share of it that trafilatura keeps, averaged over four of its settings; where an article was
cut by hand, that has its part.  Pages on which trafilatura and readability agree count more, since there the label is
likely right; pages of one site count less each, by the square root of their number; within a page a block counts by
its words, up to a third of the article.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.main_content.labels import Shares, shares
from gpucurate.classifier.main_content.pages import Page
from gpucurate.classifier.main_content.shingles import f1, precision_recall, words
from gpucurate.classifier.main_content.teachers import TRAFILATURA, Answers
from gpucurate.core.errors import InputError
from gpucurate.sources.html.blocks import block_texts, features, scan

AGREED = 0.85  # what agreement adds to the least weight of a page
HEAVIEST = 0.3  # of a block within its page
SMOOTHED = 60.0  # words added to the article, so that a stub's blocks do not count like an article's
STUB, STUB_WEIGHT = 20, 0.3  # words of an article below which there is hardly one


@dataclass(frozen=True, slots=True)
class Example:
    """A page: `matrix` float32 [blocks, FEATURES], `label` and `weight` float32 [blocks]."""

    page: Page
    matrix: NDArray[np.float32]
    label: Shares
    weight: NDArray[np.float32]


def make_examples(pages: Sequence[Page], answers: Mapping[str, Answers], gold_share: float) -> list[Example]:
    """One for each page that has blocks."""
    sites = Counter(page.site for page in pages)
    made = (_example(page, answers[page.key], gold_share, sites[page.site] ** -0.5) for page in pages)
    return [example for example in made if example is not None]


def _example(page: Page, answers: Answers, gold_share: float, weight: float) -> Example | None:
    try:
        scanned = scan(page.html.encode("utf-8", "replace"))
    except InputError:  # too many tags: the engine does not look at it either
        return None
    blocks = block_texts(scanned)
    if not blocks:
        return None
    label = sum((shares(blocks, answers[name]) for name in TRAFILATURA), np.zeros(len(blocks), np.float32))
    label /= len(TRAFILATURA)
    if page.gold is not None:
        by_hand = "\n".join(block_texts(scan(page.gold.encode("utf-8", "replace"))))
        label = (1 - gold_share) * label + gold_share * shares(blocks, by_hand)
    else:
        agreement = f1(*precision_recall(answers["trafilatura"], answers["readability"]))
        weight *= 1 - AGREED + AGREED * agreement
    sizes = np.array([len(words(block)) for block in blocks], np.float32)
    article = float((sizes * label).sum())
    of_page = np.minimum((sizes + 1) / (article + SMOOTHED), HEAVIEST) * (STUB_WEIGHT if article < STUB else 1.0)
    return Example(page, features(scanned), label.astype(np.float32), (of_page * weight).astype(np.float32))
