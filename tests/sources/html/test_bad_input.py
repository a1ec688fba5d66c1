"""No page is refused with an exception, none is lost, none takes more than its share of time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.errors import InputError
from gpucurate.core.text_buffers import TextBuffers, read_only
from gpucurate.sources.html.blocks import MissingModel, Trees, block_texts, page, scan
from gpucurate.sources.html.blocks.engine import BlocksEngine
from gpucurate.sources.html.blocks.extraction import extract_pages
from gpucurate.sources.html.blocks.writing.options import MARKDOWN, Options
from tests.sources.html.forests import EVERYTHING
from tests.sources.html.pages import ADVERSARIAL, PROSE
from tests.sources.html.test_scanning import CASES

pytestmark = pytest.mark.xdist_group("html")  # one process compiles the kernels, not both

SENTENCE = "This is a sentence with several words, and a comma."
KEPT = {
    "nothing": ("", ""),
    "spaces": (" \n\t", ""),
    "an angle": ("<", "<"),
    "an open tag": ("<a", ""),
    "an open end tag": ("</", ""),
    "a declaration": ("<!", ""),
    "NUL": ("a\0b", "ab"),
    "controls": ("a\x01\x1bb\x7f\x85c", "a b c"),
    "a lone surrogate": ("a\ud800b", "a?b"),
    "no characters": ("&#xD800;&#0;&#99999999999;&#x110000;", "\ufffd" * 4),
    "JSON": ('{"a": ["<b>", 1]}', '{"a": ["", 1]}'),
    "XML": ("<?xml version='1.0'?><r><i>a</i> <i>b</i></r>", "a b"),
    "a frame set": ("<frameset><frame src=x><noframes>a</noframes></frameset>", "a"),
    "meta refresh": ("<meta http-equiv=refresh content='0;url=x'>", ""),
    "right to left": ("<p>\u200fשלום <b>עולם</b> hello", "\u200fשלום עולם hello"),
}


@pytest.mark.parametrize(("html", "expected"), KEPT.values(), ids=KEPT)
def test_what_is_kept_of_pages_that_are_none(html: str, expected: str) -> None:
    assert BlocksEngine(trees=EVERYTHING).extract([html])[0].text == expected


def test_adversarial_pages_in_one_batch_keep_their_order_and_their_prose() -> None:
    pages = [around.replace("*", repeat * 20_000) for repeat, around in ADVERSARIAL.values()]
    found = BlocksEngine(trees=EVERYTHING).extract([PROSE, *pages, PROSE])
    assert found[0] == found[-1]
    assert found[0].text.startswith(SENTENCE)
    for name, html, one in zip(ADVERSARIAL, pages, found[1:-1], strict=True):
        assert one.reason is None or html.count("<") > page.MAX_TAGS, name
        one.text.encode()
        if html.endswith(PROSE) and one.reason is None and "unclosed" not in name:
            assert SENTENCE in one.text, name


def test_a_hundred_thousand_nested_tags() -> None:
    found = BlocksEngine(Options(MARKDOWN), trees=EVERYTHING).extract(["<div>" * 100_000 + PROSE])[0]
    assert found.text.startswith(SENTENCE)


def test_too_much_is_told_and_costs_nothing() -> None:
    engine = BlocksEngine(max_bytes=1_000_000, trees=EVERYTHING)
    found = engine.extract(["x" * 1_000_001, "<p>" * (page.MAX_TAGS + 1), "<p>a"])
    assert [(one.reason, one.text) for one in found] == [("too_large", ""), ("too_many_tags", ""), (None, "a")]
    with pytest.raises(InputError, match="too large to scan"):
        scan(b"<p>" * (page.MAX_TAGS + 1))


def test_the_work_grows_as_the_page_does() -> None:
    """Lines of Python run by the uncompiled kernels on twice the page; a search up the bounded stack costs the rest."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.sources.html.growth"]
    root = Path(__file__).parents[3]
    answer = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=True).stdout
    counted: dict[str, list[int]] = json.loads(answer)
    assert counted.keys() == ADVERSARIAL.keys()
    assert {name: taken for name, taken in counted.items() if taken[1] > 2.5 * taken[0]} == {}


PIECES = [*CASES, *(repeat for repeat, _ in ADVERSARIAL.values()), PROSE, "</td>", "</table>", "</li>", "</pre>", "&#x"]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=12).map("".join))
def test_any_page_gives_valid_text_without_controls(html: str) -> None:
    for options in (Options(), Options(MARKDOWN, comments=True, captions=True, title=True)):
        text = BlocksEngine(options, trees=EVERYTHING).extract([html])[0].text
        text.encode()
        assert not [c for c in text if ord(c) < 32 and c not in "\t\n"]


@given(st.binary(max_size=300))
def test_bytes_that_are_no_utf8_are_read_without_harm(raw: bytes) -> None:
    block_texts(scan(raw))
    batch = TextBuffers(read_only(np.frombuffer(raw, np.uint8)), read_only(np.array([0, len(raw)])))
    assert extract_pages(batch, EVERYTHING.forest, Options()).texts.documents == 1


def test_a_model_is_refused_that_is_missing_or_of_other_features(tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match=r"train one, see docs/html\.md"):
        Trees.load(tmp_path / "none.npz")
    path = tmp_path / "model.npz"
    EVERYTHING.save(path)
    assert Trees.load(path).digest == EVERYTHING.digest
    with np.load(path) as stored:
        arrays = dict(stored)
    np.savez(path, **(arrays | {"feature_digest": np.array("other")}))
    with pytest.raises(InputError, match="other features"):
        Trees.load(path)
    with pytest.raises(InputError, match="whole trees"):
        Trees(EVERYTHING.forest._replace(leaf=EVERYTHING.forest.leaf[1:]))
