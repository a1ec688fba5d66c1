"""A regressor over texts: any Hugging Face sequence classifier with one output, scored in batches sorted by length.

`HuggingFaceFW/fineweb-edu-classifier` and what `gpucurate classifier train` writes are such models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import InputError, UserError
from gpucurate.steps.quality.batches import by_length
from gpucurate.steps.quality.loading import Loaded, load
from gpucurate.steps.quality.model_directory import find_directory, kind_of
from gpucurate.steps.quality.windows import Windows, cut
from gpucurate.steps.torch_limits import halving, threads_of

LONG = ("truncate", "mean")
CPU_BATCH_TOKENS = 2048  # activations stay in a core's cache; 16,384 took 1.1 (int8: 2.1) times as long as 1,024
GPU_BATCH_TOKENS = 1 << 17  # 256 windows of 512: enough to fill an H200; not measured on a GPU
MAX_WINDOWS = 8
SHOWN = 5  # documents that a message names


class Scored(NamedTuple):
    """What a classifier found of some texts."""

    values: NDArray[np.float64]  # [texts]
    tokens: NDArray[np.int64]  # [texts], looked at: special ones included, padding not


@dataclass(slots=True)
class Regressor:
    """An opened model.  Not for several threads at a time."""

    name: str
    loaded: Loaded
    max_tokens: int
    long: str
    max_windows: int
    batch_tokens: int
    threads: int | None
    _told: list[str] = field(default_factory=list)

    @classmethod
    def open(
        cls,
        path_or_name: str,
        *,
        dtype: str = "auto",
        device: str = "cpu",
        max_tokens: int = 512,
        long: str = "truncate",
        max_windows: int = MAX_WINDOWS,
        batch_tokens: int | None = None,
        threads: int | None = None,
    ) -> Regressor:
        """Open a directory or a name on the hub.

        `dtype`: `auto` (bf16 on a GPU, fp32 on a CPU), `fp32`, `bf16`, `fp16` (GPU) or `int8` (CPU).  `device`: `cpu`,
        `cuda` or `auto`.  `long`: `truncate` scores the first `max_tokens` tokens of a text, `mean` takes the mean of
        up to `max_windows` windows.  `threads`: of torch while scoring on a CPU; None leaves its own number.

        Raises InputError, UserError or DeviceError naming what does not fit, MissingExtra without the extra.
        """
        if long not in LONG:
            raise UserError(f"long {long!r} is none of {', '.join(LONG)}")
        directory = find_directory(path_or_name)
        if kind_of(directory) != "regressor":
            raise InputError(f"{directory} is a fastText classifier. Remedy: name a Hugging Face directory")
        loaded = load(directory, dtype, device, max_tokens)
        default = CPU_BATCH_TOKENS if loaded.device.type == "cpu" else GPU_BATCH_TOKENS
        return cls(path_or_name, loaded, max_tokens, long, max_windows, batch_tokens or default, threads)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """[texts]: the model's output for each; raises as `score` does."""
        return self.score(texts).values

    def score(self, texts: Sequence[str], called: Callable[[int], str] = lambda number: f"text {number}") -> Scored:
        """The model's output for each text and the tokens it saw.  `called` says how a message calls a text.

        Raises InputError naming the texts of a batch that gave NaN or infinity, DeviceError if a GPU cannot take even
        one window.
        """
        windows = cut(self.loaded.tokenizer, texts, self.max_tokens, self.long, self.max_windows)
        values = np.zeros(len(windows.owner))
        with threads_of(self.threads, self.loaded.device.type):
            for batch in by_length(windows.lengths(), self.batch_tokens):
                found = self._batch(windows, batch)
                if not np.isfinite(found).all():
                    raise self._not_finite(windows.owner[batch], found, called)
                values[batch] = found
        counts = np.bincount(windows.owner, minlength=len(texts))
        mean = np.bincount(windows.owner, weights=values, minlength=len(texts)) / counts
        tokens = np.bincount(windows.owner, weights=windows.lengths(), minlength=len(texts))
        return Scored(mean, tokens.astype(np.int64))

    def told(self) -> list[str]:
        """What a user should know of the calls since the last question."""
        lines, self._told = self._told, []
        return lines

    def _batch(self, windows: Windows, batch: NDArray[np.int64]) -> NDArray[np.float64]:
        """A batch's scores; halved as often as the device's memory asks for, and later ones with it."""
        lengths = windows.lengths()

        def told(half: int) -> None:
            self.batch_tokens = max(1, half * int(lengths[batch[0]]))
            self._told.append(f"{self.name}: out of memory, going on with batches of {self.batch_tokens:,} tokens")

        return halving(self.name, batch, lengths, lambda part: self._forward(windows, part), told)

    def _forward(self, windows: Windows, batch: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.loaded.unpadded is not None:
            unpadded: NDArray[np.float64] = self.loaded.unpadded(*windows.joined(batch))
            return unpadded
        import torch

        ids, mask = windows.padded(batch, int(self.loaded.tokenizer.pad_token_id))
        place = self.loaded.device
        with torch.inference_mode():
            given = None if mask is None else torch.from_numpy(mask).to(place)
            logits = self.loaded.model(input_ids=torch.from_numpy(ids).to(place), attention_mask=given).logits
            found: NDArray[np.float64] = logits[:, 0].double().cpu().numpy()
        return found

    def _not_finite(
        self, texts: NDArray[np.int64], found: NDArray[np.float64], called: Callable[[int], str]
    ) -> InputError:
        bad = np.unique(texts[~np.isfinite(found)])
        more = f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
        names = ", ".join(called(int(n)) for n in bad[:SHOWN])
        remedy = "precision fp32 (fp16 overflows)" if self.loaded.precision != "fp32" else "train the model again"
        return InputError(
            f"{self.name} gave no number (NaN or infinity) for {len(bad)} of {len(np.unique(texts))} texts of a batch: "
            f"{names}{more}. Remedy: {remedy}"
        )
