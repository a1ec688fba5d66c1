"""Slices of the examples: where a scorer that is good on the whole may not be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpucurate.classifier.examples import Example
from gpucurate.classifier.metrics import Bools

LENGTHS = (500, 2_000, 8_000)  # characters: about a paragraph, a page, an article
LARGEST = 8  # slices of a kind that are shown; the rest is `others`
NONE, OTHERS = "unknown", "others"


def slices(examples: Sequence[Example]) -> dict[str, dict[str, Bools]]:
    """By kind (`language`, `length`, `source`, `host`) and name, which examples [examples] are in it."""
    names = {
        "language": [e.language or NONE for e in examples],
        "length": [length_class(len(e.text)) for e in examples],
        "source": [e.source for e in examples],
        "host": [e.host or NONE for e in examples],
    }
    return {kind: _masks(np.array(values, object), by_size=kind != "length") for kind, values in names.items()}


def length_class(characters: int) -> str:
    """The class of a text's length, which sorts as it is named."""
    edges = (0, *LENGTHS)
    at = max(place for place, edge in enumerate(edges) if characters >= edge)
    return f"{edges[at]:,}+ characters" if at == len(LENGTHS) else f"{edges[at]:,}–{edges[at + 1] - 1:,} characters"


def _masks(values: np.ndarray, by_size: bool) -> dict[str, Bools]:
    names, counts = np.unique(values.astype(str), return_counts=True)
    order = sorted(range(len(names)), key=lambda at: (-counts[at], names[at]))
    shown = [str(names[at]) for at in order[:LARGEST]]
    if not by_size:
        classes = [length_class(edge) for edge in (0, *LENGTHS)]
        shown = [name for name in classes if name in shown]
    masks = {name: np.asarray(values == name, bool) for name in shown}
    rest = ~np.logical_or.reduce([*masks.values()])
    return {**masks, OTHERS: rest} if rest.any() else masks
