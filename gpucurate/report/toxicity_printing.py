"""The toll of `toxicity` as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

SHOWN = 8  # slices of a kind; --json has all


def print_toll(data: Mapping[str, Any], console: Console) -> None:
    """All documents, slices, groups of terms."""
    table = _table(f"{data['step']}: documents removed", ["", *_columns(data["all"])])
    table.add_row("all documents", *_cells(data["all"]))
    for by in dict.fromkeys(each["by"] for each in data["slices"]):
        slices = [each for each in data["slices"] if each["by"] == by]
        table.add_section()
        for each in slices[:SHOWN]:
            table.add_row(f"{by} {each['value']}", *_cells(each))
        if len(slices) > SHOWN:
            table.add_row(f"{len(slices) - SHOWN} more {by} slices")
    console.print(table)
    if data["groups"]:
        console.print()
        _print_groups(data, console)
    console.print("intervals are Wilson's, of 95 %")


def _print_groups(data: Mapping[str, Any], console: Console) -> None:
    columns = ["documents that mention", *_columns(data["all"]), "× all", "by length"]
    table = _table(f"groups of terms; of all documents {_share(data['all'])} are removed", columns)
    for each in data["groups"]:
        ratio = "–" if each["ratio"] is None else f"{each['ratio']:.2f}"
        expected = "–" if each["by_length"] is None else f"{100 * each['by_length']:.1f} %"
        above = each["low"] is not None and each["low"] > data["all"]["share"]
        table.add_row(each["group"], *_cells(each), ratio, expected, style="bold" if above else None)
    console.print(table)
    console.print("bold: more often than all documents, by more than chance; by length: expected of such lengths")


def _columns(row: Mapping[str, Any]) -> list[str]:
    return ["documents", *(code.rsplit(".", 1)[-1] for code in row["reasons"]), "removed", "interval"]


def _cells(row: Mapping[str, Any]) -> list[str]:
    interval = "–" if row["low"] is None else f"{100 * row['low']:.1f} – {100 * row['high']:.1f} %"
    counts = [f"{row['documents']:,}", *(f"{count:,}" for count in row["reasons"].values())]
    return [*counts, _share(row), interval]


def _share(row: Mapping[str, Any]) -> str:
    return "–" if row["share"] is None else f"{100 * row['share']:.1f} %"


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table
