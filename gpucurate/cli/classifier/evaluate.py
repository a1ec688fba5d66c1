"""`gpucurate classifier split`, `evaluate` and `cross-validate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gpucurate.cli.classifier.train import labels_option, samples_argument, set_option, settings_option
from gpucurate.device.choice import DEVICES

one_site_option = click.option(
    "--one-site", is_flag=True, help="All is from one site: only near-duplicates form groups."
)
seed_option = click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of the groups.")
device_option = click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="auto",
    show_default=True,
    help="Where the model runs; `auto` takes a GPU if one can be used.",
)
out_option = click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Written here."
)


def terms_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options of both ways to evaluate."""
    for option in (
        click.option("--folds", default=5, show_default=True, type=click.IntRange(min=2), help="Of cross-fitting."),
        click.option(
            "--resamples", default=1000, show_default=True, type=click.IntRange(min=100), help="Of intervals."
        ),
        click.option(
            "--language-model", metavar="NAME", help="For log perplexity [default: character 5-grams, trained here]."
        ),
        seed_option,
        one_site_option,
    ):
        command = option(command)
    return command


@click.command("split", short_help="Hold labelled examples out.")
@samples_argument
@labels_option
@click.option(
    "--held-out",
    default=0.2,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Part.",
)
@seed_option
@one_site_option
@out_option
def split_command(
    samples: tuple[Path, ...], labels: tuple[Path, ...], held_out: float, seed: int, one_site: bool, out: Path
) -> None:
    """Divide labelled samples for training and evaluation; a site and its copies are on one side.

    Writes DIR/{train,held-out}/{sample,labels}.jsonl.

    \b
    Examples:
      gpucurate classifier split sample.jsonl --labels labels.jsonl --out split
      gpucurate classifier train split/train/sample.jsonl --labels split/train/labels.jsonl --out my-classifier
      gpucurate classifier evaluate my-classifier split/held-out/sample.jsonl \\
        --labels split/held-out/labels.jsonl --out evaluation
    """
    from gpucurate.classifier.split import split
    from gpucurate.classifier.split_files import write_part

    examples = _examples(samples, labels)
    for name, part in zip(("train", "held-out"), split(examples, held_out, seed, not one_site), strict=True):
        write_part(out / name, samples, labels, {e.record_id for e in part})
        click.echo(f"{out / name}: {len(part):,} documents")


@click.command("evaluate", short_help="Judge a classifier on labels it has not seen.")
@click.argument("model", metavar="MODEL")
@samples_argument
@labels_option
@out_option
@click.option(
    "--train-sample", "train_samples", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
    help="Sample the model was trained on, to fit the baselines on as well; repeatable.",
)  # fmt: skip
@click.option(
    "--train-labels", multiple=True, type=click.Path(path_type=Path), metavar="FILE", help="Its labels; repeatable."
)
@click.option("--calibrate", is_flag=True, help="Save a map from scores to ratings into MODEL/gpucurate.json.")
@click.option("--long", type=click.Choice(("truncate", "mean")), help="Of long texts [default: as trained].")
@click.option("--max-tokens", type=click.IntRange(min=8), help="Of a text or window [default: as trained].")
@terms_options
@device_option
def evaluate_command(
    model: str,
    samples: tuple[Path, ...],
    labels: tuple[Path, ...],
    out: Path,
    train_samples: tuple[Path, ...],
    train_labels: tuple[Path, ...],
    calibrate: bool,
    long: str | None,
    max_tokens: int | None,
    device: str,
    **terms: Any,
) -> None:
    """Evaluate MODEL (a directory or a name on the hub) on labelled samples, beside baselines, with intervals.

    Refuses examples that the model was trained, chosen or calibrated on, and near-duplicates of those.

    \b
    Examples:
      gpucurate classifier evaluate my-classifier held-out/sample.jsonl --labels held-out/labels.jsonl --out evaluation
      gpucurate classifier evaluate HuggingFaceFW/fineweb-edu-classifier sample.jsonl --labels labels.jsonl --out theirs
    """
    from gpucurate.classifier.evaluate import evaluate_model
    from gpucurate.classifier.evaluate_scorer import model_scorer
    from gpucurate.classifier.guard import read_lineage
    from gpucurate.steps.quality.model_directory import find_directory

    if bool(train_samples) != bool(train_labels):
        raise click.UsageError("--train-sample and --train-labels go together")
    if calibrate and not Path(model).is_dir():
        raise click.UsageError(f"--calibrate writes into the model's directory, and {model!r} is none")
    examples = _examples(samples, labels)
    train = _examples(train_samples, train_labels) if train_samples else []
    directory = find_directory(model)
    score = model_scorer(directory, read_lineage(directory), device, long, max_tokens)
    found = evaluate_model(
        directory, score, examples, out, _terms(device=device, **terms), (*samples, *labels), train, calibrate, model
    )
    _say(out, found)


