from __future__ import annotations

import binascii

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.sources.bzip2.rotations import CRC_TABLES, LANES, checksum, follow_rows, link_rows

REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def follow(column: bytes, origin: int) -> bytes:
    length = len(column)
    rows = np.frombuffer(column, np.uint8).astype(np.uint32)
    link_rows(rows, np.bincount(rows, minlength=256), length, origin)
    text = np.empty(length, np.uint8)
    follow_rows(rows, length, origin, np.empty((LANES, length), np.uint8), text)
    return text.tobytes()


def follow_one_chain(column: bytes, origin: int, steps: int | None = None) -> bytes:
    """The textbook way (Burrows and Wheeler, 1994), for any column: also such as no text sorts to."""
    successor = np.argsort(np.frombuffer(column, np.uint8), kind="stable")
    row, text = origin, bytearray()
    for _ in range(len(column) if steps is None else steps):
        row = int(successor[row])
        text.append(column[row])
    return bytes(text)


@given(
    st.one_of(
        st.binary(min_size=1, max_size=40),
        st.builds(
            lambda seed, values, length: np.random.default_rng(seed).integers(0, values, length, np.uint8).tobytes(),
            st.integers(0, 99),
            st.sampled_from([1, 2, 3, 255]),
            st.sampled_from([511, 512, 513, 1024, 3000]),
        ),
    ),
    st.data(),
)
@settings(deadline=None, max_examples=200)
def test_segments_give_what_one_chain_gives(column: bytes, data: st.DataObject) -> None:
    origin = data.draw(st.integers(0, len(column) - 1))
    assert follow(column, origin) == follow_one_chain(column, origin)


def test_lanes_have_room_in_the_largest_block() -> None:
    rng = np.random.default_rng(0)
    for values in (2, 200):
        column = rng.integers(0, values, 900_000, np.uint8).tobytes()
        for origin in (0, 1758, 899_999):
            assert follow(column, origin)[:50] == follow_one_chain(column, origin, 50)


@given(st.binary(max_size=100))
@settings(deadline=None, max_examples=100)
def test_the_checksum_is_zip_s_with_bits_in_the_other_order(data: bytes) -> None:
    zip_crc = binascii.crc32(data.translate(REVERSED))
    expected = int(f"{zip_crc:032b}"[::-1], 2)
    assert checksum(np.frombuffer(data, np.uint8), CRC_TABLES) == expected
