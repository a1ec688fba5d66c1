from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.errors import InputError
from gpucurate.sources import lines as module
from gpucurate.sources.lines import Line, read_lines

PIECES = st.lists(st.sampled_from([b"\n", b"a", b"bc", b"\r\n", b"\xef\xbb\xbf", b"", b"\n\n", b"defgh"])).map(b"".join)


def by_definition(content: bytes) -> list[Line]:
    at, found = 0, []
    for piece in content.splitlines(keepends=True) if b"\r" not in content else _keeping_cr(content):
        data = piece.removesuffix(b"\n")
        found.append(Line(at, len(data), data.removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf"), piece.endswith(b"\n")))
        at += len(piece)
    return found


def _keeping_cr(content: bytes) -> list[bytes]:
    pieces = [piece + b"\n" for piece in content.split(b"\n")]
    pieces[-1] = pieces[-1][:-1]
    return [piece for piece in pieces if piece]


@given(PIECES, st.integers(1, 12), st.integers(1, 9))
def test_however_it_is_cut_each_line_is_read_once(content: bytes, unit: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "READ_BYTES", block)
        found = [
            line
            for start in range(0, len(content), unit)
            for line in read_lines(io.BytesIO(content), "x", start, min(start + unit, len(content)))
        ]
        assert found == by_definition(content)
        assert list(read_lines(io.BytesIO(content), "x")) == found


@given(PIECES, st.integers(0, 6), st.integers(1, 9))
def test_lines_that_are_too_long_are_told_but_not_kept(content: bytes, longest: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "READ_BYTES", block)
        found = list(read_lines(io.BytesIO(content), "x", longest=longest))
    assert found == [line if line.size <= longest else line._replace(data=None) for line in by_definition(content)]


def test_a_disk_that_fails() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match=r"cannot read on in x\.jsonl: Input/output error"):
        list(read_lines(Failing(b"a"), "x.jsonl"))
