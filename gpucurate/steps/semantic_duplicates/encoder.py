"""Texts to vectors of length one, by a sentence-embedding model.

On a CPU every window goes through the model by itself, so that a document's vector depends on that document alone, to
the last bit.  On a GPU windows of nearly equal length share a batch, and what shares it may change the last bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import InputError
from gpucurate.steps.forward import Forward
from gpucurate.steps.quality.batches import by_length
from gpucurate.steps.quality.loading import load
from gpucurate.steps.quality.model_directory import classifier_digest
from gpucurate.steps.quality.regressor import GPU_BATCH_TOKENS
from gpucurate.steps.quality.windows import Windows, cut
from gpucurate.steps.semantic_duplicates.config import SemanticDuplicatesConfig
from gpucurate.steps.semantic_duplicates.sentence_model import SentenceModel, read_sentence_model

Vectors = NDArray[np.float64]  # [texts, dimensions]
THREADS = 1  # there is a worker a core, and the same number everywhere gives the same sums
SHOWN = 5  # documents that a message names


@dataclass(slots=True)
class Encoder:
    """An opened model."""

    sentence: SentenceModel
    config: SemanticDuplicatesConfig
    forward: Forward

    def embed(self, texts: Sequence[str], called: Callable[[int], str]) -> Vectors:
        """Raises InputError naming texts that gave NaN or infinity, DeviceError if a GPU cannot take one window."""
        given = [self.config.prefix + (text.lower() if self.sentence.lower_case else text) for text in texts]
        tokenizer = self.forward.loaded.tokenizer
        windows = cut(tokenizer, given, self.sentence.max_tokens, self.config.long, self.config.max_windows)
        found = _of_length_one(self.forward.run(windows, self._batches(windows)))
        whole = np.zeros((len(texts), found.shape[1]))
        np.add.at(whole, windows.owner, found)
        bad = np.flatnonzero(~np.isfinite(whole).all(axis=1))
        if len(bad):
            names = ", ".join(called(int(n)) for n in bad[:SHOWN])
            raise InputError(
                f"{self.forward.name} gave no number (NaN or infinity) for {len(bad)} texts, such as {names}. "
                "Remedy: precision fp32, or copy the model again"
            )
        return _of_length_one(whole)

    def _batches(self, windows: Windows) -> Iterable[NDArray[np.int64]]:
        if self.forward.loaded.device.type == "cpu":
            return np.arange(len(windows.owner))[:, None]
        return by_length(windows.lengths(), GPU_BATCH_TOKENS)


def encoder_digest(config: SemanticDuplicatesConfig) -> str:
    """64 hex digits over weights, tokenizer and pooling; the model's place does not count."""
    sentence = read_sentence_model(config.model, config.pooling, config.max_tokens)
    shape = [sentence.pooling, sentence.max_tokens, sentence.lower_case]
    return digest_settings([classifier_digest(sentence.directory), *shape])


def open_encoder(config: SemanticDuplicatesConfig, device: str) -> Encoder:
    """Raises InputError, UserError, DeviceError or MissingExtra naming what does not fit; once a process."""
    return _open(config.model, digest_settings(config.embedding()), encoder_digest(config), device, config)


@lru_cache(maxsize=2)
def _open(name: str, settings: str, digest: str, device: str, config: SemanticDuplicatesConfig) -> Encoder:
    sentence = read_sentence_model(name, config.pooling, config.max_tokens)
    loaded = load(sentence.directory, config.precision, device, sentence.max_tokens, head="none")
    read = _mean if sentence.pooling == "mean" else _first
    return Encoder(sentence, config, Forward(name, loaded, read, int(loaded.model.config.hidden_size), THREADS))


def _mean(output: Any, mask: Any) -> Any:
    weights = mask.unsqueeze(-1).to(output.last_hidden_state.dtype)
    return (output.last_hidden_state * weights).sum(1) / weights.sum(1)


def _first(output: Any, _: Any) -> Any:
    return output.last_hidden_state[:, 0]


def _of_length_one(vectors: Vectors) -> Vectors:
    """A vector of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths))
