"""The training loop: updates, looks at the held-out part, early stopping, checkpoints.

Every update is a function of the weights, the optimizer's state and the update's number, so a resumed training takes
the same way.  With several processes each takes its share of an update's examples and gradients are added up.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.train.checkpoint import State, load, save
from gpucurate.classifier.train.machine import Machine
from gpucurate.classifier.train.memory import in_halves
from gpucurate.classifier.train.order import Order
from gpucurate.classifier.train.settings import TrainSettings
from gpucurate.core.errors import UserError
from gpucurate.run.progress import Progress

Predict = Callable[[NDArray[np.int64]], Any]  # numbers of documents to scores with gradient, float32 on the device


@dataclass(frozen=True)
class Task:
    """What is to be learnt.  Numbers of documents: those trained on come first, the held-out ones follow."""

    predict: Predict
    mode: Callable[[bool], None]  # whether dropout may act: yes in updates, no in looks
    parameters: dict[str, Any]  # what trains
    scores: NDArray[np.float64]  # [documents]
    weights: NDArray[np.float64]  # [documents], factors of squared errors
    train: int  # documents trained on


def fit(
    task: Task, settings: TrainSettings, machine: Machine, folder: Path, key: str, progress: Progress
) -> list[dict[str, float]]:
    """Train `task.parameters` in place, to the best look's or, with nothing held out, the last values.

    Returns what each look saw.  Raises UserError if the loss is no number, DeviceError, StorageError.
    """
    import torch

    order = Order(task.scores[: task.train], settings.batch, settings.balance, settings.seed)
    updates = settings.epochs * order.updates
    every = settings.evaluate_every or order.updates
    parameters = list(task.parameters.values())
    optimizer = torch.optim.AdamW(parameters, lr=settings.rate, weight_decay=settings.weight_decay)
    scaler = torch.amp.GradScaler(machine.device.type, enabled=machine.precision == "fp16")
    state = load(folder, key) or State()
    if state.update:
        _restore(state, task, optimizer, scaler)
        progress.say(f"goes on after update {state.update:,} of {updates:,}")
    at_once = settings.device_batch
    with progress.stage("train", updates - state.update) as stage:
        while state.update < updates and not _stops(state.looks, settings.patience):
            rows = order.examples(state.update)
            share = rows[machine.rank :: machine.processes]
            torch.manual_seed(_seed(settings.seed, state.update, machine.rank))  # dropout's
            task.mode(True)
            squared, at_once = _gradients(task, share, len(rows), at_once, machine, scaler, progress)
            _check(squared, state.update)
            for group in optimizer.param_groups:
                group["lr"] = settings.rate * schedule(state.update, updates, settings.warmup)
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(parameters, settings.gradient_norm)
            scaler.step(optimizer)
            scaler.update()
            state.update += 1
            state.squared += squared
            state.seen += len(rows)
            stage.advance(len(rows))
            looks = state.update % every == 0 or state.update == updates
            if looks:
                at_once = _look(task, state, order.updates, at_once, machine, progress)
            if machine.leads and (looks or state.update % settings.checkpoint_every == 0):
                state.weights = {n: p.detach().cpu() for n, p in task.parameters.items()}
                state.optimizer, state.scaler = optimizer.state_dict(), scaler.state_dict()
                save(folder, key, state)
    if state.best:
        _assign(task, state.best)
    return state.looks


def schedule(update: int, updates: int, warmup: float) -> float:
    """Factor of the learning rate: up linearly over a share of the updates, then down to 0 after the last."""
    rising = round(warmup * updates)
    if update < rising:
        return (update + 1) / (rising + 1)
    return (updates - update) / (updates - rising)


def _gradients(
    task: Task, share: NDArray[np.int64], batch: int, at_once: int, machine: Machine, scaler: Any, progress: Progress
) -> tuple[float, int]:
    """Leave the batch's mean gradient in the parameters; returns the sum of squared errors and how many fit at once."""
    import torch

    parameters = list(task.parameters.values())
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    scaler.scale(torch.zeros((), device=machine.device))  # a process without a share needs the scale too

    def piece(rows: NDArray[np.int64]) -> Any:
        targets = torch.from_numpy(task.scores[rows]).to(machine.device, torch.float32)
        factors = torch.from_numpy(task.weights[rows]).to(machine.device, torch.float32)
        squared = (factors * (task.predict(rows) - targets) ** 2).sum()
        # not backward(): one that runs out of memory half-way must leave nothing behind
        found = torch.autograd.grad(scaler.scale(squared / batch), parameters, allow_unused=True)
        for parameter, gradient in zip(parameters, found, strict=True):
            if gradient is not None:
                parameter.grad += gradient
        return squared.detach()

    pieces, at_once = in_halves(piece, share, at_once, progress)
    for parameter in parameters:
        machine.sum(parameter.grad)
    total = torch.stack(pieces).sum() if pieces else torch.zeros((), device=machine.device)
    return float(machine.sum(total)), at_once


