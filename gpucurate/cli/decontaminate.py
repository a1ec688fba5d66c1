"""Commands around decontamination: the report on a run, and freezing benchmarks."""

from __future__ import annotations

import json

import click


@click.command("decontamination", short_help="Show what was found of benchmarks.")
@click.argument("directory", metavar="DIR")
@click.option(
    "--count", default=5, show_default=True, type=click.IntRange(min=0), help="Grams, and samples of each benchmark."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def decontamination_command(directory: str, count: int, as_json: bool) -> None:
    """Show what of each benchmark was found in the corpus, and what was removed for it.

    Items and documents are named by opaque ids, so that the report can be passed on without passing on a benchmark;
    shared grams are a few words each.

    \b
    Examples:
      gpucurate decontamination out
      gpucurate decontamination out --json | jq '.benchmarks[] | {benchmark, found, removed}'
    """
    from dataclasses import asdict

    from gpucurate.report.decontamination import decontamination, print_decontamination
    from gpucurate.report.funnel import wide_console
    from gpucurate.run.state import open_finished

    made = decontamination(*open_finished(directory), count)
    if as_json:
        click.echo(json.dumps(asdict(made), ensure_ascii=False))
    else:
        print_decontamination(made, wide_console())


@click.group("registry")
def registry() -> None:
    """Describe the benchmarks that `decontaminate` protects.

    \b
    Examples:
      gpucurate registry freeze configs/registry/gsm8k.yaml --folder benchmarks
    """


@registry.command("freeze")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option("--folder", metavar="DIR", help="Where the files' relative paths begin [default: the FILE's folder].")
def freeze_command(files: tuple[str, ...], folder: str | None) -> None:
    """Write the digests of a benchmark's files into its registry FILE, once they are the ones that are meant.

    \b
    Examples:
      gpucurate registry freeze configs/registry/gsm8k.yaml --folder benchmarks
    """
    from pathlib import Path

    from gpucurate.steps.decontaminate.freeze import freeze

    for file in files:
        records, done = freeze(Path(file), folder)
        click.echo(f"{file}: {records:,} records")
        for each in done:
            if each.before == each.now:
                click.echo(f"  {each.path}: unchanged, {each.now}")
            else:
                click.echo(f"  {each.path}: {each.before or 'not frozen'} → {each.now}")
