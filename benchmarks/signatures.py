"""MinHash signatures against datasketch, datatrove, rensa and gaoya: text in, 112 hashes of 5-word shingles out.

    python benchmarks/signatures.py [--data ../shared/data] [--rounds 5]

Run with a Python that has the peers (`pip install datasketch datatrove spacy rensa gaoya xxhash`); absent ones
are named and left out.  One process and thread; in each round a peer and gpucurate sign the same documents in turn, as
many as take the peer about a second.  The table shows megabytes a second of CPU time, and the median and quartiles of
the ratio within a round.  Peers that want strings of shingles get them from Python's `re` within the time measured, and
rensa also gets them made beforehand.
"""

from __future__ import annotations

import os

os.environ |= {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import argparse
import importlib
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device import pick
from gpucurate.device.hash_family import affine32

SHINGLE, BANDS, ROWS, SEED = 5, 14, 8, 1
HASHES = BANDS * ROWS
WORD = re.compile(r"\w+")

Texts = Sequence[str]
Peer = Callable[[Texts], object]


def corpus(data: Path) -> list[str]:
    """Speeches, reviews and chats, cut at line ends into documents of 2 to 4 KB."""
    texts = []
    for name, chars in (("webtext", 2_000), ("state_union", 4_000), ("inaugural", 3_000)):
        with ZipFile(data / "books" / f"{name}.zip") as archive:
            for entry in sorted(each for each in archive.namelist() if each.endswith(".txt")):
                piece = ""
                for line in archive.read(entry).decode("latin-1").splitlines(keepends=True):
                    piece += line
                    if len(piece) >= chars:
                        texts.append(piece)
                        piece = ""
                texts.append(piece)
    return [text for text in texts if len(text.split()) >= 2 * SHINGLE]  # datatrove's step fails on less than a shingle


def shingles(text: str) -> list[str]:
    words = WORD.findall(text.lower())
    return [" ".join(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)]


def shingling(_: Any) -> Peer:
    return lambda texts: [shingles(text) for text in texts]


def datasketch(module: Any) -> Peer:
    def sign(texts: Texts) -> object:
        rows = [[shingle.encode() for shingle in set(shingles(text))] for text in texts]
        return module.MinHash.bulk(rows, num_perm=HASHES)

    return sign


def datatrove(module: Any) -> Peer:
    hashing = importlib.import_module("datatrove.utils.hashing").HashConfig(precision=32)
    config = module.MinhashConfig(n_grams=SHINGLE, num_buckets=BANDS, hashes_per_bucket=ROWS, hash_config=hashing)
    step = module.MinhashDedupSignature(tempfile.mkdtemp(), config)
    of_bytes = step._hash_func  # xxhash 4 takes bytes only, and datatrove 0.10 gives it strings
    step._hash_func = lambda shingle: of_bytes(shingle.encode())
    return lambda texts: [step.get_signature(step.get_shingles(text)) for text in texts]


def rensa(module: Any) -> Peer:
    sign = module.RMinHash.digest_matrix_from_token_sets
    return lambda texts: sign([shingles(text) for text in texts], HASHES, SEED)


def rensa_ready(module: Any) -> Peer:
    sign = module.RMinHash.digest_matrix_from_token_sets
    made: dict[str, list[str]] = {}

    def run(texts: Texts) -> object:
        return sign([made.get(text) or made.setdefault(text, shingles(text)) for text in texts], HASHES, SEED)

    return run


def gaoya(module: Any) -> Peer:
    """Signs and fills its index in one call; there is none for signatures alone."""

    def sign(texts: Texts) -> object:
        index = module.MinHashStringIndex(
            32, 0.7, BANDS, ROWS, HASHES, analyzer="word", lowercase=True, ngram_range=(SHINGLE, SHINGLE)
        )
        index.par_bulk_insert_docs(list(range(len(texts))), list(texts))
        return index

    return sign


PEERS: list[tuple[str, str, str | None, Callable[[Any], Peer]]] = [
    ("Python's shingling alone", "re", None, shingling),
    ("datasketch, bulk", "datasketch", "datasketch", datasketch),
    ("datatrove, with its words", "datatrove.pipeline.dedup.minhash", "datatrove", datatrove),
    ("rensa, R-MinHash", "rensa", "rensa", rensa),
    ("rensa, shingles made before", "rensa", "rensa", rensa_ready),
    ("gaoya, with its index", "gaoya.minhash", "gaoya", gaoya),
]


def seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def enough(peer: Peer, texts: Texts) -> Texts:
    """As many of the texts, spread over all, as take the peer about a second."""
    few = texts[:: max(1, len(texts) // 20)]
    peer(few)
    wanted = int(len(few) / max(seconds(lambda: peer(few)), 1e-3)) + 1
    return texts[:: max(1, len(texts) // wanted)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    texts = corpus(arguments.data)
    backend, family = pick("cpu"), affine32(HASHES, SEED)
    backend.signatures(pack_texts(texts[:2]), SHINGLE, family)
    print(f"{len(texts)} documents, {sum(len(text.encode()) for text in texts) / 1e6:.1f} MB")
    print(f"{'peer':36}{'documents':>10}{'MB/s':>8}{'gpucurate':>11}{'ratio':>9}{'quartiles':>15}")
    for label, module, package, prepare in PEERS:
        try:
            peer = prepare(importlib.import_module(module))
        except ImportError as error:
            print(f"{label:36}absent: {error}")
            continue
        some = enough(peer, texts)
        size = sum(len(text.encode()) for text in some) / 1e6
        repeats = max(1, int(4 / size))  # of ours, so that the clock has something to measure
        buffers = pack_texts(list(some))
        theirs, ours = [], []
        peer(some)
        for _ in range(arguments.rounds):
            theirs.append(seconds(lambda peer=peer, some=some: peer(some)))
            ours.append(
                seconds(lambda b=buffers, n=repeats: [backend.signatures(b, SHINGLE, family) for _ in range(n)])
                / repeats
            )
        low, middle, high = statistics.quantiles([a / b for a, b in zip(theirs, ours, strict=True)], n=4)
        name = f"{label} {version(package)}" if package else label
        print(
            f"{name:36}{len(some):10}{size / statistics.median(theirs):8.2f}{size / statistics.median(ours):11.0f}"
            f"{middle:9.1f}{f'{low:.1f}-{high:.1f}':>15}"
        )


if __name__ == "__main__":
    main()
