"""The guard: figures are not reported from what a model was trained, chosen or calibrated on.

A model directory keeps `trained_on.parquet`: for every text that went into it the record id, the digest, what it was
used for and a MinHash signature, 64 hashes, so that copies are recognised although the text itself is not kept.
`benchmarks` in its `gpucurate.json` names the files, by digest, that the model or its training data were filtered with.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from gpucurate.classifier.examples import Example
from gpucurate.classifier.kin import SHINGLE, SIMILAR
from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InputError, UserError
from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.backend import Backend
from gpucurate.device.choice import pick
from gpucurate.device.hash_family import affine32
from gpucurate.store.atomic import atomic_file

TRAINED_ON, LINEAGE = "trained_on.parquet", "gpucurate.json"
USES = ("train", "validation", "calibration")
HASHES, ROWS = 64, 2  # 32 bands of 2: of texts at similarity .8 one in 10^14 is not compared
SEED = 2
BATCH = 4096
SHOWN = 3  # ids that a message names
SCHEMA = pa.schema(
    [
        pa.field("record_id", pa.string(), nullable=False),
        pa.field("text_digest", pa.string(), nullable=False),
        pa.field("use", pa.string(), nullable=False),
        pa.field("signature", pa.list_(pa.uint32(), HASHES)),  # null for a text without words
    ]
)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Record ids of the examples that a model knows, each once: by id, by the same text, or by a near-duplicate."""

    same_id: list[str]
    same_text: list[str]
    near_duplicate: list[str]

    def __len__(self) -> int:
        return len(self.same_id) + len(self.same_text) + len(self.near_duplicate)


def trained_on_table(examples: Iterable[Example], use: str) -> pa.Table:
    """What the guard has to know of the examples; schema SCHEMA.  `use` is one of USES."""
    if use not in USES:
        raise ValueError(f"use {use!r} is none of {', '.join(USES)}")
    kept = list(examples)
    signatures, worded = _signatures([example.text for example in kept], pick("cpu"))
    lists = pa.FixedSizeListArray.from_arrays(pa.array(signatures.ravel()), HASHES, mask=pa.array(~worded))
    columns = [[e.record_id for e in kept], [e.text_digest for e in kept], [use] * len(kept), lists]
    return pa.table(columns, schema=SCHEMA)


def write_trained_on(directory: Path, tables: Sequence[pa.Table]) -> None:
    """Write `trained_on.parquet` into a model directory, atomically."""
    with atomic_file(directory / TRAINED_ON) as temporary:
        pq.write_table(pa.concat_tables(tables), temporary)


def read_trained_on(directory: Path) -> pa.Table | None:
    """What the model has seen, or None for a model that does not say so.  Raises InputError for a damaged file."""
    path = directory / TRAINED_ON
    if not path.is_file():
        return None
    try:
        return pq.read_table(path, schema=SCHEMA)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot read {path}: {error}. Remedy: train the model again, or restore the file") from error


def overlap(trained_on: pa.Table, examples: Sequence[Example]) -> Overlap:
    """Which of the examples the model knows."""
    ids = set(trained_on["record_id"].to_pylist())
    texts = set(trained_on["text_digest"].to_pylist())
    same_id = [e for e in examples if e.record_id in ids]
    same_text = [e for e in examples if e.record_id not in ids and e.text_digest in texts]
    rest = [e for e in examples if e.record_id not in ids and e.text_digest not in texts]
    known = _known(trained_on, [e.text for e in rest], pick("cpu"))
    near = [e for e, is_known in zip(rest, known.tolist(), strict=True) if is_known]
    return Overlap(*([e.record_id for e in found] for found in (same_id, same_text, near)))


def refuse_known(name: str, directory: Path, examples: Sequence[Example]) -> bool:
    """Raise UserError, saying how many, if the model in `directory` knows any of the examples.

    False if nothing could be checked because the model does not say what it was trained on.
    """
    trained_on = read_trained_on(directory)
    if trained_on is None:
        return False
    found = overlap(trained_on, examples)
    if len(found):
        shown = [*found.same_id, *found.same_text, *found.near_duplicate][:SHOWN]
        raise UserError(
            f"{len(found):,} of {len(examples):,} examples were used to train, choose or calibrate {name} "
            f"({len(found.same_id):,} by record id, {len(found.same_text):,} by text, {len(found.near_duplicate):,} "
            f"near-duplicates; {', '.join(shown)}{' …' if len(found) > SHOWN else ''}), so figures from them would "
            "flatter it. Remedy: evaluate on the part that `gpucurate classifier split` held out, or on new labels"
        )
    return True


def refuse_benchmarks(name: str, lineage: Mapping[str, Any], files: Sequence[Path]) -> None:
    """Raise UserError, naming them, if any of the files was used to filter the model's data or to choose the model.

    `lineage["benchmarks"]` lists objects with `name` and `digest` (64 hex digits of BLAKE3 over the file).
    """
    used = {entry["digest"]: entry["name"] for entry in lineage.get("benchmarks", ())}
    hits = [f"{path} (there as {used[digest]})" for path in files if (digest := digest_file(path)) in used]
    if hits:
        raise UserError(
            f"{len(hits)} of {len(files)} files were used to filter or to choose {name}: {', '.join(hits)}. "
            "Remedy: evaluate on files that had no part in it"
        )


def read_lineage(directory: Path) -> dict[str, Any]:
    """`gpucurate.json` of a model directory; empty for a model from elsewhere.  Raises InputError for a damaged one."""
    path = directory / LINEAGE
    if not path.is_file():
        return {}
    try:
        lineage = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}. Remedy: train the model again, or restore the file") from error
    if not isinstance(lineage, dict):
        raise InputError(f"{path} holds no JSON object. Remedy: train the model again, or restore the file")
    return lineage


def _signatures(texts: Sequence[str], backend: Backend) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """[texts, HASHES], and whether each has words."""
    rows, worded = [np.zeros((0, HASHES), np.uint32)], [np.zeros(0, bool)]
    for low in range(0, len(texts), BATCH):
        signed = backend.signatures(pack_texts(list(texts[low : low + BATCH])), SHINGLE, affine32(HASHES, SEED))
        rows.append(signed.rows)
        worded.append(signed.shingles > 0)
    return np.concatenate(rows), np.concatenate(worded)


def _known(trained_on: pa.Table, texts: Sequence[str], backend: Backend) -> NDArray[np.bool_]:
    """[texts]: whether the share of hashes equal to some known text's, its estimated similarity, reaches SIMILAR."""
    lists = trained_on["signature"].combine_chunks().drop_null()
    old = lists.flatten().to_numpy().reshape(-1, HASHES)
    new, worded = _signatures(texts, backend)
    known = np.zeros(len(texts), bool)
    old_keys = backend.band_keys(np.ascontiguousarray(old), HASHES // ROWS, ROWS)
    new_keys = backend.band_keys(np.ascontiguousarray(new), HASHES // ROWS, ROWS)
    for theirs, ours in zip(old_keys, new_keys, strict=True):
        order = np.argsort(theirs, kind="stable")
        low = np.searchsorted(theirs[order], ours, "left")
        high = np.searchsorted(theirs[order], ours, "right")
        for at in np.flatnonzero(worded & ~known & (high > low)):
            candidates = old[order[low[at] : high[at]]]
            known[at] = bool(((candidates == new[at]).mean(axis=1) >= SIMILAR).any())
    return known
