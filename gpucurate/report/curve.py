"""The S-curve as data and as a picture for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from gpucurate.steps.near_duplicates.curve import middle, probability, suggest

STEPS = np.round(np.arange(0.3, 1.0001, 0.05), 2)
BAR = 50  # columns for probability 1


def curve_data(bands: int, rows: int, threshold: float, budget: int, recall: float) -> dict[str, Any]:
    """The curve at similarities from .3 to 1, its middle, its value at the threshold, and suggestions."""
    return {
        "bands": bands,
        "rows": rows,
        "hashes": bands * rows,
        "curve": [[float(s), float(p)] for s, p in zip(STEPS, probability(STEPS, bands, rows), strict=True)],
        "middle": middle(bands, rows),
        "threshold": threshold,
        "recall": float(probability(threshold, bands, rows)),
        "budget": budget,
        "wanted_recall": recall,
        "suggestions": [asdict(s) for s in suggest(threshold, budget, recall)],
    }


def print_curve(data: Mapping[str, Any], console: Console) -> None:
    """For people."""
    console.print(f"{data['bands']} bands of {data['rows']} rows, {data['hashes']} hashes: P(s) = 1 − (1 − s^r)^b")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("similarity", justify="right")
    table.add_column("candidates", justify="right")
    table.add_column("")
    for similarity, chance in data["curve"]:
        table.add_row(f"{similarity:.2f}", f"{chance:.4f}", "█" * round(BAR * chance))
    console.print(table)
    console.print(f"every second pair at similarity {data['middle']:.3f}")
    console.print(f"at the threshold {data['threshold']:g}: {data['recall']:.2%} of pairs are found")
    wanted = f"recall {data['wanted_recall']:g} at {data['threshold']:g} within {data['budget']} hashes"
    if not data["suggestions"]:
        console.print(f"no bands and rows reach {wanted}; raise --budget or lower --recall")
        return
    console.print(f"\nfor {wanted}, fewest needless candidates first:")
    better = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("bands", "rows", "hashes", "recall", "below threshold"):
        better.add_column(name, justify="right")
    for each in data["suggestions"]:
        cells = [str(each["bands"]), str(each["rows"]), str(each["bands"] * each["rows"])]
        better.add_row(*cells, f"{each['recall']:.4f}", f"{each['waste']:.4f}")
    console.print(better)
