"""`gpucurate classifier train`."""

from __future__ import annotations

from pathlib import Path

import click

from gpucurate.device.choice import DEVICES

samples_argument = click.argument("samples", nargs=-1, type=click.Path(path_type=Path), metavar="SAMPLE...")
labels_option = click.option(
    "--labels",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Labels of the samples; repeatable.",
)
new_option = click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The new classifier's directory."
)
settings_option = click.option(
    "--settings", "file", type=click.Path(path_type=Path), metavar="FILE", help="Settings, a YAML mapping."
)
set_option = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change one setting; repeatable."
)
benchmarks_option = click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="A benchmark the examples were filtered or chosen with: never evaluate on it; repeatable.",
)


@click.command("train", short_help="Train a regressor on labelled samples.")
@samples_argument
@labels_option
@new_option
@settings_option
@set_option
@click.option("--model", metavar="NAME", help="Embedding model to start from: a directory or a name on the hub.")
@benchmarks_option
@click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="auto",
    show_default=True,
    help="Where the model trains; `auto` takes a GPU if torch sees one.",
)
def train_command(
    samples: tuple[Path, ...],
    labels: tuple[Path, ...],
    out: Path,
    file: Path | None,
    overrides: tuple[str, ...],
    model: str | None,
    benchmarks: tuple[Path, ...],
    device: str,
) -> None:
    """Train a regressor on labelled samples; a training that was stopped goes on with the same command.

    Several GPUs: `accelerate launch --multi_gpu $(command -v gpucurate) classifier train ...`.

    \b
    Examples:
      gpucurate classifier train sample.jsonl --labels labels.jsonl --out my-classifier
      gpucurate classifier train sample.jsonl --labels labels.jsonl --out my-classifier \\
        --settings classifiers/edu/train.yaml --set encoder=tuned --device cuda
    """
    from gpucurate.classifier.examples import load_examples
    from gpucurate.classifier.train import TrainSettings, train
    from gpucurate.classifier.train.output import benchmark_entries
    from gpucurate.classifier.train.settings import read_settings
    from gpucurate.run.progress import choose_progress

    if not samples or not labels:
        raise click.UsageError("training needs at least one SAMPLE and one --labels FILE")
    settings = read_settings(TrainSettings, file, overrides)
    trained = train(
        load_examples(samples, labels),
        out,
        settings.model_copy(update={"model": model}) if model else settings,
        device=device,
        progress=choose_progress(),
        benchmarks=benchmark_entries(benchmarks),
    )
    click.echo(f"{out}: trained on {trained.train:,} examples, {trained.held_out:,} held out")
