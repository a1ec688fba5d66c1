"""The recipe's `tokens:` and `shards:` blocks.

Only what a user may choose stands here.  What a choice means for the bytes on disk is written in docs/shards.md.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.recipe.model import Block

TIKTOKEN_NAMES = ("gpt2", "cl100k_base", "o200k_base")


class TrainConfig(Block):
    """A byte-level BPE vocabulary trained on the surviving documents."""

    vocab_size: int = Field(
        32_768, ge=257, le=2**24, description="Ids the vocabulary may have: 256 bytes, merges, one end-of-text."
    )
    min_frequency: int = Field(2, ge=1, description="How often a pair must occur to become a merge.")
    max_bytes: int = Field(
        1_000_000_000, ge=1, description="Bytes of text to train on, taken from the beginning of the corpus."
    )


class TokensConfig(Block):
    """Which tokenizer turns texts into ids, and which documents it counts."""

    tokenizer: str = Field(
        "tiktoken:gpt2",
        description="`tiktoken:gpt2`, `tiktoken:cl100k_base` or `tiktoken:o200k_base`; or `hf:` with a tokenizer.json, "
        "a directory that holds one, or a name on the Hugging Face hub.",
    )
    train: TrainConfig | None = Field(None, description="Train a vocabulary on this corpus instead of `tokenizer`.")
    separator: str | None = Field(
        None, description="Special token that ends every document; the vocabulary's end-of-text by default."
    )
    engine: Literal["auto", "reference", "gigatoken"] = Field(
        "auto",
        description="`reference` is tiktoken, or Hugging Face tokenizers for `hf:` and `train`; `gigatoken` is several "
        "times faster; `auto` takes gigatoken where it is installed and gives the same ids on a self-test. The ids "
        "never depend on this choice.",
    )
    count: Literal["all", "survivors"] = Field(
        "all",
        description="`all` tokenises dropped documents too, so that the funnel counts tokens at every step; "
        "`survivors` saves that time and leaves those counts empty.",
    )

    @field_validator("tokenizer")
    @classmethod
    def _known_kind(cls, value: str) -> str:
        kind, _, name = value.partition(":")
        if kind == "hf" and name:
            return value
        if kind == "tiktoken" and name in TIKTOKEN_NAMES:
            return value
        raise ValueError(f"no such tokenizer{did_you_mean(value, [*(f'tiktoken:{n}' for n in TIKTOKEN_NAMES), 'hf:'])}")

    @model_validator(mode="after")
    def _one_vocabulary(self) -> TokensConfig:
        if self.train is not None and self.tokenizer != type(self).model_fields["tokenizer"].default:
            raise ValueError("`train` and `tokenizer` exclude each other; leave one out")
        return self


class ShardsConfig(Block):
    """How documents are shuffled, packed and cut into shard files."""

    length: int = Field(
        2048, ge=1, le=2**31, description="Tokens a model sees at once; a row holds one more, its last target."
    )
    format: Literal["rows", "stream"] = Field(
        "rows",
        description="`rows` writes arrays of shape (rows, length + 1); `stream` one flat array of tokens a shard.",
    )
    size: int = Field(50_000_000, ge=1, description="Tokens a shard holds at most; a row is never cut.")
    remainder: Literal["drop", "pad", "carry"] = Field(
        "drop",
        description="The last incomplete row: `drop` leaves its tokens out and counts them, `pad` fills it with "
        "separators, `carry` writes its tokens to shards/remainder.arrow for a later run. A stream has none.",
    )
    begin_with: str | None = Field(
        None, description="A remainder.arrow that an earlier run carried over; its tokens come first."
    )
    shuffle: bool = Field(True, description="Shuffle documents over the whole corpus; else they keep its order.")
    seed: int = Field(0, ge=0, lt=2**63, description="Seed of the shuffle.")

    @model_validator(mode="after")
    def _consistent(self) -> ShardsConfig:
        if self.format == "rows" and self.size < self.length + 1:
            raise ValueError(f"`size` ({self.size}) is less than one row of length + 1 = {self.length + 1} tokens")
        if self.format == "stream" and self.remainder != "drop":
            raise ValueError("a stream has no incomplete row; leave `remainder` out")
        return self
