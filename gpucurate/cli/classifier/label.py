"""`gpucurate classifier label`: have judges rate a sample."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from gpucurate.core.errors import UserError

if TYPE_CHECKING:
    from gpucurate.classifier.examples import SampledDocument
    from gpucurate.classifier.label import Judging
    from gpucurate.classifier.label_cost import Prices
    from gpucurate.classifier.ledger import Ledger, Work
    from gpucurate.classifier.rubric import Rubric


def as_parameters(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """`NAME=VALUE`, the value as JSON where it is some, else as a text."""
    found: dict[str, Any] = {}
    for value in values:
        name, equals, said = value.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{value!r} is no NAME=VALUE")
        if name in ("model", "messages", "stream", "n"):
            raise click.BadParameter(
                f"{name!r} is not for you to set: one answer, whole, of the judge that labels name"
            )
        try:
            found[name] = json.loads(said)
        except ValueError:
            found[name] = said
    return found


@click.command("label", short_help="Have judges rate a sample.")
@click.argument("sample", metavar="SAMPLE...", nargs=-1, required=True)
@click.option("--labels", "labels_file", required=True, metavar="FILE", help="Labels; what is there is not redone.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="A judge behind the endpoint; repeatable.")
@click.option("--local", "locals_", multiple=True, metavar="MODEL", help="A causal model in this process; repeatable.")
@click.option("--judge", metavar="NAME", help="Name that labels carry [default: the model's].")
@click.option("--rubric", "rubric_file", metavar="FILE", help="Instructions [default: educational value, 0 to 5].")
@click.option("--repeat", default=1, show_default=True, type=click.IntRange(min=1), help="Labels from each judge.")
@click.option("--base-url", metavar="URL", help="Endpoint [default: OPENAI_BASE_URL, then OpenAI's].")
@click.option("--key-variable", default="OPENAI_API_KEY", show_default=True, help="Variable that holds the key.")
@click.option("--concurrency", default=16, show_default=True, type=click.IntRange(min=1), help="Requests at a time.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Requests a minute at most.")
@click.option(
    "--timeout", default=120.0, show_default=True, type=click.FloatRange(min=0, min_open=True), help="Seconds."
)
@click.option("--temperature", default=0.0, show_default=True, help="Above 0, or repeats hardly differ.")
@click.option("--max-tokens", default=400, show_default=True, type=click.IntRange(min=1), help="Longest answer.")
@click.option("--parameter", "parameters", multiple=True, callback=as_parameters, metavar="NAME=VALUE",
              help="Goes into every request; null takes one out.")  # fmt: skip
@click.option(
    "--max-characters", default=10_000, show_default=True, type=click.IntRange(min=1), help="Shown of a text."
)
@click.option(
    "--attempts", default=3, show_default=True, type=click.IntRange(min=1), help="For an answer with a score."
)
@click.option("--again", is_flag=True, help="Ask again for documents that failed before.")
@click.option("--price-prompt", type=click.FloatRange(min=0), metavar="MONEY", help="A million prompt tokens.")
@click.option("--price-completion", type=click.FloatRange(min=0), metavar="MONEY", help="A million answer tokens.")
@click.option("--yes", is_flag=True, help="Do not ask before beginning.")
@click.option("--dry-run", is_flag=True, help="Print the estimate and end.")
@click.option("--device", default="cpu", show_default=True, help="For --local: cpu, cuda, cuda:1.")
@click.option(
    "--dtype",
    type=click.Choice(("auto", "float32", "bfloat16", "float16")),
    default="auto",
    show_default=True,
    help="For --local.",
)
@click.option(
    "--batch", default=8, show_default=True, type=click.IntRange(min=1), help="For --local: prompts at a time."
)
def label_command(
    sample: tuple[str, ...],
    labels_file: str,
    models: tuple[str, ...],
    locals_: tuple[str, ...],
    judge: str | None,
    rubric_file: str | None,
    repeat: int,
    base_url: str | None,
    key_variable: str,
    concurrency: int,
    rate: float | None,
    timeout: float,
    temperature: float,
    max_tokens: int,
    parameters: dict[str, Any],
    max_characters: int,
    attempts: int,
    again: bool,
    price_prompt: float | None,
    price_completion: float | None,
    yes: bool,
    dry_run: bool,
    device: str,
    dtype: str,
    batch: int,
) -> None:
    """Have judges rate the documents of SAMPLE from 0 to 5; the same command resumes.

    \b
    Examples:
      gpucurate classifier label sample.jsonl --labels labels.jsonl --model my-judge --dry-run
      gpucurate classifier label sample.jsonl --labels labels.jsonl --model a --model b --repeat 2 --temperature 0.7
      gpucurate classifier label sample.jsonl --labels labels.jsonl --local models/judge --device cuda
    """
    from pathlib import Path

    from gpucurate.classifier.endpoint import EndpointSettings
    from gpucurate.classifier.examples import read_samples
    from gpucurate.classifier.label import Judging
    from gpucurate.classifier.label_cost import Prices
    from gpucurate.classifier.ledger import Ledger
    from gpucurate.classifier.rubric import load_rubric

    if not models and not locals_:
        raise click.UsageError("no judge: name one with --model (behind an endpoint) or --local (in this process)")
    if judge is not None and len(models) + len(locals_) > 1:
        raise click.UsageError("--judge names one judge, and there are several")
    if locals_ and repeat > 1:
        raise click.UsageError("--repeat: a local judge's expected rating is the same every time")
    if (price_prompt is None) != (price_completion is None):
        raise click.UsageError("give both prices or none")
    rubric = load_rubric(rubric_file)
    documents = read_samples([Path(path) for path in sample])
    settings = EndpointSettings(base_url, key_variable, timeout, rate, parameters)
    judgings = [
        Judging(model, judge or model, rubric, temperature, max_tokens, max_characters, attempts, concurrency, settings)
        for model in dict.fromkeys(models)
    ]
    prices = Prices(price_prompt, price_completion)
    if dry_run and not Path(labels_file).exists():
        for judging in judgings:
            _estimate(judging, documents, [(i, judging.judge, n) for n in range(repeat) for i in documents], prices)
        return
    with Ledger(Path(labels_file)) as ledger:
        todo = [(judging, _work(ledger, judging, documents, repeat, again)) for judging in judgings]
        for judging, work in todo:
            _estimate(judging, documents, work, prices)
        if dry_run:
            return
        if any(work for _, work in todo) and not yes:
            _confirm()
        for judging, work in todo:
            _label(judging, documents, work, ledger, prices)
        for path in dict.fromkeys(locals_):
            _label_locally(path, judge, rubric, documents, ledger, again, device, dtype, max_characters, batch)


def _work(
    ledger: Ledger, judging: Judging, documents: dict[str, SampledDocument], repeat: int, again: bool
) -> list[Work]:
    ledger.check(documents, judging.judge, judging.rubric.digest, judging.digest())
    return ledger.missing(documents, judging.judge, repeat, again)


def _estimate(judging: Judging, documents: dict[str, SampledDocument], work: list[Work], prices: Prices) -> None:
    from gpucurate.classifier.label_cost import estimate

    found = estimate((judging.prompt(documents[i]) for i, _, _ in work), judging.max_tokens)
    click.echo(f"{judging.judge}: {found.line(prices)}", err=True)


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise UserError("nobody is there to confirm the estimate. Remedy: --yes to begin, --dry-run to look only")
    click.confirm("begin?", abort=True, err=True)


def _label(
    judging: Judging, documents: dict[str, SampledDocument], work: list[Work], ledger: Ledger, prices: Prices
) -> None:
    from gpucurate.classifier.label import label
    from gpucurate.run.progress import choose_progress

    counts = label(judging, documents, work, ledger, prices, choose_progress())
    if counts.failed:
        click.echo(f"{counts.failed:,} documents failed: see {ledger.unusable_path}; --again asks once more", err=True)


def _label_locally(
    path: str,
    judge: str | None,
    rubric: Rubric,
    documents: dict[str, SampledDocument],
    ledger: Ledger,
    again: bool,
    device: str,
    dtype: str,
    max_characters: int,
    batch: int,
) -> None:
    from gpucurate.classifier.local_judge import LocalJudge, label_locally
    from gpucurate.run.progress import choose_progress

    local = LocalJudge.open(path, rubric, device=device, dtype=dtype, max_characters=max_characters, batch=batch)
    name = judge or local.name
    ledger.check(documents, name, rubric.digest, local.settings_digest())
    work = ledger.missing(documents, name, 1, again)
    mass = label_locally(local, rubric, documents, work, ledger, choose_progress())
    if work:
        click.echo(f"{name}: {len(work):,} labelled; the six scores had {mass:.1%} of the probability", err=True)
