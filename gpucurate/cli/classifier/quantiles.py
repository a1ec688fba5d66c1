"""The command that writes where the shares of a corpus begin."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("quantiles")
@click.argument("directory", metavar="DIR")
@click.option("--step", metavar="LABEL", help="Which step, where the recipe has several [default: the last `quality`].")
@click.option("--classifier", metavar="NAME", help="Which classifier, where the step has several.")
@click.option("--out", "target", type=click.Path(path_type=Path), help="File [default: quantiles.json by the model].")
def quantiles_command(directory: str, step: str | None, classifier: str | None, target: Path | None) -> None:
    """Write which scores divide the corpus of a finished run into twenty equal shares, for `combine: rank`.

    Score with `mean` first; once every classifier has its file, change the recipe to `rank`.

    \b
    Example:
      gpucurate classifier quantiles out --classifier edu
    """
    from gpucurate.classifier.quantiles import write_quantiles
    from gpucurate.run.state import open_finished

    path, documents = write_quantiles(*open_finished(directory), step, classifier, target)
    click.echo(f"{path}: from {documents:,} documents")
