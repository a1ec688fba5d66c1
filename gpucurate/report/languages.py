"""How sure language identification was, by length of the document."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from rich.table import Table

from gpucurate.core.errors import UserError
from gpucurate.report.funnel import wide_console
from gpucurate.run.live import RunContext
from gpucurate.run.state import RunState
from gpucurate.run.walk import walk
from gpucurate.steps.language.lengths import scores_by_length
from gpucurate.store.artifacts import read_table

STEP = "language"


def languages(context: RunContext, state: RunState) -> pa.Table:
    """`scores_by_length` over all parts of a finished run; raises UserError if its recipe has no `language` step."""
    if all(live.entry.name != STEP for live in context.live.steps):
        raise UserError(f"the recipe of {context.directory.root} has no step {STEP!r}, so there are no scores")
    tables: list[pa.Table] = []
    for settled in state.parts:
        done = walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)
        tables += [scores_by_length(read_table(judged.signals)) for judged in done.judged if judged.label == STEP]
    together = pa.concat_tables(tables).group_by("from_bytes", use_threads=False)
    counts = [name for name in tables[0].column_names if name != "from_bytes"]
    summed = together.aggregate([(name, "sum") for name in counts])
    return summed.rename_columns([name.removesuffix("_sum") for name in summed.column_names])


def print_languages(table: pa.Table) -> None:
    """Shares of each length class by score, for people."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for name in table.column_names:
        shown.add_column(name.replace("_", " "), justify="right")
    for row in table.filter(pc.greater(table["documents"], 0)).to_pylist():
        whole = row["documents"]
        shares = [f"{100 * row[name] / whole:.1f} %" for name in table.column_names[2:]]
        shown.add_row(f"{row['from_bytes']:,}", f"{whole:,}", *shares)
    wide_console().print(shown)
