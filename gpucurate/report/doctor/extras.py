"""Optional packages: that those which are installed can be imported, and what the others are for.

Each is imported in a process of its own, so that a broken library which ends its process is a line here.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from gpucurate.report.doctor.check import Check, State

IMPORT_SECONDS = 120.0  # cuDF loads several gigabytes from a cold disk
# Extra of pyproject.toml: distribution and module of every package in it.
EXTRAS: Mapping[str, Mapping[str, str]] = {
    "html": {"trafilatura": "trafilatura"},
    "wikitext-reference": {"mwparserfromhell": "mwparserfromhell"},
    "fast-tokens": {"gigatoken": "gigatoken"},
    "hub": {"datasets": "datasets"},
    "remote": {"s3fs": "s3fs", "gcsfs": "gcsfs", "aiohttp": "aiohttp"},
    "classifier": {
        "accelerate": "accelerate",
        "fasttext-community": "fasttext",
        "matplotlib": "matplotlib",
        "openai": "openai",
        "safetensors": "safetensors",
        "scikit-learn": "sklearn",
        "scipy": "scipy",
        "torch": "torch",
        "transformers": "transformers",
    },
    "pii": {"phonenumbers": "phonenumbers", "python-stdnum": "stdnum"},
    "pii-names": {"gliner": "gliner", "presidio-analyzer": "presidio_analyzer"},
    "main-content": {"lightgbm": "lightgbm", "readability-lxml": "readability", "trafilatura": "trafilatura"},
    "cuda": {"cupy-cuda13x": "cupy"},
    "cudf": {"pylibcudf-cu13": "pylibcudf", "rmm-cu13": "rmm"},
    "nemo": {
        "cudf-cu13": "cudf",
        "cudf-streaming-cu13": "cudf_streaming",
        "dask-cuda": "dask_cuda",
        "nemo-curator": "nemo_curator",
        "pylibcugraph-cu13": "pylibcugraph",
        "pylibraft-cu13": "pylibraft",
        "raft-dask-cu13": "raft_dask",
        "rapidsmpf-cu13": "rapidsmpf",
    },
}


@dataclass(frozen=True, slots=True)
class Importing:
    """An extra under examination; `process` imports its packages, where all of them are installed."""

    extra: str
    packages: Mapping[str, str]
    installed: Mapping[str, str]
    process: subprocess.Popen[str] | None


def start_imports(extras: Mapping[str, Mapping[str, str]] = EXTRAS) -> list[Importing]:
    """Begin to import everything at once, beside what the caller does next: most of the time is reading from disk."""
    return [
        Importing(extra, packages, found, _start(packages.values()) if len(found) == len(packages) else None)
        for extra, packages in extras.items()
        for found in [_installed(packages)]
    ]


def extra_checks(imports: Iterable[Importing]) -> Iterator[Check]:
    """A check an extra; it fails where an installed package cannot be imported."""
    for each in imports:
        name, install = f"extra {each.extra}", f"'gpucurate[{each.extra}]'"
        if each.process is None:
            missing = ", ".join(package for package in each.packages if package not in each.installed)
            yield Check(name, State.ABSENT, f"{missing} not installed", f"pip install {install}")
            continue
        said = ", ".join(f"{package} {found}" for package, found in each.installed.items())
        problem = _problem(each.process)
        if problem is None:
            yield Check(name, State.OK, said)
        else:
            remedy = f"pip install --force-reinstall {install}"
            yield Check(name, State.FAILED, f"{said}: cannot be imported ({problem})", remedy)


def _installed(packages: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _start(modules: Iterable[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", f"import {', '.join(modules)}"]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _problem(process: subprocess.Popen[str]) -> str | None:
    """The last line of what an import said; None if it went well."""
    try:
        said, _ = process.communicate(timeout=IMPORT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"it takes more than {IMPORT_SECONDS:.0f} s"
    if process.returncode == 0:
        return None
    lines = said.strip().splitlines()
    return lines[-1] if lines else f"the interpreter ended with {process.returncode}"
