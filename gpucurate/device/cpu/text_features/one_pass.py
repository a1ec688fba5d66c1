"""Every statistic of every document of a batch: words first, then lines, then what repeats.

The one place that ties the rooms of this package together and writes rows of TEXT_FEATURES.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets
from gpucurate.device.cpu.text_features.hashing import table_size
from gpucurate.device.cpu.text_features.lines import repeats_of_lines, shape_of_lines
from gpucurate.device.cpu.text_features.ngrams import GramScratch, count_grams
from gpucurate.device.cpu.text_features.words import Hashes, split_words


@kernel
def measure(
    text: Bytes, offsets: Offsets, classes: Bytes, stop_keys: Hashes, short_chars: int, window: int,
    with_grams: bool, rows: Any,
) -> None:  # fmt: skip
    """Fill `rows` (TEXT_FEATURES, one a document); repetition is counted over a document's first `window` bytes.

    Without `with_grams` the n-gram fields stay 0, which takes a third off the time.
    """
    longest = 1
    for d in range(rows.shape[0]):
        longest = max(longest, min(offsets[d + 1] - offsets[d], window))
    hashes = np.empty(longest, np.uint64)
    lengths = np.empty(longest, np.int32)
    table = table_size(longest + 1)  # n bytes have at most n words and n + 1 lines
    scratch = GramScratch(
        np.empty(longest, np.uint64),
        np.empty(longest, np.int32),
        np.empty(longest, np.int32),
        np.empty(2 * table, np.uint64),
        np.empty((table, 2), np.int32),
    )
    grams = np.zeros(9, np.int64)
    stop_seen = np.zeros(stop_keys.shape[0], np.uint8)
    for d in range(rows.shape[0]):
        start, stop = offsets[d], offsets[d + 1]
        cut = min(stop, start + window)
        while cut < stop and cut > start and text[cut] & 0xC0 == 0x80:
            cut -= 1
        row = rows[d]
        counts = split_words(text, start, cut, classes, stop_keys, stop_seen, longest, hashes, lengths)
        if with_grams:
            count_grams(hashes, lengths, counts.words, scratch, grams)
        repeats = repeats_of_lines(text, start, cut, counts.newlines, classes, scratch.keys)
        row["repetition_chars"] = counts.chars
        row["repetition_newlines"] = counts.newlines
        shape = shape_of_lines(text, start, stop, classes, short_chars)
        if cut < stop:
            counts = split_words(text, start, stop, classes, stop_keys, stop_seen, 0, hashes, lengths)
        row["chars"] = counts.chars
        row["letters"] = counts.letters
        row["symbols"] = counts.symbols
        row["newlines"] = counts.newlines
        row["hashes"] = counts.hashes
        row["ellipses"] = counts.ellipses
        row["words"] = counts.words
        row["text_words"] = counts.text_words
        row["text_word_chars"] = counts.text_word_chars
        row["letter_words"] = counts.letter_words
        row["stop_words"] = counts.stop_words
        row["lines"] = shape.lines
        row["text_lines"] = shape.text_lines
        row["bullet_lines"] = shape.bullet_lines
        row["ellipsis_lines"] = shape.ellipsis_lines
        row["terminal_lines"] = shape.terminal_lines
        row["short_lines"] = shape.short_lines
        row["repetition_lines"] = repeats.lines
        row["duplicate_lines"] = repeats.duplicate_lines
        row["duplicate_line_chars"] = repeats.duplicate_line_chars
        row["paragraphs"] = repeats.paragraphs
        row["duplicate_paragraphs"] = repeats.duplicate_paragraphs
        row["duplicate_paragraph_chars"] = repeats.duplicate_paragraph_chars
        row["top_2_gram_chars"] = grams[0]
        row["top_3_gram_chars"] = grams[1]
        row["top_4_gram_chars"] = grams[2]
        row["duplicate_5_gram_chars"] = grams[3]
        row["duplicate_6_gram_chars"] = grams[4]
        row["duplicate_7_gram_chars"] = grams[5]
        row["duplicate_8_gram_chars"] = grams[6]
        row["duplicate_9_gram_chars"] = grams[7]
        row["duplicate_10_gram_chars"] = grams[8]
