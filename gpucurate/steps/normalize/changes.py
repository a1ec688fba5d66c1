"""Which documents normalisation changes, into what, and where they differ from before.

White space is folded, then the Unicode form is made where it is not given already, then white space once more, since a
compatibility form can bring new spaces.  Only documents that need it leave the compiled code.
"""

from __future__ import annotations

import unicodedata
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, TextBuffers, pack_texts
from gpucurate.steps.contract import Edit
from gpucurate.steps.edits import column_of_changes, spans_table
from gpucurate.steps.normalize.white_space import DIRTY, UNSURE_FORM, fold_documents, inspect

Form = Literal["NFC", "NFKC"]


class Normalized(NamedTuple):
    """`edit` as the runner wants it; `bytes` int64 [documents], the length of every text afterwards."""

    edit: Edit
    bytes: NDArray[np.int64]


def normalize_texts(texts: TextBuffers, form: Form, byte_order_marks: bool, zero_width: bool) -> Normalized:
    """Normalise a batch; texts that are normal already cost one look at their bytes."""
    data, offsets = texts
    found = np.zeros(texts.documents, np.uint8)
    inspect(data, offsets, form == "NFKC", byte_order_marks, zero_width, found)
    dirty = np.flatnonzero(found & DIRTY)
    folded, folded_offsets = fold_documents(data, offsets, dirty, byte_order_marks, zero_width)
    changed = {int(d): folded[folded_offsets[k] : folded_offsets[k + 1]] for k, d in enumerate(dirty)}
    for d in np.flatnonzero(found & UNSURE_FORM).tolist():
        before = changed.get(d, data[offsets[d] : offsets[d + 1]])
        text = before.tobytes().decode()
        if not unicodedata.is_normalized(form, text):
            composed = pack_texts([unicodedata.normalize(form, text)])
            changed[d] = fold_documents(*composed, np.zeros(1, np.int64), byte_order_marks, zero_width)[0]
    return _as_edit(texts, dict(sorted(changed.items())))


def _as_edit(texts: TextBuffers, changed: dict[int, Bytes]) -> Normalized:
    """One span a changed document, from the first byte that differs to the last."""
    data, offsets = texts
    rows = np.fromiter(changed, np.int64, len(changed))
    lengths = np.diff(offsets)
    sizes = np.zeros(texts.documents, np.int64)
    sizes[rows] = [len(text) for text in changed.values()]
    is_changed = np.zeros(texts.documents, np.bool_)
    is_changed[rows] = True
    new_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    new_data = np.concatenate([np.zeros(0, np.uint8), *changed.values()])
    heads, tails = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    shared_ends(data, offsets, new_data, new_offsets, rows, heads, tails)
    replacements = [
        new_data[new_offsets[d] + head : new_offsets[d + 1] - tail].tobytes()
        for d, head, tail in zip(rows, heads, tails, strict=True)
    ]
    spans = spans_table(
        rows, heads, lengths[rows] - tails, ["normalize"] * len(rows), pa.array(replacements, pa.binary())
    )
    text = column_of_changes(new_data, new_offsets, is_changed)
    return Normalized(Edit(text, spans), np.where(is_changed, sizes, lengths))


@kernel
def shared_ends(
    old: Bytes, old_offsets: NDArray[np.int64], new: Bytes, new_offsets: NDArray[np.int64], rows: NDArray[np.int64],
    heads: NDArray[np.int64], tails: NDArray[np.int64],
) -> None:  # fmt: skip
    """Bytes that old and new text have in common at their start and, apart from those, at their end; cut only between
    characters.  `rows` are the changed documents."""
    for k in range(rows.shape[0]):
        old_at, old_stop = old_offsets[rows[k]], old_offsets[rows[k] + 1]
        new_at, new_stop = new_offsets[rows[k]], new_offsets[rows[k] + 1]
        most = min(old_stop - old_at, new_stop - new_at)
        head = 0
        while head < most and old[old_at + head] == new[new_at + head]:
            head += 1
        while head and (
            (old_at + head < old_stop and old[old_at + head] & 0xC0 == 0x80)
            or (new_at + head < new_stop and new[new_at + head] & 0xC0 == 0x80)
        ):
            head -= 1
        tail = 0
        while tail < most - head and old[old_stop - 1 - tail] == new[new_stop - 1 - tail]:
            tail += 1
        while tail and old[old_stop - tail] & 0xC0 == 0x80:
            tail -= 1
        heads[k] = head
        tails[k] = tail
