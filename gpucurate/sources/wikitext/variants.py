"""Script variants: -{zh-hans:...; zh-hant:...}- shows the first alternative, -{text}- shows the text.

MediaWiki's LanguageConverter chooses by the reader's preference; a text has no reader yet, so the author's order
decides.  Flags that only define or hide a conversion (H, T, -) show nothing.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.characters import (
    COLON,
    ERASED,
    PIPE,
    SEMICOLON,
    byte_set,
    cut,
    reveal,
    strip,
    trim,
    vanish,
)
from gpucurate.sources.wikitext.frames import PIPE_1, PIPES, START, Frames
from gpucurate.sources.wikitext.rules import Rules

HIDDEN_FLAGS = byte_set(b"HT-")
LONGEST_CODE = 16
LONGEST_RULE = 1000  # an alternative ends within so many bytes; bounds the cost of nested rules


@kernel
def show_variant(out: Bytes, w: int, frames: Frames, top: int, rules: Rules) -> int:
    """Replace `-{...` at out[START:w] by what it shows, in place; returns the new end."""
    start = int(frames[top, START])
    begin = start + 2
    if frames[top, PIPES]:
        flag, _ = trim(out, begin, min(int(frames[top, PIPE_1]), begin + LONGEST_CODE))
        if HIDDEN_FLAGS[out[flag]]:
            return vanish(out, start)
        begin = int(frames[top, PIPE_1]) + 1
    colon = begin
    while colon < min(w, begin + LONGEST_CODE) and out[colon] != COLON and out[colon] != PIPE:
        colon += 1
    end = w
    if colon < w and out[colon] == COLON:
        code, code_end = trim(out, begin, colon)
        if find_variant(out, code, code_end, rules):
            begin = colon + 1
            end = begin
            while end < min(w, begin + LONGEST_RULE) and out[end] != SEMICOLON:
                end += 1
            if end < w and out[end] != SEMICOLON:
                end = w
    begin, end = strip(out, begin, end)
    return cut(out, reveal(out, start, begin, end, ERASED))


@kernel
def find_variant(text: Bytes, start: int, stop: int, rules: Rules) -> bool:
    """Is text[start:stop] the code of a script variant?"""
    return names.find_name(rules.keys, rules.values, names.VARIANT, text, start, stop) >= 0
