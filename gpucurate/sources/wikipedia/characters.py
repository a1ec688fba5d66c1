"""Character data of XML to the bytes it stands for: one compiled pass for what MediaWiki writes, a careful one for the
rest."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.core.text_buffers import Bytes, read_only

ENTITY = re.compile(rb"&(?:#([0-9]{1,7}|[xX][0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));|&")
NAMED = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
REPLACEMENT = "\ufffd"  # for references to what is no character: NUL, surrogates
AMPERSAND, SEMICOLON, CARRIAGE_RETURN = ord("&"), ord(";"), ord("\r")
UNUSUAL = -1


class UnknownEntity(ValueError):
    """An ampersand that begins none of XML's own entities."""


def unescape(content: bytes) -> bytes:
    """`content` as an XML parser reads it: line ends are LF, entities are what they stand for.

    Raises UnknownEntity.
    """
    raw = read_only(np.frombuffer(content, np.uint8))
    out = np.empty(len(raw), np.uint8)
    size = int(_unescape(raw, out))
    if size != UNUSUAL:
        return out[:size].tobytes()
    return ENTITY.sub(_character, content.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))


@kernel
def _unescape(raw: Bytes, out: NDArray[np.uint8]) -> int:
    """Writes to `out`, as long as `raw`; returns how much, or UNUSUAL where there are CRs or other than the four
    entities that MediaWiki writes."""
    end = len(raw)
    i = 0
    w = 0
    while i < end:
        c = raw[i]
        i += 1
        if c == AMPERSAND:
            if i + 2 < end and raw[i + 1] == ord("t") and raw[i + 2] == SEMICOLON:
                if raw[i] == ord("l"):
                    c = np.uint8(ord("<"))
                elif raw[i] == ord("g"):
                    c = np.uint8(ord(">"))
                else:
                    return UNUSUAL
                i += 3
            elif i + 3 < end and raw[i] == ord("a") and raw[i + 1] == ord("m") and raw[i + 2] == ord("p"):
                if raw[i + 3] != SEMICOLON:
                    return UNUSUAL
                i += 4
            elif i + 4 < end and raw[i] == ord("q") and raw[i + 1] == ord("u") and raw[i + 2] == ord("o"):
                if raw[i + 3] != ord("t") or raw[i + 4] != SEMICOLON:
                    return UNUSUAL
                c = np.uint8(ord('"'))
                i += 5
            else:
                return UNUSUAL
        elif c == CARRIAGE_RETURN:
            return UNUSUAL
        out[w] = c
        w += 1
    return w


def _character(match: re.Match[bytes]) -> bytes:
    number, name = match[1], match[2]
    if name:
        return NAMED[name]
    if not number:
        raise UnknownEntity("the text holds an & that begins no entity of XML")
    code = int(number[1:], 16) if number[:1] in b"xX" else int(number)
    allowed = 0 < code < 0xD800 or 0xDFFF < code < 0x110000
    return (chr(code) if allowed else REPLACEMENT).encode()
