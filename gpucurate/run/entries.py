"""Manifest entries for what a task made, and the environment it was made in."""

from __future__ import annotations

import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

import gpucurate
from gpucurate.core.digests import digest_settings
from gpucurate.run.live import RunContext
from gpucurate.store.artifacts import Artifact
from gpucurate.store.manifest import Entry

# Whatever reads, decodes, computes or writes a value of a result; who runs tasks, moves bytes or prints is not here.
PACKAGES = (
    *("blake3", "numpy", "numba", "llvmlite", "pyarrow", "orjson", "regex"),
    *("brotli", "zstandard", "charset-normalizer", "fastwarc", "resiliparse", "lxml", "trafilatura"),
    *("mwparserfromhell", "datasets", "tiktoken", "tokenizers", "gigatoken"),
    *("phonenumbers", "python-stdnum", "gliner", "presidio-analyzer", "spacy", "lightgbm", "readability-lxml"),
    *("torch", "transformers", "safetensors", "fasttext-community", "scikit-learn", "scipy"),
    *("cupy-cuda13x", "nvidia-cuda-nvrtc", "pylibcudf-cu13", "rmm-cu13"),
    *("nemo-curator", "cudf-cu13", "cudf-streaming-cu13", "pylibcugraph-cu13", "pylibraft-cu13"),
    *("raft-dask-cu13", "rapidsmpf-cu13"),
)
DIGITS = 16  # hexadecimal, of the digest that entries carry


def entry_of(
    context: RunContext, artifact: Artifact, part: str, rows: int, inputs: tuple[str, ...], seconds: float
) -> Entry:
    """The manifest line of an artifact; 0 seconds stand for one found already made."""
    return Entry(
        stage=artifact.stage,
        key=artifact.key,
        part=part,
        path=context.directory.relative(artifact.path),
        digest=artifact.digest,
        rows=rows,
        bytes=artifact.path.stat().st_size,
        inputs=inputs,
        seconds=round(seconds, 6),
        code=gpucurate.__version__,
        environment=environment_digest(),
    )


@lru_cache(maxsize=1)
def environment_digest() -> str:
    """What entries say of the environment; `gpucurate doctor` prints it with what it stands for."""
    return digest_settings(environment())[:DIGITS]


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """Versions of Python and of the libraries that shape results, and the kind of processor.

    Results should depend on none of them, and task keys do not: this is for finding out where they came from.  A GPU is
    not named, since every worker may have another one or none.
    """
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found
