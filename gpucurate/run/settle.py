"""Settling a part: the last walk, its tokens, its accounts, and one decision row a document.

The decision table is what a user asks why a page vanished: the first step that removed it and the reason code.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.digests import digest_settings
from gpucurate.core.tally import Edited, StepAccount, Tally
from gpucurate.run.accounts import NOT_COUNTED, extracted, step_accounts
from gpucurate.run.entries import entry_of
from gpucurate.run.live import RunContext
from gpucurate.run.reading import Part
from gpucurate.run.walk import Mask, Walk, walk
from gpucurate.store.artifacts import Artifact, find, read_table, task_key, write_table
from gpucurate.store.manifest import Entry
from gpucurate.tokens.encode import encode_part
from gpucurate.tokens.tokenizer import Tokenizer, load_tokenizer

TOKENS_STAGE = "tokens"
DECISIONS_STAGE = "decisions"
TOKENS_VERSION = 1
DECISIONS_VERSION = 1
INDEX = pa.schema(
    [
        pa.field("record_id", pa.binary(16), nullable=False),
        pa.field("part", pa.int32(), nullable=False),
        pa.field("row", pa.int32(), nullable=False),  # in the part's token file
        pa.field("tokens", pa.int64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class Settled:
    """What is known of a part at the end."""

    number: int
    kept: Tally  # documents as extracted
    extraction: Edited
    accounts: list[StepAccount]
    decisions: str  # paths relative to the output directory
    tokens: str | None
    index: pa.Table  # INDEX, survivors only
    entries: list[Entry] = field(default_factory=list)


def settle(context: RunContext, part: Part, corpus_keys: Mapping[str, str], tokenizer_file: str | None) -> Settled:
    """Take a part through all steps, tokenise it, and account for it."""
    live = context.live
    state = walk(context, part, live.steps, corpus_keys)
    counts = np.full(part.rows, NOT_COUNTED, np.int64)
    tokens: Artifact | None = None
    index = INDEX.empty_table()
    if live.tokens is not None:
        tokenizer = load_tokenizer(live.tokens, context.directory.root / tokenizer_file if tokenizer_file else None)
        mask = state.alive if live.tokens.count == "survivors" else np.ones_like(state.alive)
        tokens = _tokens(context, state, tokenizer, mask)
        counts[mask] = _lengths(read_table(tokens))
        index = _index(state, mask, counts)
    kept, extraction = extracted(state.meta, counts)
    accounts = step_accounts(state, live.steps, counts)
    decisions = _decisions(context, state, counts)
    relative = context.directory.relative
    return Settled(
        part.number,
        kept,
        extraction,
        accounts,
        relative(decisions.path),
        relative(tokens.path) if tokens else None,
        index,
        state.entries,
    )


def _tokens(context: RunContext, state: Walk, tokenizer: Tokenizer, mask: Mask) -> Artifact:
    inputs = list(state.text.digests)
    if not mask.all():
        inputs.append(digest_settings(np.packbits(mask).tobytes().hex()))
    key = task_key(TOKENS_STAGE, TOKENS_VERSION, tokenizer.identity(), inputs)
    directory = context.directory.parts / state.part.name
    artifact = find(directory, TOKENS_STAGE, key)
    seconds = 0.0
    if artifact is None:
        started = time.perf_counter()
        table = encode_part(state.documents(mask), tokenizer)
        seconds = time.perf_counter() - started
        artifact = write_table(directory, TOKENS_STAGE, key, table, {"part": state.part.name}, mapped=True)
    inputs_known = tuple(state.text.digests)
    state.entries.append(entry_of(context, artifact, state.part.name, int(mask.sum()), inputs_known, seconds))
    return artifact


def _lengths(tokens: pa.Table) -> NDArray[np.int64]:
    lists = tokens["tokens"].combine_chunks()
    offsets: NDArray[np.int64] = np.asarray(lists.offsets, np.int64)
    return offsets[1:] - offsets[:-1]


def _index(state: Walk, mask: Mask, counts: NDArray[np.int64]) -> pa.Table:
    row_in_file = np.cumsum(mask) - 1
    alive = np.flatnonzero(state.alive)
    return pa.table(
        [
            state.meta["record_id"].combine_chunks().take(pa.array(alive)),
            pa.array(np.full(len(alive), state.part.number, np.int32)),
            pa.array(row_in_file[alive].astype(np.int32)),
            pa.array(counts[alive]),
        ],
        schema=INDEX,
    )


def _decisions(context: RunContext, state: Walk, counts: NDArray[np.int64]) -> Artifact:
    """record_id, source, uri, title, step and reason (null where kept), text bytes and tokens at the end."""
    rows = state.part.rows
    step, reason = np.full(rows, None, object), np.full(rows, None, object)
    for judged, live in zip(state.judged, context.live.steps, strict=True):
        gone = judged.verdicts > 0
        step[gone] = judged.label
        codes = np.array([r.code for r in live.step.reasons] or [""], object)
        reason[gone] = codes[judged.verdicts[gone] - 1]
    table = state.meta.select(["record_id", "source", "uri", "title"])
    table = table.append_column("step", pa.array(step, pa.string())).append_column(
        "reason", pa.array(reason, pa.string())
    )
    table = table.append_column("text_bytes", pa.array(state.text.bytes))
    table = table.append_column("tokens", pa.array(counts, mask=counts == NOT_COUNTED))
    inputs = [*state.text.digests, digest_settings([step.tolist(), reason.tolist(), counts.tolist()])]
    key = task_key(DECISIONS_STAGE, DECISIONS_VERSION, {}, inputs)
    directory = context.directory.parts / state.part.name
    artifact = find(directory, DECISIONS_STAGE, key)
    if artifact is None:
        artifact = write_table(directory, DECISIONS_STAGE, key, table, {"part": state.part.name})
    state.entries.append(entry_of(context, artifact, state.part.name, rows, tuple(state.text.digests), 0.0))
    return artifact