def _look(task: Task, state: State, per_epoch: int, at_once: int, machine: Machine, progress: Progress) -> int:
    """Judge the weights by the held-out part, keep them if they are the best; returns how many fit at once."""
    seen = {"update": float(state.update), "loss": state.squared / max(state.seen, 1)}
    line = f"epoch {state.update / per_epoch:.1f}: loss {seen['loss']:.4f}"
    state.squared, state.seen = 0.0, 0
    if task.train < len(task.scores):
        started = time.monotonic()
        rows = np.arange(task.train, len(task.scores))
        found, at_once = _predicted(task, rows, at_once, machine, progress)
        errors = found - task.scores[rows]
        weights = task.weights[rows]
        seen["held_out"] = float((weights * errors**2).sum() / weights.sum())
        seen["mean_absolute_error"] = float((weights * np.abs(errors)).sum() / weights.sum())
        best = all(seen["held_out"] < look["held_out"] for look in state.looks)
        if best:
            state.best = {name: p.detach().cpu().clone() for name, p in task.parameters.items()}
        line += (
            f", held out {seen['held_out']:.4f} (mean absolute error {seen['mean_absolute_error']:.3f})"
            f"{', best so far' if best else ''}, {time.monotonic() - started:.1f} s"
        )
    state.looks.append(seen)
    progress.say(line)
    return at_once


def _predicted(
    task: Task, rows: NDArray[np.int64], at_once: int, machine: Machine, progress: Progress
) -> tuple[NDArray[np.float64], int]:
    """[rows]: scores, each process predicting its share."""
    import torch

    task.mode(False)
    share = np.arange(len(rows))[machine.rank :: machine.processes]
    whole = torch.zeros(len(rows), device=machine.device)

    def piece(places: NDArray[np.int64]) -> None:
        with torch.no_grad():
            whole[torch.from_numpy(places).to(machine.device)] = task.predict(rows[places])

    _, at_once = in_halves(piece, share, at_once, progress)
    return machine.sum(whole).cpu().numpy().astype(np.float64), at_once


def _stops(looks: list[dict[str, float]], patience: int) -> bool:
    errors = [look["held_out"] for look in looks if "held_out" in look]
    return bool(errors) and len(errors) - 1 - int(np.argmin(errors)) >= patience


def _check(squared: float, update: int) -> None:
    if not np.isfinite(squared):
        raise UserError(
            f"the loss is {squared} in update {update + 1}. Remedy: a lower learning_rate, or precision: bf16 or fp32"
        )


def _restore(state: State, task: Task, optimizer: Any, scaler: Any) -> None:
    _assign(task, state.weights)
    optimizer.load_state_dict(copy.deepcopy(state.optimizer))
    scaler.load_state_dict(state.scaler)


def _assign(task: Task, values: dict[str, Any]) -> None:
    import torch

    with torch.no_grad():
        for name, parameter in task.parameters.items():
            parameter.copy_(values[name])


def _seed(seed: int, update: int, rank: int) -> int:
    return int(np.random.SeedSequence([seed, update, rank]).generate_state(1, np.uint64)[0] >> 1)
