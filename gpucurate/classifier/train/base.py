"""The model a training starts from: loaded with one output, checked, its head told from its encoder."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from blake3 import blake3

from gpucurate.core.errors import InputError, MissingExtra, UserError
from gpucurate.steps.quality.loading import quiet_transformers
from gpucurate.steps.quality.model_directory import find_directory, kind_of

HUGE = 10**9  # what tokenizers answer where nobody told them a limit
POOLING = "1_Pooling/config.json"  # Sentence Transformers
POOLER = "pooler"  # module of an encoder that belongs to the head: it follows the last hidden state


@dataclass(frozen=True, slots=True)
class Base:
    """A tokenizer and a model with one output, on the CPU in float32."""

    name: str
    digest: str  # 64 hex digits over the encoder's weights
    tokenizer: Any
    model: Any
    new: tuple[str, ...]  # parameters that the checkpoint lacks, so that they start at random
    pools_all: bool  # whether it was trained to give the mean over all tokens, not the first one's state

    @property
    def encoder(self) -> Any:
        """The part that gives hidden states."""
        return self.model.base_model

    def head(self) -> list[str]:
        """Names of the parameters that follow the last hidden state."""
        prefix = f"{self.model.base_model_prefix}."
        names = [name for name, _ in self.model.named_parameters()]
        return [name for name in names if not name.startswith(prefix) or name.startswith(f"{prefix}{POOLER}.")]

    def output(self) -> Any:
        """The linear layer that gives the score."""
        linear = [m for m in self.model.modules() if getattr(m, "out_features", None) == 1]
        return linear[-1]


def open_base(name: str, max_tokens: int, seed: int) -> Base:
    """Load `name`, a directory or a name on the hub (HF_HUB_OFFLINE is heeded); new parameters come from `seed`.

    Raises MissingExtra without transformers, InputError for a model that is not there or is damaged, UserError for one
    that has another number of outputs or no fast tokenizer with a padding token, or takes fewer tokens than
    `max_tokens`.
    """
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
    except ImportError as error:
        raise MissingExtra("gpucurate classifier train", error.name or "transformers", "classifier") from error
    directory = find_directory(name)
    if kind_of(directory) != "regressor":
        raise UserError(f"{name} is a fastText classifier. Remedy: start from an embedding model")
    torch.manual_seed(seed)
    try:
        with quiet_transformers():
            tokenizer = AutoTokenizer.from_pretrained(directory)
            model, found = AutoModelForSequenceClassification.from_pretrained(
                directory, num_labels=1, problem_type="regression", dtype=torch.float32, output_loading_info=True
            )
    except (OSError, ValueError, SafetensorError) as error:
        raise InputError(
            f"the model {name} cannot be loaded: {str(error).strip().splitlines()[0]}. "
            "Remedy: fetch it again, or choose one that this version of transformers knows"
        ) from error
    except RuntimeError as error:
        if "mismatch" not in str(error):
            raise
        raise UserError(
            f"the model {name} has a head of another size than one output. "
            "Remedy: start from the embedding model it was made from"
        ) from error
    _check(name, tokenizer, model, max_tokens)
    base = Base(name, "", tokenizer, model, tuple(sorted(found["missing_keys"])), _pools_all(directory))
    return replace(base, digest=_digest(base))


def _check(name: str, tokenizer: Any, model: Any, max_tokens: int) -> None:
    if not tokenizer.is_fast:
        raise UserError(f"the model {name} has no fast tokenizer (tokenizer.json). Remedy: choose one that has")
    if tokenizer.pad_token_id is None:
        if tokenizer.eos_token is None:
            raise UserError(
                f"the tokenizer of {name} has no padding token. Remedy: give it one, or choose another model"
            )
        tokenizer.pad_token = tokenizer.eos_token
    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    limit = tokenizer.model_max_length
    if limit < HUGE and limit < max_tokens:
        raise UserError(f"the model {name} takes {limit} tokens, asked for {max_tokens}. Remedy: max_tokens={limit}")
    if getattr(model, "base_model", model) is model:
        raise UserError(f"the model {name} does not tell its encoder from its head. Remedy: choose another model")


def _pools_all(directory: Path) -> bool:
    """What Sentence Transformers' file beside the model says; False where there is none."""
    path = directory / POOLING
    if not path.is_file():
        return False
    try:
        return bool(json.loads(path.read_bytes()).get("pooling_mode_mean_tokens"))
    except (ValueError, AttributeError):  # not ours, and only a hint hangs on it
        return False


def _digest(base: Base) -> str:
    """Over what the encoder starts as: names, shapes and bytes of all its parameters but the head's."""
    hasher, head = blake3(max_threads=blake3.AUTO), set(base.head())
    for name, value in sorted(base.model.named_parameters()):
        if name not in head:
            hasher.update(f"{name} {tuple(value.shape)}\n".encode())
            hasher.update(value.detach().numpy().tobytes())
    return hasher.hexdigest()
