"""From examples to a model directory."""

from __future__ import annotations

import contextlib
import importlib.metadata
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpucurate.classifier.examples import Example, examples_digest
from gpucurate.classifier.split import split
from gpucurate.classifier.train.base import Base, open_base
from gpucurate.classifier.train.features import features
from gpucurate.classifier.train.loop import Task, fit
from gpucurate.classifier.train.machine import Machine, find_machine
from gpucurate.classifier.train.order import CLASSES, classes_of, loss_weights
from gpucurate.classifier.train.output import is_finished, new_directory, write_lineage, write_model
from gpucurate.classifier.train.predictors import ThroughHead, ThroughModel, head_of, head_suffices
from gpucurate.classifier.train.settings import TrainSettings
from gpucurate.classifier.train.windows import DocumentWindows
from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import InputError, UserError
from gpucurate.run.progress import PlainProgress, Progress
from gpucurate.store.directory import locked

FEWEST = 16  # examples trained on: fewer do not fix even a line through a few features
VERSION = 1  # of what a training does; raise it where the same settings can give other weights


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished training."""

    path: Path
    train: int  # examples trained on
    held_out: int
    looks: tuple[dict[str, float], ...]  # update, loss and, with a held-out part, its errors
    found: bool  # whether it was there already


def train(
    examples: Sequence[Example],
    out: Path,
    settings: TrainSettings,
    *,
    device: str = "auto",
    progress: Progress | None = None,
    pool: Sequence[Example] | None = None,
    cache: Path | None = None,
    benchmarks: Sequence[dict[str, str]] = (),
) -> Trained:
    """Train on `examples` and write the model into the new directory `out`, or find it there.

    Until it is finished, `out`.training holds checkpoints; the same call goes on from the last one.  Several trainings
    on parts of one `pool` share the frozen encoder's features if they share `cache`, a directory.  `benchmarks` (name
    and digest of files that filtered the examples) goes into the lineage.

    Raises InputError for examples that cannot be trained on, UserError for a model or settings that do not fit or an
    `out` that holds something else, DeviceError, StorageError, MissingExtra.
    """
    check_examples(examples)
    machine = find_machine(device, settings.precision)
    say = (progress or PlainProgress()) if machine.leads else Silent()
    base = open_base(settings.model, settings.max_tokens, settings.seed)
    by_host, part = not settings.one_site, settings.held_out
    parts = split(examples, part, settings.seed, by_host) if part else (list(examples), [])
    if len(parts[0]) < FEWEST:
        raise InputError(f"{len(parts[0])} examples to train on, at least {FEWEST} needed. Remedy: label more")
    if machine.processes > settings.batch:
        raise UserError(f"a batch of {settings.batch} for {machine.processes} processes. Remedy: a larger batch")
    lineage = _lineage(base, settings, machine, parts, benchmarks)
    key = str(lineage["training"])
    if is_finished(out, key):
        say.say(f"{out} is there already")
        return Trained(out, len(parts[0]), len(parts[1]), (), True)
    work = out.with_name(f"{out.name}.training")
    machine.wait()
    with locked(work) if machine.leads else contextlib.nullcontext():
        machine.wait()
        task = _task(base, parts, settings, machine, cache or work / "features", pool or examples, say)
        looks = fit(task, settings, machine, work, key, say)
        if machine.leads:
            with new_directory(out) as directory:
                write_model(directory, base.model, base.tokenizer)
                write_lineage(directory, {**lineage, "looks": looks}, *parts)
            shutil.rmtree(work)
        machine.wait()
    return Trained(out, len(parts[0]), len(parts[1]), tuple(looks), False)


def check_examples(examples: Sequence[Example]) -> None:
    """Raise InputError for too few examples, or all of one rounded score."""
    if len(examples) < FEWEST:
        raise InputError(f"{len(examples)} labelled examples, at least {FEWEST} needed. Remedy: label more documents")
    classes = np.unique(classes_of(np.array([e.score for e in examples])))
    if len(classes) == 1:
        raise InputError(
            f"all {len(examples)} labels are {classes[0]} when rounded, so there is nothing to tell apart. "
            "Remedy: label a sample that also holds better and worse documents"
        )


def _task(
    base: Base,
    parts: tuple[list[Example], list[Example]],
    settings: TrainSettings,
    machine: Machine,
    cache: Path,
    pool: Sequence[Example],
    progress: Progress,
) -> Task:
    """Put the model on the device, ready to train what the settings say."""
    examples = [*parts[0], *parts[1]]
    texts = [e.text for e in pool]
    rows = {e.record_id: n for n, e in enumerate(pool)}
    everything = DocumentWindows.of(base.tokenizer, texts, settings.max_tokens, settings.long, settings.max_windows)
    chosen = np.array([rows[e.record_id] for e in examples], np.int64)
    windows = everything.select(chosen)
    base.model.to(machine.device)
    base.model.eval()
    trained = set(base.head()) if settings.encoder == "frozen" else None
    parameters = {n: p for n, p in base.model.named_parameters() if trained is None or n in trained}
    for name, parameter in base.model.named_parameters():
        parameter.requires_grad_(name in parameters)
    scores = np.array([e.score for e in examples])
    weights = np.array([e.weight for e in examples])
    factors = [
        loss_weights(scores[part], weights[part], settings.balance, settings.weights)
        for part in (slice(0, len(parts[0])), slice(len(parts[0]), None))
    ]
    _start_at_mean(base, float(np.average(scores[: len(parts[0])], weights=factors[0])))
    predict: Any = ThroughModel(base, windows, machine)
    if trained is not None:
        if base.pools_all:
            progress.say(
                f"{settings.model} was made to give the mean over all tokens, its head sees the first alone: "
                "encoder: tuned, or a model that gives the first token's state, may learn more"
            )
        if head_suffices(base, windows, machine):
            head = head_of(base)
            assert head is not None
            given = features(base, everything, machine, cache, progress)
            predict = ThroughHead(head, given[everything.numbers(chosen)], windows, machine)
        else:
            progress.say("the head of this model looks at more than one hidden state: the encoder runs in every epoch")

    def mode(updating: bool) -> None:
        base.model.train(updating and settings.dropout)
        if trained is not None:
            base.encoder.eval()  # a frozen encoder gives the same hidden states every time

    return Task(predict, mode, parameters, scores, np.concatenate(factors), len(parts[0]))


def _start_at_mean(base: Base, mean: float) -> None:
    """Let a new output layer begin at the labels' mean: the first updates need not find it."""
    import torch

    output = base.output()
    if any(name.endswith("bias") for name in base.new) and output.bias is not None:
        with torch.no_grad():
            output.bias.fill_(mean)


