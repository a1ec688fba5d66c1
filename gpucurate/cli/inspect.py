"""Commands that look at a finished run: funnel, samples, languages, verify."""

from __future__ import annotations

import json
from typing import Any

import click

from gpucurate.core.errors import CheckFailed, GpucurateError

directory_argument = click.argument("directory", metavar="DIR")


@click.command("funnel", short_help="Print what came in and went, step by step.")
@directory_argument
@click.option("--json", "as_json", is_flag=True, help="The stable machine-readable form.")
def funnel_command(directory: str, as_json: bool) -> None:
    """Print documents, bytes and tokens in and out of every step, with reasons and seconds.

    Where a step scores documents, also what each cut through the scores would keep.

    \b
    Example:
      gpucurate funnel out --json | jq '.steps[] | {name, kept}'
    """
    from gpucurate.report.funnel import funnel_data, print_funnel, wide_console
    from gpucurate.report.retention import print_whole
    from gpucurate.store.directory import open_directory

    opened, _ = open_directory(directory)
    data, curves = funnel_data(opened), _retentions(directory)
    if as_json:
        click.echo(json.dumps({**data, "retention": curves}, indent=1, ensure_ascii=False))
        return
    console = wide_console()
    print_funnel(data, console)
    for curve in curves or []:
        console.print()
        print_whole(curve, console)
        console.print(f"by source and language, and at other cuts: gpucurate retention {directory}", markup=False)


def _retentions(directory: str) -> list[dict[str, Any]] | None:
    """Retention of each step that scores; None, and why, where the scores cannot be found: the account stands
    without them."""
    from gpucurate.report.retention import retentions
    from gpucurate.run.state import open_finished

    try:
        return retentions(*open_finished(directory))
    except GpucurateError as error:
        click.echo(f"what other cuts would keep is not shown: {error}", err=True)
        return None


@click.command("samples", short_help="Show documents that a reason removed.")
@directory_argument
@click.option("--reason", required=True, metavar="CODE", help="A reason code from the funnel, or `kept`.")
@click.option("--count", default=5, show_default=True, type=click.IntRange(min=1), help="How many at most.")
@click.option("--length", default=600, show_default=True, type=click.IntRange(min=0), help="Characters of text shown.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, with the whole text.")
def samples_command(directory: str, reason: str, count: int, length: int, as_json: bool) -> None:
    """Show documents that a reason removed (or that were kept), to judge the rule by.

    \b
    Example:
      gpucurate samples out --reason gopher.short --count 3
    """
    from dataclasses import asdict

    from gpucurate.report.samples import samples
    from gpucurate.run.state import read_state
    from gpucurate.store.directory import open_directory

    opened, _ = open_directory(directory)
    for sample in samples(opened, read_state(opened), reason, count):
        if as_json:
            click.echo(json.dumps(asdict(sample), ensure_ascii=False))
            continue
        click.secho(f"── {sample.identity} {sample.reason} {sample.uri} {sample.title}", bold=True)
        more = "" if len(sample.text) <= length else f" … ({len(sample.text):,} characters)"
        click.echo(f"{sample.text[:length]}{more}\n")


@click.command("languages", short_help="Show language scores by length.")
@directory_argument
@click.option("--json", "as_json", is_flag=True, help="One JSON object a length class.")
def languages_command(directory: str, as_json: bool) -> None:
    """Show how sure language identification was, by length of the document: short texts full of names fail.

    \b
    Example:
      gpucurate languages out
    """
    from gpucurate.report.languages import languages, print_languages
    from gpucurate.run.state import open_finished

    table = languages(*open_finished(directory))
    if as_json:
        for row in table.to_pylist():
            click.echo(json.dumps(row))
    else:
        print_languages(table)


@click.command("verify", short_help="Read everything again and check it.")
@directory_argument
def verify_command(directory: str) -> None:
    """Read everything a run wrote again and check it: digests, bounds, accounts, decoded rows against documents.

    \b
    Example:
      gpucurate verify out && echo "safe to train on"
    """
    from gpucurate.report.verify import verify
    from gpucurate.run.state import open_finished

    problems = verify(*open_finished(directory))
    if problems:
        raise CheckFailed(f"{len(problems)} problems in {directory}\n" + "\n".join(problems))
    click.echo(f"{directory}: verified")
