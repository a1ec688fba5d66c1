"""Texts as Parquet files of about one size, each with the numbers of its documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# Every file is one task of NeMo's, read into one cuDF column on one GPU.  Half of the 512 MB that NeMo's
# stages.file_partitioning recommends as the most, and far from the 2^31 bytes where columns of strings change offsets.
FILE_BYTES = 256 << 20

SCHEMA = pa.schema([("document", pa.int64()), ("text", pa.large_string())])


def write_text_files(texts: Sequence[pa.Table], folder: Path, file_bytes: int = FILE_BYTES) -> dict[str, int]:
    """Write the documents that have text, in order; the names of the files with how many documents each holds.

    A file holds at most `file_bytes` of text, or one longer document.  `document` counts all documents through all
    parts, those without text included.  One part is in memory at a time.
    """
    counts = {}
    for number, pieces in groupby(_pieces(texts, file_bytes), key=lambda piece: piece[0]):
        name = f"{number:06d}.parquet"
        counts[name] = 0
        with pq.ParquetWriter(folder / name, SCHEMA, use_dictionary=False) as writer:
            for _, rows in pieces:
                writer.write_table(rows)
                counts[name] += rows.num_rows
    return counts


def _pieces(texts: Sequence[pa.Table], file_bytes: int) -> Iterator[tuple[int, pa.Table]]:
    """Runs of rows that go into one file, with the file's number."""
    file = used = first = 0
    for part in texts:
        lengths = pc.binary_length(part["text"]).to_numpy().astype(np.int64)
        places = np.flatnonzero(lengths)
        ends = np.cumsum(lengths[places])
        start = before = 0
        while start < len(places):
            stop = int(np.searchsorted(ends, before + file_bytes - used, side="right"))
            if stop == start and used == 0:
                stop += 1  # longer than a file may be: a file of its own
            if stop > start:
                taken = places[start:stop]
                yield file, pa.table([pa.array(taken + first), part["text"].take(pa.array(taken))], schema=SCHEMA)
                used += int(ends[stop - 1]) - before
                before = int(ends[stop - 1])
            if stop < len(places):
                file, used = file + 1, 0
            start = stop
        first += part.num_rows
