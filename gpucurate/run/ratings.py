"""How good documents are by an earlier step's word, for corpus-scope steps that choose among documents."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from gpucurate.core.digests import digest16
from gpucurate.core.errors import RecipeError, UserError
from gpucurate.run.live import LiveStep, RunContext
from gpucurate.run.walk import Judged, Walk
from gpucurate.steps.comparison import RATING
from gpucurate.steps.contract import RecordStep
from gpucurate.store.artifacts import read_table


def with_rating(documents: pa.Table, state: Walk, steps: tuple[LiveStep, ...]) -> pa.Table:
    """The surviving documents' columns and `RATING` (float64) behind them: the last rating of `steps`, null where that
    step said nothing."""
    return documents.append_column(RATING, rating(state, steps))


def rating(state: Walk, steps: tuple[LiveStep, ...]) -> pa.Array:
    """[survivors]: float64.  Raises RecipeError if none of the steps rates."""
    for live, judged in zip(reversed(steps), reversed(state.judged), strict=True):
        if isinstance(live.step, RecordStep) and live.step.rating is not None:
            values = signal_of(state, live, judged, live.step.rating).cast(pa.float64())
            return values.take(pa.array(np.flatnonzero(state.alive)))
    raise RecipeError("a step asks how good documents are, but no step before it says so; remedy: put `quality` first")


def rating_steps(context: RunContext) -> list[LiveStep]:
    """The steps that rate documents, in order."""
    return [s for s in context.live.steps if isinstance(s.step, RecordStep) and s.step.rating is not None]


def rating_step(context: RunContext, wanted: str | None) -> LiveStep:
    """The last step that rates documents, or the one of this label; raises UserError if there is none."""
    chosen = [live for live in rating_steps(context) if wanted in (None, live.label)]
    if not chosen:
        there = ", ".join(live.label for live in rating_steps(context)) or "none"
        raise UserError(f"the recipe has no step {wanted or 'quality'!r} that scores documents; it has {there}")
    return chosen[-1]


def signal_of(state: Walk, live: LiveStep, judged: Judged, name: str) -> pa.Array:
    """[documents of the part]: one signal of a step, null where it did not look."""
    values = read_table(judged.signals, [name])[name].combine_chunks()
    looked_at = judged.entered
    if not live.corpus and live.entry.config.on == "all":
        looked_at = np.ones_like(judged.entered)
    place = np.full(state.part.rows, -1, np.int64)
    place[looked_at] = np.arange(len(values))
    return values.take(pa.array(place, mask=place < 0))


def rating_digest(ratings: pa.Array) -> str:
    """Of values and nulls."""
    known = ratings.is_valid().to_numpy(zero_copy_only=False)
    return digest16(np.packbits(known).tobytes() + ratings.fill_null(0).to_numpy().tobytes()).hex()
