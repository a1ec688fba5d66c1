"""Braces: templates, template arguments and wiki tables are opened and paired here.

Runs of braces pair the way MediaWiki's preprocessor pairs them (Preprocessor_Hash: three at most, then two, innermost
first).  What a closed template shows is decided in `templates`.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext.arguments import Call
from gpucurate.sources.wikitext.characters import (
    BANG,
    CLOSE_BRACE,
    COLON,
    CONTROL_BYTES,
    DASH,
    ERASED,
    NEWLINE,
    OPEN_BRACE,
    PIPE,
    SPACE,
    at,
    both,
    byte_set,
    copy_bytes,
    reveal,
    run_length,
    trim,
    vanish,
)
from gpucurate.sources.wikitext.frames import (
    BRACE_COUNT,
    BRACES_AT,
    IN_BRACES,
    IN_TABLE,
    IN_VARIANT,
    KIND,
    PIPE_1,
    PIPES,
    START,
    Frames,
    innermost_block,
    note_pipe,
    push,
)
from gpucurate.sources.wikitext.rules import Rules
from gpucurate.sources.wikitext.templates import find_template, show_template
from gpucurate.sources.wikitext.variants import show_variant

LONGEST_INDENT = 64  # blanks and colons before {| that are looked back over
NAME_END = byte_set(b"|:{}<[" + CONTROL_BYTES.replace(b"\n", b""))
NESTING = byte_set(b"{}<")


@kernel
def line_start(out: Bytes, w: int) -> int:
    """Where the output line begins if only blanks and ':' stand on it so far, else -1."""
    for k in range(w - 1, max(w - LONGEST_INDENT - 1, -1), -1):
        if out[k] == NEWLINE:
            return k + 1
        if out[k] > SPACE and out[k] != COLON:
            return -1
    return 0 if w <= LONGEST_INDENT else -1


@kernel
def skip_hidden_template(src: Bytes, pos: int, stop: int, rules: Rules) -> int:
    """Behind the template that begins at `pos` if it shows nothing and holds no other braces or tags, else -1.

    Most templates are such, and this spares copying them.  The scan ends at the next brace pair or tag, so no byte
    is scanned twice by it.
    """
    k = pos + 2
    while k < stop and not NAME_END[src[k]]:
        k += 1
    start, end = trim(src, pos + 2, k)
    if find_template(src, start, end, rules) >= 0:
        return -1
    while k < stop:
        if NESTING[src[k]]:
            if src[k] == CLOSE_BRACE:
                if at(src, k + 1, stop, CLOSE_BRACE):
                    return k + 2
            elif src[k] != OPEN_BRACE or at(src, k + 1, stop, OPEN_BRACE) or at(src, k + 1, stop, PIPE):
                return -1
        k += 1
    return -1


@kernel
def open_braces(
    src: Bytes, pos: int, stop: int, out: Bytes, w: int, frames: Frames, depth: int, rules: Rules
) -> tuple[int, int, int]:
    """`pos` is at '{'.  Returns position, output end and depth."""
    run = run_length(src, pos, stop)
    after = pos + run
    if run == 1:
        if at(src, after, stop, PIPE) and not both(src, after + 1, stop, CLOSE_BRACE):
            start = line_start(out, w)
            if start >= 0:
                depth = push(frames, depth, IN_TABLE, start)
            return after + 1, copy_bytes(src, pos, after + 1, out, w), depth
        if w > 0 and out[w - 1] == DASH:
            depth = push(frames, depth, IN_VARIANT, w - 1)
        out[w] = OPEN_BRACE
        return after, w + 1, depth
    if run <= 3 and at(src, after, stop, BANG) and both(src, after + 1, stop, CLOSE_BRACE):
        return _open_pipe_template(src, after + 3, stop, out, w, frames, depth, run)
    if run == 2:
        behind = skip_hidden_template(src, pos, stop, rules)
        if behind >= 0:
            return behind, vanish(out, w), depth
    opened = push(frames, depth, IN_BRACES, w)
    if opened > depth:
        frames[depth, BRACE_COUNT] = run
    return after, copy_bytes(src, pos, after, out, w), opened


@kernel
def _open_pipe_template(
    src: Bytes, behind: int, stop: int, out: Bytes, w: int, frames: Frames, depth: int, run: int
) -> tuple[int, int, int]:
    """{{!}} is a pipe that divides no template, {{{!}} opens a table, {{!}}} closes one."""
    start = line_start(out, w)
    if run == 3:
        if start >= 0:
            depth = push(frames, depth, IN_TABLE, start)
        out[w] = OPEN_BRACE
        out[w + 1] = PIPE
        return behind, w + 2, depth
    table = innermost_block(frames, depth, IN_TABLE)
    if start >= 0 and table >= 0 and at(src, behind, stop, CLOSE_BRACE):
        return behind + 1, int(frames[table, START]), table
    note_pipe(frames, depth, w, run == 2)
    out[w] = PIPE
    return behind, w + 1, depth


@kernel
def close_braces(
    src: Bytes, pos: int, stop: int, out: Bytes, w: int, frames: Frames, depth: int, call: Call, rules: Rules
) -> tuple[int, int, int]:
    """`pos` is at '}'.  Returns position, output end and depth."""
    run = run_length(src, pos, stop)
    left = run
    while left >= 2 and depth and frames[depth - 1, BRACES_AT] >= 0:
        depth = int(frames[depth - 1, BRACES_AT]) + 1  # whatever opened inside and did not close stays text
        top = depth - 1
        taken = min(3, int(frames[top, BRACE_COUNT]), left)
        inner = int(frames[top, START] + frames[top, BRACE_COUNT]) - taken
        if taken == 2:
            w = show_template(out, inner, w, frames, top, call, rules)
        elif frames[top, PIPES]:  # {{{name|default}}}
            w = reveal(out, inner, int(frames[top, PIPE_1]) + 1, w, ERASED)
        else:
            w = vanish(out, inner)
        left -= taken
        frames[top, BRACE_COUNT] -= taken
        frames[top, PIPES] = 0
        if frames[top, BRACE_COUNT] < 2:
            depth -= 1
    if left == 1 and depth and frames[depth - 1, KIND] == IN_VARIANT and at(src, pos + run, stop, DASH):
        return pos + run + 1, show_variant(out, w, frames, depth - 1, rules), depth - 1
    return pos + run, copy_bytes(src, pos, pos + left, out, w), depth


@kernel
def close_table(frames: Frames, depth: int, out: Bytes, w: int) -> int:
    """At `|}`: index of the table it closes, or -1 where it is text."""
    table = innermost_block(frames, depth, IN_TABLE)
    return table if table >= 0 and line_start(out, w) >= 0 else -1
