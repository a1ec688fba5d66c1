"""Verdicts: which items each document holds, where, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.text_buffers import text_buffers
from gpucurate.device.backend import Backend
from gpucurate.device.word_places import word_places
from gpucurate.steps.comparison import PartDocuments
from gpucurate.steps.contract import Edit
from gpucurate.steps.decontaminate.common import mask_of, sizes_without
from gpucurate.steps.decontaminate.config import Action
from gpucurate.steps.decontaminate.items import ACTIONS, Numbers, Protected
from gpucurate.steps.decontaminate.matching import held, needed, pairs_of
from gpucurate.steps.decontaminate.spans import RUNS, bytes_of, word_runs
from gpucurate.steps.edits import column_of_changes, spans_table, without_spans
from gpucurate.steps.near_duplicates.numbering import column

CUTS = pa.struct([pa.field("start", pa.int64(), nullable=False), pa.field("end", pa.int64(), nullable=False)])
SIGNALS = pa.schema(
    [
        pa.field("held_out", pa.bool_()),  # the document itself is kept from training
        pa.field("action", pa.string()),  # the strongest of what was found; null where nothing was
        pa.field("benchmark", pa.string()),  # of the item that asks for it and of which most is there
        pa.field("containment", pa.float64()),  # of that item
        pa.field("items", pa.int64()),  # different ones that it holds
        pa.field("emptied", pa.bool_()),  # nothing is left after `remove`
        pa.field("found", pa.list_(RUNS)),  # where each of them stands
        pa.field("cuts", pa.list_(CUTS)),  # what `remove` takes away, bytes
    ]
)
ANSWERS = pa.schema([pa.field("node", pa.int64(), nullable=False), *SIGNALS])
KIND = "decontaminate"


def decide(
    part: PartDocuments,
    matches: pa.Table,
    common: pa.Table,
    held_out: Numbers,
    protected: Protected,
    margin: int,
    backend: Backend,
) -> pa.Table:
    """Answers for a part, schema ANSWERS; `held_out` are rows of the part, which are not searched themselves."""
    mask = mask_of(common, protected)
    found = held(*pairs_of(matches), protected, mask)
    sizes = sizes_without(mask, protected)
    enough = found.matched >= needed(protected.shares[found.texts], sizes[found.texts])
    rows = column(matches, "row").astype(np.int64)[found.documents]
    enough &= ~np.isin(rows, held_out)
    rows, texts, matched = rows[enough], found.texts[enough], found.matched[enough]
    answers: list[dict[str, object]] = [{"node": int(row), "held_out": True} for row in held_out]
    firsts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else np.zeros(0, np.int64)
    if len(firsts):
        wanted = part.texts().take(pa.array(np.searchsorted(part.rows, rows[firsts])))
        for first, last, text in zip(firsts.tolist(), [*firsts[1:].tolist(), len(rows)], wanted, strict=True):
            here = slice(first, last)
            answer = _answer(text.as_py(), texts[here], matched[here], sizes, mask, protected, margin, backend)
            answers.append({"node": int(rows[first]), **answer})
    start = int(part.starts[part.number])
    for answer in answers:
        answer["node"] += start  # type: ignore[operator]
    return pa.Table.from_pylist(sorted(answers, key=lambda answer: answer["node"]), ANSWERS)  # type: ignore[arg-type,return-value]


def _answer(
    text: str,
    texts: Numbers,
    matched: Numbers,
    sizes: Numbers,
    common: NDArray[np.bool_],
    protected: Protected,
    margin: int,
    backend: Backend,
) -> dict[str, object]:
    """What is said of one document that holds some texts."""
    places = word_places(text.encode())
    runs = word_runs(text, texts, protected, common, backend)
    actions = protected.actions[texts]
    best = int(np.lexsort((-matched / sizes[texts], -actions))[0])
    found = []
    for k, count in zip(texts.tolist(), matched.tolist(), strict=True):
        item = int(protected.items[k])
        named = {"benchmark": protected.benchmarks[item], "item": protected.names[item]}
        said = {"matched": count, "grams": int(sizes[k]), "action": ACTIONS[int(protected.actions[k])].value}
        found += [{"start": a, "end": b, **named, **said} for a, b in bytes_of(runs[k], places)]
    action = ACTIONS[int(actions.max())]
    cuts: list[tuple[int, int]] = []
    if action is Action.REMOVE:
        remove = texts[actions == ACTIONS.index(Action.REMOVE)].tolist()
        cuts = _to_the_ends(bytes_of([run for k in remove for run in runs[k]], places, margin), places, text)
    return {
        "held_out": False,
        "action": action.value,
        "benchmark": protected.benchmarks[int(protected.items[texts[best]])],
        "containment": float(matched[best] / sizes[texts[best]]),
        "items": len(np.unique(protected.items[texts])),
        "emptied": bool(cuts) and _emptied(text.encode(), cuts),
        "found": sorted(found, key=lambda run: (run["start"], run["end"], run["benchmark"], run["item"])),
        "cuts": [{"start": a, "end": b} for a, b in cuts],
    }


def _to_the_ends(cuts: list[tuple[int, int]], places: Numbers, text: str) -> list[tuple[int, int]]:
    """Cuts that take the first or the last word take what stands before or behind it too."""
    size = len(text.encode())
    return [(0 if start == places[0, 0] else start, size if end == places[-1, 1] else end) for start, end in cuts]


def _emptied(text: bytes, cuts: list[tuple[int, int]]) -> bool:
    kept, at = [], 0
    for start, end in cuts:
        kept.append(text[at:start])
        at = end
    return not b"".join([*kept, text[at:]]).decode().strip()


def edit_of(part: PartDocuments, signals: pa.Table) -> Edit:
    """Texts without the cuts; every run as a finding, what it says in the restricted table."""
    documents = signals.num_rows
    found, cuts = signals["found"].to_pylist(), signals["cuts"].to_pylist()
    if not any(found):
        return Edit.nothing(documents)
    texts = text_buffers(part.texts())
    row, start, end = (
        np.array(each, np.int64)
        for each in _columns([(d, cut["start"], cut["end"]) for d, of in enumerate(cuts) for cut in of or ()])
    )
    data, offsets, changed = without_spans(texts.data, texts.offsets, row, start, end)
    findings = [{"row": d, **run} for d, of in enumerate(found) for run in of or ()]
    schema = pa.schema([pa.field("row", pa.int32(), nullable=False), *RUNS])
    said = [
        bytes(texts.data[texts.offsets[f["row"]] + f["start"] : texts.offsets[f["row"]] + f["end"]]).decode()
        for f in findings
    ]
    return Edit(
        column_of_changes(data, offsets, changed),
        spans_table(row, start, end, pa.repeat(pa.scalar(KIND), len(row))),
        pa.Table.from_pylist(findings, schema),
        pa.table({"text": pa.array(said, pa.large_string())}),
    )


def _columns(rows: Sequence[tuple[int, int, int]]) -> tuple[list[int], ...]:
    return tuple(list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
