"""Two ways to a document's score that a gradient can follow: through the whole model, or through its head alone.

The head alone suffices where the encoder is frozen and the head looks at the first token's last hidden state only, as
those of BERT, RoBERTa, XLM-R, ELECTRA and MPNet do.  That is tried on real documents, not believed: where head and
whole model differ, the whole model runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.train.base import Base
from gpucurate.classifier.train.machine import Machine
from gpucurate.classifier.train.windows import DocumentWindows

SAME = 1e-4  # difference of two scores that is rounding: fp32, hundreds of terms


class ThroughModel:
    """Scores from token ids; batches are padded to their longest window."""

    def __init__(self, base: Base, windows: DocumentWindows, machine: Machine) -> None:
        self._base, self._windows, self._machine = base, windows, machine

    def __call__(self, rows: NDArray[np.int64]) -> Any:
        """[rows], float32 on the device: the mean of each document's window scores."""
        with self._machine.autocast():
            inputs = model_inputs(self._base, self._windows, self._windows.numbers(rows), self._machine)
            scores = self._base.model(**inputs).logits
        return mean_over_windows(scores[:, 0].float(), self._windows.counts(rows))


class ThroughHead:
    """Scores from features that the frozen encoder gave, [windows, width] in float32."""

    def __init__(
        self, head: Callable[[Any], Any], features: NDArray[np.float32], windows: DocumentWindows, machine: Machine
    ):
        import torch

        self._head, self._windows, self._machine = head, windows, machine
        self._features = torch.from_numpy(features).to(machine.device)

    def __call__(self, rows: NDArray[np.int64]) -> Any:
        """[rows], float32 on the device: the mean of each document's window scores."""
        import torch

        chosen = torch.from_numpy(self._windows.numbers(rows)).to(self._machine.device)
        return mean_over_windows(self._head(self._features[chosen])[:, 0], self._windows.counts(rows))


def mean_over_windows(scores: Any, counts: NDArray[np.int64]) -> Any:
    """[documents]: the mean of each one's windows, which lie one after another."""
    import torch

    if (counts == 1).all():
        return scores
    return torch.segment_reduce(scores, "mean", lengths=torch.from_numpy(counts).to(scores.device))


def model_inputs(base: Base, windows: DocumentWindows, chosen: NDArray[np.int64], machine: Machine) -> dict[str, Any]:
    """Ids and mask of these windows on the device, as scoring gives them to the model."""
    import torch

    ids, mask = windows.cut.padded(chosen, int(base.tokenizer.pad_token_id))
    return {
        "input_ids": torch.from_numpy(ids).to(machine.device),
        "attention_mask": None if mask is None else torch.from_numpy(mask).to(machine.device),
    }


def first_hidden(base: Base, inputs: dict[str, Any]) -> Any:
    """[windows, width]: the first token's last hidden state, without gradient."""
    import torch

    with torch.no_grad():
        return base.encoder(**inputs).last_hidden_state[:, 0].float()


def head_of(base: Base) -> Callable[[Any], Any] | None:
    """The head as a function of first hidden states, [windows, width] to [windows, 1]; None for an unknown kind."""
    import torch

    pooler, classifier = getattr(base.encoder, "pooler", None), getattr(base.model, "classifier", None)
    if classifier is None:
        return None
    if isinstance(classifier, torch.nn.Linear):
        dropout = getattr(base.model, "dropout", torch.nn.Identity())
        return None if pooler is None else lambda hidden: classifier(dropout(pooler(hidden[:, None])))
    return lambda hidden: classifier(hidden[:, None])


def head_suffices(base: Base, windows: DocumentWindows, machine: Machine) -> bool:
    """Whether the head alone gives the whole model's scores on some of these windows; without dropout."""
    import torch

    head = head_of(base)
    if head is None:
        return False
    some = np.unique(np.linspace(0, len(windows.cut.owner) - 1, 4).astype(np.int64))
    inputs = model_inputs(base, windows, some, machine)
    base.model.eval()
    try:
        with torch.no_grad():
            alone, whole = head(first_hidden(base, inputs)), base.model(**inputs).logits
    except (AttributeError, IndexError, RuntimeError, TypeError):  # a head that takes something else
        return False
    return alone.shape == whole.shape and bool(((alone - whole).abs() < SAME).all())