@click.command("cross-validate", short_help="Judge a way to train when labels are few.")
@samples_argument
@labels_option
@out_option
@settings_option
@set_option
@click.option("--model", metavar="NAME", help="Embedding model to start from: a directory or a name on the hub.")
@terms_options
@device_option
def cross_validate_command(
    samples: tuple[Path, ...],
    labels: tuple[Path, ...],
    out: Path,
    file: Path | None,
    overrides: tuple[str, ...],
    model: str | None,
    device: str,
    **terms: Any,
) -> None:
    """Train on all folds but one and evaluate on that one, in turn; the figures are of the settings, not of a model.

    A stopped one goes on with the same command.

    \b
    Examples:
      gpucurate classifier cross-validate sample.jsonl --labels labels.jsonl --out evaluation --model my-encoder
      gpucurate classifier cross-validate sample.jsonl --labels labels.jsonl --out evaluation --set epochs=5 --folds 10
    """
    import shutil

    from gpucurate.classifier.evaluate import cross_validate
    from gpucurate.classifier.evaluate_scorer import trainer
    from gpucurate.classifier.train import TrainSettings
    from gpucurate.classifier.train.settings import read_settings
    from gpucurate.run.progress import choose_progress

    settings = read_settings(TrainSettings, file, (*overrides, f"model={model}") if model else overrides)
    if terms["one_site"]:
        settings = settings.model_copy(update={"one_site": True})  # what each training holds out, too
    examples = _examples(samples, labels)
    work = out / "folds"
    train = trainer(settings, examples, work, device, choose_progress())
    about = {"model": f"{Path(settings.model).name}, {settings.encoder} encoder", "training": settings.deciding()}
    found = cross_validate(train, examples, out, _terms(device=device, **terms), about)
    shutil.rmtree(work)
    _say(out, found)


def _examples(samples: tuple[Path, ...], labels: tuple[Path, ...]) -> Any:
    from gpucurate.classifier.examples import load_examples

    if not samples or not labels:
        raise click.UsageError("needs at least one SAMPLE and one --labels FILE")
    return load_examples(samples, labels)


def _terms(device: str, folds: int, resamples: int, language_model: str | None, seed: int, one_site: bool) -> Any:
    from gpucurate.classifier.baselines_causal import causal_log_perplexity
    from gpucurate.classifier.evaluate import Terms
    from gpucurate.device.choice import resolve

    by_default = Terms(not one_site, folds, resamples, seed)
    if language_model is None:
        return by_default
    from dataclasses import replace

    of_model = causal_log_perplexity(language_model, resolve(device))
    return replace(by_default, log_perplexity=of_model, perplexity_of=Path(language_model).name)


def _say(out: Path, found: Any) -> None:
    from gpucurate.classifier.evaluate_conclusions import conclusions

    for each in conclusions(found):
        click.echo(f"{'†' if each.too_small else ' '} {each.text}")
    click.echo(f"† too small to conclude. All figures: {out / 'model-card.md'}")
