"""The tables of an edit, beside the signals of the step that made it: its spans, its findings, the restricted text.

They are written before the signals, so that signals present mean all of them are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpucurate.core.errors import InvariantError
from gpucurate.run.entries import entry_of
from gpucurate.run.live import RunContext
from gpucurate.steps.contract import SPANS, Edit
from gpucurate.store.artifacts import Artifact, find, read_rows, write_table
from gpucurate.store.manifest import Entry

SPANS_TABLE, FINDINGS_TABLE, RESTRICTED_TABLE = "spans", "findings", "restricted"
_PLACE = SPANS.names[:3]  # row, start, end


def write_edit_tables(directory: Path, label: str, key: str, edit: Edit, part: str) -> None:
    """Write what an edit says beyond the new text; tables without rows are not written.

    Raises InvariantError if findings do not say where they are, or restricted rows are not theirs.
    """
    if edit.findings is not None and edit.findings.column_names[: len(_PLACE)] != _PLACE:
        raise InvariantError(f"step {label!r}: findings must begin with the columns {', '.join(_PLACE)}")
    if edit.restricted is not None and (edit.findings is None or edit.restricted.num_rows != edit.findings.num_rows):
        raise InvariantError(f"step {label!r}: restricted rows must be those of the findings")
    entry = {"part": part}
    for name, table in (
        (SPANS_TABLE, edit.spans),
        (FINDINGS_TABLE, edit.findings),
        (RESTRICTED_TABLE, edit.restricted),
    ):
        if table is not None and table.num_rows:
            write_table(directory, f"{label}.{name}", key, table, entry, restricted=name == RESTRICTED_TABLE)


def find_edit_table(directory: Path, label: str, key: str, name: str) -> Artifact | None:
    """One of the tables (`SPANS_TABLE`, ...), None where it would have no rows."""
    return find(directory, f"{label}.{name}", key)


def edit_entries(
    context: RunContext, directory: Path, label: str, key: str, part: str, inputs: tuple[str, ...]
) -> Iterator[Entry]:
    """Manifest lines of the tables that are there; restricted ones, whose rows are those of the findings, stay shut."""
    rows = 0
    for name in (SPANS_TABLE, FINDINGS_TABLE, RESTRICTED_TABLE):
        artifact = find_edit_table(directory, label, key, name)
        if artifact is not None:
            rows = rows if name == RESTRICTED_TABLE else read_rows(artifact)
            yield entry_of(context, artifact, part, rows, inputs, 0.0)
