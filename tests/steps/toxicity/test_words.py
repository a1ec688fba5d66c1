"""Word lists against matching written out in plain Python, and lists that cannot be used."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.errors import InputError
from gpucurate.steps.toxicity.matching import count_matches, has_symbols, make_matcher, normalised
from gpucurate.steps.toxicity.word_lists import list_digest, matcher_of, read_list
from tests.device.cpu.near_duplicates.reference import words

Found = tuple[int, int, int]


def by_hand(text: str, entries: list[str]) -> Found:
    """Left to right, the longest entry at each word, none within another."""

    def cut(given: str) -> list[list[int]]:
        return words(unicodedata.normalize("NFKC", given).encode())

    wanted = sorted((cut(entry) for entry in entries), key=len, reverse=True)
    here = cut(text)
    found = covered = at = 0
    while at < len(here):
        size = next((len(w) for w in wanted if w and here[at : at + len(w)] == w), 0)
        found, covered, at = found + (size > 0), covered + size, at + max(size, 1)
    return found, covered, len(here)


def counted(texts: list[str], entries: list[str]) -> list[Found]:
    matches = count_matches(normalised(texts), make_matcher(entries))
    return list(zip(*(each.tolist() for each in matches), strict=True))


WORDS = st.sampled_from(["ab", "b", "AB", "c", "日", "本", "ｂ", "b-c", "é", "e\u0301", ""])
PHRASES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=4), st.lists(PHRASES, max_size=6))
def test_as_by_hand(texts: list[str], entries: list[str]) -> None:
    assert counted(texts, entries) == [by_hand(text, entries) for text in texts]


@pytest.mark.parametrize(
    ("text", "entries", "found"),
    [
        ("Scunthorpe and a cunt", ["cunt"], 1),  # within a word is no match
        ("the classic assassin", ["ass"], 0),
        ("DUNCE, Dunce; dunce!", ["dunce"], 3),
        ("a dirty\n  old-man", ["dirty old man", "dirty"], 1),  # the longest entry; breaks and hyphens separate
        ("ＤＵＮＣＥ", ["dunce"], 1),  # full-width letters
        ("cafe\u0301 café", ["café"], 2),  # either form of an accent
        ("他是笨蛋吗", ["笨蛋"], 1),  # no spaces, no borders
        ("blöd BLÖD bloed", ["blöd"], 2),
        ("dunce dunce dunce", ["dunce dunce"], 1),
        ("", ["dunce"], 0),
        ("😀 \U0001f595", ["\U0001f595"], 1),
        ("its tail", ["it's"], 0),
        ("it's", ["it’s"], 1),
    ],
)
def test_what_is_a_word(text: str, entries: list[str], found: int) -> None:
    assert counted([text], entries)[0][0] == found


def test_ten_megabytes() -> None:
    assert counted(["dunce garden " * 800_000], ["dunce"]) == [(800_000, 800_000, 1_600_000)]


def test_reading(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    path.write_bytes("\ufeff# ours\nDunce\n\n  nit wit \nDunce\na$$\n@#!\n".encode())
    found = read_list(str(path))
    assert found.entries == ("Dunce", "nit wit")
    assert found.left_out == ("a$$", "@#!")
    assert has_symbols("c++")
    assert not has_symbols("mother-in-law's")
    digest = list_digest(str(path))
    matcher = matcher_of((str(path),))
    assert count_matches(normalised(["a dunce, a nit wit"]), matcher).found.tolist() == [2]
    path.write_text("scoundrel\n")
    assert list_digest(str(path)) != digest
    assert count_matches(normalised(["a dunce, a scoundrel"]), matcher_of((str(path),))).found.tolist() == [1]


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be read"), (b"caf\xe9\n", "is not UTF-8: byte 3"), (b"# nothing\n$$$\n", "no entry that is made")],
)
def test_lists_that_cannot_be_used(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "list.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=f"{said}.*Remedy"):
        read_list(str(path))
