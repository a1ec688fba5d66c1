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

PACKAGES = ("numpy", "numba", "pyarrow", "fastwarc", "resiliparse", "trafilatura", "tiktoken", "tokenizers")


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
        environment=digest_settings(environment())[:16],
    )


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """Versions of Python and of the libraries that shape results."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found
