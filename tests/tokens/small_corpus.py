"""Documents, their token files, and an engine whose ids are bytes: what the tests of this room are built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from blake3 import blake3

from gpucurate.core.text_buffers import Offsets, text_array, text_buffers
from gpucurate.tokens.config import ShardsConfig
from gpucurate.tokens.description import Description
from gpucurate.tokens.encode import encode_part, part_tokens, write_tokens
from gpucurate.tokens.engines import Ids
from gpucurate.tokens.packing import INDEX_OF_DOCUMENTS, ShardPlan, plan_shards
from gpucurate.tokens.shards import begin_shards, finish_shards, write_shard
from gpucurate.tokens.tokenizer import Tokenizer


class ByteEngine:
    """Ids are bytes."""

    name = "bytes"

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        data, offsets = text_buffers(texts)
        return data[offsets[0] : offsets[-1]].astype(np.uint32), offsets - offsets[0]

    def decode(self, tokens: Ids, offsets: Offsets) -> pa.Array:
        return text_array(tokens.astype(np.uint8), offsets).view(pa.large_binary())


def record_id(name: str) -> bytes:
    return blake3(name.encode()).digest(length=16)


def documents(texts: Sequence[str], name: str = "") -> pa.Table:
    ids = [record_id(f"{name}/{i}/{text}") for i, text in enumerate(texts)]
    return pa.table({"record_id": pa.array(ids, pa.binary(16)), "text": pa.array(texts, pa.large_string())})


@dataclass
class Corpus:
    """Parts of documents, tokenised to files, and their index."""

    tokenizer: Tokenizer
    parts: list[pa.Table]
    token_files: list[Path]
    index: pa.Table

    def plan(self, **config: object) -> ShardPlan:
        return plan_shards(self.index, ShardsConfig.model_validate(config), self.tokenizer)

    def make(self, directory: Path, **config: object) -> Description:
        plan = self.plan(**config)
        directory.mkdir(parents=True, exist_ok=True)
        begin_shards(plan, directory)
        entries = [write_shard(plan.task(n), self.token_files, directory) for n in range(plan.shard_count)]
        return finish_shards(plan, entries, self.token_files, directory)

    def tokens(self) -> dict[bytes, list[int]]:
        """Every document's own tokens, by record id."""
        found = {}
        for table in self.parts:
            ids, tokens, offsets = part_tokens(encode_part(table, self.tokenizer))
            found |= {ids[i].as_py(): tokens[offsets[i] : offsets[i + 1]].tolist() for i in range(len(ids))}
        return found


def corpus(tokenizer: Tokenizer, parts: Sequence[Sequence[str]], directory: Path, name: str = "") -> Corpus:
    directory.mkdir(parents=True, exist_ok=True)
    tables = [documents(texts, f"{name}{number}") for number, texts in enumerate(parts)]
    files, rows = [], [INDEX_OF_DOCUMENTS.empty_table()]
    for number, table in enumerate(tables):
        encoded = encode_part(table, tokenizer)
        files.append(directory / f"{name}tokens-{number}.arrow")
        write_tokens(encoded, files[-1])
        count = len(table)
        part = pa.array(np.full(count, number, np.int32))
        row = pa.array(np.arange(count, dtype=np.int32))
        lengths = pa.array(np.diff(part_tokens(encoded).offsets))
        rows.append(pa.table([table["record_id"], part, row, lengths], schema=INDEX_OF_DOCUMENTS))
    return Corpus(tokenizer, tables, files, pa.concat_tables(rows))
