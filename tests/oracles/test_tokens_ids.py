"""Ids against the peers: tiktoken's own encodings, the accelerated engine, and Hugging Face tokenizers."""

from __future__ import annotations

import bz2
import re
from functools import cache
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pytest
import tiktoken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InputError
from gpucurate.tokens.config import TokensConfig, TrainConfig
from gpucurate.tokens.self_test import self_test_texts
from gpucurate.tokens.tokenizer import Tokenizer, load_tokenizer
from gpucurate.tokens.train import train_tokenizer
from gpucurate.tokens.vocabularies import VOCABULARIES, load_ranks, rank_file

TRICKY = st.text(st.sampled_from("aBzÄ 7\n\r\t'sldmtLRE!?/.<|endoftxi_fm>éſ\u0301\u00a0中ไ😀\u200d"), max_size=80)


@cache
def load(name: str, engine: str) -> Tokenizer:
    try:
        return load_tokenizer(TokensConfig.model_validate({"tokenizer": f"tiktoken:{name}", "engine": engine}))
    except InputError as error:
        pytest.skip(str(error))


def column(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


def same(left: Tokenizer, right: Tokenizer, texts: list[str]) -> bool:
    (a, a_offsets), (b, b_offsets) = left.encode(column(texts)), right.encode(column(texts))
    return np.array_equal(a, b) and np.array_equal(a_offsets, b_offsets)


@pytest.fixture(params=list(VOCABULARIES))
def pair(request: pytest.FixtureRequest) -> tuple[Tokenizer, Tokenizer]:
    reference, fast = load(request.param, "reference"), load(request.param, "auto")
    if find_spec("gigatoken") is None:
        pytest.skip("gigatoken is not installed")
    assert fast.engine.name == "gigatoken"
    return reference, fast


@pytest.mark.parametrize("name", VOCABULARIES)
def test_tiktokens_own_encodings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same patterns, ranks and special tokens as `tiktoken.get_encoding`, which is given our ranks as its cache."""
    vocabulary = VOCABULARIES[name]
    load(name, "reference")
    (tmp_path / vocabulary.cached).write_bytes(rank_file(load_ranks(vocabulary)))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    theirs = tiktoken.get_encoding("r50k_base" if name == "gpt2" else name)
    assert theirs._special_tokens == vocabulary.special
    assert theirs.n_vocab == load(name, "reference").vocabulary_size
    texts = self_test_texts(vocabulary.special).to_pylist()
    tokens, offsets = load(name, "reference").encode(column(texts))
    for i, text in enumerate(texts):
        assert tokens[offsets[i] : offsets[i + 1]].tolist() == theirs.encode_ordinary(text)


@given(texts=st.lists(TRICKY | st.text(max_size=40), max_size=10))
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_engines_agree_on_any_text(pair: tuple[Tokenizer, Tokenizer], texts: list[str]) -> None:
    assert same(*pair, texts)


def test_engines_agree_on_every_code_point(pair: tuple[Tokenizer, Tokenizer]) -> None:
    """Every assigned and many unassigned points: Unicode tables of both engines put them in the same classes."""
    points = [*range(0xD800), *range(0xE000, 0x33480), *range(0xE0000, 0xE0200)]
    texts = [
        "".join(f"a{chr(p)}1 {chr(p)}\n!{chr(p)}" for p in points[i : i + 1000]) for i in range(0, len(points), 1000)
    ]
    assert same(*pair, texts)


def test_cutting_by_regex_agrees_on_every_code_point(pair: tuple[Tokenizer, Tokenizer]) -> None:
    """What stands behind the cut of long runs of blanks in `tiktoken_engine`."""
    points = [*range(0xD800), *range(0xE000, 0x33480, 3), *range(0xE0000, 0xE0200)]
    text = "".join(f"a{chr(p)}1 {chr(p)}\n" for p in points)
    engine = pair[0].engine
    assert engine._by_pieces(text).tolist() == pair[1].encode(column([text]))[0].tolist()  # type: ignore[attr-defined]


def test_engines_agree_on_long_runs(pair: tuple[Tokenizer, Tokenizer]) -> None:
    runs = ["a" * 100_000, "A" * 50_000 + "1", "\u0301" * 50_000, "'s" * 30_000, " \n" * 30_000 + "x", "7" * 100_001]
    assert same(*pair, runs)


def real_texts(root: Path) -> list[str]:
    """Articles as wikitext, declarations in 389 languages, speeches: 2 MB."""
    texts: list[str] = []
    dump = bz2.decompress(next((root / "wiki" / "ltgwiki").glob("*.bz2")).read_bytes()).decode()
    texts += [unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", dump, re.DOTALL)][:300]
    for book in ("udhr2", "inaugural"):
        with ZipFile(root / "books" / f"{book}.zip") as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            texts += [archive.read(name).decode("utf-8", "replace") for name in names[:120]]
    return texts


def test_engines_agree_on_real_text(pair: tuple[Tokenizer, Tokenizer], real_data: Path) -> None:
    assert same(*pair, real_texts(real_data))


@pytest.mark.parametrize(
    ("file", "engine"), [("deepseek_tokenizer.json", "gigatoken"), ("anthropic_tokenizer.json", "tokenizers")]
)
def test_other_peoples_tokenizers(file: str, engine: str, real_data: Path) -> None:
    """Two published tokenizer.json files: the accelerated engine reads one, and refuses the other's normaliser."""
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations or find_spec("gigatoken") is None:
        pytest.skip("litellm, which carries the files, or gigatoken is not installed")
    path = Path(spec.submodule_search_locations[0]) / "litellm_core_utils" / "tokenizers" / file
    reference, fast = load_both({"tokenizer": f"hf:{path}"})
    texts = [*real_texts(real_data)[:30], "<｜end▁of▁sentence｜> <EOT> text", *newer_letters()]
    assert fast.engine.name == engine
    assert same(reference, fast, texts)
    assert reference.separator not in reference.encode(column(texts))[0]


def test_a_vocabulary_trained_here(real_data: Path, tmp_path: Path) -> None:
    texts = real_texts(real_data)
    config = {"train": {"vocab_size": 2000, "max_bytes": 200_000}}
    (tmp_path / "tokenizer.json").write_bytes(train_tokenizer(texts, TrainConfig.model_validate(config["train"])))
    reference, fast = load_both(config, tmp_path / "tokenizer.json")
    assert find_spec("gigatoken") is None or fast.engine.name == "gigatoken"
    assert same(reference, fast, [*texts[:100], *newer_letters(), " " * 200_000 + "x"])


def load_both(config: dict[str, object], trained: Path | None = None) -> tuple[Tokenizer, Tokenizer]:
    reference, fast = (
        load_tokenizer(TokensConfig.model_validate(config | {"engine": engine}), trained)
        for engine in ("reference", "auto")
    )
    return reference, fast


def newer_letters() -> list[str]:
    """Letters of Unicode 15 to 17, which the engines' tables do not all know."""
    return [f"a{letter}b {letter}1" for letter in "\u1acf\ua7d2\ufbc3\U00010940\U00016ff2\U000323af\U0001fae9"]
