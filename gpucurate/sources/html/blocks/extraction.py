"""A batch of pages to a batch of texts, in one call without the interpreter lock.

Memory is scratch for the page with the most tags and the longest page of the batch, and the output, reserved at the
size of the input and grown where lists and tables need more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, TextBuffers, pack_texts, read_only
from gpucurate.sources.html.blocks.characters import ORIGIN, Table
from gpucurate.sources.html.blocks.context import make_context
from gpucurate.sources.html.blocks.feature_names import FEATURES
from gpucurate.sources.html.blocks.features import fill_features
from gpucurate.sources.html.blocks.page import FIELDS, MAX_BYTES, MAX_TAGS, ScannedPage, count_tags, reserve
from gpucurate.sources.html.blocks.scan import filled
from gpucurate.sources.html.blocks.scanner import scan_page
from gpucurate.sources.html.blocks.state import new_scanner
from gpucurate.sources.html.blocks.trees import LEAVES, SPLITS, SURE, Forest, Trees, score
from gpucurate.sources.html.blocks.writing.layout import room, write
from gpucurate.sources.html.blocks.writing.options import MARKDOWN, Options
from gpucurate.sources.html.blocks.writing.places import find_places
from gpucurate.sources.html.blocks.writing.selection import choose
from gpucurate.sources.html.blocks.writing.signals import SIGNALS, fill_signals

# What became of a page.
EXTRACTED, TOO_LARGE, TOO_MANY_TAGS = range(3)


class Extracted(NamedTuple):
    """`texts` as many as pages; `outcomes` uint8 [pages]; `fields` int64 [pages, FIELDS, 2], places of the metadata in
    the data of the batch, -1 where there is none; `signals` float32 [pages, SIGNALS]."""

    texts: TextBuffers
    outcomes: NDArray[np.uint8]
    fields: NDArray[np.int64]
    signals: NDArray[np.float32]


def extract_pages(pages: TextBuffers, forest: Forest, options: Options, max_bytes: int = MAX_BYTES) -> Extracted:
    """Main content of pages in valid UTF-8, which gives valid UTF-8 without control characters but tab and newline."""
    options = Options(int(options.layout), *map(bool, options[1:]))  # one type for every caller, one compilation
    data, offsets = read_only(pages.data), read_only(pages.offsets)
    out, ends, outcomes, fields, signals = _extract(data, offsets, forest, options, min(max_bytes, MAX_BYTES))
    return Extracted(TextBuffers(read_only(out), read_only(ends)), outcomes, fields, signals)


@kernel
def _extract(
    data: Bytes, offsets: Offsets, forest: Forest, options: Options, max_bytes: int
) -> tuple[Bytes, Offsets, NDArray[np.uint8], NDArray[np.int64], NDArray[np.float32]]:
    documents = len(offsets) - 1
    outcomes = np.zeros(documents, np.uint8)
    longest = most_tags = 0
    for d in range(documents):
        if offsets[d + 1] - offsets[d] > max_bytes:
            outcomes[d] = TOO_LARGE
            continue
        tags = count_tags(data, offsets[d], offsets[d + 1])
        if tags > MAX_TAGS:
            outcomes[d] = TOO_MANY_TAGS
        else:
            longest = max(longest, offsets[d + 1] - offsets[d])
            most_tags = max(most_tags, tags)
    scratch = reserve(longest, most_tags)
    scanner = new_scanner()
    out = np.empty(offsets[documents] - offsets[0], np.uint8)
    out_offsets = np.zeros(documents + 1, np.int64)
    fields = np.full((documents, FIELDS, 2), -1, np.int64)
    signals = np.zeros((documents, SIGNALS), np.float32)
    w = 0
    for d in range(documents):
        if outcomes[d] == EXTRACTED:
            source = data[offsets[d] : offsets[d + 1]]  # positions within a page fit int32, within a batch they may not
            scanned = filled(scratch, scan_page(source, ORIGIN, len(source), scratch, scanner))
            for field in range(FIELDS):
                if scanned.fields[field, 0] >= 0:
                    fields[d, field] = scanned.fields[field] + offsets[d]
            if len(scanned.blocks):
                needed = w + room(scanned)
                if needed > len(out):
                    grown = np.empty(max(needed, 2 * len(out)), np.uint8)
                    grown[:w] = out[:w]
                    out = grown
                w = _write_page(scanned, forest, options, out, w, signals[d])
        out_offsets[d + 1] = w
    return out[:w], out_offsets, outcomes, fields, signals


@kernel
def _write_page(
    scanned: ScannedPage, forest: Forest, options: Options, out: Bytes, w: int, signals: NDArray[np.float32]
) -> int:
    """Score, choose and write the blocks of a page."""
    context = make_context(scanned)
    probabilities = np.empty(len(scanned.blocks), np.float32)
    row = np.empty(FEATURES, np.float32)
    for k in range(len(probabilities)):
        fill_features(row, k, scanned, context)
        probabilities[k] = score(row, forest, SURE)
    keep = np.empty(len(probabilities), np.bool_)
    choose(scanned, context, probabilities, forest.decision, options, keep)
    fill_signals(scanned, context, probabilities, keep, signals)
    places: Table = find_places(scanned.nodes)
    return write(scanned, keep, places, options.layout == MARKDOWN, out, w)


def warm() -> None:
    """Compile the kernels, or load them from the cache; needs no model."""
    nothing = Forest(np.zeros(SPLITS, np.uint16), np.zeros(SPLITS, np.float32), np.zeros(LEAVES, np.float32), 1, 0.5)
    extract_pages(pack_texts(["<p>a"]), Trees(nothing).forest, Options())
