"""The books: what a walk and a reading did, as one line of the funnel a step.

Tokens of a document are counted once, on its text after the last edit, so that they add up over the steps; a line has
no token count where some of its documents were never tokenised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.reasons import Reason, Verdict
from gpucurate.core.tally import Edited, StepAccount, Tally, add_by_reason
from gpucurate.run.live import LiveStep
from gpucurate.run.reading import UnitRecord
from gpucurate.run.walk import Judged, Mask, Walk

READ = "read"  # the funnel's first line
NOT_COUNTED = -1


def reading_account(records: Iterable[UnitRecord], kept: Tally, edited: Edited) -> StepAccount:
    """The first line: records and raw bytes in, documents and text bytes kept, extraction as the edit."""
    entered = Tally()
    dropped: dict[str, Tally] = {}
    quarantined: dict[str, Tally] = {}
    for record in records:
        for chunk in record.chunks:
            entered = entered + chunk.entered
            dropped = add_by_reason(dropped, chunk.dropped)
            quarantined = add_by_reason(quarantined, chunk.quarantined)
    entered = Tally(entered.documents, entered.bytes, None)
    return StepAccount(READ, entered, kept, _uncounted(dropped), _uncounted(quarantined), edited)


def extracted(meta: pa.Table, tokens: NDArray[np.int64]) -> tuple[Tally, Edited]:
    """Documents a part began with, and what extraction took from (or added to) their raw bytes."""
    raw, text = meta["raw_bytes"].to_numpy(), meta["text_bytes"].to_numpy()
    kept = _tally(np.ones(len(raw), np.bool_), text, tokens)
    return kept, Edited(len(raw), int(np.maximum(raw - text, 0).sum()), int(np.maximum(text - raw, 0).sum()))


def step_accounts(walk: Walk, steps: Sequence[LiveStep], tokens: NDArray[np.int64]) -> list[StepAccount]:
    """One account a step; `tokens` int64 a document, `NOT_COUNTED` where it was not tokenised."""
    return [_account(judged, live.step.reasons, tokens) for judged, live in zip(walk.judged, steps, strict=True)]


def _account(judged: Judged, reasons: Sequence[Reason], tokens: NDArray[np.int64]) -> StepAccount:
    kept = judged.entered & (judged.verdicts == 0)
    gone: dict[Verdict, dict[str, Tally]] = {Verdict.DROP: {}, Verdict.QUARANTINE: {}}
    for number in np.unique(judged.verdicts[judged.entered & ~kept]).tolist():
        reason = reasons[number - 1]
        mask = judged.entered & (judged.verdicts == number)
        gone[reason.verdict][reason.code] = _tally(mask, judged.bytes_in, tokens)
    edited = kept & (judged.bytes_removed + judged.bytes_added > 0)
    return StepAccount(
        judged.label,
        _tally(judged.entered, judged.bytes_in, tokens),
        _tally(kept, judged.bytes_in - judged.bytes_removed + judged.bytes_added, tokens),
        gone[Verdict.DROP],
        gone[Verdict.QUARANTINE],
        Edited(int(edited.sum()), int(judged.bytes_removed[edited].sum()), int(judged.bytes_added[edited].sum())),
    )


def _tally(mask: Mask, sizes: NDArray[np.int64], tokens: NDArray[np.int64]) -> Tally:
    counted = tokens[mask]
    total = None if (counted == NOT_COUNTED).any() else int(counted.sum())
    return Tally(int(mask.sum()), int(sizes[mask].sum()), total)


def _uncounted(tallies: dict[str, Tally]) -> dict[str, Tally]:
    return {code: Tally(tally.documents, tally.bytes, None) for code, tally in tallies.items()}
