"""The text of a part as its documents and the edits so far make it: layers, laid over each other on demand.

An edit's artifact holds new text for the documents it changed and null for the others, so that a step that touches one
page in a thousand costs a thousandth of the text.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.core.errors import InvariantError
from gpucurate.steps.contract import Edit
from gpucurate.store.artifacts import Artifact, read_table

TEXT = "text"
NEW_BYTES = "edited_bytes"  # int64 length of the new text, null where unchanged
REMOVED = "edit_removed"  # bytes that the spans cover
ADDED = "edit_added"  # bytes of their replacements
EDIT_COLUMNS = (TEXT, NEW_BYTES, REMOVED, ADDED)


def edited_text(signals: pa.Table, edit: Edit) -> pa.Table:
    """Signals with the columns of the edit beside them; raises InvariantError if text and spans contradict."""
    rows = signals.num_rows
    removed, added = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    at = edit.spans["row"].to_numpy()
    np.add.at(removed, at, edit.spans["end"].to_numpy() - edit.spans["start"].to_numpy())
    np.add.at(added, at, pc.binary_length(edit.spans["replacement"]).to_numpy())
    changed = edit.text.is_valid().to_numpy(zero_copy_only=False)
    if (changed & (removed + added == 0)).any() or (~changed & (removed + added > 0)).any():
        raise InvariantError("an edit changed a text without a span, or has a span without a changed text")
    signals = signals.append_column(TEXT, edit.text)
    signals = signals.append_column(NEW_BYTES, pc.binary_length(edit.text).cast(pa.int64()))
    return signals.append_column(REMOVED, pa.array(removed)).append_column(ADDED, pa.array(added))


class TextLayers:
    """Base text and edits of one part; `bytes` is the length of each document's text now, `digests` its identity."""

    def __init__(self, documents: Artifact, rows: int) -> None:
        self.digests = [documents.digest]
        self._documents = documents
        self.layers: list[tuple[Artifact, NDArray[np.int64]]] = []  # edits, and the documents they measured
        self._applied = 0
        self._text: pa.Array | None = None
        self._rows = rows
        self.bytes: NDArray[np.int64] = read_table(documents, ["text_bytes"])["text_bytes"].to_numpy().copy()

    def add(
        self, edit: Artifact, rows: NDArray[np.int64], table: pa.Table
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Lay an edit over the text; `rows` are the documents it measured, `table` its artifact.

        Returns bytes removed and added by document of the part.
        """
        removed, added = np.zeros(self._rows, np.int64), np.zeros(self._rows, np.int64)
        removed[rows], added[rows] = table[REMOVED].to_numpy(), table[ADDED].to_numpy()
        new = pc.fill_null(table[NEW_BYTES], -1).to_numpy()
        before = self.bytes.copy()
        self.bytes[rows[new >= 0]] = new[new >= 0]
        if (before - removed + added != self.bytes).any():
            raise InvariantError(f"{edit.path.name}: lengths of edited texts do not follow from their spans")
        self.digests.append(edit.digest)
        self.layers.append((edit, rows))
        return removed, added

    def current(self) -> pa.Array:
        """Text of every document of the part (large_string), with all edits so far."""
        if self._text is None:
            self._text = _one_chunk(read_table(self._documents, [TEXT])[TEXT])
        for edit, rows in self.layers[self._applied :]:
            place = np.full(self._rows, -1, np.int64)
            place[rows] = np.arange(len(rows))
            new = _one_chunk(read_table(edit, [TEXT])[TEXT]).take(pa.array(place, mask=place < 0))
            self._text = pc.coalesce(new, self._text)
        self._applied = len(self.layers)
        return self._text


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    combined = column.combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)
