from __future__ import annotations

import pyarrow as pa

from gpucurate.core.documents import DocumentRow, documents_table
from gpucurate.device import pick
from gpucurate.steps.contract import SPANS
from gpucurate.steps.extract_again import ExtractAgain, ExtractAgainConfig

OLD = ["fast zero", "fast öne", "fast two", "the same", "fast four", "fast five", ""]
NEW = ["careful zero", "careful", None, "the same", None, None, None]
FAILURES = [None, None, "html.timeout", None, "html.empty", "warc.lost", "other.thing"]


def documents() -> pa.Table:
    return documents_table("web", [DocumentRow(f"u{n}", text, b"\0" * 16, 1, "f", n) for n, text in enumerate(OLD)])


def step() -> ExtractAgain:
    made = ExtractAgain(ExtractAgainConfig(), pick("cpu"))

    def reextract(wanted: pa.Table) -> tuple[pa.Array, pa.Array]:
        assert "text" not in wanted.column_names
        assert wanted["uri"].to_pylist() == [f"u{n}" for n in range(len(OLD))]
        return pa.array(NEW, pa.large_string()), pa.array(FAILURES, pa.string())

    made.reextract = reextract
    return made


def test_new_text_where_it_went_well() -> None:
    measurement = step().measure(documents())
    assert measurement.signals["extract_again"].to_pylist() == FAILURES
    assert measurement.edit is not None
    assert measurement.edit.text.type == pa.large_string()
    assert measurement.edit.text.to_pylist() == ["careful zero", "careful", *[None] * 5]


def test_spans_lead_from_the_old_text_to_the_new() -> None:
    edit = step().measure(documents()).edit
    assert edit is not None
    assert edit.spans.schema == SPANS
    texts = [text.encode() for text in OLD]
    for span in edit.spans.to_pylist():
        old = texts[span["row"]]
        texts[span["row"]] = old[: span["start"]] + span["replacement"].encode() + old[span["end"] :]
    assert texts == [(new or old).encode() for new, old in zip(edit.text.to_pylist(), OLD, strict=True)]
    assert set(edit.spans["kind"].to_pylist()) == {"extract_again"}


def test_failures_are_judged_by_their_last_word() -> None:
    made = step()
    measurement = made.measure(documents())
    codes = [r.code for r in made.reasons]
    verdicts = made.judge(documents().drop_columns(["text"]), measurement.signals)
    assert ["" if v == 0 else codes[v - 1] for v in verdicts] == [
        "",
        "",
        "extract_again.timeout",
        "",
        "extract_again.empty",
        "extract_again.lost",
        "extract_again.failed",
    ]


def test_no_documents() -> None:
    made = ExtractAgain(ExtractAgainConfig(), pick("cpu"))
    made.reextract = lambda wanted: (pa.array([], pa.large_string()), pa.array([], pa.string()))
    nothing = documents().slice(0, 0)
    measurement = made.measure(nothing)
    assert measurement.signals.num_rows == 0
    assert len(made.judge(nothing, measurement.signals)) == 0


def test_it_looks_at_survivors_and_names_its_engine() -> None:
    assert ExtractAgainConfig().on == "survivors"
    assert set(step().resources()) == {"trafilatura"}
