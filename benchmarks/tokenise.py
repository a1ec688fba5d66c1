"""Tokenising and writing a part against tiktoken alone, which only makes lists of ids.

    python benchmarks/tokenise.py --data ../shared/data [--rounds 24]

Every round takes documents that no round before has seen, since engines remember words.  All ways run in turn in each
round, on one core; the table shows megabytes a second of CPU time, and medians of the ratio to tiktoken within a round.
"""

from __future__ import annotations

import argparse
import bz2
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from html import unescape
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import tiktoken
from blake3 import blake3

from gpucurate.tokens.config import TokensConfig
from gpucurate.tokens.encode import encode_part, write_tokens
from gpucurate.tokens.tokenizer import Tokenizer, load_tokenizer
from gpucurate.tokens.vocabularies import VOCABULARIES, load_ranks

DUMPS = ("wiki/gensim/enwiki-latest*.bz2", "wiki/ltgwiki/*.bz2")
BOOKS = ("inaugural", "state_union", "webtext", "udhr2")


def corpus(data: Path) -> list[str]:
    """Wikitext of two dumps, web pages without their tags, speeches, reviews, declarations: each text once."""
    texts: list[str] = []
    for pattern in DUMPS:
        for path in data.glob(pattern):
            xml = bz2.decompress(path.read_bytes()).decode()
            texts += [unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", xml, re.DOTALL)]
    for path in sorted((data / "html").rglob("*.html")):
        page = re.sub(r"(?s)<(script|style).*?</\1>", "", path.read_text("utf-8", "replace"))
        texts.append(re.sub(r"<[^>]*>", "", page))
    for book in BOOKS:
        with ZipFile(data / "books" / f"{book}.zip") as archive:
            texts += [archive.read(name).decode("utf-8", "replace") for name in archive.namelist() if name[-1] != "/"]
    return list(dict.fromkeys(texts))


def tiktoken_encoding(name: str) -> tiktoken.Encoding:
    """The encoding without a download."""
    vocabulary = VOCABULARIES[name]
    return tiktoken.Encoding(
        name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=load_ranks(vocabulary),
        special_tokens=dict(vocabulary.special),
    )


def to_lists(encoding: tiktoken.Encoding, part: pa.Table) -> object:
    """encode_ordinary of every text, to lists that stay in memory."""
    return [encoding.encode_ordinary(text) for text in part["text"].to_pylist()]


def to_file(encoding: tiktoken.Encoding, path: Path, part: pa.Table) -> None:
    """The usual script: a list a text, each made an array, all written one after another."""
    dtype = np.uint16 if encoding.n_vocab <= 1 << 16 else np.uint32
    with path.open("wb") as file:
        for text in part["text"].to_pylist():
            file.write(np.array(encoding.encode_ordinary(text), dtype).data)


def encode_and_write(tokenizer: Tokenizer, path: Path, part: pa.Table) -> None:
    """What the runner does with a part."""
    write_tokens(encode_part(part, tokenizer), path)


def measure(parts: list[pa.Table], ways: dict[str, Callable[[pa.Table], object]]) -> dict[str, list[float]]:
    """CPU seconds of each way, a number a part."""
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for number, part in enumerate(parts):
        for way in random.Random(number).sample(list(ways), len(ways)):
            started = time.process_time()
            ways[way](part)
            seconds[way].append(time.process_time() - started)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=24)
    arguments = parser.parse_args()
    texts = corpus(arguments.data)
    random.Random(0).shuffle(texts)
    ids = [blake3(text.encode()).digest(length=16) for text in texts]
    table = pa.table({"record_id": pa.array(ids, pa.binary(16)), "text": pa.array(texts, pa.large_string())})
    rows = len(table) // arguments.rounds
    parts = [table.slice(i * rows, rows).combine_chunks() for i in range(arguments.rounds)]
    size = sum(len(text.encode()) for text in texts[: rows * arguments.rounds]) / 1e6
    print(f"{rows * arguments.rounds} documents, {size:.1f} MB, {arguments.rounds} rounds, one core\n")
    print(f"{'vocabulary':13}{'way':36}{'MB/s':>7}{'ratio':>8}{'quartiles':>14}")
    for name in VOCABULARIES:
        with tempfile.TemporaryDirectory() as directory:
            encoding, path = tiktoken_encoding(name), Path(directory) / "tokens"
            ways: dict[str, Callable[[pa.Table], object]] = {
                "tiktoken alone, lists": partial(to_lists, encoding),
                "tiktoken alone, lists to a file": partial(to_file, encoding, path),
            }
            for engine in ("reference", "auto"):
                config = TokensConfig.model_validate({"tokenizer": f"tiktoken:{name}", "engine": engine})
                tokenizer = load_tokenizer.__wrapped__(config)
                way = f"encoded and written, {tokenizer.engine.name}"
                ways[way] = partial(encode_and_write, tokenizer, path)
            seconds = measure(parts, ways)
        base = seconds["tiktoken alone, lists"]
        for way, times in seconds.items():
            ratios = [b / t for b, t in zip(base, times, strict=True)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            print(f"{name:13}{way:36}{size / sum(times):7.1f}{middle:8.2f}{f'{low:.2f}-{high:.2f}':>14}")


if __name__ == "__main__":
    main()
