"""Where a classifier lies, of which kind it is, and the digest of what shapes its scores.

A name is a directory, or else a model on the Hugging Face hub, which is fetched into that library's own cache once
(HF_HUB_OFFLINE forbids the fetching).
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpucurate.core.digests import digest_file, digest_settings
from gpucurate.core.errors import InputError, MissingExtra

CONFIG = "config.json"  # of a Hugging Face directory
LINEAGE = "gpucurate.json"  # how ours came about; says of what kind a directory is that is not Hugging Face's
FASTTEXT_FILE = "model.bin"
TEXT_FILES = ("*.json", "*.txt", "*.model")  # configuration, tokenizer, vocabulary
WEIGHTS = ("*.safetensors", "*.bin")  # the first kind that is there is what is loaded
# Of the files in a directory, those that say what somebody did rather than what the model does.
TOLD_ONLY = {LINEAGE, "quantiles.json", "training_args.bin", "trainer_state.json", "all_results.json"}


def find_directory(name: str) -> Path:
    """The directory of a classifier.  Raises InputError if there is none, MissingExtra without huggingface_hub."""
    if Path(name).is_dir():
        return Path(name)
    if Path(name).exists() or name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise InputError(f"the classifier {name!r} is not a directory. Remedy: name the directory that training wrote")
    return _from_hub(name)


def kind_of(directory: Path) -> str:
    """`fasttext` or `regressor`.  Raises InputError for a directory that is neither."""
    if (directory / CONFIG).is_file():
        return "regressor"
    if (directory / FASTTEXT_FILE).is_file() and lineage(directory).get("kind") == "fasttext":
        return "fasttext"
    raise InputError(
        f"{directory} is no classifier: it holds neither {CONFIG} (Hugging Face) nor {FASTTEXT_FILE} with a {LINEAGE} "
        "of kind fasttext. Remedy: name the directory that training wrote"
    )


def lineage(directory: Path) -> dict[str, Any]:
    """What training wrote down; empty for models of others.  Raises InputError where it is damaged."""
    path = directory / LINEAGE
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_bytes()))
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} is damaged ({error}). Remedy: train the classifier again") from error


def classifier_digest(directory: Path) -> str:
    """64 hex digits over the files that shape scores: weights, configuration, tokenizer.  Their names count, the
    place of the directory does not."""
    names = {path.name for pattern in TEXT_FILES for path in directory.glob(pattern)} - TOLD_ONLY
    names |= {FASTTEXT_FILE} if kind_of(directory) == "fasttext" else set(weight_files(directory))
    return digest_settings({name: _digest(directory / name) for name in sorted(names)})


def weight_files(directory: Path) -> list[str]:
    """Names of the files with a Hugging Face model's weights."""
    for pattern in WEIGHTS:
        found = sorted(path.name for path in directory.glob(pattern) if path.name not in TOLD_ONLY)
        if found:
            return found
    raise InputError(f"{directory} holds no weights (model.safetensors). Remedy: copy the model again, or train it")


@lru_cache(maxsize=16)
def _from_hub(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError as error:
        raise MissingExtra(f"the classifier {name!r}", "huggingface_hub", "classifier") from error
    try:
        for pattern in WEIGHTS:
            directory = Path(snapshot_download(name, allow_patterns=[*TEXT_FILES, pattern]))
            if any(directory.glob(pattern)):
                break
    except LocalEntryNotFoundError as error:
        raise InputError(
            f"the classifier {name!r} is neither a directory nor in the Hugging Face cache, and could not be fetched. "
            "Remedy: name a directory, or fetch it once with a connection (HF_HUB_OFFLINE unset)"
        ) from error
    except (HfHubHTTPError, HFValidationError) as error:
        raise InputError(
            f"the classifier {name!r} is no directory, and the Hugging Face hub does not give it: "
            f"{str(error).strip().splitlines()[0]}. Remedy: check the name, or set HF_TOKEN for a gated model"
        ) from error
    return directory


def _digest(path: Path) -> str:
    state = path.stat()
    return _digest_of(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest_of(path: Path, size: int, changed: int) -> str:
    """Read once a process, unless the file changes meanwhile."""
    return digest_file(path)
