"""What may differ between wikis and runs, as arrays for compiled code: names and their meaning, templates, texts.

Every choice travels as an argument, so that none causes a recompilation and none can be stale in a compiled cache.
"""

from __future__ import annotations

import html.entities
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import InvariantError
from gpucurate.core.text_buffers import Bytes, read_only
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext import shown_templates as shown
from gpucurate.sources.wikitext import vocabulary as words

ACTION_BITS = 4  # value of a TAG: id << ACTION_BITS | action
# Columns of Rules.templates.
SHAPE, FIRST, LAST, BEFORE, BETWEEN, DAY_FIRST = range(6)
CODE_POINT_BITS = 21  # a few entities are two characters: the second stands above the first


class Rules(NamedTuple):
    """Read-only arrays and a switch; make them with `make_rules`."""

    keys: NDArray[np.uint64]  # [slots] hashes of names by kind
    values: NDArray[np.int64]  # [slots] meaning of each, see `names`
    templates: NDArray[np.int64]  # [visible templates, 6]
    text: Bytes  # what templates, months and units show; values and columns refer into it
    close_gaps: bool  # see `gaps`


class _Texts:
    """Texts one after another, each once."""

    def __init__(self) -> None:
        self.data = b""
        self._references: dict[bytes, int] = {}

    def add(self, text: str) -> int:
        raw = text.encode()
        if raw not in self._references:
            self._references[raw] = names.text_reference(len(self.data), len(raw))
            self.data += raw
        return self._references[raw]


def make_rules(
    namespaces: Mapping[int, Sequence[str]] | None = None,
    *,
    visible_templates: bool = True,
    keep_code: bool = True,
    interlanguage: bool = True,
    aliases: bool = True,
    close_gaps: bool = True,
) -> Rules:
    """Rules for one wiki.

    `namespaces` are the names and aliases of its siteinfo by key; those of media (-2), file (6) and category (14) are
    added to the English ones, and with `aliases` to the names these have on other large wikis.  `visible_templates`
    keeps what {{convert}}, {{lang}}, dates and their like say; `keep_code` keeps the inside of <pre>, <source> and
    <syntaxhighlight>; `interlanguage` drops [[fr:Titre]]; `close_gaps` drops
    punctuation that holds nothing once a template is gone.
    """
    texts = _Texts()
    rows: list[list[int]] = []
    entries = list(_words(keep_code))
    entries += [(names.HIDDEN_PREFIX, name, 0) for name in _hidden_prefixes(namespaces or {}, aliases)]
    if interlanguage:
        entries += [(names.HIDDEN_PREFIX, code, 0) for code in words.LANGUAGE_CODES.split()]
    if visible_templates:
        for name, form in shown.SHOWN_TEMPLATES.items():
            entries.append((names.TEMPLATE, name, len(rows)))
            rows.append(_template_row(name, form, texts))
        entries += [(names.TEMPLATE_FAMILY, prefix, len(rows)) for prefix in shown.LANGUAGE_FAMILIES.split()]
        rows.append(_template_row(shown.LANGUAGE_FAMILIES, shown.Shown(shown.ARGUMENT, 1, 1), texts))
    entries += [(names.RANGE, word, texts.add(text)) for word, text in shown.RANGE_WORDS.items()]
    entries += [(names.UNIT, code, texts.add(symbol)) for code, symbol in shown.UNIT_SYMBOLS.items()]
    for number, month in enumerate(shown.MONTHS, start=1):
        entries += [(names.MONTH, spelling, texts.add(month)) for spelling in {f"{number}", f"{number:02}"}]
    keys, values = names.name_table(entries)
    templates = np.array(rows, np.int64).reshape(len(rows), 6)
    text = np.frombuffer(texts.data, np.uint8).copy()
    return Rules(read_only(keys), read_only(values), read_only(templates), read_only(text), close_gaps)


def _words(keep_code: bool) -> Iterator[tuple[names.Kind, str, int]]:
    tags = {tag: action for action, group in words.TAGS.items() for tag in group.split()}
    if not keep_code:
        tags.update(dict.fromkeys(words.CODE_TAGS, words.DROP))
    for number, (tag, action) in enumerate(tags.items()):
        yield names.TAG, tag, number << ACTION_BITS | action
    for kind, listed, value in (
        (names.MAGIC_WORD, words.MAGIC_WORDS, 0),
        (names.SCHEME, words.SLASHED_SCHEMES, 1),
        (names.SCHEME, words.PLAIN_SCHEMES, 0),
        (names.VARIANT, words.VARIANT_CODES, 0),
        (names.COMPOUND_UNIT, shown.COMPOUND_UNITS, 0),
    ):
        yield from ((kind, word, value) for word in listed.split())
    for option, slot in shown.OPTIONS.items():
        yield names.OPTION, option, int(slot)
    for entity, text in html.entities.html5.items():
        if entity.endswith(";"):  # of HTML5; none is longer in UTF-8 than as written
            first, *second = (max(ord(character), ord(" ")) for character in text)
            yield names.ENTITY, entity[:-1], first | (second[0] << CODE_POINT_BITS if second else 0)


def _hidden_prefixes(namespaces: Mapping[int, Sequence[str]], aliases: bool) -> set[str]:
    """Names of namespaces whose links show nothing, in the spellings that ASCII folding does not cover."""
    more = words.NAMESPACE_ALIASES if aliases else {}
    listed: Iterable[str] = (
        name.replace("_", " ")
        for key, english in words.HIDDEN_NAMESPACES.items()
        for name in (*english.split(), *namespaces.get(key, ()), *(more.get(key, "").split()))
        if name
    )
    return {case(name) for name in listed for case in (str, str.lower, str.upper, str.capitalize)}


def _template_row(name: str, form: shown.Shown, texts: _Texts) -> list[int]:
    before, between = len(form.before.encode()), len(form.between.encode())
    braces = len(name.encode()) + len("{{}}")
    if form.shape == shown.ARGUMENT and before >= braces - 1:
        raise InvariantError(f"visible template {name!r}: {form.before!r} must fit in place of its braces and name")
    longest_month = len("September") + len(" , ") if form.shape == shown.DATE else 0
    if before + longest_month + (form.last - form.first) * between > 2 * braces:
        raise InvariantError(f"visible template {name!r} could show more than twice its own length")
    return [form.shape, form.first, form.last, texts.add(form.before), texts.add(form.between), form.day_first]
