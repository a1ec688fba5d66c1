"""`gpucurate classifier main-content`."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click

from gpucurate.cli.classifier.train import set_option, settings_option

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command("main-content", short_help="Train the model of `engine: blocks`.")
@click.option("--gold", type=FOLDER, required=True, metavar="DIR", help="Readability's `test-pages`.")
@click.option("--phrases", type=FOLDER, required=True, metavar="DIR", help="trafilatura's `evaldata.json` and pages.")
@click.option("--archives", type=FOLDER, multiple=True, metavar="DIR", help="WARC and ARC files; repeatable.")
@click.option("--pages", "folders", type=FOLDER, multiple=True, metavar="DIR", help="Files of HTML; repeatable.")
@click.option("--most", default=40, show_default=True, help="Files taken of each sub-folder of a --pages DIR.")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where the model goes.")
@settings_option
@set_option
def main_content_command(
    gold: Path,
    phrases: Path,
    archives: tuple[Path, ...],
    folders: tuple[Path, ...],
    most: int,
    out: Path,
    file: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Ask teachers about pages, train on their answers, and write model.npz and card.json.

    Answers are kept in DIR/answers.jsonl: a training that was stopped, or repeated, asks for none of them again.

    \b
    Example:
      gpucurate classifier main-content --gold readability/test-pages --phrases trafilatura --archives warc --out model
    """
    from gpucurate.classifier.main_content import pages, teachers
    from gpucurate.classifier.main_content.product import make_model
    from gpucurate.classifier.main_content.settings import MainContentSettings
    from gpucurate.classifier.train.settings import read_settings

    settings = read_settings(MainContentSettings, file, overrides)
    found = pages.distinct(
        chain(
            pages.read_gold(gold),
            pages.read_phrases(phrases),
            chain.from_iterable(map(pages.read_archives, archives)),
            chain.from_iterable(pages.read_folder(folder, most) for folder in folders),
        )
    )
    out.mkdir(parents=True, exist_ok=True)
    answers = teachers.ask(found, out / "answers.jsonl")
    product = make_model(found, answers, settings, out, click.echo)
    for name, row in product.figures.items():
        click.echo(f"{name:<22}" + "".join(f"  {kind} F1 {figures['F1']}" for kind, figures in row.items()))
