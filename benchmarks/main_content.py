"""Main content: our engine beside its peers, in interleaved rounds on the same pages, by process time.

    python benchmarks/main_content.py DATA [--rounds 3] [--card model/card.json]

Peers are called in this process, page by page, as one calls them; the engine gets pages in batches.  F1 of peers is
measured here; that of the engine is of the shipped model, which has seen these pages: the honest one is out of fold
and comes from the card.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from gpucurate.classifier.main_content import folds, pages, teachers
from gpucurate.sources.html.blocks.engine import BlocksEngine

BATCH = 32
PEERS = ("trafilatura", "trafilatura_fast", "trafilatura_precision", "resiliparse", "readability")

Texts = dict[str, str]


def ours(found: list[pages.Page]) -> Texts:
    engine, texts = BlocksEngine(), {}
    for first in range(0, len(found), BATCH):
        batch = found[first : first + BATCH]
        for page, drawn in zip(batch, engine.extract([page.html for page in batch]), strict=True):
            texts[page.key] = drawn.text
    return texts


def peer(name: str) -> Callable[[list[pages.Page]], Texts]:
    function = getattr(teachers, name)

    def run(found: list[pages.Page]) -> Texts:
        texts = {}
        for page in found:
            try:
                texts[page.key] = function(page.html.encode("utf-8", "replace"))
            except Exception:  # noqa: BLE001  what a peer raises is its own affair: it found nothing
                texts[page.key] = ""
        return texts

    return run


def threads(found: list[pages.Page], count: int) -> float:
    """Pages a second of wall time."""
    with ThreadPoolExecutor(count) as pool:
        start = time.perf_counter()
        list(pool.map(ours, [found[k::count] for k in range(count)]))
        return len(found) / (time.perf_counter() - start)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--card", type=Path)
    chosen = arguments.parse_args()
    found = pages.distinct(
        chain(
            pages.read_gold(chosen.data / "html/readability/test-pages"),
            pages.read_phrases(chosen.data / "html/trafilatura"),
        )
    )
    systems = {"gpucurate": ours} | {name: peer(name) for name in PEERS}
    ours(found)  # compile
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    drawn: dict[str, Texts] = {}
    for _ in range(chosen.rounds):
        for name, run in systems.items():
            start = time.process_time()
            drawn[name] = run(found)
            seconds[name].append(time.process_time() - start)
    gold = folds.gold_pages(found)
    print(f"{len(found)} pages, {sum(len(page.html) for page in found) / 1e6:.1f} MB, {chosen.rounds} rounds\n")
    print("| extractor | pages/s a core | gold F1 | P | R | phrases F1 | P | R |\n|---|---|---|---|---|---|---|---|")
    honest = json.loads(chosen.card.read_text())["figures"]["gpucurate"] if chosen.card else None
    for name, texts in drawn.items():
        figures = (folds.gold_figures(gold, texts, 1000), folds.phrase_figures(found, texts, 1000))
        cells = [str(figure) for row in figures for figure in row.values()]
        if name == "gpucurate" and honest:
            rows = (honest["gold"], honest["phrases"])
            cells = [f"{v:.3f} [{low:.3f}, {high:.3f}]" for row in rows for v, low, high in row.values()]
        print(f"| {name} | {len(found) / statistics.median(seconds[name]):,.0f} | {' | '.join(cells)} |")
    one, two = (statistics.median(threads(found, count) for _ in range(chosen.rounds)) for count in (1, 2))
    print(f"\nOne thread {one:,.0f}, two threads {two:,.0f} pages/s of wall time ({two / one:.2f}x)")


if __name__ == "__main__":
    main()
