"""Links: [[target|label]] shows its label, [http://... label] likewise; files and categories show
nothing.

The common link, without markup inside, is read in one go; others wait on the stack of frames until they close.
"""

from __future__ import annotations

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.wikitext import names
from gpucurate.sources.wikitext.characters import (
    APOSTROPHE,
    CLOSE_BRACKET,
    CLOSE_ROUND,
    COLON,
    CONTROL_BYTES,
    ERASED,
    LINK_TEXT,
    OPEN_BRACKET,
    OPEN_ROUND,
    PIPE,
    SLASH,
    SPACE,
    VANISHED,
    at,
    both,
    byte_set,
    copy_bytes,
    cut,
    erase,
    is_alnum,
    reveal,
    trim,
    vanish,
)
from gpucurate.sources.wikitext.frames import (
    IN_LINK,
    IN_URL,
    KIND,
    PIPE_1,
    PIPES,
    START,
    Frames,
    drop_variants,
    push,
)
from gpucurate.sources.wikitext.rules import Rules

LONGEST_TITLE = 255  # bytes; MediaWiki's page_title
LONGEST_PREFIX = 40
LONGEST_SCHEME = 12
URL_END = byte_set(b'[]<>{" \t' + CONTROL_BYTES)
PLAIN_END = byte_set(b"[]{}<>|" + CONTROL_BYTES)
NO_TITLE = byte_set(b"[]{}<>" + bytes(set(CONTROL_BYTES) - {ERASED, VANISHED}))  # $wgLegalTitleChars
ADDRESS = byte_set(b"0123456789abcdefABCDEF:.")


@kernel
def find_scheme(text: Bytes, start: int, stop: int, rules: Rules) -> int:
    """1 for a URL scheme that wants "//", 0 for one that does not, -1 for no scheme."""
    return names.find_name(rules.keys, rules.values, names.SCHEME, text, start, stop)


@kernel
def is_hidden_prefix(text: Bytes, start: int, stop: int, rules: Rules) -> bool:
    """Does text[start:stop] name a namespace or language whose links show nothing?"""
    start, stop = trim(text, start, stop)
    return names.find_name(rules.keys, rules.values, names.HIDDEN_PREFIX, text, start, stop) >= 0


@kernel
def behind_scheme(text: Bytes, pos: int, stop: int, rules: Rules) -> int:
    """Where a URL that starts here goes on behind its scheme and "//", or -1 if none does."""
    end = pos
    while end < stop and end - pos < LONGEST_SCHEME and is_alnum(text[end]):
        end += 1
    scheme = 1  # the protocol-relative "//"
    if end > pos:
        scheme = find_scheme(text, pos, end, rules) if at(text, end, stop, COLON) else -1
        end += 1
    if scheme == 1:
        return end + 2 if both(text, end, stop, SLASH) else -1
    return end if scheme == 0 else -1


@kernel
def url_end(text: Bytes, pos: int, stop: int) -> int:
    """Where a URL ends whose host begins at `pos`; brackets are part of it only around an IPv6 address."""
    if at(text, pos, stop, OPEN_BRACKET):
        k = pos + 1
        while k < stop and ADDRESS[text[k]]:
            k += 1
        if k > pos + 1 and at(text, k, stop, CLOSE_BRACKET):
            pos = k + 1
    while pos < stop and not URL_END[text[pos]] and not both(text, pos, stop, APOSTROPHE):
        pos += 1
    return pos


@kernel
def read_plain_link(src: Bytes, pos: int, stop: int, out: Bytes, w: int, rules: Rules) -> tuple[int, int]:
    """Read the whole link at `pos` if nothing in it is markup; returns position and output end, or (pos, w).

    The scan ends at the first markup, so no byte is scanned twice by it.
    """
    k = pos + 2
    colon = -1
    while k < stop and not PLAIN_END[src[k]]:
        if src[k] == COLON and colon < 0:
            colon = k
        k += 1
    shown = pos + 2
    name, name_end = trim(src, shown, k)
    if name == name_end or k - pos > LONGEST_TITLE or both(src, name, stop, SLASH):
        return pos, w
    hidden = False
    if colon == shown:  # [[:Category:x]] shows Category:x
        shown += 1
    elif colon >= 0:
        if find_scheme(src, shown, colon, rules) >= 0:
            return pos, w
        hidden = is_hidden_prefix(src, shown, colon, rules)
    if at(src, k, stop, PIPE):
        k += 1
        shown = k
        while k < stop and not PLAIN_END[src[k]]:
            k += 1
    if k == shown or not both(src, k, stop, CLOSE_BRACKET):
        return pos, w
    if hidden:
        return k + 2, vanish(out, w)
    out[w] = LINK_TEXT
    return k + 2, cut(out, copy_bytes(src, shown, k, out, w + 1))


