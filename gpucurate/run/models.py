"""Steps that measure by a model: a stage of their own, on the workers that have the device.

Everything before such a step is measured on the cores first, so that a GPU does not wait for extraction's followers;
the walks after it find its signals by key, as they find any others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow.compute as pc

from gpucurate.run.live import RunContext
from gpucurate.run.reading import Part
from gpucurate.run.walk import walk
from gpucurate.steps.contract import SCORED_TOKENS, RecordStep
from gpucurate.store.artifacts import read_table
from gpucurate.store.manifest import Entry


@dataclass(frozen=True, slots=True)
class Scored:
    """What a model measured of a part."""

    tokens: int  # it looked at
    seconds: float  # that took; 0 for signals that were there
    said: list[str]
    entries: list[Entry]


def score(context: RunContext, part: Part, position: int, corpus_keys: Mapping[str, str]) -> Scored:
    """Walk a part through the step at `position`, measuring what is missing."""
    steps = context.live.steps[: position + 1]
    live = steps[-1]
    assert isinstance(live.step, RecordStep)
    state = walk(context, part, steps, corpus_keys)
    seconds = sum(entry.seconds for entry in state.entries if entry.stage == live.label)
    tokens = read_table(state.judged[-1].signals, [SCORED_TOKENS])[SCORED_TOKENS]
    return Scored(pc.sum(tokens).as_py() or 0, seconds, live.step.said() if seconds else [], state.entries)


def speed(label: str, scored: list[Scored]) -> str | None:
    """A line about how fast it went; None if nothing was measured, or nothing that counts tokens."""
    seconds = sum(each.seconds for each in scored)
    tokens = sum(each.tokens for each in scored if each.seconds)
    if not seconds or not tokens:
        return None
    return f"{label}: {tokens:,} tokens scored in {seconds:.1f} s, {tokens / seconds:,.0f} a second and worker"
