from __future__ import annotations

import bz2
import gzip
import io
import zlib

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.errors import InputError
from gpucurate.sources.decompress import CompressedStream, compression_of, damage_of, open_compressed

ENCODERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "zstd": zstandard.compress}
TEXT = b"".join(b"line %d of a text that compresses somewhat %d\n" % (i, i * i % 977) for i in range(3000))
names = st.sampled_from(sorted(ENCODERS))


def decode(packed: bytes, compression: str) -> tuple[bytes, str | None]:
    stream = open_compressed(io.BytesIO(packed), compression)
    return stream.read(), damage_of(stream)


@given(names, st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(0, 9))
@settings(deadline=None, max_examples=60)
def test_members_one_after_another_with_zero_padding(name: str, members: list[bytes], padding: int) -> None:
    packed = b"".join(ENCODERS[name](member) + b"\0" * padding for member in members)
    assert decode(packed, name) == (b"".join(members), None)


@given(names, st.data())
@settings(deadline=None, max_examples=150)
def test_a_cut_anywhere_leaves_a_prefix_and_is_told(name: str, data: st.DataObject) -> None:
    first, second = ENCODERS[name](TEXT), ENCODERS[name](TEXT[:1000])
    cut = data.draw(st.integers(1, len(first) + len(second) - 1))
    text, damage = decode((first + second)[:cut], name)
    assert (TEXT + TEXT[:1000]).startswith(text)
    if cut == len(first):
        assert (text, damage) == (TEXT, None)
    else:
        assert damage == f"{name} stream is cut short after {cut} bytes"
    if cut >= len(first):
        assert text.startswith(TEXT)


@given(names, st.data())
@settings(deadline=None, max_examples=150)
def test_a_changed_byte_never_raises(name: str, data: st.DataObject) -> None:
    packed = bytearray(ENCODERS[name](TEXT))
    where = data.draw(st.integers(0, len(packed) - 1))
    packed[where] ^= data.draw(st.integers(1, 255))
    text, damage = decode(bytes(packed), name)
    assert damage is not None or text == TEXT or name == "zstd"  # zstandard writes no checksum unless asked to


@given(names, st.binary(max_size=200))
@settings(deadline=None, max_examples=100)
def test_random_bytes_never_raise(name: str, junk: bytes) -> None:
    text, damage = decode(junk, name)
    assert (text == b"" and damage is not None) or not junk.strip(b"\0")
    text, damage = decode(ENCODERS[name](TEXT) + b"\xff" * 20 + junk, name)
    assert text == TEXT
    assert damage is not None
    assert "followed by bytes of another kind" in damage


def test_gzip_without_its_last_four_bytes_keeps_everything() -> None:
    text, damage = decode(gzip.compress(TEXT)[:-4], "gzip")
    assert text == TEXT
    assert damage is not None
    assert "cut short" in damage


def test_gzip_with_a_wrong_checksum_keeps_everything() -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-8] ^= 1
    text, damage = decode(bytes(packed), "gzip")
    assert text == TEXT
    assert damage is not None
    assert "damaged near byte" in damage


def test_deflate_is_kept_up_to_the_damaged_byte() -> None:
    packer = zlib.compressobj(wbits=31)
    whole = packer.compress(TEXT) + packer.flush(zlib.Z_FULL_FLUSH)  # ends on a byte, a bad block type follows
    assert decode(whole + b"\xff" * 100, "gzip")[0] == TEXT


def test_an_empty_stream_is_empty() -> None:
    for name in ENCODERS:
        assert decode(b"", name) == (b"", None)
        assert decode(ENCODERS[name](b""), name) == (b"", None)


@pytest.mark.parametrize("size", [1, 7, 4096, 1 << 20])
@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_any_way_of_reading_gives_the_same(name: str, size: int) -> None:
    members = TEXT[:5000], TEXT[5000:20_000]
    packed = b"".join(ENCODERS[name](member) for member in members)
    with CompressedStream(io.BytesIO(packed), name) as stream:
        assert b"".join(iter(lambda: stream.read(size), b"")) == TEXT[:20_000]
    lines = io.BufferedReader(CompressedStream(io.BytesIO(packed), name), size)
    assert b"".join(lines) == TEXT[:20_000]


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_stream_that_expands_a_thousandfold_is_given_in_bounded_pieces(name: str) -> None:
    stream = CompressedStream(io.BytesIO(ENCODERS[name](bytes(200 << 20))), name)
    total = largest = 0
    while piece := stream.read(1 << 30):
        total, largest = total + len(piece), max(largest, len(piece))
    assert total == 200 << 20
    assert largest <= 130 << 20


def test_kinds_are_told_by_content_before_name() -> None:
    for name, encode in ENCODERS.items():
        assert compression_of("file.xml", encode(b"x")) == name
    assert compression_of("file.zst", zstandard.compress(b"x")) == "zstd"
    assert compression_of("file.zst", b"\x53\x2a\x4d\x18\0\0\0\0") == "zstd"
    assert compression_of("plain.gz", b"<mediawiki>") == "none"
    assert compression_of("cut.bz2", b"BZ") == "bzip2"
    assert compression_of("empty.zst", b"") == "zstd"
    assert compression_of("empty.xml", b"") == "none"


def test_a_failing_disk_is_an_input_error() -> None:
    class Failing(io.BytesIO):
        name = "dump.gz"

        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match=r"cannot read on in dump\.gz after 0 bytes"):
        CompressedStream(Failing(), "gzip").read()
