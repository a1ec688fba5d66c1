"""`gpucurate classifier agreement`: how far judges and annotators agree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gpucurate.classifier.agreement import Agreement, Pair


@click.command("agreement", short_help="Compare judges, repeats and annotators.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--id", "id_field", default="id", show_default=True, help="Field of annotators' files with the document.")
@click.option("--score", "score_field", default="score", show_default=True, help="Field with the rating.")
@click.option("--levels", default="", metavar="A,B,...", help="Words of the scale from 0, where ratings are words.")
@click.option("--skip", multiple=True, metavar="VALUE", help="A value that is no rating; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def agreement_command(
    files: tuple[str, ...], id_field: str, score_field: str, levels: str, skip: tuple[str, ...], as_json: bool
) -> None:
    """Compare the judges and repeats of labels files, and annotators' files (JSON or JSON Lines), on what both rated.

    \b
    Examples:
      gpucurate classifier agreement labels.jsonl
      gpucurate classifier agreement ann_*.json --score label --levels None,Minimal,Basic,Good,Excellent
    """
    from dataclasses import asdict
    from pathlib import Path

    from gpucurate.classifier.agreement import agreement
    from gpucurate.classifier.agreement_ratings import AnnotatorFormat, read_ratings

    words = tuple(word.strip() for word in levels.split(",") if word.strip())
    form = AnnotatorFormat(id_field, score_field, words, skip)
    ratings, skipped = read_ratings([Path(file) for file in files], form)
    found = agreement(ratings, form.classes)
    if as_json:
        click.echo(json.dumps({**asdict(found), "skipped": skipped}, ensure_ascii=False))
    else:
        _print(found, skipped, words or tuple(map(str, range(form.classes))))


def _print(found: Agreement, skipped: dict[str, int], words: tuple[str, ...]) -> None:
    from rich.table import Table

    from gpucurate.report.funnel import wide_console

    console = wide_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("first", "second"):
        table.add_column(name)
    for name in ("documents", "quadratic kappa", "95 %", "Spearman", "same", "within 1", "difference"):
        table.add_column(name, justify="right")
    for pair in found.pairs:
        table.add_row(*_row(pair))
    console.print(table)
    console.print(f"\nmean kappa {_number(found.mean_kappa)}, Krippendorff's alpha (interval) {_number(found.alpha)}")
    for rater, number in skipped.items():
        if number:
            console.print(f"{rater}: {number:,} skipped", markup=False)
    for pair in found.pairs:
        console.print(f"\n{pair.first} (rows), {pair.second} (columns)", style="bold", markup=False)
        matrix = Table(box=None, pad_edge=False)
        matrix.add_column("")
        for word in words:
            matrix.add_column(word, justify="right")
        for word, row in zip(words, pair.confusion, strict=True):
            matrix.add_row(word, *(f"{count:,}" for count in row))
        console.print(matrix)


def _row(pair: Pair) -> list[str]:
    interval = "–" if pair.interval is None else f"{pair.interval[0]:.3f} to {pair.interval[1]:.3f}"
    shares = [f"{100 * share:.1f} %" for share in (pair.same, pair.within_one)]
    numbers = [_number(pair.kappa), interval, _number(pair.spearman), *shares, f"{pair.difference:+.2f}"]
    return [pair.first, pair.second, f"{pair.documents:,}", *numbers]


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"
