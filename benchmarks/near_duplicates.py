"""The whole step `near_duplicates` on made-up documents: wall time and memory, and how both grow.

    python benchmarks/near_duplicates.py --documents 1_000_000
    python benchmarks/near_duplicates.py --documents 4_000_000 --words 20 --giant 2_000_000 --set bands=14 --set rows=1

Documents are read in a first run; the second run adds the step, and only that is measured: every stage by its own
clock, the processes' memory by sampling their proportional set sizes.  30 % of the documents are in clusters: copies of
a document with up to 2 % of its words changed.  With `--giant` so many documents begin with one long banner and have
bodies of their own: with one row a band most share a bucket in every band, and all that are no copies must stay.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from numpy.typing import NDArray

VOCABULARY = 50_000
CLUSTERED = 0.3
PER_FILE = 50_000
BANNER = 120  # words: with bodies of 20, two such documents have a similarity of .7
STAGE = re.compile(r"^(near_duplicates: .*?): \d+ of \d+ tasks.*?([\d.]+) s$", re.MULTILINE)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--documents", type=int, default=1_000_000)
    arguments.add_argument(
        "--words", type=int, default=250, help="mean of a document, uniform from half to one and a half"
    )
    arguments.add_argument("--giant", type=int, default=0, help="documents that share one banner")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--folder", type=Path, help="keep corpus and output here")
    arguments.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="setting of the step")
    options = arguments.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="near-duplicates-"))
    if not (folder / "corpus").is_dir():
        size, planted = write_corpus(folder / "corpus", options.documents, options.words, options.giant)
        print(f"{options.documents:,} documents, {size / 1e6:,.0f} MB of text, {planted:,} copies", flush=True)
    shutil.rmtree(folder / "out", ignore_errors=True)
    run(folder, options.workers, [])
    settings = {key: yaml.safe_load(value) for key, value in (each.split("=", 1) for each in options.set)}
    said, seconds, peak = run(folder, options.workers, [{"near_duplicates": settings}])
    for stage, took in STAGE.findall(said):
        print(f"  {stage:<32}{float(took):8.1f} s")
    print("\n".join(line for line in said.splitlines() if "near_duplicates.copy" in line))
    print(f"whole second run {seconds:.1f} s on {options.workers} workers, {peak / 1e9:.2f} GB of memory at most")
    if not options.folder:
        shutil.rmtree(folder)


def write_corpus(folder: Path, documents: int, words: int, giant: int) -> tuple[int, int]:
    """Parquet files of texts; returns bytes of text, and how many documents are edited copies."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(5)
    spelled = np.array([f"{name:x}".encode() for name in rng.choice(1 << 28, VOCABULARY, replace=False)], object)
    spellings = Spellings(spelled)
    banner = rng.integers(0, VOCABULARY, BANNER)
    size = copies = 0
    for number, first in enumerate(range(0, documents, PER_FILE)):
        count = min(PER_FILE, documents - first)
        lengths = rng.integers(max(1, words // 2), words + words // 2 + 1, count)
        texts = [rng.integers(0, VOCABULARY, length) for length in lengths]
        members = np.flatnonzero(rng.random(count) < CLUSTERED)
        copies += plant_copies(rng, texts, members)
        for d in range(max(0, min(count, giant - first))):
            texts[d] = np.concatenate([banner, texts[d]])
        column = spellings.column(texts)
        size += column.nbytes
        pq.write_table(pa.table({"text": column}), folder / f"{number:05d}.parquet", compression="zstd")
    return size, copies


def plant_copies(rng: np.random.Generator, texts: list[NDArray[np.int64]], members: NDArray[np.int64]) -> int:
    """Make runs of the members, two to about ten, copies of their first with a few words changed."""
    at = copies = 0
    while at < len(members):
        size = min(1 + int(rng.geometric(0.4)), len(members) - at)
        base = texts[members[at]]
        for member in members[at + 1 : at + size]:
            copy = base.copy()
            places = rng.integers(0, len(copy), rng.integers(0, max(1, len(copy) // 50) + 1))
            copy[places] = rng.integers(0, VOCABULARY, len(places))
            texts[member] = copy
            copies += 1
        at += size
    return copies


class Spellings:
    """Numbers of words to texts, by copying bytes."""

    def __init__(self, spelled: NDArray[np.object_]) -> None:
        self._lengths = np.array([len(word) + 1 for word in spelled], np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._lengths)])
        self._bytes = np.frombuffer(b"".join(word + b" " for word in spelled), np.uint8)

    def column(self, texts: list[NDArray[np.int64]]) -> pa.Array:
        """One text a list of numbers (large_string)."""
        words = np.concatenate(texts)
        lengths = self._lengths[words]
        ends = np.cumsum(lengths)
        place = np.arange(int(ends[-1])) + np.repeat(self._starts[words] - (ends - lengths), lengths)
        offsets = np.concatenate([[0], ends[np.cumsum([len(text) for text in texts]) - 1]]).astype(np.int64)
        buffers = pa.py_buffer(offsets), pa.py_buffer(self._bytes[place])
        return pa.LargeStringArray.from_buffers(len(texts), *buffers)


def run(folder: Path, workers: int, steps: list[object]) -> tuple[str, float, int]:
    """Run with these steps; returns what was said, wall seconds, and peak memory."""
    recipe = {
        "name": "benchmark",
        "sources": [{"name": "made-up", "parquet": {"path": str(folder / "corpus")}}],
        "steps": steps,
    }
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    command = [sys.executable, "-c", "from gpucurate.cli import main; main()", "run", str(folder / "recipe.yaml")]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--out", str(folder / "out"), "--workers", str(workers)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    peak = [0]
    watcher = threading.Thread(target=watch, args=(process.pid, peak), daemon=True)
    watcher.start()
    said, _ = process.communicate()
    seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(said)
    return said, seconds, peak[0]


def watch(pid: int, peak: list[int]) -> None:
    """Sample the proportional set sizes of a process and its children until it ends."""
    try:
        parent = psutil.Process(pid)
        while parent.is_running() and parent.status() != psutil.STATUS_ZOMBIE:
            total = 0
            for process in [parent, *parent.children(recursive=True)]:
                try:
                    total += process.memory_full_info().pss
                except psutil.NoSuchProcess:
                    continue
            peak[0] = max(peak[0], total)
            time.sleep(0.2)
    except psutil.NoSuchProcess:
        return


if __name__ == "__main__":
    main()
