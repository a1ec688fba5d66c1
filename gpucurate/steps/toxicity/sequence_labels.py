"""A Hugging Face sequence classifier of any number of labels, as of the Jigsaw challenges, over windows of a text.

From outputs to scores as transformers' own pipeline does it: sigmoid for one output or labels that go together
(`problem_type: multi_label_classification`), softmax for labels that exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import InputError
from gpucurate.steps.forward import Forward
from gpucurate.steps.quality.batches import by_length
from gpucurate.steps.quality.loading import Loaded, load
from gpucurate.steps.quality.regressor import CPU_BATCH_TOKENS, GPU_BATCH_TOKENS
from gpucurate.steps.quality.windows import cut
from gpucurate.steps.toxicity.config import ToxicityClassifier
from gpucurate.steps.toxicity.models import LabelScores

MULTI_LABEL, REGRESSION = "multi_label_classification", "regression"  # problem types of transformers
THREADS = 1  # there is a worker a core, and the same number everywhere gives the same sums
SHOWN = 5  # documents that a message names


@dataclass(slots=True)
class SequenceLabels:
    """An opened model."""

    name: str
    labels: tuple[str, ...]
    config: ToxicityClassifier
    loaded: Loaded
    forward: Forward
    budget: int  # tokens a batch

    @classmethod
    def open(cls, directory: Path, config: ToxicityClassifier, device: str) -> SequenceLabels:
        """Raises as `steps.quality.loading.load` does."""
        loaded = load(directory, config.precision, device, config.max_tokens, head="labels")
        named = loaded.model.config.id2label
        labels = tuple(str(named[n]) for n in range(len(named)))
        activate = _activation(config.activation, loaded.model.config.problem_type, len(labels))
        forward = Forward(
            str(directory), loaded, lambda output, _: activate(output.logits.double()), len(labels), THREADS
        )
        budget = CPU_BATCH_TOKENS if loaded.device.type == "cpu" else GPU_BATCH_TOKENS
        return cls(str(directory), labels, config, loaded, forward, budget)

    def score(self, texts: Sequence[str], called: Callable[[int], str]) -> LabelScores:
        """[texts, labels].  Raises InputError naming texts that gave NaN or infinity, DeviceError if a GPU cannot take
        even one window."""
        config = self.config
        how = "truncate" if config.long == "truncate" else "mean"  # of windows.cut: the first, or all of them
        windows = cut(self.loaded.tokenizer, texts, config.max_tokens, how, config.max_windows)
        lengths = windows.lengths()
        values = self.forward.run(windows, by_length(lengths, self.budget))
        self._check_finite(values, windows.owner, called)
        tokens = np.bincount(windows.owner, weights=lengths, minlength=len(texts)).astype(np.int64)
        return LabelScores(_of_texts(values, windows.owner, len(texts), config.long), tokens)

    def told(self) -> list[str]:
        """What happened to the device's memory."""
        return self.forward.told()

    def _check_finite(
        self, values: NDArray[np.float64], owner: NDArray[np.int64], called: Callable[[int], str]
    ) -> None:
        bad = np.unique(owner[~np.isfinite(values).all(axis=1)])
        if len(bad):
            more = f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
            names = ", ".join(called(int(n)) for n in bad[:SHOWN])
            remedy = "precision fp32 (fp16 overflows)" if self.loaded.precision != "fp32" else "copy the model again"
            raise InputError(
                f"{self.name} gave no number (NaN or infinity) for {len(bad)} texts: {names}{more}. Remedy: {remedy}"
            )


def _activation(chosen: str, problem_type: str | None, outputs: int) -> Callable[[Any], Any]:
    import torch

    if chosen == "auto":
        alone = outputs == 1 or problem_type == MULTI_LABEL
        chosen = "none" if problem_type == REGRESSION else "sigmoid" if alone else "softmax"
    if chosen == "sigmoid":
        return torch.sigmoid
    if chosen == "softmax":
        return lambda logits: torch.softmax(logits, dim=-1)
    return lambda logits: logits


def _of_texts(values: NDArray[np.float64], owner: NDArray[np.int64], texts: int, long: str) -> NDArray[np.float64]:
    """[texts, labels] from [windows, labels]; every text has a window, those of one text stand together."""
    if not texts:
        return values
    first = np.searchsorted(owner, np.arange(texts))
    if long == "max":
        return np.maximum.reduceat(values, first, axis=0)
    return np.add.reduceat(values, first, axis=0) / np.bincount(owner, minlength=texts)[:, None]
