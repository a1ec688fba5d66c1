from __future__ import annotations

import json
from pathlib import Path

import huggingface_hub
import numpy as np
import pyarrow as pa
import pytest

from gpucurate.core.errors import InputError, RecipeError
from gpucurate.tokens import hugging_face
from gpucurate.tokens.config import TokensConfig, TrainConfig
from gpucurate.tokens.hugging_face import HuggingFaceEngine, read_tokenizer_json, without_special_tokens
from gpucurate.tokens.tokenizer import load_tokenizer
from gpucurate.tokens.train import train_tokenizer

TEXTS = pa.array(
    ["the lowest of the low", "", "<|endoftext|> is text", "x" * 3000, "中文 e\u0301 😀\n\n"], pa.large_string()
)


@pytest.fixture(scope="module")
def trained() -> bytes:
    return train_tokenizer(["the low lower lowest new newer newest of <|endoftext|>"] * 30, TrainConfig(vocab_size=330))


def changed(content: bytes, **changes: object) -> bytes:
    return json.dumps(json.loads(content) | changes).encode()


def test_a_file_a_directory_and_their_absence(trained: bytes, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(trained)
    assert read_tokenizer_json(str(tmp_path)) == read_tokenizer_json(str(tmp_path / "tokenizer.json")) == trained
    for missing in (tmp_path / "other.json", tmp_path / "nowhere" / "x"):
        with pytest.raises(InputError, match=r"Remedy: name a tokenizer\.json"):
            read_tokenizer_json(str(missing))


def test_a_name_without_network_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(name: str, file: str) -> str:
        raise huggingface_hub.errors.LocalEntryNotFoundError("no network\nand more lines")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", unreachable)
    with pytest.raises(InputError, match=r"no network Remedy: download its tokenizer\.json"):
        read_tokenizer_json("some-org/some-model")
    monkeypatch.undo()
    with pytest.raises(InputError, match="Remedy"):
        read_tokenizer_json("no repository / has such a name")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff\xfe", b'{"version": "1.0", "model": {"type": "No"}}'])
def test_other_content_is_a_recipe_error(content: bytes) -> None:
    with pytest.raises(RecipeError, match=r"hf:there is not a tokenizer\.json"):
        HuggingFaceEngine(content, "hf:there")


def test_padding_truncation_and_templates_are_not_applied(trained: bytes) -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"<|endoftext|>": {"id": "<|endoftext|>", "ids": [0], "tokens": ["<|endoftext|>"]}},
    }
    padding = {
        "strategy": {"Fixed": 8},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "!",
    }
    truncation = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    plain = HuggingFaceEngine(trained, "plain").encode(TEXTS)
    dressed = HuggingFaceEngine(
        changed(trained, post_processor=template, padding=padding, truncation=truncation), "dressed"
    ).encode(TEXTS)
    assert plain[0].tolist() == dressed[0].tolist()
    assert plain[1].tolist() == dressed[1].tolist()


def test_batches_do_not_change_ids(trained: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = HuggingFaceEngine(trained, "trained")
    whole = engine.encode(TEXTS)
    for size in (1, 10, 1000):
        monkeypatch.setattr(hugging_face, "BATCH_BYTES", size)
        pieces = engine.encode(TEXTS)
        assert np.array_equal(whole[0], pieces[0])
        assert np.array_equal(whole[1], pieces[1])


def test_special_tokens_are_left_out_for_the_other_engine(trained: bytes) -> None:
    content = json.loads(trained)
    content["added_tokens"].append({**content["added_tokens"][0], "id": 400, "content": "word", "special": False})
    assert [t["content"] for t in json.loads(without_special_tokens(json.dumps(content).encode()))["added_tokens"]] == [
        "word"
    ]


@pytest.mark.parametrize("engine", ["reference", "auto"])
def test_loading_by_path(engine: str, trained: bytes, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(trained)
    loaded = load_tokenizer(TokensConfig.model_validate({"tokenizer": f"hf:{tmp_path}", "engine": engine}))
    tokens, offsets = loaded.encode(TEXTS)
    assert loaded.decode(tokens, offsets).equals(TEXTS.cast(pa.large_binary()))
    assert loaded.separator not in tokens
    assert (loaded.dtype, loaded.vocabulary_size) == (np.uint16, json.loads(trained)["added_tokens"][0]["id"] + 1)


def word_level(special: bool, content: str = "</s>") -> bytes:
    """A vocabulary whose model has its end-of-text as an ordinary word."""
    added = {
        "id": 1,
        "content": content,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": special,
    }
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [added],
            "normalizer": None,
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": None,
            "decoder": None,
            "model": {"type": "WordLevel", "vocab": {"a": 0, content: 1, "[UNK]": 2}, "unk_token": "[UNK]"},
        }
    ).encode()


def test_a_vocabulary_that_reads_its_separator_out_of_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(word_level(special=True))
    with pytest.raises(RecipeError, match="turns the text '</s>' into its separator"):
        load_tokenizer(TokensConfig(tokenizer=f"hf:{tmp_path}"))


def test_a_vocabulary_without_a_known_end_asks_for_one(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(word_level(special=True, content="<stop>"))
    with pytest.raises(RecipeError, match=r"name one of \['<stop>'\]"):
        load_tokenizer(TokensConfig(tokenizer=f"hf:{tmp_path}"))
