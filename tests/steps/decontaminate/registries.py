"""Registry files and steps for tests: benchmarks of made-up items."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from gpucurate.device.cpu import CpuBackend
from gpucurate.steps.decontaminate import Decontaminate
from gpucurate.steps.decontaminate.config import DecontaminateConfig
from gpucurate.steps.decontaminate.freeze import freeze
from tests.steps.near_duplicates.corpora import words


def register(folder: Path, texts: Sequence[str], name: str = "exam", **settings: Any) -> Path:
    """A frozen registry file of a benchmark whose records are `{"question": text}`."""
    (folder / f"{name}.jsonl").write_text("".join(json.dumps({"question": text}) + "\n" for text in texts))
    entry = {
        "name": name,
        "version": "made up",
        "files": [{"path": f"{name}.jsonl"}],
        "items": [["question"]],
        **settings,
    }
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(entry, sort_keys=False))
    freeze(path)
    return path


def step(*registry: Path, **settings: Any) -> Decontaminate:
    config = {"registry": [str(path) for path in registry], **settings}
    return Decontaminate(DecontaminateConfig.model_validate(config), CpuBackend())


def sentence(rng: random.Random, count: int) -> str:
    return " ".join(words(rng, count))
