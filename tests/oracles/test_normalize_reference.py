"""The normaliser equals the plain one on invented, random and real text; it is idempotent; spans rebuild its text."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import pack_texts
from gpucurate.steps.normalize.changes import Form, normalize_texts
from tests.oracles.normalize_reference import normalized

PIECES = (
    *"ab .\n\n\r\t\x00\x0b\x0c\x1c\x7f\x85\xa0\xad\u1680\u2000\u2001\u2009\u200b",
    *"\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff",
    *"e\u0301\u0323\u0300é\u1100\u1161\u11a8가가ﬁＡ²\xa8\u037e\u0344\u0958\u212b\ufdfa\U0001d15e\U00011099\U000110ba😀क\u093c\u3099か",
    "\r\n", "  ", "\n\n\n", "word ", "line\n",
)  # fmt: skip
texts = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=40))


def run(batch: list[str], form: Form = "NFC", byte_order_marks: bool = True, zero_width: bool = True) -> list[str]:
    """Normalise, check that spans and lengths agree with the text, and give all texts."""
    result = normalize_texts(pack_texts(batch), form, byte_order_marks, zero_width)
    result.edit.text.validate(full=True)
    new = [old if text is None else text for old, text in zip(batch, result.edit.text.to_pylist(), strict=True)]
    rebuilt = [text.encode() for text in batch]
    for span in result.edit.spans.to_pylist():
        text = rebuilt[span["row"]]
        assert text[span["start"] : span["end"]] != span["replacement"].encode()
        rebuilt[span["row"]] = text[: span["start"]] + span["replacement"].encode() + text[span["end"] :]
    assert rebuilt == [text.encode() for text in new]
    assert result.bytes.tolist() == [len(text.encode()) for text in new]
    assert [t is None for t in result.edit.text.to_pylist()] == [a == b for a, b in zip(batch, new, strict=True)]
    assert result.edit.spans.num_rows == pa.compute.count(result.edit.text).as_py()
    return new


@pytest.mark.parametrize(("form", "marks", "zero_width"), list(product(("NFC", "NFKC"), (True, False), (True, False))))
@given(batch=st.lists(texts, max_size=4))
@settings(max_examples=250, deadline=None)
def test_equals_the_plain_one_and_is_idempotent(batch: list[str], form: Form, marks: bool, zero_width: bool) -> None:
    new = run(batch, form, marks, zero_width)
    assert new == [normalized(text, form, marks, zero_width) for text in batch]
    assert run(new, form, marks, zero_width) == new


def test_every_single_character_between_letters() -> None:
    batch = [f"a{chr(cp)}b" for cp in (*range(0x3400), *range(0xA000, 0x1E000, 3)) if not 0xD800 <= cp < 0xE000]
    for form in ("NFC", "NFKC"):
        assert run(batch, form) == [normalized(text, form) for text in batch]


def test_every_pair_with_a_combining_mark_after_a_sure_block() -> None:
    batch = [chr(cp) + mark for cp in range(0x250, 0xA000, 7) for mark in "\u0301\u0338\u3099\u0345"]
    assert run(batch) == [normalized(text) for text in batch]


def test_real_html_and_books(real_data: Path) -> None:
    files = sorted((real_data / "html" / "trafilatura").rglob("*.html"))[:60]
    batch = [file.read_bytes().decode("utf-8", "replace")[:60_000] for file in files]
    assert len(batch) > 20
    assert run(batch) == [normalized(text) for text in batch]
