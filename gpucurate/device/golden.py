"""Golden vectors: fixed inputs and what every verb must give for them, on any device, machine and version.

They find in a second what would otherwise spoil a corpus without a word: a broken library, a driver that computes
something else, a processor that does.  Every verb has inputs of its own, so that a wrong one is named alone.  The
digests were taken from the CPU backend, which tests/device and tests/oracles hold against brute force and peers; a
verb that is meant to change takes its new ones from `python -m tests.device.golden_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device.backend import Backend, ShingleSets
from gpucurate.device.grams import gram_table
from gpucurate.device.hash_family import affine32

DIGITS = 16  # hexadecimal, of BLAKE3 over dtype, shape and bytes of what a verb gives
SHINGLE, HASHES, SEED = 5, 112, 1
STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")  # Gopher's, section A.1.1
EXPECTED: Mapping[str, str] = {
    "text_features": "dfa6147002bd1e24",
    "signatures": "6de211a83ad1601d",
    "shingle_sets": "468fd1820b932fc5",
    "sampled_windows": "355211969acc2c23",
    "band_keys": "64c476c0ba88011d",
    "group": "369f27b45955998e",
    "shared": "93a1b374eb17bfbb",
    "components": "a66bd8383a9cf25c",
    "gram_hits": "80c23c7a019bc5eb",
}


def golden_texts(damaged: bool = True) -> TextBuffers:
    """Few documents that go every way through the kernels: none, one word, many scripts, damage, many tasks.

    Without `damaged` all of them are valid UTF-8, as `text_features` demands.
    """
    counted = " ".join(f"line {n} of the long document, which has {n * n % 1009} words.\n" for n in range(2000))
    many_scripts = (
        "Ünïcödé in many scripts: Ελλάς, Москва, שלום, مرحبا, हिन्दी, 日本語のテキスト, "
        "한국어, ไทย, 🙂👩\u200d👩\u200d👧, e\u0301."
    )
    damage = b"damaged \xff\xfe bytes \xe2\x82 and \xc0\xaf overlong, a lone \x80 and a cut \xf0\x9f\x99"
    return pack_texts(
        [
            b"",
            b" \t\n...",
            b"cat dog cat",
            b"The quick brown fox jumps over the lazy dog, and the dog does not mind.",
            b"Farm to Market Road 1506 (FM 1506) is located in Lamar County.",
            many_scripts.encode(),
            damage if damaged else b"not damaged",
            "- one\n- two\n- one\n\n\nthe end...\nthe end…\n".encode(),
            counted.encode(),
        ]
    )


def wrong_verbs(backend: Backend, expected: Mapping[str, str] = EXPECTED) -> list[str]:
    """Names of the verbs that give something else than expected.  Raises what the backend raises."""
    given = golden_values(backend)
    return [verb for verb in sorted({*given, *expected}) if given.get(verb) != expected.get(verb)]


def golden_values(backend: Backend) -> dict[str, str]:
    """The digest of what each verb gives, by the verb's name."""
    return {verb: _digest(*call(backend)) for verb, call in _VERBS.items()}


def _text_features(backend: Backend) -> list[NDArray[np.generic]]:
    return [backend.text_features(golden_texts(damaged=False), STOP_WORDS)]


def _signatures(backend: Backend) -> list[NDArray[np.generic]]:
    return list(backend.signatures(golden_texts(), SHINGLE, affine32(HASHES, SEED)))


def _shingle_sets(backend: Backend) -> list[NDArray[np.generic]]:
    return list(backend.shingle_sets(golden_texts(), SHINGLE))


def _sampled_windows(backend: Backend) -> list[NDArray[np.generic]]:
    """One of many windows, and every window."""
    sparse, dense = backend.sampled_windows(golden_texts(), 7, 9), backend.sampled_windows(golden_texts(), 3, 1)
    return [*sparse, *dense]


def _band_keys(backend: Backend) -> list[NDArray[np.generic]]:
    signatures = affine32(20 * HASHES, SEED).b.reshape(20, HASHES)
    return [backend.band_keys(np.ascontiguousarray(signatures), 14, 8)]


def _group(backend: Backend) -> list[NDArray[np.generic]]:
    """Buckets of one to a dozen rows in mixed order, those of more than four stars."""
    rows = 200
    draws = affine32(rows, SEED)
    keys = ((draws.a % 20) * (draws.b % 20)).astype(np.uint64) << np.uint64(40)
    first = (draws.b % 50).astype(np.uint64)
    return [backend.group(keys, first, np.arange(rows, 0, -1).astype(np.uint64), 4)]


def _shared(backend: Backend) -> list[NDArray[np.generic]]:
    """A long set against short ones, an empty one, and one against itself."""
    sets = [np.arange(0, 3000 // step, dtype=np.uint64) * np.uint64(step) for step in (1, 2, 3, 7, 1000, 5000)]
    offsets = np.cumsum([0, *(len(each) for each in sets)]).astype(np.int64)
    pairs = np.array([(a, b) for a in range(6) for b in range(a, 6)], np.int64)
    return [backend.shared(pairs, ShingleSets(offsets, np.concatenate(sets)))]


def _components(backend: Backend) -> list[NDArray[np.generic]]:
    """A chain, a star, a ring and single nodes, over three batches of which one is empty."""
    chain = [(n, n + 1) for n in range(40)]
    star = [(50, n) for n in range(51, 70)]
    ring = [(80, 89), *((n, n + 1) for n in range(80, 89))]
    batches = [np.array(chain + ring[::2], np.int64), np.zeros((0, 2), np.int64), np.array(star + ring[1::2], np.int64)]
    return [backend.components(100, batches)]


def _gram_hits(backend: Backend) -> list[NDArray[np.generic]]:
    """Grams of three lengths, some of which are in the texts, in one of them often."""
    texts = pack_texts(
        ["brown fox jumps over", "of the long document which has 1 words", "cat", "not in any text at all"]
    )
    grams = {n: np.concatenate([backend.shingle_sets(texts, n).hashes]) for n in (1, 3, 7)}
    return list(backend.gram_hits(golden_texts(), gram_table(grams)))


_VERBS: Mapping[str, Callable[[Backend], list[NDArray[np.generic]]]] = {
    "text_features": _text_features,
    "signatures": _signatures,
    "shingle_sets": _shingle_sets,
    "sampled_windows": _sampled_windows,
    "band_keys": _band_keys,
    "group": _group,
    "shared": _shared,
    "components": _components,
    "gram_hits": _gram_hits,
}


def _digest(*arrays: NDArray[np.generic]) -> str:
    hasher = blake3()
    for array in arrays:
        hasher.update(f"{array.dtype.descr}{array.shape}".encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()[:DIGITS]
