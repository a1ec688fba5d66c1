"""The whole step `repeated_spans` on made-up documents: wall time and memory, and how both grow with the text.

    python benchmarks/repeated_spans.py --megabytes 10 100 1000
    python benchmarks/repeated_spans.py --megabytes 100 --identical

Documents are read in a first run; the second run adds the step, and only that is measured.  One document in ten holds
one of a thousand passages of 60 to 300 words, one in fifty a piece of 20 to 400 words of another document.  With
`--identical` all documents are one text: every window of every one repeats.
"""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from near_duplicates import Spellings, run
from numpy.typing import NDArray

VOCABULARY = 50_000
WORDS = 500  # mean of a document, uniform from half to one and a half
PER_FILE = 10_000  # documents: 40 MB
PASSAGES = 1000
STAGE = re.compile(r"^(repeated_spans: .*?): \d+ of \d+ tasks.*?([\d.]+) s$", re.MULTILINE)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--megabytes", type=int, nargs="+", default=[100])
    arguments.add_argument("--identical", action="store_true")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="setting of the step")
    options = arguments.parse_args()
    settings = {key: yaml.safe_load(value) for key, value in (each.split("=", 1) for each in options.set)}
    for megabytes in options.megabytes:
        folder = Path(tempfile.mkdtemp(prefix="repeated-spans-"))
        documents, size = write_corpus(folder / "corpus", megabytes * 1_000_000, options.identical)
        print(f"{documents:,} documents, {size / 1e6:,.0f} MB of text", flush=True)
        run(folder, options.workers, [])
        said, seconds, peak = run(folder, options.workers, [{"repeated_spans": settings}])
        for stage, took in STAGE.findall(said):
            print(f"  {stage:<32}{float(took):8.1f} s")
        print("\n".join(line for line in said.splitlines() if "emptied" in line or "edited" in line))
        left = sum(path.stat().st_size for path in (folder / "out").rglob("repeated_spans*"))
        print(f"whole second run {seconds:.1f} s on {options.workers} workers, {peak / 1e9:.2f} GB of memory at most, ")
        print(f"{left / 1e6:,.0f} MB of files of the step", flush=True)
        shutil.rmtree(folder)


def write_corpus(folder: Path, size: int, identical: bool) -> tuple[int, int]:
    """Parquet files of at least `size` bytes of text; returns documents and bytes."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(5)
    spelled = np.array([f"{name:x}".encode() for name in rng.choice(1 << 28, VOCABULARY, replace=False)], object)
    spellings = Spellings(spelled)
    passages = [rng.integers(0, VOCABULARY, rng.integers(60, 301)) for _ in range(PASSAGES)]
    same = rng.integers(0, VOCABULARY, WORDS)
    documents = written = 0
    while written < size:
        count = min(PER_FILE, (size - written) // (8 * WORDS) + 1)
        lengths = rng.integers(WORDS // 2, WORDS + WORDS // 2 + 1, count)
        texts = [same if identical else rng.integers(0, VOCABULARY, length) for length in lengths]
        if not identical:
            plant(rng, texts, passages)
        column = spellings.column(texts)
        pq.write_table(pa.table({"text": column}), folder / f"{documents:09d}.parquet", compression="zstd")
        written += column.nbytes
        documents += count
    return documents, written


def plant(rng: np.random.Generator, texts: list[NDArray[np.int64]], passages: list[NDArray[np.int64]]) -> None:
    """Put passages, and pieces of other documents of the file, into some of the texts."""
    for d in range(len(texts)):
        draw = rng.random()
        if draw < 0.1:
            piece = passages[rng.integers(len(passages))]
        elif draw < 0.12:
            other = texts[rng.integers(len(texts))]
            first = rng.integers(len(other))
            piece = other[first : first + rng.integers(20, 401)]
        else:
            continue
        where = rng.integers(len(texts[d]) + 1)
        texts[d] = np.concatenate([texts[d][:where], piece, texts[d][where:]])


if __name__ == "__main__":
    main()
