"""Training a tokenizer on the surviving documents, for offline work and new languages.

Texts are read in the order of the corpus, so that the same snapshot gives the same vocabulary on any machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpucurate.core.digests import digest_settings
from gpucurate.run.entries import entry_of
from gpucurate.run.live import RunContext
from gpucurate.run.reading import Part
from gpucurate.run.walk import walk
from gpucurate.store.artifacts import find, task_key, write_content
from gpucurate.store.manifest import Entry
from gpucurate.tokens.config import TrainConfig
from gpucurate.tokens.train import train_tokenizer

STAGE = "tokenizer"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Surveyed:
    """Which texts of a part survive, as a digest."""

    digest: str
    entries: list[Entry]


def survey(context: RunContext, part: Part, corpus_keys: Mapping[str, str]) -> Surveyed:
    """Walk a part to the end, measuring what is missing."""
    state = walk(context, part, context.live.steps, corpus_keys)
    return Surveyed(digest_settings([state.text.digests, state.mask_digest()]), state.entries)


def train(
    context: RunContext,
    config: TrainConfig,
    parts: Sequence[Part],
    corpus_keys: Mapping[str, str],
    digests: Sequence[str],
) -> tuple[str, Entry]:
    """Train, or find what the same texts gave before; returns the file, relative to the output directory, and its
    manifest line."""
    key = task_key(STAGE, VERSION, config.model_dump(mode="json"), list(digests))
    artifact = find(context.directory.corpus, STAGE, key)
    seconds = 0.0
    if artifact is None:
        started = time.perf_counter()
        content = train_tokenizer(_texts(context, parts, corpus_keys), config)
        seconds = time.perf_counter() - started
        artifact = write_content(context.directory.corpus, STAGE, key, "json", content)
    return context.directory.relative(artifact.path), entry_of(context, artifact, "", 0, tuple(digests), seconds)


def _texts(context: RunContext, parts: Sequence[Part], corpus_keys: Mapping[str, str]) -> Iterator[str]:
    for part in parts:
        state = walk(context, part, context.live.steps, corpus_keys, measure=False)
        yield from state.survivors()["text"].to_pylist()
