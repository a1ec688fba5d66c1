"""A page of UTF-8 to a `ScannedPage` of its own arrays: for training, tests and looking at one page.

`extraction` scans batches of pages into scratch memory instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.errors import InputError
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks.characters import ORIGIN
from gpucurate.sources.html.blocks.features import feature_matrix
from gpucurate.sources.html.blocks.page import (
    MAX_BYTES,
    MAX_TAGS,
    START,
    STOP,
    ScannedPage,
    count_tags,
    reserve,
)
from gpucurate.sources.html.blocks.scanner import scan_page
from gpucurate.sources.html.blocks.state import new_scanner


def scan(utf8: bytes) -> ScannedPage:
    """The blocks of a page.  Raises InputError if it has more than `MAX_BYTES` bytes or `MAX_TAGS` tags."""
    source = np.frombuffer(utf8, np.uint8)
    tags = count_tags(source, ORIGIN, len(source)) if len(source) <= MAX_BYTES else 0
    if len(source) > MAX_BYTES or tags > MAX_TAGS:
        raise InputError(f"a page of {len(source)} bytes and {tags} tags is too large to scan")
    return _scan(source, tags)


def features(page: ScannedPage) -> NDArray[np.float32]:
    """float32 [blocks, FEATURES], columns as in FEATURE_NAMES."""
    return feature_matrix(page)


def block_texts(page: ScannedPage) -> list[str]:
    """The text of each block."""
    data = page.text.tobytes()
    return [data[start:stop].decode("utf-8", "replace") for start, stop in page.blocks[:, [START, STOP]].tolist()]


@kernel
def _scan(source: Bytes, tags: int) -> ScannedPage:
    out = reserve(len(source), tags)
    return filled(out, scan_page(source, ORIGIN, len(source), out, new_scanner()))


@kernel
def filled(out: ScannedPage, lengths: tuple[int, int, int, int]) -> ScannedPage:
    """The parts of the arrays that a scan has filled."""
    written, blocks, nodes, links = lengths
    return ScannedPage(
        out.text[:written],
        out.blocks[:blocks],
        out.block_marks[:blocks],
        out.nodes[:nodes],
        out.node_marks[:nodes],
        out.links[:links],
        out.fields,
        out.title_words,
    )
