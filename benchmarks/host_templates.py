"""The whole step `host_templates` on made-up sites: wall time and memory, and how both grow with the crawl.

    python benchmarks/host_templates.py --pages 100_000 1_000_000

A site has 1 to 200 pages, many have few; a page has 12 lines of its site and 24 of its own.  Pages of a site lie
scattered over the files, as in a crawl.  Documents are read in a first run; the second run adds the step, and only
that is measured.
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
from near_duplicates import run

PER_FILE = 20_000  # pages: 80 MB
MENU, STORY = 12, 24  # lines of a page
STAGE = re.compile(r"^(host_templates: .*?): \d+ of \d+ tasks.*?([\d.]+) s$", re.MULTILINE)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--pages", type=int, nargs="+", default=[100_000])
    arguments.add_argument("--workers", type=int, default=2)
    options = arguments.parse_args()
    for pages in options.pages:
        folder = Path(tempfile.mkdtemp(prefix="host-templates-"))
        size = write_crawl(folder / "corpus", pages)
        print(f"{pages:,} pages, {size / 1e6:,.0f} MB of text", flush=True)
        run(folder, options.workers, [])
        said, seconds, peak = run(folder, options.workers, ["host_templates"])
        for stage, took in STAGE.findall(said):
            print(f"  {stage:<32}{float(took):8.1f} s")
        print("\n".join(line for line in said.splitlines() if "emptied" in line or "edited" in line))
        left = sum(path.stat().st_size for path in (folder / "out").rglob("host_templates*"))
        print(f"whole second run {seconds:.1f} s on {options.workers} workers, {peak / 1e9:.2f} GB of memory at most, ")
        print(f"{left / 1e6:,.0f} MB of files of the step", flush=True)
        shutil.rmtree(folder)


def write_crawl(folder: Path, pages: int) -> int:
    """Parquet files with `url` and `text`; returns bytes of text."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(5)
    words = [f"{name:x}" for name in rng.choice(1 << 28, 50_000, replace=False)]
    sizes = np.minimum(200, np.ceil(rng.pareto(0.7, pages))).astype(np.int64)
    site = np.repeat(np.arange(pages), sizes)[:pages]
    rng.shuffle(site)
    written = 0
    for first in range(0, pages, PER_FILE):
        some = site[first : first + PER_FILE]
        texts = [page(rng, words, int(each)) for each in some]
        uris = [f"http://site{each}.example/{first + n}" for n, each in enumerate(some)]
        pq.write_table(pa.table({"url": uris, "text": texts}), folder / f"{first:09d}.parquet", compression="zstd")
        written += sum(map(len, texts))
    return written


def page(rng: np.random.Generator, words: list[str], site: int) -> str:
    """The site's menu, always the same, and lines of 8 to 40 words."""
    menu = [f"{words[(site * 31 + n) % len(words)]} {words[(site + n * 7) % len(words)]}" for n in range(MENU)]
    lengths = rng.integers(8, 41, STORY)
    chosen = iter(rng.integers(0, len(words), lengths.sum()).tolist())
    return "\n".join([*menu, *(" ".join(words[next(chosen)] for _ in range(length)) for length in lengths)])


if __name__ == "__main__":
    main()
