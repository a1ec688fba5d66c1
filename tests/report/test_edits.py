from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.recipe.load import parse_recipe
from gpucurate.report.edits import contradicting, replaced, restored
from gpucurate.report.verify import verify
from gpucurate.run.driver import Cluster, run
from gpucurate.run.edit_tables import FINDINGS_TABLE, RESTRICTED_TABLE, SPANS_TABLE
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import STEPS, VOCABULARY
from gpucurate.steps.comparison import PartDocuments, Piece, Stages
from gpucurate.steps.contract import CorpusStep, Edit
from gpucurate.steps.edits import spans_table
from gpucurate.steps.exact_duplicates import ExactDuplicatesConfig
from gpucurate.store.artifacts import Artifact, read_table
from tests.invariants.corpus import recipe, write_corpus


class FirstWord(CorpusStep[ExactDuplicatesConfig]):
    """Takes the first word of every second document out, for the tests."""

    name = "first_word"
    version = 1
    config_type = ExactDuplicatesConfig
    reasons = ()
    signals = pa.schema([pa.field("second", pa.bool_())])
    edits = True

    def compare(self, stages: Stages) -> list[Piece]:
        return stages.over_parts("every", self.every, {})

    def every(self, part: PartDocuments) -> pa.Table:
        nodes = part.rows + part.starts[part.number]
        return pa.table({"node": pa.array(nodes, pa.int64()), "second": nodes % 2 == 1})

    def edit(self, part: PartDocuments, signals: pa.Table) -> Edit:
        texts = part.texts().to_pylist()
        chosen = [n for n, second in enumerate(signals["second"].to_pylist()) if second and " " in texts[n]]
        ends = [len(texts[n].split(" ")[0].encode()) + 1 for n in chosen]
        row, start, end = (
            pa.array(c, t) for c, t in ((chosen, pa.int32()), ([0] * len(ends), pa.int64()), (ends, pa.int64()))
        )
        new = [texts[n].split(" ", 1)[1] if n in set(chosen) else None for n in range(len(texts))]
        spans = spans_table(row.to_numpy().astype("int64"), start.to_numpy(), end.to_numpy(), ["first"] * len(ends))
        findings = pa.table({"row": row, "start": start, "end": end})
        restricted = pa.table({"text": [texts[n].split(" ")[0] + " " for n in chosen]})
        return Edit(pa.array(new, pa.large_string()), spans, findings, restricted)

    def judge(self, documents: pa.Table, signals: pa.Table):  # type: ignore[no-untyped-def]
        import numpy as np

        return np.zeros(documents.num_rows, np.int16)


def test_a_corpus_step_edits_and_the_edit_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STEPS, "first_word", "tests.report.test_edits:FirstWord")
    write_corpus(tmp_path / "corpus")
    made = {
        **recipe(tmp_path / "corpus" / "*.jsonl"),
        "steps": ["normalize", "first_word", {"rules": {"gopher_quality": {}}}],
    }
    parsed = parse_recipe(made, VOCABULARY)
    run(parsed, tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    context, state = open_finished(tmp_path / "out")[:2]
    directory = context.directory
    assert verify(context, state) == []
    account = next(a for a in state.accounts if a.name == "first_word")
    assert account.edited.documents > 5
    checked = 0
    for part in directory.parts.iterdir():
        tables = {
            name: next(part.glob(f"first_word.{name}@*"), None)
            for name in (SPANS_TABLE, FINDINGS_TABLE, RESTRICTED_TABLE)
        }
        if tables[SPANS_TABLE] is None:
            continue
        assert tables[RESTRICTED_TABLE].stat().st_mode & 0o777 == 0o600  # type: ignore[union-attr]
        spans, _, secret = (read_table(Artifact.at(path)) for path in tables.values() if path)
        after = read_table(Artifact.at(next(part.glob("first_word@*"))))["text"]
        before = read_table(Artifact.at(next(part.glob("documents@*"))))["text"]
        normal = read_table(Artifact.at(next(part.glob("normalize@*"))))["text"]
        for place, row in enumerate(spans["row"].to_pylist()):
            was = normal[row].as_py() or before[row].as_py()
            taken = [secret["text"][place].as_py().encode()]
            assert restored(after[row].as_py().encode(), spans.slice(place, 1), taken) == was.encode()
            checked += 1
    assert checked == account.edited.documents
    spans_file = next((tmp_path / "out" / "parts").glob("*/first_word.spans@*"))
    spans_file.unlink()
    assert any("missing" in problem for problem in verify(context, state))


@given(
    st.text(st.sampled_from("aé漢😀 "), max_size=40),
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 9), st.sampled_from(["", "x", "[EMAIL]"])), max_size=5),
)
def test_restored_is_the_inverse_of_replaced(text: str, wanted: list[tuple[int, int, str]]) -> None:
    raw, here, spans = text.encode(), 0, []
    for start, length, replacement in sorted(wanted):
        start = max(start, here)
        end = min(start + length, len(raw))
        if start < end:
            spans.append((0, start, end, replacement, "k"))
            here = end
    table = pa.table(list(zip(*spans, strict=True)) or [[]] * 5, names=["row", "start", "end", "replacement", "kind"])
    after = replaced(raw, table)
    assert restored(after, table, [raw[s:e] for _, s, e, _, _ in spans]) == raw


def test_spans_that_do_not_lead_to_the_text_are_found() -> None:
    before = pa.array(["one two", "three", "four", "five"], pa.large_string())
    spans = pa.table({"row": [0, 2], "start": [0, 0], "end": [4, 1], "replacement": ["", "F"], "kind": ["k", "k"]})
    right = pa.chunked_array([["two", None, "Four", None]], pa.large_string())
    wrong = pa.chunked_array([["two!", "x", None, None]], pa.large_string())
    assert contradicting(before, spans, right) == []
    assert contradicting(before, spans, wrong) == [0, 1, 2]
