"""Text to word hashes on the device: count the words that start in each chunk, sum, write them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpucurate.core.text_buffers import TextBuffers
from gpucurate.device.cuda.engine import DeviceArray, Engine, Kernel
from gpucurate.device.shingle_characters import shingle_characters

CHUNK = 64  # bytes of text a thread owns: two cache sectors, a dozen words
COUNT = Kernel("tokenise.cu", "count_words", (("CHUNK", CHUNK),))
WRITE = Kernel("tokenise.cu", "write_words", (("CHUNK", CHUNK),))


class DeviceTexts(NamedTuple):
    """A batch of texts on the device.

    `data` uint8, aligned to 8 bytes and readable to the next multiple of 8 behind its `size` bytes of text; `offsets`
    int64 [documents + 1] from 0 to `size`.
    """

    data: DeviceArray
    offsets: DeviceArray
    size: int


class Words(NamedTuple):
    """`hashes` uint64 [words] of all documents; document d's first is `documents[d]`, int64 [documents + 1]."""

    hashes: DeviceArray
    documents: DeviceArray


def upload_texts(engine: Engine, texts: TextBuffers) -> DeviceTexts:
    """Copy a batch to the device."""
    begin, end = int(texts.offsets[0]), int(texts.offsets[-1])
    data = engine.upload(texts.data[begin:end], padding=-(end - begin) % 8)
    return DeviceTexts(data, engine.upload(texts.offsets - begin), end - begin)


def words(engine: Engine, texts: DeviceTexts) -> Words | None:
    """Hashes of all words; None for text so damaged that a thread cannot see where it stands (tokenise.cu).

    Such text has more than CHUNK continuation bytes in a row, which no UTF-8 has.
    """
    xp, offsets = engine.xp, texts.offsets
    documents = offsets.shape[0] - 1
    if texts.size == 0:
        return Words(xp.zeros(0, np.uint64), xp.zeros(documents + 1, np.int64))
    chunks = -(-texts.size // CHUNK)
    owners = xp.searchsorted(offsets[:-1], xp.arange(chunks, dtype=np.int64) * CHUNK, side="left") - 1
    table = engine.upload(shingle_characters())
    counts, lost = xp.empty(chunks, np.int64), xp.zeros(1, np.uint32)
    engine.launch(COUNT, chunks, texts.data, offsets, texts.size, owners, chunks, table, counts, lost)
    if int(lost[0]):
        return None
    ends = xp.cumsum(counts)
    total = int(ends[-1])
    hashes, first = xp.empty(total, np.uint64), xp.full(documents + 1, total, np.int64)
    engine.launch(
        WRITE, chunks, texts.data, offsets, texts.size, owners, chunks, table, ends - counts, hashes, first, lost
    )
    return Words(hashes, first)
