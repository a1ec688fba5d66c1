"""Loading a causal language model to judge with; a model that lacks weights is refused, not filled with random ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpucurate.core.digests import digest_file, digest_settings
from gpucurate.core.errors import DeviceError, InputError, MissingExtra

REMEDY = "name a directory or a hub model with a causal language model and its tokenizer"


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model on its device; `identity` stands for weights and tokenizer: a digest of the files, or name and commit."""

    model: Any
    tokenizer: Any
    name: str  # without the folders it lies in
    identity: str


def load_model(path: str, device: str, dtype: str) -> LoadedModel:
    """Load from a directory or by name; raises MissingExtra, InputError or DeviceError with the remedy."""
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ModuleNotFoundError as error:
        raise MissingExtra("a local judge", str(error.name), "classifier") from error
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise DeviceError(f"--device {device}: this machine shows no GPU to PyTorch. Remedy: --device cpu")
    found: Any
    try:
        tokenizer = AutoTokenizer.from_pretrained(path)
        found = AutoModelForCausalLM.from_pretrained(path, dtype=dtype, output_loading_info=True)
    except (OSError, ValueError, SafetensorError) as error:  # absent, not cached, damaged, no such model
        reason = str(error).strip().splitlines()[0]
        raise InputError(
            f"cannot load the local judge {path!r}: {reason}. Remedy: {REMEDY}; offline it must be in the hub's cache"
        ) from error
    model, loading = found
    if loading["missing_keys"]:  # an encoder, say, whose head transformers fills with random numbers
        missing = ", ".join(sorted(loading["missing_keys"])[:3])
        raise InputError(f"the local judge {path!r} lacks weights ({missing}, …). Remedy: {REMEDY}")
    try:
        model = model.to(device)
    except RuntimeError as error:  # no such device, or too small
        reason = str(error).splitlines()[0]
        raise DeviceError(f"--device {device}: {reason}. Remedy: another device or --dtype") from error
    folder = Path(path)
    if folder.is_dir():
        files = {file.name: digest_file(file) for file in sorted(folder.iterdir()) if file.is_file()}
        return LoadedModel(model, tokenizer, folder.resolve().name, digest_settings(files))
    return LoadedModel(model, tokenizer, path, f"{path}@{getattr(model.config, '_commit_hash', None)}")
