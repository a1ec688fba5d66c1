"""The report for people: a line a benchmark, the most frequent grams, samples, and what was not looked for."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gpucurate.report.decontamination.figures import Decontamination

LONGEST_GRAM = 70  # characters shown


def print_decontamination(made: Decontamination, console: Console) -> None:
    """All of it."""
    console.print(f"{made.step}: {made.documents:,} documents looked at")
    if made.held_out:
        console.print(f"held out: {made.held_out:,} documents, {_number(made.held_out_tokens)} tokens")
    _print_benchmarks(made, console)
    if made.grams:
        _print_grams(made, console)
    if made.samples:
        _print_samples(made, console)
    console.print("\n[bold]Limits[/bold]")
    for limit in made.limits:
        console.print(f"  {limit}")


def _print_benchmarks(made: Decontamination, console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("benchmark", no_wrap=True)
    columns = ["items", "searched", "flag only", "too short", "found", "documents", "removed", "tokens", "bytes cut"]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for each in made.benchmarks:
        numbers = [
            sum(each.items.values()),
            each.items["protected"],
            each.items["flagged_only"],
            each.items["too_short"] + each.items["empty"],
            each.found,
            sum(each.documents.values()),
            each.removed,
            each.removed_tokens,
            each.removed_bytes,
        ]
        table.add_row(each.benchmark, *map(_number, numbers))
    console.print(table)
    if any(each.removed_tokens is None for each in made.benchmarks):
        console.print("tokens of dropped documents were not counted; `tokens: {count: all}` in the recipe counts them")


def _print_grams(made: Decontamination, console: Console) -> None:
    console.print(f"\n[bold]Grams shared with the most documents[/bold] ({made.common_grams:,} are common speech)")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("documents", "unrelated", "common", "benchmark", "gram"):
        table.add_column(column, justify="right" if column in ("documents", "unrelated") else "left", no_wrap=True)
    for gram in made.grams:
        text = "–" if gram.text is None else " ".join(gram.text.split())[:LONGEST_GRAM]
        common = "yes" if gram.common else ""
        table.add_row(f"{gram.documents:,}", f"{gram.unrelated:,}", common, gram.benchmark or "–", escape(text))
    console.print(table)


def _print_samples(made: Decontamination, console: Console) -> None:
    console.print("\n[bold]Samples[/bold] (the text is in the step's restricted table)")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("benchmark", "item", "share", "action", "document", "bytes", "address"):
        table.add_column(column, no_wrap=True)
    for each in made.samples:
        share, place = f"{each.containment:.2f}", f"{each.start:,}–{each.end:,}"
        table.add_row(each.benchmark, each.item[:12], share, each.action, each.document[:12], place, escape(each.uri))
    console.print(table)


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"
