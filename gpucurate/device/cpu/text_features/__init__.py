"""The verb `text_features` on the CPU: one walk over each document's bytes, integers out.

Rooms: characters (what a code point is), words, lines, ngrams, and one_pass that ties them.  No rule and no threshold
is known here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device.cpu.text_features.characters import character_classes
from gpucurate.device.cpu.text_features.hashing import table_size
from gpucurate.device.cpu.text_features.one_pass import measure
from gpucurate.device.cpu.text_features.words import Hashes, split_words
from gpucurate.device.features import REPETITION_BYTES, SHORT_LINE_CHARS, TEXT_FEATURES


def text_features(
    texts: TextBuffers, stop_words: tuple[str, ...], grams: bool = True, window: int = REPETITION_BYTES
) -> NDArray[np.void]:
    """Rows of TEXT_FEATURES, one a document of `texts` (valid UTF-8), in order.

    `stop_words` are counted as written; one that the splitter does not take as one word is never found.  Without
    `grams` the n-gram fields are 0.  Memory beside the texts: at most about 60 bytes a byte of the longest document up
    to `window`, however long that document is.
    """
    rows = np.zeros(texts.documents, TEXT_FEATURES)
    stop_keys = _stop_table(stop_words)
    measure(texts.data, texts.offsets, character_classes(), stop_keys, SHORT_LINE_CHARS, window, grams, rows)
    return rows


def _stop_table(stop_words: tuple[str, ...]) -> Hashes:
    """Open-addressing table of the stop words' hashes, as `hashing.slot_of` reads it."""
    keys = np.zeros(table_size(len(stop_words)), np.uint64)
    hashes, lengths = np.zeros(1, np.uint64), np.zeros(1, np.int32)
    none, unseen = np.zeros(1, np.uint64), np.zeros(1, np.uint8)
    for word in sorted(set(stop_words)):
        text = pack_texts([word]).data
        counts = split_words(text, 0, len(text), character_classes(), none, unseen, 1, hashes, lengths)
        if counts.words == 1:
            slot = int(hashes[0] >> np.uint64(1)) & (len(keys) - 1)
            while keys[slot]:
                slot = (slot + 1) % len(keys)
            keys[slot] = hashes[0]
    return keys
