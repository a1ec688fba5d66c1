"""Texts of any size, made in no time: real enough for speed, and the same on every machine."""

from __future__ import annotations

import numpy as np

from gpucurate.core.text_buffers import TextBuffers, pack_texts, read_only


def prose(count: int, words: int, seed: int, copies: float = 0.2) -> TextBuffers:
    """`count` documents of about `words` words from a vocabulary of 50,000; a share of them are near-copies.

    A near-copy is an earlier document with one word in fifty replaced.
    """
    draw = np.random.default_rng(seed)
    vocabulary = np.array([_word(draw) for _ in range(50_000)], object)
    frequency = 1 / np.arange(1, vocabulary.size + 1)
    frequency /= frequency.sum()
    documents: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    for _ in range(count):
        if documents and draw.random() < copies:
            text = documents[int(draw.integers(len(documents)))].copy()
            places = draw.integers(0, text.size, max(1, text.size // 50))
            text[places] = draw.integers(0, vocabulary.size, places.size)
        else:
            text = draw.choice(vocabulary.size, max(1, int(draw.poisson(words))), p=frequency)
        documents.append(text)
    return pack_texts([" ".join(vocabulary[text]) for text in documents])


def repeated(texts: TextBuffers, times: int) -> TextBuffers:
    """The same documents `times` times over."""
    size = int(texts.offsets[-1])
    starts = np.arange(times, dtype=np.int64)[:, None] * size
    offsets = np.append((texts.offsets[None, :-1] + starts).ravel(), times * size)
    return TextBuffers(read_only(np.tile(texts.data[:size], times)), read_only(offsets))


def _word(draw: np.random.Generator) -> str:
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkqjxz", np.uint8)
    return bytes(letters[draw.integers(0, letters.size, 2 + int(draw.poisson(3.5)))]).decode()
