"""The stack of constructs that are open at a point of the text: braces, tables, links, URLs, script variants.

A frame says where its construct began in the output and where its pipes are.  Closing a frame drops all frames above
it, whose openers thereby stay text; nothing is searched, so a page of openers costs no more than a page of letters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel

Frames = NDArray[np.int64]  # [MAX_DEPTH, FRAME_FIELDS]

# Kinds.  Up to IN_HTML_TABLE they are blocks: a table cannot close across braces.
IN_BRACES, IN_TABLE, IN_HTML_TABLE, IN_LINK, IN_URL, IN_VARIANT = map(np.int64, range(6))

# Fields of a frame.
KIND, START, BRACE_COUNT, BRACES_AT, BLOCK_AT, SOLID_AT, PIPES, PIPE_1 = range(8)
MAX_PIPES = 8
FRAME_FIELDS = PIPE_1 + MAX_PIPES
MAX_DEPTH = 1000  # deeper openers stay text: bounds memory, not time


@kernel
def push(frames: Frames, depth: int, kind: np.int64, start: int) -> int:
    """Open a construct whose output begins at `start`; returns the new depth, the old one if the stack is full."""
    if depth == MAX_DEPTH:
        return depth
    frames[depth, KIND] = kind
    frames[depth, START] = start
    frames[depth, PIPES] = 0
    frames[depth, BRACES_AT] = depth if kind == IN_BRACES else (frames[depth - 1, BRACES_AT] if depth else -1)
    frames[depth, BLOCK_AT] = depth if kind <= IN_HTML_TABLE else (frames[depth - 1, BLOCK_AT] if depth else -1)
    frames[depth, SOLID_AT] = depth if kind != IN_VARIANT else (frames[depth - 1, SOLID_AT] if depth else -1)
    return depth + 1


@kernel
def innermost_block(frames: Frames, depth: int, kind: np.int64) -> int:
    """Index of the innermost braces or table if it is of this kind, else -1."""
    block = int(frames[depth - 1, BLOCK_AT]) if depth else -1
    return block if block >= 0 and frames[block, KIND] == kind else -1


@kernel
def note_pipe(frames: Frames, depth: int, w: int, from_template: bool) -> None:
    """A pipe at out[w] divides the innermost link, template or variant; one that {{!}} made divides no template."""
    if not depth:
        return
    top = depth - 1
    kind, pipes = frames[top, KIND], frames[top, PIPES]
    if pipes < MAX_PIPES and (kind == IN_LINK or kind == IN_VARIANT or (kind == IN_BRACES and not from_template)):
        frames[top, PIPE_1 + pipes] = w
        frames[top, PIPES] = pipes + 1


@kernel
def close_single_line(frames: Frames, depth: int) -> int:
    """At a newline an external link, or a link still without its first pipe, can no longer close."""
    while depth:
        kind = frames[depth - 1, KIND]
        if kind == IN_URL or (kind == IN_LINK and frames[depth - 1, PIPES] == 0):
            depth -= 1
        else:
            break
    return depth


@kernel
def drop_variants(frames: Frames, depth: int) -> int:
    """Depth without the variants on top: an unclosed -{ is text and must not keep what surrounds it from closing."""
    return int(frames[depth - 1, SOLID_AT]) + 1 if depth else 0


@kernel
def first_unclosed_block(frames: Frames, depth: int, length: int) -> int:
    """Where the outermost braces or table that the page never closes begin, or `length`."""
    for k in range(depth):
        if frames[k, KIND] <= IN_TABLE:
            return int(frames[k, START])
    return length
