"""Verification: read everything again and compare it with what was written down.

Artifacts against their digests, decisions against the accounts, edits against their spans, shards against the documents
they were made from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InvariantError
from gpucurate.report.edits import irreversible_edits
from gpucurate.run.live import RunContext
from gpucurate.run.state import RunState, trained_file
from gpucurate.run.walk import walk
from gpucurate.store.artifacts import NAME_DIGITS, Artifact, read_table
from gpucurate.store.directory import OutputDirectory
from gpucurate.store.manifest import MANIFEST, Manifest
from gpucurate.tokens.tokenizer import load_tokenizer
from gpucurate.tokens.verify import verify_shards


def verify(context: RunContext, state: RunState) -> list[str]:
    """Everything that is wrong with a finished run, a line each; an empty list is a pass."""
    settled = [path for p in state.parts for path in (p.part.documents, p.decisions, p.tokens) if path is not None]
    problems = damaged_artifacts(context.directory, [*settled, *state.quarantine])
    if problems:
        return problems  # what follows would only repeat them
    problems += unbalanced(state)
    problems += contradicting_decisions(context.directory, state)
    problems += irreversible_edits(context, state)
    tokens, shards = context.live.tokens, context.live.shards
    if tokens is not None and shards is not None:
        tokenizer = load_tokenizer(tokens, trained_file(context.directory, state))
        problems += verify_shards(context.directory.shards, surviving_texts(context, state), tokenizer)
    return problems


def damaged_artifacts(directory: OutputDirectory, used: Sequence[str]) -> list[str]:
    """Artifacts whose bytes are not those their name and the manifest tell, that are gone, or that no line tells of.

    `used` are the paths that the run's result rests on.
    """
    digests = {entry.path: entry.digest for entry in Manifest(directory.root)}
    problems = [f"{path}: not in {MANIFEST}. Remedy: run the same recipe again" for path in used if path not in digests]
    for path in sorted({*used, *digests}):
        try:
            if digest_file(directory.root / path)[:NAME_DIGITS] != Artifact.at(Path(path)).digest:
                problems.append(
                    f"{path}: its bytes are not those that were written (digest differs). "
                    "Remedy: delete that file and run the same recipe again"
                )
        except FileNotFoundError:
            problems.append(f"{path}: listed in the manifest and missing. Remedy: run the same recipe again")
        except OSError as error:
            problems.append(f"{path}: cannot be read ({error})")
    return problems


def unbalanced(state: RunState) -> list[str]:
    """Accounts that do not reconcile, within a step or from one step to the next."""
    problems: list[str] = []
    for before, after in zip(state.accounts[:-1], state.accounts[1:], strict=True):
        if before.kept != after.entered:
            problems.append(f"step {after.name}: {after.entered} went in, but {before.kept} left step {before.name}")
    for account in state.accounts:
        try:
            account.check()
        except InvariantError as error:
            problems.append(str(error))
    return problems


def contradicting_decisions(directory: OutputDirectory, state: RunState) -> list[str]:
    """Reasons whose number of decision rows differs from the account."""
    decided: Counter[str] = Counter()
    for settled in state.parts:
        reasons = read_table(Artifact.at(directory.root / settled.decisions), ["reason"])["reason"]
        for row in pc.value_counts(pc.drop_null(reasons)).to_pylist():
            decided[row["values"]] += row["counts"]
    accounted: Counter[str] = Counter()
    for account in state.accounts[1:]:
        for code, tally in (*account.dropped.items(), *account.quarantined.items()):
            accounted[code] += tally.documents
    return [
        f"reason {code}: {decided[code]} decisions, {accounted[code]} in the account"
        for code in sorted({*decided, *accounted})
        if decided[code] != accounted[code]
    ]


def surviving_texts(context: RunContext, state: RunState) -> Iterator[pa.Table]:
    """record_id and final text of every survivor, a table a part."""
    for settled in state.parts:
        done = walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)
        yield done.survivors().select(["record_id", "text"])
