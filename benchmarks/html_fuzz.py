"""Mutated pages through the engine `blocks` under bounds checking: every page must give valid text.

    NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=/tmp/checked python benchmarks/html_fuzz.py FOLDER [pages] [seed]

The cache directory must be one of its own, since Numba keeps checked and unchecked code under the same name.
FOLDER is searched for pages of HTML.  A page is cut, spliced with another and sprinkled with bytes of markup; it then
goes through the scanner, the features, the trees and both layouts.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

import numpy as np

BATCH = 500
LONGEST = 6_000  # bytes of a mutated page
SPRINKLED = b"<>/\"'=&;#!-? \n\x00\xc3\xe2\x80ap"
PIECES = (b"<p>", b"</p>", b"<table>", b"<td>", b"<tr>", b"</table>", b"<li>", b"<ul>", b"</ul>", b"<pre>", b"</div>")
PIECES += (b"<!--", b"-->", b"<script>", b"</script>", b"<math>", b"</math>", b"<annotation encoding=tex>", b"<title>")


def mutated(pool: list[bytes], chance: random.Random) -> str:
    page = bytearray()
    for _ in range(chance.randrange(1, 4)):
        source = chance.choice(pool)
        start = chance.randrange(len(source))
        page += source[start : start + chance.randrange(1, LONGEST // 2)]
    for _ in range(chance.randrange(0, 60)):
        page[chance.randrange(len(page))] = chance.choice(SPRINKLED)
    for _ in range(chance.randrange(0, 20)):
        place = chance.randrange(len(page))
        page[place:place] = chance.choice(PIECES)
    return page[:LONGEST].decode("utf-8", "replace")


def main() -> None:
    if os.environ.get("NUMBA_BOUNDSCHECK") != "1":
        raise SystemExit("set NUMBA_BOUNDSCHECK=1, else an index beyond an array goes unseen")
    from gpucurate.core.text_buffers import pack_texts
    from gpucurate.sources.html.blocks import FEATURES, Forest, Trees
    from gpucurate.sources.html.blocks.extraction import extract_pages
    from gpucurate.sources.html.blocks.writing.options import MARKDOWN, Options

    folder, pages, seed = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000, 0
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else seed
    pool = [data for path in sorted(folder.rglob("*.htm*")) if len(data := path.read_bytes()) > 100]
    chance = random.Random(seed)
    noise = np.random.default_rng(seed)
    trees = 40  # random ones, so that every selection occurs
    forest = Trees(
        Forest(
            noise.integers(0, FEATURES, trees * 15).astype(np.int16),
            noise.normal(0.5, 1, trees * 15).astype(np.float32),
            noise.normal(0, 0.3, trees * 16).astype(np.float32),
            20,
            0.4,
        )
    ).forest
    started, done, kept = time.monotonic(), 0, 0
    while done < pages:
        options = Options(*(chance.random() < 0.5 for _ in range(5)))
        options = options._replace(layout=MARKDOWN if chance.random() < 0.5 else 0)
        batch = pack_texts([mutated(pool, chance) for _ in range(min(BATCH, pages - done))])
        texts = extract_pages(batch, forest, options).texts
        text = texts.data.tobytes().decode()  # strict: the text of valid pages is valid
        assert not any(c in text for c in map(chr, (*range(9), 11, 12, *range(14, 32))))
        done += texts.documents
        kept += len(text)
        if done % (20 * BATCH) == 0:
            print(f"{done} pages, {kept} characters, {time.monotonic() - started:.0f} s", flush=True)
    print(f"{done} pages from {len(pool)} files without an error, {kept} characters kept")


if __name__ == "__main__":
    main()
