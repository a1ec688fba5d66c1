"""What a closed template shows: nothing, unless its name is among the visible ones.

An argument of any length is shown where it stands, by erasing what is around it; texts made of several arguments are
composed only from short calls.  So nothing long is ever moved, and templates nested in templates stay linear.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.arguments import Call, clear_arguments, read_arguments
from gpucurate.sources.wikitext.characters import COLON, DASH, ERASED, at, copy_bytes, cut, reveal, strip, trim, vanish
from gpucurate.sources.wikitext.composed import (
    LONGEST_CALL,
    compose_date,
    compose_fraction,
    compose_join,
    compose_measure,
)
from gpucurate.sources.wikitext.frames import PIPE_1, PIPES, Frames
from gpucurate.sources.wikitext.rules import BEFORE, FIRST, SHAPE, Rules
from gpucurate.sources.wikitext.shown_templates import (
    ARGUMENT,
    CONVERT,
    DATE,
    FRACTION,
    TEXT,
    TEXT_ARGUMENT,
)

LONGEST_NAME = 40
LONGEST_FAMILY = 5


@kernel
def find_template(text: Bytes, start: int, stop: int, rules: Rules) -> int:
    """Row of the visible template that text[start:stop] names, or -1."""
    if not start < stop <= start + LONGEST_NAME:
        return -1
    row = names.find_name(rules.keys, rules.values, names.TEMPLATE, text, start, stop)
    if row < 0:
        family = start
        while family < min(stop, start + LONGEST_FAMILY) and text[family] != DASH:
            family += 1
        row = names.find_name(rules.keys, rules.values, names.TEMPLATE_FAMILY, text, start, min(family + 1, stop))
    return row


@kernel
def show_template(out: Bytes, start: int, w: int, frames: Frames, top: int, call: Call, rules: Rules) -> int:
    """Replace `{{name|...` at out[start:w] by what `rules` show of it, in place; returns the new end."""
    stop = int(frames[top, PIPE_1]) if frames[top, PIPES] else w
    name_stop = start + 2
    while name_stop < min(stop, start + 2 + LONGEST_NAME) and out[name_stop] != COLON:
        name_stop += 1
    name_start, name_end = trim(out, start + 2, name_stop)
    row = find_template(out, name_start, name_end, rules)
    if row < 0:
        return vanish(out, start)
    arguments = call.arguments
    shape = rules.templates[row, SHAPE]
    before = rules.templates[row, BEFORE]
    before_start = before >> names.TEXT_LENGTH_BITS
    before_stop = before_start + (before & ((1 << names.TEXT_LENGTH_BITS) - 1))
    if shape == TEXT:
        return copy_bytes(rules.text, before_start, before_stop, out, start)
    if at(out, name_stop, stop, COLON):  # a parser function: {{formatnum:6000}}
        clear_arguments(arguments)
        arguments[1, 0], arguments[1, 1] = strip(out, name_stop + 1, stop)
    else:
        read_arguments(out, w, frames, top, arguments, rules)
    if shape != ARGUMENT and w - start <= LONGEST_CALL:
        if shape == CONVERT:
            length = compose_measure(out, arguments, call.buffer, rules)
        elif shape == FRACTION:
            length = compose_fraction(out, arguments, call.buffer)
        elif shape == DATE:
            length = compose_date(out, arguments, row, call.buffer, rules)
        else:
            length = compose_join(out, arguments, row, call.buffer, rules)
        return cut(out, copy_bytes(call.buffer, 0, length, out, start)) if length else vanish(out, start)
    slot = max(rules.templates[row, FIRST], 0) if shape == ARGUMENT else 1  # LAST_ARGUMENT is slot 0
    if arguments[slot, 0] < 0:
        slot = TEXT_ARGUMENT
    begin, end = int(arguments[slot, 0]), int(arguments[slot, 1])
    if begin < 0:
        return vanish(out, start)
    if shape == ARGUMENT:  # only there is `before` known to fit
        begin -= before_stop - before_start
        copy_bytes(rules.text, before_start, before_stop, out, begin)
    return cut(out, reveal(out, start, begin, end, ERASED))
