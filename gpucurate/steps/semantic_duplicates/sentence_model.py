"""What the files of a sentence-embedding model say: where the transformer lies, how its tokens become one vector.

The layout is that of sentence-transformers: `modules.json` names a transformer, a pooling, and perhaps a normalisation.
A directory without it is a bare transformer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpucurate.core.errors import InputError
from gpucurate.steps.quality.model_directory import CONFIG, find_directory

MODULES, SENTENCE, POOLING = "modules.json", "sentence_bert_config.json", "config.json"
MODES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
DEFAULT_POOLING = "mean"  # as sentence-transformers does for a bare transformer
DEFAULT_TOKENS = 512
UNDERSTOOD = ("Transformer", "Pooling", "Normalize")


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """`directory` holds weights and tokenizer."""

    directory: Path
    pooling: str  # mean or cls
    max_tokens: int
    lower_case: bool


def read_sentence_model(name: str, pooling: str, max_tokens: int | None) -> SentenceModel:
    """`pooling` `auto` and `max_tokens` None follow the model's files.

    Raises InputError for a directory that holds no such model or one with layers that are not understood.
    """
    root = find_directory(name)
    modules = _read(root / MODULES, [])
    kinds = {str(each["type"]).rsplit(".", 1)[-1]: root / str(each["path"]) for each in modules}
    strange = [kind for kind in kinds if kind not in UNDERSTOOD]
    if strange:
        raise InputError(
            f"{root / MODULES} names a layer {strange[0]!r}; only {', '.join(UNDERSTOOD)} are understood. "
            "Remedy: choose a model without it"
        )
    directory = kinds.get("Transformer", root)
    if not (directory / CONFIG).is_file():
        raise InputError(f"{directory} is no embedding model: it has no {CONFIG}. Remedy: name the model's directory")
    if pooling == "auto":
        pooling = _pooling(kinds["Pooling"] / POOLING) if "Pooling" in kinds else DEFAULT_POOLING
    said = _read(directory / SENTENCE, {})
    positions = _read(directory / CONFIG, {}).get("max_position_embeddings") or DEFAULT_TOKENS
    limit = max_tokens or said.get("max_seq_length") or min(positions, DEFAULT_TOKENS)
    return SentenceModel(directory, pooling, int(limit), bool(said.get("do_lower_case")))


def _pooling(path: Path) -> str:
    said = _read(path, {})
    chosen = [name for name, value in said.items() if name.startswith("pooling_mode_") and value is True]
    if len(chosen) != 1 or chosen[0] not in MODES:
        raise InputError(
            f"{path} asks for {' and '.join(chosen) or 'no pooling'}; only mean or cls alone are understood. "
            "Remedy: choose `pooling: mean` or `cls` in the recipe, or another model"
        )
    return MODES[chosen[0]]


def _read(path: Path, missing: Any) -> Any:
    if not path.is_file():
        return missing
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise InputError(f"{path} is damaged ({error}). Remedy: copy the model again") from error
