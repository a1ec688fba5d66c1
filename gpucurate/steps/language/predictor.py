"""fastText's `predict` for a batch of texts: words, their mean vector, the most likely label.

Words repeat, so the sum of each is remembered for the batch.  A text's result is a pure function of its bytes: a word's
sum depends on the word alone, and sums are added in the order of the text.  What stands in a text is text: the model's
own marks (`</s>`, `__label__…`) are words like others there, where fastText would stop reading or leave them out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import inlined, kernel
from gpucurate.core.text_buffers import Bytes, read_only
from gpucurate.steps.language.labels import LabelTable, best_of_softmax, best_of_tree, huffman_tree
from gpucurate.steps.language.model_file import ModelFile
from gpucurate.steps.language.words import (
    FNV_BASIS,
    LOW,
    WAITING,
    WordTable,
    add_row,
    same_bytes,
    spell,
    sum_word,
    word_table,
)

END_OF_LINE = b"</s>"  # the word fastText puts at the end of every line
MOST_SLOTS = 1 << 14  # of remembered words: 1.5 MB; with more, finding a sum takes as long as making it
START, LENGTH, HASH, ROWS = 0, 1, 2, 3  # what is remembered of a word, beside its sum


class Predictor(NamedTuple):
    """A model ready for `predict`."""

    labels: tuple[str, ...]
    words: WordTable
    output: LabelTable
    end_of_line: int  # row of the line's end, -1 where the model knows none


def make_predictor(model: ModelFile) -> Predictor:
    """Tables for the compiled code (memory: the model's matrices, 4 bytes a bucket, and the words)."""
    end_of_line = model.words.index(END_OF_LINE) if END_OF_LINE in model.words else -1
    # the line's end keeps its number, but is spelled so that no word of a text equals it
    words = [b"\n" if word == END_OF_LINE else word for word in model.words]
    empty = np.zeros(0, np.int32)
    left, right = huffman_tree(model.label_counts) if model.hierarchical else (empty, empty)
    return Predictor(
        tuple(model.labels),
        word_table(model.minn, model.maxn, words, model.bucket_rows, model.rows),
        LabelTable(read_only(model.output), read_only(left), read_only(right)),
        end_of_line,
    )


def predict(
    predictor: Predictor, data: Bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Most likely label (its number) and its probability, of each text data[start:stop].

    A text of which the model knows nothing, not even the line's end, has label -1 and probability 0.  A probability
    can pass 1 by the little that fastText adds.  Memory: 1.5 MB, and the length of the longest text.
    """
    found = np.empty(len(starts), np.int32)
    probabilities = np.empty(len(starts), np.float64)
    slots = min(MOST_SLOTS, 1 << int((stops - starts).sum()).bit_length())
    _, words, output, end_of_line = predictor
    predict_texts(data, starts, stops, words, output, end_of_line, slots, found, probabilities)
    return found, probabilities


@inlined
def separates(byte: np.uint8) -> bool:
    """Whether fastText ends a word here: space, tab, LF, VT, FF, CR, NUL; no other white space."""
    return bool(byte <= 0x20 and (byte == 0x20 or 0x09 <= byte <= 0x0D or byte == 0))


@kernel
def predict_texts(
    data: Bytes, starts: NDArray[np.int64], stops: NDArray[np.int64], words: WordTable, output: LabelTable,
    end_of_line: int, slots: int, found: NDArray[np.int32], probabilities: NDArray[np.float64],
) -> None:  # fmt: skip
    """See `predict`.  One word a slot is remembered, the last that came; how many slots there are (a power of two)
    changes the speed and nothing else."""
    dimensions = words.rows.shape[1]
    sums = np.empty((slots, dimensions), np.float32)
    memory = np.zeros((slots, 4), np.int64)
    longest = 0
    for document in range(starts.shape[0]):
        longest = max(longest, stops[document] - starts[document])
    spelled = np.empty(longest + 3, np.uint8)
    waiting = np.empty(WAITING + words.maxn, np.int64)
    word_sum = np.empty(dimensions)
    total = np.empty(dimensions)
    for document in range(starts.shape[0]):
        total[:] = 0
        rows = 0
        at, stop = starts[document], stops[document]
        while at < stop:
            start = at
            value = FNV_BASIS
            while at < stop and not separates(data[at]):
                value = spell(value, data[at])
                at += 1
            if at > start:
                hashed = np.int64(value & LOW)
                slot = hashed & (slots - 1)
                if not (
                    memory[slot, LENGTH] == at - start
                    and memory[slot, HASH] == hashed
                    and same_bytes(data, memory[slot, START], data, start, at - start)
                ):
                    memory[slot, ROWS] = sum_word(data, start, at, value, words, spelled, waiting, word_sum)
                    memory[slot, START], memory[slot, LENGTH], memory[slot, HASH] = start, at - start, hashed
                    for k in range(dimensions):
                        sums[slot, k] = word_sum[k]
                rows += memory[slot, ROWS]
                add_row(sums, slot, total)
            at += 1
        if end_of_line >= 0:
            add_row(words.rows, end_of_line, total)
            rows += 1
        label, probability = -1, 0.0
        if rows:
            for k in range(dimensions):
                total[k] /= rows
            if output.left.shape[0]:
                label, probability = best_of_tree(total, output)
            else:
                label, probability = best_of_softmax(total, output)
        found[document], probabilities[document] = label, probability
