from __future__ import annotations

import itertools
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.documents import DocumentRow, documents_table
from gpucurate.device import pick
from gpucurate.steps.exact_duplicates import ExactDuplicates, ExactDuplicatesConfig, Representative

from .stages import MemoryStages, answers


def table(pages: list[tuple[str, str, int]]) -> pa.Table:
    return documents_table(
        "s",
        [
            DocumentRow(f"u{n}", text, bytes(16), 1, "f", n, title=title, modified=datetime.fromtimestamp(age, UTC))
            for n, (text, title, age) in enumerate(pages)
        ],
    )


def removed(documents: pa.Table, keep: Representative, cuts: list[int]) -> set[bytes]:
    """Record ids removed when the documents come in parts cut at these places."""
    step = ExactDuplicates(ExactDuplicatesConfig(keep=keep), pick("cpu"))
    edges = [0, *sorted(c % (documents.num_rows + 1) for c in cuts), documents.num_rows]
    parts = [documents.slice(low, high - low) for low, high in itertools.pairwise(edges)]
    verdicts = step.judge(documents, answers(step, MemoryStages(parts)))
    ids = documents["record_id"].to_pylist()
    return {ids[n] for n in np.flatnonzero(verdicts)}


def brute_force(documents: pa.Table, keep: Representative) -> set[bytes]:
    groups: dict[str, list[dict[str, object]]] = {}
    for document in documents.to_pylist():
        groups.setdefault(document["text"], []).append(document)

    def rank(document: dict[str, object]) -> tuple[float, bytes]:
        best = {
            Representative.FIRST_ID: 0.0,
            Representative.LONGEST_TITLE: -len(str(document["title"])),
            Representative.NEWEST: -document["modified"].timestamp(),  # type: ignore[attr-defined]
        }[keep]
        return best, document["record_id"]  # type: ignore[return-value]

    return {d["record_id"] for g in groups.values() for d in sorted(g, key=rank)[1:]}  # type: ignore[misc]


PAGES = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "größer"]), st.sampled_from(["", "T", "Ti"]), st.integers(0, 3))
)


@pytest.mark.parametrize("keep", list(Representative))
@given(pages=PAGES, cuts=st.lists(st.integers(0, 50), max_size=3))
def test_equals_brute_force_for_any_partition(
    keep: Representative, pages: list[tuple[str, str, int]], cuts: list[int]
) -> None:
    documents = table(pages)
    assert removed(documents, keep, cuts) == brute_force(documents, keep)


def test_missing_title_and_time_rank_last() -> None:
    rows = [DocumentRow(f"u{n}", "same", bytes(16), 1, "f", n) for n in range(3)]
    rows[1].title, rows[2].modified = "T", datetime(1960, 1, 1, tzinfo=UTC)
    documents = documents_table("s", rows)
    ids = documents["record_id"].to_pylist()
    assert ids[1] not in removed(documents, Representative.LONGEST_TITLE, [])
    assert ids[2] not in removed(documents, Representative.NEWEST, [])


def test_no_documents() -> None:
    assert removed(table([]), Representative.FIRST_ID, []) == set()
