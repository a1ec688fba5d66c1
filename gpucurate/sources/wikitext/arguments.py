"""The arguments of a template call: which are positional, which are named, and where each stands.

Only the first few pipes of a call are known (`frames.MAX_PIPES`); what lies behind them is never asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.characters import (
    DASH,
    EQUALS,
    NEWLINE,
    SPACE,
    UNDERSCORE,
    is_alnum,
    strip,
    trim,
)
from gpucurate.sources.wikitext.frames import MAX_PIPES, PIPE_1, PIPES, Frames
from gpucurate.sources.wikitext.rules import Rules
from gpucurate.sources.wikitext.shown_templates import POSITIONS, SLOTS

Arguments = NDArray[
    np.int64
]  # [SLOTS, 2]: begin and end without blanks, begin -1 if missing; slot 0: the last position
LONGEST_NAME = 24


class Call(NamedTuple):
    """Room to lay out one call at a time; allocated once a batch."""

    arguments: Arguments
    buffer: Bytes  # [composed.BUFFER_BYTES]


@kernel
def read_arguments(out: Bytes, w: int, frames: Frames, top: int, arguments: Arguments, rules: Rules) -> None:
    """Fill `arguments` from the call at frame `top`, whose text ends at out[w]."""
    clear_arguments(arguments)
    pipes = int(frames[top, PIPES])
    known = pipes if pipes < MAX_PIPES else pipes - 1  # of a full frame, the last part may hold more pipes
    position = 0
    for k in range(known):
        begin = int(frames[top, PIPE_1 + k]) + 1
        end = int(frames[top, PIPE_1 + k + 1]) if k + 1 < pipes else w
        equals = name_end(out, begin, end)
        if equals >= 0:
            name_start, name_stop = trim(out, begin, equals)
            slot = names.find_name(rules.keys, rules.values, names.OPTION, out, name_start, name_stop)
            begin = equals + 1
        else:
            position += 1
            slot = position if position <= POSITIONS else -1
        if slot > 0:
            begin, end = strip(out, begin, end)
            arguments[slot, 0], arguments[slot, 1] = begin, end
            if slot <= POSITIONS:
                arguments[0, 0], arguments[0, 1] = begin, end


@kernel
def clear_arguments(arguments: Arguments) -> None:
    """No argument is there."""
    for slot in range(SLOTS):
        arguments[slot, 0] = -1


@kernel
def name_end(out: Bytes, begin: int, end: int) -> int:
    """Where the '=' of a named argument stands, or -1 if this one is positional.

    A name is a short word; the '=' of a URL or an equation makes none.
    """
    for k in range(begin, min(end, begin + LONGEST_NAME)):
        c = out[k]
        if c == EQUALS:
            return k
        if not (is_alnum(c) or c == SPACE or c == NEWLINE or c == DASH or c == UNDERSCORE):
            return -1
    return -1
