"""The audit for people: tables of classes and shapes, samples with their surroundings, precision from a review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gpucurate.report.pii.precision import Precision


def print_audit(data: Mapping[str, Any], console: Console) -> None:
    """From `Audit.data`."""
    console.print(
        f"{data['step']}: {data['documents_with_findings']:,} of {data['documents']:,} documents have findings, "
        f"{data['words']:,} words read"
    )
    table = _table("class", "detector", "findings", "documents", "per million words")
    for each in data["classes"]:
        rate = f"{each['per_million_words']:,.1f}"
        table.add_row(each["class"], "", f"{each['findings']:,}", f"{each['documents']:,}", rate)
        for one in each["detectors"]:
            name = f"{one['detector']} {one['version']}"
            table.add_row("", name, f"{one['findings']:,}", f"{one['documents']:,}", "", style="dim")
    console.print(table)
    for each in data["classes"]:
        if each["patterns"]:
            console.print(f"\n[bold]{each['class']}[/bold]: most frequent shapes (9 a digit, a and A letters)")
        for one in each["patterns"]:
            console.print(f"  {one['findings']:>9,}  {escape(one['shape'])}", highlight=False)
        for one in each["samples"]:
            _print_sample(one, console)


def print_precision(rows: Sequence[Precision], console: Console) -> None:
    """A line a class, and a detector where there are several."""
    table = _table("precision of", "estimate", "95 % interval", "right", "wrong", "unsure", "findings", "not judged")
    for row in rows:
        judged = row.right + row.wrong > 0
        numbers = (row.right, row.wrong, row.unsure, row.findings, row.unreviewed)
        table.add_row(
            row.name,
            f"{row.share.value:.3f}" if judged else "–",
            f"{row.share.low:.3f}–{row.share.high:.3f}" if judged else "–",
            *(f"{number:,}" for number in numbers),
        )
    console.print(table)
    console.print(
        "Findings count by how many of their class and detector there are. `not judged` are findings of detectors "
        "without a verdict; unsure ones are left out."
    )


def _print_sample(one: Mapping[str, Any], console: Console) -> None:
    before, match, after = (escape(" ".join(one[name].split())) for name in ("before", "match", "after"))
    console.print(f"  {one['id']} {one['detector']} {one['score']:.2f}", style="dim", highlight=False)
    console.print(f"    {before} [bold red]{match}[/bold red] {after}", highlight=False)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number > 0 and column != "detector" else "left")
    return table
