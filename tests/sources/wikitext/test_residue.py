from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.text_buffers import pack_texts
from gpucurate.sources.wikitext import residue
from gpucurate.sources.wikitext.residue import RESIDUE


@given(st.lists(st.text(alphabet="{[|-<ref a", max_size=30)))
def test_counts_are_those_of_str_count_within_each_text(texts: list[str]) -> None:
    assert residue(pack_texts(texts)) == {mark: sum(text.count(mark) for text in texts) for mark in RESIDUE}


def test_nothing_is_counted_across_two_texts() -> None:
    assert residue(pack_texts(["a{", "{b", "[", "["])) == {"{{": 0, "[[": 0, "|-": 0, "<ref": 0}
