from __future__ import annotations

import numpy as np
import pytest

from gpucurate.core.errors import InvariantError
from gpucurate.sources.wikitext import make_rules, names
from gpucurate.sources.wikitext import shown_templates as shown
from gpucurate.sources.wikitext.tags import COMMENT_SLOT
from gpucurate.sources.wikitext.vocabulary import TAGS


def test_rules_are_read_only_and_the_same_each_time() -> None:
    first, second = make_rules(), make_rules()
    for left, right in zip(first, second, strict=True):
        np.testing.assert_array_equal(left, right)
        assert isinstance(left, bool) or not left.flags.writeable


def test_every_tag_has_a_slot_of_its_own_in_the_memory_of_closing_tags() -> None:
    tags = [tag for group in TAGS.values() for tag in group.split()]
    assert len(tags) == len(set(tags)) <= COMMENT_SLOT


def test_a_template_that_would_show_more_than_its_own_room_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shown.SHOWN_TEMPLATES, "x", shown.Shown(shown.ARGUMENT, 1, 1, "too long"))
    with pytest.raises(InvariantError, match="must fit in place of its braces"):
        make_rules()
    monkeypatch.setitem(shown.SHOWN_TEMPLATES, "x", shown.Shown(shown.JOIN, 1, 7, between=" and "))
    with pytest.raises(InvariantError, match="more than twice its own length"):
        make_rules()


def test_names_are_found_by_kind_and_folded_as_titles_are() -> None:
    keys, values = names.name_table([(names.TAG, "big", 1), (names.TEMPLATE, "as of", 2), (names.UNIT, "C", 3)])

    def found(kind: int, name: str) -> int:
        text = np.frombuffer(name.encode(), np.uint8)
        return names.find_name(keys, values, kind, text, 0, len(text))

    assert found(names.TAG, "BIG") == 1
    assert found(names.TEMPLATE, "big") == -1
    assert found(names.TEMPLATE, "As_of") == 2
    assert found(names.UNIT, "C") == 3
    assert found(names.UNIT, "c") == -1


def test_a_name_with_two_meanings_is_refused() -> None:
    with pytest.raises(InvariantError, match="'a' of kind 0"):
        names.name_table([(names.TAG, "a", 1), (names.TAG, "a", 2)])


def test_texts_are_bounded() -> None:
    with pytest.raises(InvariantError, match="256 bytes"):
        names.text_reference(0, 256)
