"""`gpucurate classifier`: the commands of a quality classifier's life cycle."""

from __future__ import annotations

import click

from gpucurate.cli.lazy import LazyGroup

COMMANDS = {
    "sample": "gpucurate.cli.classifier.sample:sample_command",
    "label": "gpucurate.cli.classifier.label:label_command",
    "agreement": "gpucurate.cli.classifier.agreement:agreement_command",
    "split": "gpucurate.cli.classifier.evaluate:split_command",
    "train": "gpucurate.cli.classifier.train:train_command",
    "train-fasttext": "gpucurate.cli.classifier.train_fasttext:train_fasttext_command",
    "evaluate": "gpucurate.cli.classifier.evaluate:evaluate_command",
    "main-content": "gpucurate.cli.classifier.main_content:main_content_command",
    "quantiles": "gpucurate.cli.classifier.quantiles:quantiles_command",
    "cross-validate": "gpucurate.cli.classifier.evaluate:cross_validate_command",
}


@click.command("classifier", cls=LazyGroup, places=COMMANDS)
def classifier() -> None:
    """Train a quality classifier on an LLM's ratings, and judge it honestly.

    \b
    Examples:
      gpucurate classifier sample out --size 5000 --by source,length > sample.jsonl
      gpucurate classifier label sample.jsonl --labels labels.jsonl --model my-judge
      gpucurate classifier train sample.jsonl --labels labels.jsonl --out my-classifier
      gpucurate classifier evaluate my-classifier sample.jsonl --labels labels.jsonl --out evaluation
    """
