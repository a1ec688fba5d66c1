from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from gpucurate.core.errors import InputError, InvariantError, MissingExtra, RecipeError
from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens import gigatoken_engine, tokenizer
from gpucurate.tokens.config import TokensConfig, TrainConfig
from gpucurate.tokens.engines import Ids
from gpucurate.tokens.gigatoken_engine import GigatokenEngine
from gpucurate.tokens.tokenizer import Tokenizer, load_tokenizer
from gpucurate.tokens.train import train_tokenizer
from gpucurate.tokens.vocabularies import VOCABULARIES
from tests.tokens.small_corpus import ByteEngine

load_anew = load_tokenizer.__wrapped__  # past the cache


def column(*texts: str) -> pa.Array:
    return pa.array(texts, pa.large_string())


@pytest.mark.parametrize(
    ("name", "size", "dtype"),
    [("gpt2", 50257, np.uint16), ("cl100k_base", 100277, np.uint32), ("o200k_base", 200019, np.uint32)],
)
def test_sizes_and_types(name: str, size: int, dtype: type, named: Callable[..., Tokenizer]) -> None:
    loaded = named(name)
    assert (loaded.vocabulary_size, loaded.dtype) == (size, dtype)
    assert loaded.separator == VOCABULARIES[name].special["<|endoftext|>"]
    tokens, offsets = loaded.encode(column("hello", "", "hello world"))
    assert tokens.dtype == dtype
    assert offsets.tolist() == [0, 1, 1, 3]


@pytest.mark.parametrize("engine", ["reference", "auto"])
@pytest.mark.parametrize("name", VOCABULARIES)
def test_text_that_spells_special_tokens_stays_text(name: str, engine: str, named: Callable[..., Tokenizer]) -> None:
    loaded = named(name, engine)
    texts = column(*[f"a {special} b{special}" for special in (*VOCABULARIES[name].special, "<|fim_prefix|>")])
    tokens, offsets = loaded.encode(texts)
    assert not set(tokens.tolist()) & set(VOCABULARIES[name].special.values())
    assert loaded.decode(tokens, offsets).equals(texts.cast(pa.large_binary()))


def test_the_engine_is_no_part_of_the_identity(named: Callable[..., Tokenizer]) -> None:
    reference, fast = named("gpt2", "reference"), named("gpt2", "auto")
    assert (
        reference.identity()
        == fast.identity()
        == {
            "tokenizer": "tiktoken:gpt2",
            "vocabulary": VOCABULARIES["gpt2"].sha256,
            "size": 50257,
            "separator": 50256,
        }
    )
    assert reference == fast


def test_the_separator_is_a_special_token(named: Callable[..., Tokenizer]) -> None:
    named("cl100k_base")
    loaded = load_tokenizer(TokensConfig(tokenizer="tiktoken:cl100k_base", separator="<|endofprompt|>"))
    assert loaded.separator == 100276
    with pytest.raises(RecipeError, match=r"no special token '<\|endofprompt>'; did you mean '<\|endofprompt\|>'"):
        load_tokenizer(TokensConfig(tokenizer="tiktoken:cl100k_base", separator="<|endofprompt>"))


class Overflowing(ByteEngine):
    """Gives an id outside the vocabulary, or the separator, for two letters."""

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        tokens, offsets = super().encode(texts)
        tokens[tokens == ord("!")] = 257
        tokens[tokens == ord("?")] = 256
        return tokens, offsets


def test_ids_outside_the_vocabulary_are_an_error(bytewise: Tokenizer) -> None:
    broken = replace(bytewise, engine=Overflowing())
    assert broken.encode(column("fine"))[0].tolist() == list(b"fine")
    with pytest.raises(InvariantError, match="gave id 257"):
        broken.encode(column("fine", "bad!"))
    with pytest.raises(InvariantError, match="separator"):
        broken.encode(column("fine", "bad?"))


@pytest.mark.parametrize(("size", "dtype"), [(65_536, np.uint16), (65_537, np.uint32)])
def test_the_bound_between_types(size: int, dtype: type, bytewise: Tokenizer) -> None:
    assert replace(bytewise, vocabulary_size=size).dtype == dtype


def test_without_gigatoken_the_reference_is_used(
    named: Callable[..., Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    named("gpt2")
    monkeypatch.setattr(gigatoken_engine, "installed", lambda: False)
    assert load_anew(TokensConfig()).engine.name == "tiktoken"
    with pytest.raises(MissingExtra, match=r"gpucurate\[fast-tokens\]"):
        load_anew(TokensConfig(engine="gigatoken"))


def test_an_engine_that_differs_is_never_used(named: Callable[..., Tokenizer], monkeypatch: pytest.MonkeyPatch) -> None:
    named("gpt2")
    if not gigatoken_engine.installed():
        pytest.skip("gigatoken is not installed")
    right = GigatokenEngine.encode

    def wrong(self: GigatokenEngine, texts: pa.Array) -> tuple[Ids, Offsets]:
        tokens, offsets = right(self, texts)
        return np.where(tokens == 31373, 995, tokens).astype(np.uint32), offsets

    monkeypatch.setattr(GigatokenEngine, "encode", wrong)
    monkeypatch.setattr(tokenizer, "self_test_texts", lambda special: column("fine", "hello", *special))
    assert load_anew(TokensConfig()).engine.name == "tiktoken"
    with pytest.raises(InputError, match=r"'hello'.*tokens\.engine: auto"):
        load_anew(TokensConfig(engine="gigatoken"))


def test_loaded_once_a_process(named: Callable[..., Tokenizer]) -> None:
    named("gpt2")
    assert load_tokenizer(TokensConfig()) is load_tokenizer(pickle.loads(pickle.dumps(TokensConfig())))


def test_a_trained_vocabulary(tmp_path: Path) -> None:
    config = TokensConfig(train=TrainConfig(vocab_size=300))
    with pytest.raises(InvariantError, match="before it was trained"):
        load_tokenizer(config)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(train_tokenizer(["low lower lowest, new newer newest"] * 20, TrainConfig(vocab_size=300)))
    loaded = load_tokenizer(config, path)
    assert loaded.separator == loaded.vocabulary_size - 1 <= 299
    texts = column("the lowest\u0000 <|endoftext|> 中文 😀", "")
    tokens, offsets = loaded.encode(texts)
    assert loaded.separator not in tokens
    assert loaded.decode(tokens, offsets).equals(texts.cast(pa.large_binary()))