@kernel
def open_bracket(
    src: Bytes, pos: int, stop: int, out: Bytes, w: int, frames: Frames, depth: int, rules: Rules
) -> tuple[int, int, int]:
    """`pos` is at '['.  Returns position, output end and depth."""
    if at(src, pos + 1, stop, OPEN_BRACKET):
        behind, end = read_plain_link(src, pos, stop, out, w, rules)
        if behind > pos:
            return behind, end, depth
        return pos + 2, copy_bytes(src, pos, pos + 2, out, w), push(frames, depth, IN_LINK, w)
    host = behind_scheme(src, pos + 1, stop, rules)
    if host < 0:
        out[w] = OPEN_BRACKET
        return pos + 1, w + 1, depth
    end = url_end(src, host, stop)
    end += at(src, end, stop, SPACE)
    opened = push(frames, depth, IN_URL, w)
    if opened > depth:
        frames[depth, PIPE_1] = w + end - pos  # where the label starts
    return end, copy_bytes(src, pos, end, out, w), opened


@kernel
def close_bracket(
    src: Bytes, pos: int, stop: int, out: Bytes, w: int, frames: Frames, depth: int, rules: Rules
) -> tuple[int, int, int]:
    """`pos` is at ']'.  Returns position, output end and depth."""
    inside = drop_variants(frames, depth)
    kind = frames[inside - 1, KIND] if inside else -1
    if kind == IN_URL:
        label = int(frames[inside - 1, PIPE_1])
        erase(out, int(frames[inside - 1, START]), label)
        out[label - 1] = LINK_TEXT
        return pos + 1, cut(out, w) if label < w else vanish(out, w), inside - 1
    if kind == IN_LINK and at(src, pos + 1, stop, CLOSE_BRACKET):
        top = inside - 1
        no_label = src[pos - 1] == PIPE and frames[top, PIPES] == 1 and frames[top, PIPE_1] == w - 1
        shown = show_link(out, w, frames, top, rules, no_label)
        if shown >= 0:
            return pos + 2, cut(out, shown), inside - 1
        return pos + 2, copy_bytes(src, pos, pos + 2, out, w), inside - 1
    out[w] = CLOSE_BRACKET
    return pos + 1, w + 1, depth


@kernel
def show_link(out: Bytes, w: int, frames: Frames, top: int, rules: Rules, no_label: bool) -> int:
    """Replace `[[target|label` at out[START:w] by its visible text; returns the new end, -1 if it is no link."""
    start = int(frames[top, START])
    target_stop = int(frames[top, PIPE_1]) if frames[top, PIPES] else w
    begin, end = trim(out, start + 2, min(target_stop, start + 2 + LONGEST_TITLE))
    colon = begin
    while colon < end and colon - begin < LONGEST_PREFIX and out[colon] != COLON:
        colon += 1
    has_prefix = at(out, colon, end, COLON)
    if has_prefix and colon > begin and is_hidden_prefix(out, begin, colon, rules):
        return vanish(out, start)
    if behind_scheme(out, begin, end, rules) > 0:  # [[http://a b]] or [[http://a|b]], meant as an external link
        while begin < end and out[begin] > SPACE:
            begin += 1
        return reveal(out, start, target_stop + 1 if frames[top, PIPES] else begin, w, LINK_TEXT)
    if begin == end or not is_title(out, start + 2, end):  # from the start: a link in front of the title shows there
        return -1
    if frames[top, PIPES] == 0:
        return reveal(out, start, begin + (colon == begin), w, LINK_TEXT)
    if not no_label:
        return reveal(out, start, target_stop + 1, w, LINK_TEXT)
    erase(out, start, colon + 1 if has_prefix else begin)  # pipe trick: [[Help:Mercury (planet)|]] shows Mercury
    if out[end - 1] == CLOSE_ROUND:
        for k in range(begin + 1, end - 1):
            if out[k] == SPACE and out[k + 1] == OPEN_ROUND:
                return k
    return end


@kernel
def is_title(text: Bytes, start: int, stop: int) -> bool:
    """Could text[start:stop] name a page?"""
    k = start
    while k < stop and not NO_TITLE[text[k]]:
        k += 1
    return k == stop
