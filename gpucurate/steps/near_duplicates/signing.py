"""Signatures of a part's documents, and the buckets that their bands fall into."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.digests import digest16
from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column
from gpucurate.core.text_buffers import text_buffers
from gpucurate.device.backend import Backend
from gpucurate.device.hash_family import affine32
from gpucurate.steps.comparison import PartDocuments

SEED = 1  # of the hash functions; part of every index, never changed
BANDS = pa.schema(
    [
        pa.field("key", pa.uint64(), nullable=False),  # the bucket; sorted
        pa.field("at", pa.int32(), nullable=False),  # row of the table of signatures
    ]
)


def sign(part: PartDocuments, backend: Backend, shingle: int, hashes: int) -> pa.Table:
    """`row`, `source` (a number for its name), `shingles` and `signature` (uint32 [hashes]) of every document."""
    signed = backend.signatures(text_buffers(part.texts()), shingle, affine32(hashes, SEED))
    names = part.meta["source"].dictionary_encode().combine_chunks()
    sources = np.array([source_number(name) for name in names.dictionary.to_pylist()], np.uint64)
    return pa.table(
        {
            "row": pa.array(part.rows),
            "source": pa.array(sources[names.indices.to_numpy()] if len(names) else sources),
            "shingles": pa.array(signed.shingles),
            "signature": fixed_column(signed.rows.view(np.uint8)),
        }
    )


def source_number(name: str) -> int:
    """First 64 bits of BLAKE3 over a source's name."""
    return int.from_bytes(digest16(name.encode())[:8], "big")


def signature_rows(table: pa.Table) -> NDArray[np.uint32]:
    """The column `signature` as uint32 [documents, hashes]."""
    return fixed_bytes(table["signature"]).view(np.uint32)


def band_table(signed: pa.Table, backend: Backend, bands: int, rows: int, by_source: bool) -> pa.Table:
    """Schema BANDS: `bands` rows for every document that has a shingle.  `by_source`: sources never share a bucket."""
    at = np.flatnonzero(signed["shingles"].to_numpy() > 0).astype(np.int32)
    keys = backend.band_keys(np.ascontiguousarray(signature_rows(signed)[at]), bands, rows)
    if by_source:
        keys = keys ^ signed["source"].to_numpy()[at]  # keys are uniform, so that this keeps sources apart
    flat = keys.reshape(-1)
    order = np.argsort(flat, kind="stable")
    return pa.table([pa.array(flat[order]), pa.array(np.tile(at, bands)[order])], schema=BANDS)
