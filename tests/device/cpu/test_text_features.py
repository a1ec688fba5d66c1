"""The verb `text_features`: the contract, and memory and time on documents of any size."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device import pick
from gpucurate.device.features import GOPHER_STOP_WORDS, REPETITION_BYTES, TEXT_FEATURES

PEAK = """
import resource, sys
from gpucurate.core.text_buffers import pack_texts
from gpucurate.device import pick
features = pick("cpu").text_features
features(pack_texts(["x"]), ())
text = pack_texts([sys.argv[1] * (100_000_000 // len(sys.argv[1]))])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
row = features(text, ())[0]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, row["words"])
"""


def test_no_text_gives_zeros() -> None:
    rows = pick("cpu").text_features(pack_texts(["", "\n\n", " \t"]), GOPHER_STOP_WORDS)
    assert rows.dtype == TEXT_FEATURES
    assert rows["chars"].tolist() == rows["repetition_chars"].tolist() == [0, 2, 2]
    assert rows["newlines"].tolist() == [0, 2, 0]
    assert rows["lines"].tolist() == [0, 2, 1]
    others = [n for n in TEXT_FEATURES.names or () if not n.endswith(("chars", "newlines", "lines")) or "gram" in n]
    assert all(not rows[name].any() for name in others)


def test_counts_of_the_whole_and_of_the_window() -> None:
    sentence = "The end of it is near. "
    text = sentence * (2 * REPETITION_BYTES // len(sentence))
    row = pick("cpu").text_features(pack_texts([text]), GOPHER_STOP_WORDS)[0]
    assert row["chars"] == len(text)
    assert row["words"] == 7 * text.count(".")
    assert row["repetition_chars"] == REPETITION_BYTES
    assert row["duplicate_5_gram_chars"] <= REPETITION_BYTES


def test_many_threads_see_the_same() -> None:
    buffers = pack_texts(["one two two.\n" * 50, "中文。", "x"] * 50)
    once = pick("cpu").text_features(buffers, GOPHER_STOP_WORDS)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: pick("cpu").text_features(buffers, GOPHER_STOP_WORDS), range(8)):
            np.testing.assert_array_equal(rows, once)


def test_a_document_of_100_mb_takes_bounded_memory() -> None:
    done = subprocess.run([sys.executable, "-c", PEAK, "a\n"], capture_output=True, text=True, check=True)
    kilobytes, words = map(int, done.stdout.split())
    assert words == 50_000_000
    assert kilobytes < 200_000
