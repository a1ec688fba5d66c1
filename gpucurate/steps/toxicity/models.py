"""Classifiers of harmful text: where one lies, of which kind it is, and opening it once a process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InputError
from gpucurate.steps.quality.model_directory import CONFIG, FASTTEXT_FILE, classifier_digest, find_directory
from gpucurate.steps.toxicity.config import ToxicityClassifier

KEPT_OPEN = 4  # a recipe hardly has more
FASTTEXT_ENDINGS = (".bin", ".ftz")


class LabelScores(NamedTuple):
    """What a classifier found of some texts."""

    values: NDArray[np.float64]  # [texts, labels], 0 to 1 (any number with `activation: none`)
    tokens: NDArray[np.int64]  # [texts] that a transformer looked at; fastText counts none


class LabelClassifier(Protocol):
    """What both kinds of model have in common."""

    labels: tuple[str, ...]

    def score(self, texts: Sequence[str], called: Callable[[int], str]) -> LabelScores:
        """Scores of every text; `called` says how a message calls one."""
        ...

    def told(self) -> list[str]:
        """What a user should know of the calls since the last question."""
        ...


def find_model(name: str) -> Path:
    """A fastText file or a Hugging Face directory.  Raises InputError where it is neither, MissingExtra."""
    path = Path(name)
    if path.is_file() and path.suffix in FASTTEXT_ENDINGS:
        return path
    if name.endswith(FASTTEXT_ENDINGS):
        raise InputError(f"the fastText model {name!r} is no file. Remedy: name one, a directory or a hub name")
    directory = find_directory(name)
    if (directory / CONFIG).is_file():
        return directory
    if (directory / FASTTEXT_FILE).is_file():
        return directory / FASTTEXT_FILE
    raise InputError(
        f"{directory} is no classifier: it holds neither {CONFIG} (Hugging Face) nor {FASTTEXT_FILE} (fastText). "
        "Remedy: name the directory or the file of a model"
    )


def model_digest(path: Path) -> str:
    """64 hex digits over what shapes the scores; its place does not count."""
    if path.is_dir():
        return classifier_digest(path)
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


def open_model(config: ToxicityClassifier, device: str) -> LabelClassifier:
    """Raises InputError, UserError, DeviceError or MissingExtra naming what does not fit; a model that changed on disk
    is opened anew."""
    bare = config.model_copy(update={"thresholds": {}, "languages": {}})
    path = find_model(config.model)
    return _open(bare.model_dump_json(), device, path, model_digest(path))


@lru_cache(maxsize=KEPT_OPEN)
def _open(settings: str, device: str, path: Path, digest: str) -> LabelClassifier:
    if path.is_file():
        from gpucurate.steps.toxicity.fasttext_labels import FastTextLabels

        return FastTextLabels.open(path)
    from gpucurate.steps.toxicity.sequence_labels import SequenceLabels

    return SequenceLabels.open(path, ToxicityClassifier.model_validate_json(settings), device)


@lru_cache(maxsize=64)
def _digest(path: Path, size: int, changed: int) -> str:
    return digest_file(path)
