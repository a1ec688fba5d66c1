from __future__ import annotations

import pytest
from pydantic import ValidationError

from gpucurate.tokens.config import ShardsConfig, TokensConfig


@pytest.mark.parametrize("name", ["tiktoken:gpt2", "tiktoken:o200k_base", "hf:some/name", "hf:./tokenizer.json"])
def test_known_tokenizers(name: str) -> None:
    assert TokensConfig(tokenizer=name).tokenizer == name


def test_unknown_tokenizer_names_the_nearest() -> None:
    with pytest.raises(ValidationError, match=r"did you mean 'tiktoken:cl100k_base'"):
        TokensConfig(tokenizer="tiktoken:cl100k")


@pytest.mark.parametrize("name", ["gpt2", "hf:", "tiktoken:", "tiktoken:davinci"])
def test_other_tokenizers_are_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="no such tokenizer"):
        TokensConfig(tokenizer=name)


def test_train_and_tokenizer_exclude_each_other() -> None:
    assert TokensConfig.model_validate({"train": {"vocab_size": 300}}).train is not None
    with pytest.raises(ValidationError, match="exclude each other"):
        TokensConfig.model_validate({"tokenizer": "tiktoken:cl100k_base", "train": {}})


def test_a_shard_holds_at_least_a_row() -> None:
    with pytest.raises(ValidationError, match="less than one row"):
        ShardsConfig(length=100, size=100)
    assert ShardsConfig(length=100, size=1, format="stream").size == 1


def test_a_stream_has_no_remainder() -> None:
    with pytest.raises(ValidationError, match="leave `remainder` out"):
        ShardsConfig(format="stream", remainder="pad")