def _lineage(
    base: Base,
    settings: TrainSettings,
    machine: Machine,
    parts: tuple[list[Example], list[Example]],
    benchmarks: Sequence[dict[str, str]],
) -> dict[str, Any]:
    """Where the model comes from, in plain JSON types; `training` is the digest of what decides the weights."""
    deciding = {
        "version": VERSION,
        "settings": settings.deciding(),
        "rate": settings.rate,
        "precision": machine.precision,
        "base": base.digest,
        "examples": [examples_digest(part) for part in parts],
        "benchmarks": list(benchmarks),
    }
    everything = [*parts[0], *parts[1]]
    counts = np.bincount(classes_of(np.array([e.score for e in everything])), minlength=CLASSES)
    return {
        "kind": "regressor",
        "training": digest_settings(deciding),
        "settings": settings.model_dump(mode="json"),
        "precision": machine.precision,
        "device": machine.device.type,
        "processes": machine.processes,
        "base": {"name": settings.model, "digest": base.digest, "new_parameters": list(base.new)},
        "examples": {"train": len(parts[0]), "held_out": len(parts[1]), "digest": examples_digest(everything)},
        "rounded_scores": {str(score): int(count) for score, count in enumerate(counts)},
        "judges": sorted({judge for e in everything for judge in e.judges}),
        "rubrics": sorted({rubric for e in everything for rubric in e.rubrics}),
        "benchmarks": list(benchmarks),
        "packages": {p: importlib.metadata.version(p) for p in ("gpucurate", "numpy", "torch", "transformers")},
    }


class Silent:
    """The progress of processes that do not lead."""

    def say(self, line: str) -> None:
        """Nothing."""

    @contextlib.contextmanager
    def stage(self, name: str, tasks: int) -> Iterator[Silent]:
        """See `Progress`."""
        yield self

    def advance(self, documents: int) -> None:
        """Nothing."""
