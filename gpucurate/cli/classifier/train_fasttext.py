"""`gpucurate classifier train-fasttext`."""

from __future__ import annotations

from pathlib import Path

import click

from gpucurate.cli.classifier.train import (
    benchmarks_option,
    labels_option,
    new_option,
    samples_argument,
    set_option,
    settings_option,
)


@click.command("train-fasttext", short_help="Train the cheap classifier, by words.")
@samples_argument
@labels_option
@click.option(
    "--reference",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Instead of labels: a sample of good documents, to be told from SAMPLE; repeatable.",
)
@new_option
@settings_option
@set_option
@benchmarks_option
def train_fasttext_command(
    samples: tuple[Path, ...],
    labels: tuple[Path, ...],
    reference: tuple[Path, ...],
    out: Path,
    file: Path | None,
    overrides: tuple[str, ...],
    benchmarks: tuple[Path, ...],
) -> None:
    """Train a fastText classifier: the cheap alternative, from labels cut in two or a reference against a crawl.

    \b
    Examples:
      gpucurate classifier train-fasttext sample.jsonl --labels labels.jsonl --out cheap --set cut=3
      gpucurate classifier train-fasttext crawl.jsonl --reference textbooks.jsonl --out cheap --set balance=equal
    """
    from gpucurate.classifier.examples import load_examples
    from gpucurate.classifier.fasttext_examples import cut_in_two, two_corpora
    from gpucurate.classifier.fasttext_settings import FastTextSettings
    from gpucurate.classifier.fasttext_training import train_fasttext
    from gpucurate.classifier.train.output import benchmark_entries
    from gpucurate.classifier.train.settings import read_settings

    if not samples or bool(labels) == bool(reference):
        raise click.UsageError("training needs at least one SAMPLE, and either --labels or --reference")
    settings = read_settings(FastTextSettings, file, overrides)
    good, rest = (
        two_corpora(reference, samples) if reference else cut_in_two(load_examples(samples, labels), settings.cut)
    )
    trained = train_fasttext(good, rest, out, settings, benchmarks=benchmark_entries(benchmarks))
    figures = ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in trained.figures.items())
    click.echo(f"{out}: trained on {trained.train:,} examples; {trained.held_out:,} held out: {figures}")
