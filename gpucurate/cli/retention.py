"""The command that shows what a cut through quality scores would cost."""

from __future__ import annotations

import json

import click


@click.command("retention")
@click.argument("directory", metavar="DIR")
@click.option("--step", metavar="LABEL", help="Which step, where the recipe has several [default: the last `quality`].")
@click.option("--cut", "cuts", multiple=True, type=float, help="A cut to show; may be repeated [default: the scale].")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with all slices.")
def retention_command(directory: str, step: str | None, cuts: tuple[float, ...], as_json: bool) -> None:
    """Show documents, bytes and tokens kept at each cut of the quality score, by source and language.

    \b
    Examples:
      gpucurate retention out
      gpucurate retention out --cut 2 --cut 2.5 --cut 3 --json | jq '.slices[0].at'
    """
    from gpucurate.report.funnel import wide_console
    from gpucurate.report.retention import print_retention, retention
    from gpucurate.run.state import open_finished

    data = retention(*open_finished(directory), step, cuts).data()
    if as_json:
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
    else:
        print_retention(data, wide_console())
