"""A batch of wikitext pages to a batch of texts, in one call without the interpreter lock.

Memory is the output, reserved at twice the input and touched only as far as it is written, and room for the longest
page; time is linear in the input whatever it holds.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, Offsets, TextBuffers, pack_texts, read_only
from gpucurate.sources.wikitext.arguments import Call
from gpucurate.sources.wikitext.characters import ORIGIN
from gpucurate.sources.wikitext.composed import BUFFER_BYTES
from gpucurate.sources.wikitext.frames import FRAME_FIELDS, MAX_DEPTH
from gpucurate.sources.wikitext.lines import write_lines
from gpucurate.sources.wikitext.residue import residue
from gpucurate.sources.wikitext.rules import Rules, make_rules
from gpucurate.sources.wikitext.shown_templates import SLOTS
from gpucurate.sources.wikitext.structure import scan_structure
from gpucurate.sources.wikitext.tags import FOUND_SLOTS

GROWTH = 2  # no template shows more than twice its own length; `rules` checks its tables for that
SLACK = 2 * BUFFER_BYTES


def extract(texts: TextBuffers, rules: Rules) -> TextBuffers:
    """Plain text of each page: valid UTF-8 if the pages are, without control characters but tab and newline.

    `texts` are pages of wikitext; the result has as many documents, in the same order.
    """
    data, offsets = extract_batch(read_only(texts.data), read_only(texts.offsets), rules)
    return TextBuffers(read_only(data), read_only(offsets))


def warm() -> None:
    """Compile the kernels, or load them from the cache."""
    residue(extract(pack_texts(["'''a'''"]), make_rules()))


@kernel
def extract_batch(data: Bytes, offsets: Offsets, rules: Rules) -> tuple[Bytes, Offsets]:
    """Text of every page of a batch, laid out as Arrow lays out strings."""
    documents = len(offsets) - 1
    longest = 0
    for d in range(documents):
        longest = max(longest, offsets[d + 1] - offsets[d])
    scratch = np.empty(GROWTH * longest + SLACK, np.uint8)
    frames = np.empty((MAX_DEPTH, FRAME_FIELDS), np.int64)
    found = np.empty(FOUND_SLOTS, np.int64)
    call = Call(np.empty((SLOTS, 2), np.int64), np.empty(BUFFER_BYTES, np.uint8))
    out = np.empty(GROWTH * (offsets[documents] - offsets[0]) + documents + SLACK, np.uint8)
    out_offsets = np.empty(documents + 1, np.int64)
    w = int(ORIGIN)
    out_offsets[0] = 0
    for d in range(documents):
        length, unclosed = scan_structure(data, offsets[d], offsets[d + 1], scratch, frames, found, call, rules)
        w = write_lines(scratch, length, unclosed, out, w, rules)
        out_offsets[d + 1] = w
    return out[:w], out_offsets
