"""Commands around near-duplicates: the S-curve before a run, the audit and the index after it."""

from __future__ import annotations

import json

import click

from gpucurate.cli.run import device_option


@click.command("curve", short_help="Show what bands and rows find.")
@click.option("--bands", default=14, show_default=True, type=click.IntRange(1, 256), help="Bands of a signature.")
@click.option("--rows", default=8, show_default=True, type=click.IntRange(1, 256), help="Hashes in a band.")
@click.option("--threshold", default=0.8, show_default=True, type=click.FloatRange(0.01, 1), help="Similarity wanted.")
@click.option("--budget", type=click.IntRange(1, 4096), help="Hashes at most for suggestions [default: bands x rows].")
@click.option(
    "--recall", default=0.95, show_default=True, type=click.FloatRange(0.01, 0.9999), help="Recall for suggestions."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def curve_command(bands: int, rows: int, threshold: float, budget: int | None, recall: float, as_json: bool) -> None:
    """Show which similarities become candidates under bands and rows, and suggest others.

    `below threshold` is the mean chance of a pair below the threshold to be compared in vain; less is faster.

    \b
    Examples:
      gpucurate curve --bands 14 --rows 8
      gpucurate curve --threshold 0.7 --budget 256 --recall 0.99
    """
    from gpucurate.report.curve import curve_data, print_curve
    from gpucurate.report.funnel import wide_console

    data = curve_data(bands, rows, threshold, budget or bands * rows, recall)
    if as_json:
        click.echo(json.dumps(data))
    else:
        print_curve(data, wide_console())


@click.command("duplicates", short_help="Audit near-duplicates, with differences.")
@click.argument("directory", metavar="DIR")
@click.option(
    "--count",
    default=3,
    show_default=True,
    type=click.IntRange(min=0),
    help="Pairs shown of each kind; 0: numbers only.",
)
@click.option(
    "--words", default=80, show_default=True, type=click.IntRange(min=1), help="Words shown of a pair's differences."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with whole texts.")
def duplicates_command(directory: str, count: int, words: int, as_json: bool) -> None:
    """Audit near-duplicates: the largest clusters with a diff, refused pairs, what stayed beside its representative.

    Words only in A stand in [-…-], words only in B in {+…+}.

    \b
    Examples:
      gpucurate duplicates out
      gpucurate duplicates out --count 20 --words 200 | less -R
      gpucurate duplicates out --json | jq '.sizes'
    """
    from dataclasses import asdict

    from gpucurate.report.duplicates import audit, print_audit
    from gpucurate.report.funnel import wide_console
    from gpucurate.run.state import open_finished

    found = audit(*open_finished(directory), count)
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        print_audit(found, wide_console(), words)


@click.command("index", short_help="Index what a run kept, for later runs.")
@click.argument("directory", metavar="DIR")
@click.argument("folder", metavar="INDEX")
@click.option(
    "--signatures-only", is_flag=True, help="Leave out the shingle sets: smaller, for `verify: signature` or `none`."
)
@click.option("--workers", type=click.IntRange(min=1), help="Local worker processes [default: one a core].")
@click.option("--inline", is_flag=True, help="One task after another in this process, for debugging.")
@device_option
def index_command(
    directory: str, folder: str, signatures_only: bool, workers: int | None, inline: bool, device: str
) -> None:
    """Write an index of the documents that the run in DIR kept, for `near_duplicates: {against: INDEX}` later.

    \b
    Examples:
      gpucurate index out/2024 indexes/2024
      gpucurate run 2025.yaml --out out/2025 --set steps.4.near_duplicates.against=indexes/2024
    """
    from pathlib import Path

    from gpucurate.run.executors import executor
    from gpucurate.run.indexing import write_index
    from gpucurate.run.progress import choose_progress
    from gpucurate.run.state import open_finished

    context, state = open_finished(directory)
    with executor(inline=inline, workers=workers, scheduler=None, device=device) as execute:
        documents = write_index(context, state, Path(folder), not signatures_only, execute, choose_progress())
    click.echo(f"{folder}: {documents:,} documents; use it with `near_duplicates: {{against: {folder}}}`")
