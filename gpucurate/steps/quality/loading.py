"""Loading a Hugging Face directory for scoring, and saying what is wrong with one that cannot score.

transformers itself gives a model without a head random outputs, with a warning; here that is an error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gpucurate.core.errors import DeviceError, InputError, MissingExtra, UserError
from gpucurate.steps.quality.model_directory import weight_files

UNLIMITED = 10**9  # what tokenizers say who were not told the model's limit
PRECISIONS = ("auto", "fp32", "bf16", "fp16", "int8")
POOLER = "pooler."  # a layer that embeddings do without; many models are saved without it
Head = Literal["score", "labels", "none"]  # one output; one a label; the hidden states alone


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tokenizer and a model, in evaluation mode on its device."""

    tokenizer: Any
    model: Any  # None where `unpadded` is there: its weights would lie in memory twice
    device: Any  # torch.device
    precision: str  # fp32, bf16, fp16 or int8
    unpadded: Any = None  # Int8Bert, which scores in the place of `model`


def load(directory: Path, precision: str, device: str, max_tokens: int, head: Head = "score") -> Loaded:
    """Raises InputError for a model that is damaged, has another head than is asked for, or no fast tokenizer with a
    padding token; UserError for settings that do not fit; DeviceError for `cuda` without a GPU."""
    try:
        import torch
        from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer
    except ImportError as error:
        raise MissingExtra("a transformer", error.name or "transformers", "classifier") from error
    family = AutoModel if head == "none" else AutoModelForSequenceClassification
    place = _device(torch, device)
    chosen = _precision(precision, place.type)
    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(chosen, torch.float32)
    weight_files(directory)
    with quiet_transformers(), _readable(directory):
        tokenizer = AutoTokenizer.from_pretrained(str(directory), local_files_only=True)
        model, found = family.from_pretrained(
            str(directory), dtype=dtype, output_loading_info=True, local_files_only=True
        )
    _check_head(directory, model, found, head)
    _check_tokenizer(directory, tokenizer, model, max_tokens)
    model = model.eval()
    if chosen == "int8":
        return _in_integers(tokenizer, model, place, head)
    return Loaded(tokenizer, model.to(place), place, chosen)


def _in_integers(tokenizer: Any, model: Any, place: Any, head: Head) -> Loaded:
    from gpucurate.steps.quality.int8 import to_int8
    from gpucurate.steps.quality.int8_bert import Int8Bert, fits

    if head == "score" and fits(model):  # what runs other heads runs the module itself
        return Loaded(tokenizer, None, place, "int8", Int8Bert(model))
    to_int8(model)
    return Loaded(tokenizer, model, place, "int8")


def _device(torch: Any, device: str) -> Any:
    if device == "cpu":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        if device == "auto":
            return torch.device("cpu")
        why = "torch sees no GPU" if torch.version.cuda else "the installed torch is built for the CPU only"
        raise DeviceError(
            f"device {device!r} was asked for, but {why}. Remedy: check nvidia-smi and CUDA_VISIBLE_DEVICES, install "
            "torch with CUDA, or choose --device cpu"
        )
    return torch.device("cuda" if device == "auto" else device)


def _precision(precision: str, kind: str) -> str:
    if precision not in PRECISIONS:
        raise UserError(f"precision {precision!r} is none of {', '.join(PRECISIONS)}")
    if precision == "auto":
        return "bf16" if kind == "cuda" else "fp32"
    if precision == "fp16" and kind == "cpu":
        raise UserError("precision fp16 needs a GPU. Remedy: fp32, bf16 or int8 on a CPU")
    if precision == "int8" and kind == "cuda":
        raise UserError("precision int8 is for CPUs. Remedy: bf16 or fp16 on a GPU")
    return precision


def _check_head(directory: Path, model: Any, found: Any, head: Head) -> None:
    missing = sorted(found["missing_keys"])
    if head == "none":
        missing = [name for name in missing if not name.startswith(POOLER)]
        if missing:
            raise InputError(
                f"the weights in {directory} lack {', '.join(missing[:3])}. Remedy: copy the embedding model again"
            )
        return
    if missing:
        raise InputError(
            f"{directory} has no head to score with: its weights lack {', '.join(missing[:3])}. It is probably the "
            "embedding model alone. Remedy: train it first (gpucurate classifier train)"
        )
    outputs = int(model.config.num_labels)
    if head == "score" and outputs != 1:
        raise InputError(
            f"{directory} has a head of {outputs} outputs, a score needs exactly one. "
            "Remedy: choose a regressor (num_labels 1), such as gpucurate classifier train writes"
        )


def _check_tokenizer(directory: Path, tokenizer: Any, model: Any, max_tokens: int) -> None:
    if not tokenizer.is_fast:
        raise InputError(f"{directory} has no fast tokenizer (tokenizer.json). Remedy: save one beside the weights")
    if tokenizer.pad_token_id is None:
        raise InputError(
            f"the tokenizer in {directory} has no padding token, so texts of different lengths cannot share a batch. "
            "Remedy: set one (tokenizer.pad_token = tokenizer.eos_token, model.config.pad_token_id) and save both again"
        )
    limits = (tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", UNLIMITED))
    limit = min(limit for limit in limits if limit is not None)
    if max_tokens > limit:
        raise UserError(f"{directory} takes at most {limit} tokens, {max_tokens} were asked for. Remedy: lower it")


@contextlib.contextmanager
def _readable(directory: Path) -> Iterator[None]:
    """Say in one line what the libraries say in many.

    They raise nearly anything on a damaged file, hence the breadth; nothing is swallowed.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        said = str(error).strip().splitlines()
        raise InputError(
            f"the model in {directory} cannot be loaded: {said[0] if said else type(error).__name__}. "
            "Remedy: copy it again, or train it again"
        ) from error


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Without the bars and reports of transformers; what matters of them is checked above."""
    import transformers

    logging: Any = transformers.utils.logging  # parts of it have no types
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
