"""The tokens that filled no row, carried from one run to the next.

A file of whole and cut documents in the order of the stream, each meant to be followed by a separator.  Only the first
can be cut at its beginning; where nothing but its separator is left, it has no tokens.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc as ipc

from gpucurate.core.digests import canonical_json
from gpucurate.core.errors import InputError, StorageError, UserError
from gpucurate.tokens.encode import PartTokens, open_tokens, write_tokens

CARRIED_PART = -1  # part number of carried documents
NAME = "remainder.arrow"
TOKENIZER = b"gpucurate.tokenizer"  # schema metadata: identity of the tokenizer, JSON
FIRST_OFFSET = b"gpucurate.first_offset"  # schema metadata: tokens of the first document packed before, decimal


@dataclass(frozen=True, slots=True)
class Carried:
    """What an earlier run left over."""

    tokens: PartTokens
    first_offset: int

    @property
    def stream_tokens(self) -> int:
        """Tokens it adds to the stream, separators included."""
        return len(self.tokens.tokens) + len(self.tokens.record_ids)


def write_remainder(table: pa.Table, first_offset: int, tokenizer: dict[str, object], path: Path) -> None:
    """Write a table of schema `encode.tokens_schema`; same arguments, same bytes."""
    metadata = {TOKENIZER: canonical_json(tokenizer), FIRST_OFFSET: str(first_offset)}
    write_tokens(table.replace_schema_metadata(metadata), path)


def open_remainder(path: Path, tokenizer: dict[str, object]) -> Carried:
    """Map a remainder.  Raises InputError where it cannot be read, UserError if another tokenizer made it."""
    try:
        metadata = ipc.open_file(pa.memory_map(str(path))).schema.metadata or {}
        made_by, first_offset = json.loads(metadata[TOKENIZER]), int(metadata[FIRST_OFFSET])
        tokens = open_tokens(path)
    except (OSError, KeyError, ValueError, pa.ArrowException, StorageError) as error:
        raise InputError(
            f"shards.begin_with: {path} is not a remainder that can be read: {error}. "
            f"Remedy: name the {NAME} of a run with `remainder: carry`"
        ) from error
    if made_by != tokenizer:
        raise UserError(
            f"shards.begin_with: {path} was made by {made_by.get('tokenizer')}, this run uses "
            f"{tokenizer['tokenizer']}, and their ids mean different things. Remedy: leave begin_with out"
        )
    return Carried(tokens, first_offset)
