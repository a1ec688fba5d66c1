"""Lines of pages as digests: of the host and the words of the line, in their folded characters.

Lines that differ in case, white space or punctuation are the same.  Lines without a word are none: a brace in code, a
rule in a table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from gpucurate.core.digests import RECORD_BYTES, digest16
from gpucurate.core.text_buffers import text_buffers
from gpucurate.steps.comparison import PartDocuments
from gpucurate.steps.host_templates.pages import Hashes, pages_of_hosts
from gpucurate.steps.near_duplicates.numbering import column
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.repeated_spans.places import batches, document_of, place
from gpucurate.steps.repeated_spans.units import units_of

LINES = pa.schema(
    [
        pa.field("key", pa.uint64(), nullable=False),  # first half of the line's digest; sorted
        pa.field("check", pa.uint64(), nullable=False),  # second half
        pa.field("place", pa.uint64(), nullable=False),  # row in the part, number of the line
    ]
)
SIZES = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),  # in the part; sorted
        pa.field("lines", pa.int64(), nullable=False),  # with a word in them
    ]
)


def line_table(part: PartDocuments, pages: pa.Table, counts: Sequence[pa.Table]) -> pa.Table:
    """Lines of the documents whose host has pages enough; schema LINES."""
    hosts = column(pages, "host")
    rows = np.flatnonzero(pages_of_hosts(hosts, counts))
    texts = part.texts().take(pa.array(rows))
    digests, places = [np.zeros((0, 2), np.uint64)], [np.zeros(0, np.uint64)]
    for batch in batches(np.concatenate([[0], np.cumsum(np.diff(text_buffers(texts).offsets))])):
        number, line, digest = _digests(texts[batch], hosts[rows[batch]])
        digests.append(digest)
        places.append(place(part.rows[rows[batch]].astype(np.int64)[number], line))
    digest, where = np.concatenate(digests), np.concatenate(places)
    order = np.argsort(digest[:, 0], kind="stable")
    return pa.table([pa.array(each[order]) for each in (digest[:, 0], digest[:, 1], where)], schema=LINES)


def _digests(texts: pa.Array, hosts: Hashes) -> tuple[np.ndarray, np.ndarray, Hashes]:
    """Number of the text, number of the line in it, and digest [lines, 2] of every line that has a word."""
    buffers = text_buffers(texts)
    lines, words = units_of(buffers, Mode.LINES), units_of(buffers, Mode.PASSAGES)
    before = lines.words_before(words, buffers)
    spoken = np.flatnonzero(np.diff(before))
    count = np.diff(lines.offsets)
    number = np.repeat(np.arange(len(count)), count)[spoken]
    begins, ends = words.places[before[spoken]].tolist(), words.places[before[spoken + 1]].tolist()
    spelling = words.spelling.tobytes()
    prefixes = [host.tobytes() for host in hosts]
    found = b"".join(
        digest16(prefixes[n] + spelling[begin:end]) for n, begin, end in zip(number.tolist(), begins, ends, strict=True)
    )
    digests = np.frombuffer(found, np.uint8).reshape(-1, RECORD_BYTES).view(">u8").astype(np.uint64)
    return number, spoken - lines.offsets[number], digests


def size_table(lines: pa.Table) -> pa.Table:
    """How many lines each document has; schema SIZES."""
    rows, count = np.unique(document_of(column(lines, "place")), return_counts=True)
    return pa.table([pa.array(rows.astype(np.int32)), pa.array(count.astype(np.int64))], schema=SIZES)
