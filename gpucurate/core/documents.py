"""The document: one immutable Arrow row, and the quarantine row that stands for a record that gave none.

Schemas are the contract between all rooms.  A document is never changed after its part is written; steps make
statements about it in artifacts of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
from blake3 import blake3

from gpucurate.core.digests import RECORD_BYTES

RECORD_ID = pa.binary(RECORD_BYTES)
TIME = pa.timestamp("s", tz="UTC")

SCHEMA_VERSION = 2  # of what follows; part of the task keys of documents
DOCUMENTS = pa.schema(
    [
        pa.field("record_id", RECORD_ID, nullable=False),  # BLAKE3 over source, URI or revision, raw digest
        pa.field("source", pa.string(), nullable=False),  # the recipe's name for it
        pa.field("uri", pa.string(), nullable=False),  # page URL, or file#record where there is none
        pa.field("revision", pa.string()),  # revision id of a wiki page, WARC-Record-ID, ...
        pa.field("title", pa.string()),
        pa.field("text", pa.large_string(), nullable=False),  # as extracted; valid UTF-8
        pa.field("text_bytes", pa.int64(), nullable=False),  # length of `text` in UTF-8
        pa.field("raw_digest", RECORD_ID, nullable=False),  # BLAKE3 of the payload before extraction
        pa.field("raw_bytes", pa.int64(), nullable=False),  # length of that payload
        pa.field("modified", TIME),  # when the content was last changed, by its own word
        pa.field("retrieved", TIME),  # when it was fetched from its origin
        pa.field("license", pa.string()),  # SPDX identifier where one exists
        pa.field("license_evidence", pa.string()),  # who says so: recipe, dump, page
        pa.field("author", pa.string()),  # these four: what a page says of itself, where the engine reads it
        pa.field("language_hint", pa.string()),  # primary subtag of BCP 47, lower case
        pa.field("canonical_uri", pa.string()),
        pa.field("listing", pa.bool_()),  # whether it mostly links to other pages
        pa.field("file", pa.string(), nullable=False),  # input file of the snapshot
        pa.field(
            "position", pa.int64(), nullable=False
        ),  # byte offset of the record in the stored file, else its ordinal
    ]
)

QUARANTINE = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("position", pa.int64(), nullable=False),
        pa.field("uri", pa.string()),
        pa.field("reason", pa.string(), nullable=False),  # a registered reason code
        pa.field("detail", pa.string(), nullable=False),  # what exactly was wrong, for a person
        pa.field("raw_bytes", pa.int64(), nullable=False),
    ]
)


@dataclass(slots=True)
class DocumentRow:
    """One document on its way into a part; the record id is computed when the table is built."""

    uri: str
    text: str
    raw_digest: bytes
    raw_bytes: int
    file: str
    position: int
    revision: str | None = None
    title: str | None = None
    modified: datetime | None = None
    retrieved: datetime | None = None
    license: str | None = None
    license_evidence: str | None = None
    author: str | None = None
    language_hint: str | None = None
    canonical_uri: str | None = None
    listing: bool | None = None


@dataclass(slots=True)
class QuarantineRow:
    """A record that could not become a document, with the reason and its place in the input."""

    file: str
    position: int
    reason: str
    detail: str
    raw_bytes: int = 0
    uri: str | None = field(default=None)


def record_id(source: str, uri: str, revision: str | None, raw_digest: bytes) -> bytes:
    """16 bytes of BLAKE3 over source name, URI (with the revision where there is one) and raw digest.

    Fields are length-prefixed, so that no two different triples share an encoding.  The id depends on content only
    and is therefore stable under any re-partitioning of the input.
    """
    hasher = blake3()
    for part in (source.encode(), uri.encode(), (revision or "").encode(), raw_digest):
        hasher.update(len(part).to_bytes(8, "little"))
        hasher.update(part)
    return hasher.digest(length=RECORD_BYTES)


def documents_table(source: str, rows: Sequence[DocumentRow], text: pa.Array | None = None) -> pa.Table:
    """Rows to a table of schema `DOCUMENTS`.

    `text` (large_string, one value a row) replaces the rows' own text where an extractor already made Arrow arrays.
    Raises UnicodeEncodeError where a text holds lone surrogates: repair those before.
    """
    texts = text if text is not None else pa.array([r.text for r in rows], pa.large_string())
    columns = {
        "record_id": [record_id(source, r.uri, r.revision, r.raw_digest) for r in rows],
        "source": [source] * len(rows),
        "text": texts,
        "text_bytes": pc.binary_length(texts),
    }
    for name in DOCUMENTS.names:
        if name not in columns:
            columns[name] = [getattr(r, name) for r in rows]
    return pa.table([_as_array(columns[field.name], field.type) for field in DOCUMENTS], schema=DOCUMENTS)


def quarantine_table(source: str, rows: Sequence[QuarantineRow]) -> pa.Table:
    """Rows to a table of schema `QUARANTINE`."""
    columns = [
        pa.array([source if f.name == "source" else getattr(r, f.name) for r in rows], f.type) for f in QUARANTINE
    ]
    return pa.table(columns, schema=QUARANTINE)


def _as_array(values: object, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values, kind)
