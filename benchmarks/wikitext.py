"""Wikitext extraction against the usual recipe around mwparserfromhell and against the reference engine.

    python benchmarks/wikitext.py --data ../shared/data

Ratios of CPU time in one process, the engines taking turns on the same pages: the scanner from buffers to buffers,
the others from string to string.  Targets: at least 100 times the recipe on pages of Simple English Wikipedia's size,
400 times on long ones, with token F1 of at least 0.997 under the recipe's rules.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).parents[1]))  # the recipe is an oracle of the tests

from gpucurate.core.text_buffers import pack_texts, text_array
from gpucurate.sources.wikitext import extract, make_rules, warm
from gpucurate.sources.wikitext.reference import ReferenceExtractor
from tests.oracles.wikitext_pages import long_pages, section_groups
from tests.oracles.wikitext_recipe import normalized, recipe, token_f1

VERY_LONG = 60_000  # bytes


def compare(name: str, pages: list[str], rounds: int) -> None:
    buffers = pack_texts(pages)
    default = make_rules()
    bare = make_rules(visible_templates=False, interlanguage=False, aliases=False, close_gaps=False)
    reference = ReferenceExtractor()
    engines: dict[str, Callable[[], object]] = {
        "recipe": lambda: [recipe(page) for page in pages],
        "reference": lambda: [reference.extract(page) for page in pages],
        "scanner": lambda: extract(buffers, default),
        "scanner, recipe's rules": lambda: extract(buffers, bare),
    }
    seconds: dict[str, list[float]] = {engine: [] for engine in engines}
    results: dict[str, object] = {}
    for _ in range(rounds):
        for engine, run in engines.items():
            turns = 1 if engine in ("recipe", "reference") else 5
            for _ in range(turns):
                start = time.process_time()
                results[engine] = run()
                seconds[engine].append(time.process_time() - start)
    expected = [normalized(text) for text in results["recipe"]]  # type: ignore[attr-defined]
    size = len(buffers.data) / 1e6
    print(f"{name}: {len(pages)} pages, {size:.2f} MB, {rounds} rounds")
    base, careful = median(seconds["recipe"]), median(seconds["reference"])
    for engine, times in seconds.items():
        texts = results[engine]
        if engine.startswith("scanner"):
            texts = text_array(*texts).to_pylist()  # type: ignore[misc]
        f1 = mean(token_f1(a, normalized(b)) for a, b in zip(expected, texts, strict=True))  # type: ignore[call-overload]
        spent = median(times)
        print(
            f"  {engine:24s} {size / spent:8.2f} MB/s {len(pages) / spent:9.0f} pages/s   x recipe {base / spent:7.1f}"
            f"   x reference {careful / spent:7.1f}   F1 {f1:.5f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the real inputs")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    warm()
    pages = long_pages(arguments.data)
    compare("section groups of 2.5-9 KB", section_groups(pages), arguments.rounds)
    compare("long pages", pages, arguments.rounds)
    compare("pages of 60 KB and more", [page for page in pages if len(page) >= VERY_LONG], arguments.rounds)


if __name__ == "__main__":
    main()
