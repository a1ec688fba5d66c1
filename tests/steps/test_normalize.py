"""The step `normalize`: known cases, empty documents, and the shape of what it hands over."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from gpucurate.device import pick
from gpucurate.steps.contract import SPANS
from gpucurate.steps.normalize import Normalize, NormalizeConfig


def normalize(text: str, **settings: object) -> str:
    step = Normalize(NormalizeConfig.model_validate(settings), pick("cpu"))
    measured = step.measure(pa.table({"text": pa.array([text], pa.large_string())}))
    assert measured.edit is not None
    new = measured.edit.text.to_pylist()[0]
    return text if new is None else str(new)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a \t\xa0b", "a b"),
        ("  a  \n  b  ", "a\nb"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("a\n \t \n\xa0\nb", "a\n\nb"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\r\x00\nb", "a\nb"),
        ("a\x00b\x7f\x9f", "ab"),
        ("e\x00\u0301", "é"),
        ("\ufeffa\u200bb\xadc", "abc"),
        ("می\u200cخواهم 👩\u200d👧", "می\u200cخواهم 👩\u200d👧"),
        ("cafe\u0301", "café"),
        ("ﬁ²", "ﬁ²"),
        ("", ""),
        ("\n\n", ""),
        ("!!!", "!!!"),
        ("a\u2028b\u2029c", "a\nb\nc"),
    ],
)
def test_known_cases(text: str, expected: str) -> None:
    assert normalize(text) == expected


def test_options() -> None:
    assert normalize("ﬁ²Ａ\u3000ﷺ", form="NFKC") == "fi2A صلى الله عليه وسلم"
    assert normalize("\ufeffa", byte_order_marks=False) == "\ufeffa"
    assert normalize("a\u200bb\xad", zero_width=False) == "a\u200bb\xad"


def test_the_step_says_what_it_did() -> None:
    step = Normalize(NormalizeConfig(), pick("cpu"))
    documents = pa.table({"text": pa.array(["fine", "two  spaces", "\t\n", ""], pa.large_string())})
    measured = step.measure(documents)
    assert measured.signals.column_names == ["normalized_bytes"]
    assert measured.edit is not None
    assert measured.edit.text.to_pylist() == [None, "two spaces", "", None]
    assert measured.edit.spans.schema == SPANS
    assert measured.edit.spans.to_pylist() == [
        {"row": 1, "start": 4, "end": 5, "replacement": "", "kind": "normalize"},
        {"row": 2, "start": 0, "end": 2, "replacement": "", "kind": "normalize"},
    ]
    np.testing.assert_array_equal(step.judge(documents.drop_columns("text"), measured.signals), [0, 0, 1, 1])


def test_no_documents() -> None:
    step = Normalize(NormalizeConfig(), pick("cpu"))
    measured = step.measure(pa.table({"text": pa.array([], pa.large_string())}))
    assert measured.signals.num_rows == 0
    assert measured.edit is not None
    assert len(measured.edit.text) == 0
    step.warm()


@pytest.mark.parametrize("text", ["a" * 100_000, " " * 1_000_000, "\n" * 1_000_000, "e\u0301" * 50_000, "\x00" * 9])
def test_long_runs(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)
