from __future__ import annotations

import bz2
import io
import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.sources.bzip2 import Block, Hole, read_blocks
from gpucurate.sources.bzip2.block import BlockDecoder, Flaw
from gpucurate.sources.bzip2.magics import BLOCK, STREAM_END, find_magics

WORDS = random.Random(1)
PROSE = " ".join(WORDS.choice(["river", "the", "of", "Ägypten", "1987", "{{cite", "]]", "\n"]) for _ in range(60_000))
TEXT = PROSE.encode()


def read_all(packed: bytes) -> tuple[bytes, list[Hole]]:
    parts = list(read_blocks(io.BytesIO(packed), 0, len(packed)))
    return b"".join(p.data for p in parts if isinstance(p, Block)), [p for p in parts if isinstance(p, Hole)]


def read_owned(packed: bytes, edges: list[int]) -> list[Block | Hole]:
    """What the ranges between `edges` own, one range after the other."""
    owned = []
    for start, stop in itertools.pairwise(edges):
        for part in read_blocks(io.BytesIO(packed), start, stop):
            if part.owned:
                owned.append(part)
            elif isinstance(part, Block):
                break
    return owned


# Texts that stress the sort and both run-length codings: repeats, periods, runs around 4, 255 and 259, all bytes.
texts = st.one_of(
    st.binary(max_size=400),
    st.builds(lambda unit, times: unit * times, st.binary(min_size=1, max_size=6), st.integers(1, 3000)),
    st.builds(
        lambda runs: b"".join(bytes([value]) * times for value, times in runs),
        st.lists(st.tuples(st.integers(0, 255), st.sampled_from([1, 3, 4, 5, 254, 255, 256, 259, 260, 1000]))),
    ),
    st.integers(1, len(TEXT)).map(lambda n: TEXT[:n]),
)


@given(texts, st.integers(1, 9))
@settings(deadline=None, max_examples=120)
def test_decodes_what_the_reference_library_wrote(text: bytes, level: int) -> None:
    assert read_all(bz2.compress(text, level)) == (text, [])


@pytest.mark.parametrize("size", [899_980, 900_000, 2_000_000])
def test_full_blocks_of_every_kind(size: int) -> None:
    noise = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
    for text in (noise, noise[:7] * (size // 7), bytes(size * 60), (TEXT * 9)[:size]):
        assert read_all(bz2.compress(text)) == (text, [])


def test_many_streams_with_padding_and_empty_ones() -> None:
    packed = b"".join(bz2.compress(TEXT[i : i + 3000]) + bytes(i % 9) for i in range(0, 60_000, 3000))
    assert read_all(bz2.compress(b"") + packed + bz2.compress(b"")) == (TEXT[:60_000], [])
    assert read_all(bz2.compress(b"")) == (b"", [])


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_ranges_share_out_every_block_exactly_once(data: st.DataObject) -> None:
    packed = bz2.compress(TEXT, 1) + bz2.compress(TEXT[:2000]) + bz2.compress(TEXT[:150_000], 1)
    cuts = data.draw(st.lists(st.integers(0, len(packed)), max_size=5))
    whole = read_owned(packed, [0, len(packed)])
    assert len(whole) >= 6
    assert read_owned(packed, sorted({0, *cuts, len(packed)})) == whole


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_a_cut_keeps_the_whole_blocks_before_it(data: st.DataObject) -> None:
    packed = bz2.compress(TEXT, 1)
    cut = data.draw(st.integers(5, len(packed) - 1))
    text, holes = read_all(packed[:cut])
    assert TEXT.startswith(text)
    whole = [b for b in read_blocks(io.BytesIO(packed), 0, len(packed)) if isinstance(b, Block)]
    ends = [*(b.position for b in whole[1:]), len(packed) - 10]
    assert len(text) == sum(len(b.data) for b, end in zip(whole, ends, strict=True) if end + 1 < cut)
    assert [hole.owned for hole in holes] == [True]
    assert "to the end" in holes[0].detail


@given(st.data())
@settings(deadline=None, max_examples=80)
def test_a_damaged_place_costs_its_block_and_is_one_hole_for_any_ranges(data: st.DataObject) -> None:
    packed = bytearray(bz2.compress(TEXT, 1) + bz2.compress(TEXT[:150_000], 1))
    good = {(b.position, b.data) for b in read_blocks(io.BytesIO(bytes(packed)), 0, 1) if isinstance(b, Block)}
    where = data.draw(st.integers(0, len(packed) - 1))
    packed[where] ^= data.draw(st.integers(1, 255))
    whole = read_owned(bytes(packed), [0, len(packed)])
    blocks = {(b.position, b.data) for b in whole if isinstance(b, Block)}
    assert blocks <= good
    assert len(good) - len(blocks) <= 1
    assert sum(isinstance(part, Hole) for part in whole) <= 1
    if len(blocks) < len(good):
        assert any(isinstance(part, Hole) for part in whole)
    cuts = data.draw(st.lists(st.integers(0, len(packed)), max_size=4))
    assert read_owned(bytes(packed), sorted({0, *cuts, len(packed)})) == whole


@given(st.binary(max_size=300))
@settings(deadline=None, max_examples=80)
def test_bytes_of_another_kind_between_streams_are_a_hole(junk: bytes) -> None:
    magic = BLOCK.to_bytes(6)
    first, second = bz2.compress(TEXT[:500]), bz2.compress(TEXT[500:900])
    text, holes = read_all(first + b"?" + magic + junk + second)
    assert text == TEXT[:900]
    assert [hole.position - len(first) in (-11, -10) for hole in holes] == [True]


@given(st.binary(max_size=2000), st.booleans())
@settings(deadline=None, max_examples=150)
def test_random_bits_behind_a_magic_are_no_block(junk: bytes, plausible: bool) -> None:
    head = bytes(4) + bytes(1) + bytes(2) + (b"\x80\x00\xff\xff" if plausible else b"")
    text, holes = read_all(b"BZh9" + BLOCK.to_bytes(6) + head + junk)
    assert text == b""
    assert len(holes) == 1


def test_magics_are_found_at_every_bit() -> None:
    rng = np.random.default_rng(3)
    for magic, is_end in ((BLOCK, False), (STREAM_END, True)):
        for offset in range(70):
            bits = rng.integers(0, 2, 160, np.uint8)
            bits[offset : offset + 48] = [magic >> (47 - k) & 1 for k in range(48)]
            for count in (160, offset + 48 + (-offset) % 8, offset + 40):
                data = np.packbits(bits[: count // 8 * 8])
                starts, ends = find_magics(data)
                expected = [(offset, is_end)] if offset + 48 <= 8 * len(data) else []
                assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected


def test_a_randomised_block_is_named() -> None:
    packed = bytearray(bz2.compress(TEXT[:100]))
    packed[14] |= 0x80  # the flag behind magic and checksum
    text, holes = read_all(bytes(packed))
    assert text == b""
    assert "randomised" in holes[0].detail


def test_the_decoder_wants_room_to_read_ahead() -> None:
    packed = np.frombuffer(bz2.compress(b"x"), np.uint8)
    with pytest.raises(ValueError, match="padded"):
        BlockDecoder().decode(packed, 32, 8 * len(packed))
    padded = np.concatenate([packed, np.zeros(256, np.uint8)])
    text, end = BlockDecoder().decode(padded, 32, 8 * len(packed))
    assert text == b"x"
    assert end in range(8 * len(packed) - 87, 8 * len(packed) - 79)
    assert BlockDecoder().decode(padded, 32, 100) is Flaw.CODE
