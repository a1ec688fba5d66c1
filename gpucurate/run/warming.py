"""Compiling the kernels a recipe needs, once, before workers start: they then find the machine code in the cache."""

from __future__ import annotations

import time

from gpucurate.run.live import RunContext
from gpucurate.run.progress import Progress

NOTICEABLE_SECONDS = 2.0  # loading from the cache takes less


def warm(context: RunContext, progress: Progress) -> None:
    """Compile or load the kernels of every source and step of the recipe, and say what took a while."""
    live = context.live
    for step in live.steps:
        step.step.resources()  # a missing model or word list is said before anything slow begins
        for remark in step.step.remarks():
            progress.say(f"step {step.label}: {remark}")
    progress.say("preparing kernels (the first run compiles them, which takes up to a minute)")
    for name, prepare in [
        *((f"source {source.kind}", source.warm) for source in live.sources.values()),
        *((f"step {step.label}", step.step.warm) for step in live.steps),
    ]:
        started = time.perf_counter()
        prepare()
        seconds = time.perf_counter() - started
        if seconds >= NOTICEABLE_SECONDS:
            progress.say(f"  {name}: ready after {seconds:.1f} s; later runs load it from the cache")
