"""What the tests of the adapter to NeMo Curator share: corpora, settings, and the program that stands in for NeMo."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from gpucurate.steps.near_duplicates.nemo.job import Settings
from gpucurate.steps.near_duplicates.nemo.text_files import write_text_files

SETTINGS = Settings(shingle_chars=24, bands=14, rows=8, version="1.4.0")


def tables(*parts: Sequence[str]) -> list[pa.Table]:
    return [
        pa.table({"row": pa.array(range(len(part)), pa.int32()), "text": pa.array(part, pa.large_string())})
        for part in parts
    ]


def stand_in(behaviour: str, *options: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("nemo_workflow.py")), behaviour, *options]


def expected(*parts: Sequence[str]) -> list[int]:
    """Brute force: the first document with the same text but for case, if there is another one."""
    texts = [text.casefold() for part in parts for text in part]
    return [texts.index(text) if text and texts.count(text) > 1 else -1 for text in texts]


def write_small_files(texts: Sequence[pa.Table], folder: Path) -> dict[str, int]:
    """A few texts a file, so that a small corpus has several."""
    return write_text_files(texts, folder, file_bytes=40)
