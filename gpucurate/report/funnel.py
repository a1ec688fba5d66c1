"""The funnel: what went into every step, what stayed, what left and why, in documents, bytes and tokens.

As data it is the stable contract of `gpucurate funnel --json`; as text it is for people.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from gpucurate.core.tally import StepAccount, Tally
from gpucurate.run.state import RunState, read_state
from gpucurate.store.directory import OutputDirectory

RESIDUE, TEXT_BYTES = "residue.", "text_bytes"  # counts of sources that extract markup
SHARDS_FILE = "shards.json"
PLAIN_WIDTH = 120  # columns, where the output is no terminal
ROOMY = 100  # columns from which there is room for the time a document takes


def funnel_data(directory: OutputDirectory) -> dict[str, Any]:
    """`{"steps": [...], "shards": {...}, "counts": {...}}` of a finished run; raises UserError if it is not."""
    state = read_state(directory)
    return {
        "steps": [_step(account) for account in state.accounts],
        "shards": _shards(directory),
        "counts": state.counts,
        "residue_per_megabyte": residue(state),
    }


def residue(state: RunState) -> dict[str, float]:
    """Markup left in extracted wikitext, per million bytes of text; empty without a wiki source."""
    size = state.counts.get(TEXT_BYTES, 0)
    marks = {k.removeprefix(RESIDUE): v for k, v in state.counts.items() if k.startswith(RESIDUE)}
    return {mark: round(1e6 * count / size, 3) for mark, count in marks.items()} if size else {}


def print_funnel(data: Mapping[str, Any], console: Console) -> None:
    """The funnel as a table, a line a step and a line a reason."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("step", no_wrap=True)
    columns = ["documents", "bytes", "tokens", "seconds", *(["µs/document"] if console.width >= ROOMY else [])]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for step in data["steps"]:
        table.add_row(f"{step['name']} in", *_cells(step["in"]))
        for kind, sign in (("dropped", "−"), ("quarantined", "?")):
            for reason, tally in step[kind].items():
                table.add_row(f"  {sign} {reason}", *_cells(tally), style="red" if kind == "dropped" else "yellow")
        edited = step["edited"]
        if edited["documents"]:
            change = edited["bytes_added"] - edited["bytes_removed"]
            table.add_row("  ~ edited", f"{edited['documents']:,}", f"{change:+,}".replace("-", "−"), style="dim")
        entered = step["in"]["documents"]
        each = f"{1e6 * step['seconds'] / entered:.1f}" if entered else "–"
        cells = [*_cells(step["kept"]), f"{step['seconds']:.2f}", each]
        table.add_row("  = kept", *cells[: len(columns)], style="green")
    console.print(table)
    if not data["steps"][-1]["kept"]["documents"]:
        console.print("no document is left: look at the first large loss with `gpucurate samples DIR --reason CODE`")
    shards = data["shards"]
    if shards["files"]:
        console.print(f"shards: {shards['files']} files, {shards['rows']:,} rows, {shards['tokens']:,} tokens")
    counts = {k: v for k, v in data["counts"].items() if not k.startswith(RESIDUE) and k != TEXT_BYTES}
    if counts:
        console.print("counted while reading: " + ", ".join(f"{k} {v:,}" for k, v in counts.items()), markup=False)
    if data["residue_per_megabyte"]:
        marks = ", ".join(f"{k} {v:g}" for k, v in data["residue_per_megabyte"].items())
        console.print(f"markup left per MB of text: {marks}", markup=False)


def wide_console() -> Console:
    """Standard output; wide enough for a funnel where it is no terminal."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(width=PLAIN_WIDTH, highlight=False)


def _step(account: StepAccount) -> dict[str, Any]:
    return {
        "name": account.name,
        "in": _tally(account.entered),
        "kept": _tally(account.kept),
        "dropped": {code: _tally(tally) for code, tally in account.dropped.items()},
        "quarantined": {code: _tally(tally) for code, tally in account.quarantined.items()},
        "edited": {
            "documents": account.edited.documents,
            "bytes_removed": account.edited.bytes_removed,
            "bytes_added": account.edited.bytes_added,
        },
        "seconds": account.seconds,
    }


def _tally(tally: Tally) -> dict[str, int | None]:
    return {"documents": tally.documents, "bytes": tally.bytes, "tokens": tally.tokens}


def _cells(tally: Mapping[str, int | None]) -> list[str]:
    return ["–" if tally[unit] is None else f"{tally[unit]:,}" for unit in ("documents", "bytes", "tokens")]


def _shards(directory: OutputDirectory) -> dict[str, Any]:
    path = directory.shards / SHARDS_FILE
    if not path.exists():
        return {"files": 0, "rows": 0, "tokens": 0}
    shards = json.loads(path.read_text())
    return {"files": len(shards["shards"]), "rows": shards["rows"], "tokens": shards["tokens"]}
