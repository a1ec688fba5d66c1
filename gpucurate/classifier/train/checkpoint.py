"""A training's state on disk: enough to go on as if nothing had happened."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpucurate.core.errors import StorageError, UserError
from gpucurate.store.atomic import write_bytes

NAME = "checkpoint.pt"


@dataclass
class State:
    """After `update` updates."""

    update: int = 0
    weights: dict[str, Any] = field(default_factory=dict)  # parameters that train
    optimizer: dict[str, Any] = field(default_factory=dict)
    scaler: dict[str, Any] = field(default_factory=dict)
    best: dict[str, Any] = field(default_factory=dict)  # parameters at the best look
    looks: list[dict[str, float]] = field(default_factory=list)  # what each look at the held-out part saw
    squared: float = 0.0  # sum of weighted squared errors since the last look
    seen: int = 0  # draws since the last look


def save(folder: Path, key: str, state: State) -> None:
    """Write a checkpoint in place of the last.  Raises StorageError."""
    import torch

    content = io.BytesIO()
    torch.save({"key": key, **vars(state)}, content)
    write_bytes(folder / NAME, content.getvalue())


def load(folder: Path, key: str) -> State | None:
    """The last checkpoint, None without one.

    Raises UserError if it belongs to another training, StorageError if it is damaged.
    """
    import torch

    path = folder / NAME
    if not path.is_file():
        return None
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        found = content.pop("key")
        state = State(**content)
    except (OSError, RuntimeError, pickle.UnpicklingError, EOFError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"cannot read {path}: {error}. Remedy: delete {folder} to train from the start") from error
    if found != key:
        raise UserError(
            f"{folder} holds an unfinished training with other settings, examples or another model. "
            "Remedy: the settings it was started with, another --out, or delete it"
        )
    return state
