from __future__ import annotations

import random
from pathlib import Path

import pytest
from fastwarc.stream_io import Lz4Writer
from warcio.archiveiterator import ArchiveIterator

from gpucurate.sources.warc.archive import read_archive
from gpucurate.sources.warc.grammar import ARC, WARC
from gpucurate.sources.warc.lenient import lenient_records
from gpucurate.sources.warc.pieces import stored_pieces
from gpucurate.sources.warc.record import Damage, Record, parse_date
from tests.sources.archives import PACKERS, unit_of, warc_record, write_unit

LIMIT = 1 << 20
EMPTY_MEMBER = PACKERS[".gz"](b"")
RANDOM = random.Random(7)
BLOCKS = {name: RANDOM.randbytes(size) for name, size in {"a": 900, "b": 3000, "c": 0, "d": 40_000, "e": 17}.items()}
RECORDS = {name: warc_record("response", f"http://{name}.org/", block) for name, block in BLOCKS.items()}


def read(path: Path, data: bytes, limit: int = LIMIT) -> tuple[dict[str, bytes], list[Damage]]:
    """Blocks by the letter of their host, and damages; a record given twice fails."""
    found = list(read_archive(write_unit(path, data).file, limit))
    records = [item for item in found if isinstance(item, Record) and item.type != "warcinfo"]
    names = [(record.uri or "?")[7:8] for record in records]
    assert len(set(names)) == len(names)
    return dict(zip(names, (r.block for r in records), strict=True)), [d for d in found if isinstance(d, Damage)]


@pytest.mark.parametrize("suffix", PACKERS)
def test_sound_archives_and_positions(suffix: str, tmp_path: Path) -> None:
    members = [PACKERS[suffix](record) for record in RECORDS.values()]
    found = list(read_archive(write_unit(tmp_path / f"x.warc{suffix}", members).file, LIMIT))
    starts = [sum(map(len, members[:n])) for n in range(len(members))]
    assert [(r.position, r.block, r.length) for r in found if isinstance(r, Record)] == [
        (start, block, len(block)) for start, block in zip(starts, BLOCKS.values(), strict=True)
    ]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_one_member_for_all_records(suffix: str, tmp_path: Path) -> None:
    data = PACKERS[suffix](b"".join(RECORDS.values()))
    assert read(tmp_path / f"x.warc{suffix}", data) == (BLOCKS, [])
    found = list(read_archive(unit_of(tmp_path / f"x.warc{suffix}").file, LIMIT))
    assert [item.position for item in found] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("suffix", PACKERS)
def test_the_lenient_reader_reads_sound_archives_as_fastwarc_does(suffix: str, tmp_path: Path) -> None:
    unit = write_unit(tmp_path / "x.warc", [PACKERS[suffix](record) for record in RECORDS.values()])
    with (tmp_path / "x.warc").open("rb") as stream:
        compression = {"": "none", ".gz": "gzip", ".zst": "zstd"}[suffix]
        lenient = list(lenient_records(stored_pieces(stream, 0, compression), WARC, LIMIT))
    assert lenient == list(read_archive(unit.file, LIMIT))


def test_lz4_up_to_its_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.lz4"
    whole = b""
    for record in RECORDS.values():
        with path.open("wb") as stream:
            writer = Lz4Writer(stream)
            writer.write(record)
            writer.close()
        whole += path.read_bytes()
    assert read(path, whole) == (BLOCKS, [])
    blocks, damages = read(path, whole[: len(whole) * 3 // 4])
    assert blocks == {name: BLOCKS[name] for name in "abc"}
    assert "lz4 stream is damaged" in damages[0].detail


@pytest.mark.parametrize("suffix", PACKERS)
def test_cut_anywhere_keeps_every_whole_record(suffix: str, tmp_path: Path) -> None:
    members = [PACKERS[suffix](RECORDS[name]) for name in "eab"]
    data = b"".join(members)
    ends = [sum(map(len, members[: n + 1])) for n in range(len(members))]
    slack = 4 if not suffix else 0  # the two line ends after a block hold nothing
    for cut in [*range(0, len(data), 13), *(end + by for end in ends for by in (-9, -5, -4, -3, -2, -1))]:
        blocks, damages = read(tmp_path / "x.warc", data[:cut])
        whole = [name for name, end in zip("eab", ends, strict=True) if end - slack <= cut]
        assert list(blocks)[: len(whole)] == whole, cut
        assert len(blocks) <= len(whole) + 1
        assert all(BLOCKS[name] == block for name, block in blocks.items())
        on_border = cut == 0 or any(end - slack <= cut <= end for end in ends)
        assert bool(damages) != on_border, cut


@pytest.mark.parametrize(
    "junk", [b"GARBAGE", b"\r\nGARBAGE\r\n\r\n", b"WARC/1.0\r\n", b"WARC/1.0\r\nX: y\r\n\r\n", b"\0" * 99]
)
@pytest.mark.parametrize("place", range(6))
def test_junk_between_plain_records(junk: bytes, place: int, tmp_path: Path) -> None:
    records = list(RECORDS.values())
    blocks, damages = read(tmp_path / "x.warc", b"".join([*records[:place], junk, *records[place:]]))
    assert blocks == BLOCKS
    if b"X: y" in junk or b"GARBAGE" in junk:
        assert 7 <= sum(d.lost for d in damages) <= len(junk)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("place", range(6))
def test_junk_between_members(suffix: str, packed: bool, place: int, tmp_path: Path) -> None:
    members = [PACKERS[suffix](record) for record in RECORDS.values()]
    junk = PACKERS[suffix](b"GARBAGE") if packed else b"GARBAGE"
    blocks, damages = read(tmp_path / f"x.warc{suffix}", b"".join([*members[:place], junk, *members[place:]]))
    assert blocks == BLOCKS
    assert [d.lost for d in damages] == [7]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_damaged_member_costs_its_own_record(suffix: str, tmp_path: Path) -> None:
    members = [PACKERS[suffix](record) for record in RECORDS.values()]
    for victim, name in enumerate(RECORDS):
        for place in (0, 5, len(members[victim]) // 2, len(members[victim]) - 5):
            hurt = bytearray(members[victim])
            hurt[place] ^= 0xFF
            blocks, damages = read(
                tmp_path / f"x.warc{suffix}", b"".join([*members[:victim], hurt, *members[victim + 1 :]])
            )
            assert damages or name in blocks, (name, place)
            assert {n: b for n, b in blocks.items() if n != name} == {n: b for n, b in BLOCKS.items() if n != name}


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("wrong", [-3000, -500, -1, 1, 5, 9, 100, 5_000, 60_000, 10**7, 10**17])
def test_a_wrong_length_swallows_no_neighbour(suffix: str, wrong: int, tmp_path: Path) -> None:
    claimed = max(0, len(BLOCKS["b"]) + wrong)
    hurt = {**RECORDS, "b": warc_record("response", "http://b.org/", BLOCKS["b"], length=claimed)}
    blocks, _ = read(tmp_path / "x.warc", b"".join(map(PACKERS[suffix], hurt.values())))
    assert {n: b for n, b in blocks.items() if n != "b"} == {n: b for n, b in BLOCKS.items() if n != "b"}
    assert blocks["b"].rstrip(b"\r\n") == BLOCKS["b"].rstrip(b"\r\n")


def test_a_repaired_length_is_told(tmp_path: Path) -> None:
    hurt = warc_record("response", "http://b.org/", BLOCKS["b"], length=10**6)
    unit = write_unit(tmp_path / "x.warc", [RECORDS["a"], hurt, RECORDS["e"]])
    assert [r.repaired for r in read_archive(unit.file, LIMIT) if isinstance(r, Record)] == [False, True, False]


@pytest.mark.parametrize("suffix", PACKERS)
def test_records_beyond_the_limit_are_clipped(suffix: str, tmp_path: Path) -> None:
    unit = write_unit(tmp_path / "x.warc", map(PACKERS[suffix], RECORDS.values()))
    found = [r for r in read_archive(unit.file, 1000) if isinstance(r, Record)]
    assert [(len(r.block), r.length) for r in found] == [(min(len(b), 1000), len(b)) for b in BLOCKS.values()]
    junk = write_unit(tmp_path / f"y.warc{suffix}", [b"JUNK", *map(PACKERS[suffix], RECORDS.values())])
    found = [r for r in read_archive(junk.file, 1000) if isinstance(r, Record)]
    assert [(len(r.block), r.length) for r in found] == [(min(len(b), 1000), len(b)) for b in BLOCKS.values()]


@pytest.mark.parametrize("suffix", PACKERS)
def test_reading_from_a_position(suffix: str, tmp_path: Path) -> None:
    unit = write_unit(tmp_path / "x.warc", map(PACKERS[suffix], RECORDS.values()))
    everything = list(read_archive(unit.file, LIMIT))
    for n, record in enumerate(everything):
        assert list(read_archive(unit.file, LIMIT, record.position)) == everything[n:]


def test_a_position_that_is_none_reads_from_the_start(tmp_path: Path) -> None:
    unit = write_unit(tmp_path / "x.warc.gz", PACKERS[".gz"](b"".join(RECORDS.values())))
    everything = list(read_archive(unit.file, LIMIT))
    assert list(read_archive(unit.file, LIMIT, everything[3].position)) == everything


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"hello", b"\x1f\x8b", b"\x1f\x8b\x08" * 500, EMPTY_MEMBER, PACKERS[".gz"](b"hello")]
)
def test_what_is_no_archive_gives_no_record(data: bytes, tmp_path: Path) -> None:
    blocks, damages = read(tmp_path / "x.warc.gz", data)
    assert not blocks
    assert bool(damages) == (data not in (b"", b"\n", EMPTY_MEMBER))


def test_headers(tmp_path: Path) -> None:
    data = (
        b"WARC/1.1\nwarc-type: Response\nWARC-Target-URI:   <http://a.org/x y>  \nX-Long: one\n two\n"
        b"X-Long: again\nWARC-Date: 2024-05-18T01:58:10.123456Z\ncontent-length: 2\n\nhi\n\n"
    )
    (record,) = read_archive(write_unit(tmp_path / "x.warc", data).file, LIMIT)
    assert isinstance(record, Record)
    assert (record.type, record.uri, record.block) == ("response", "http://a.org/x y", b"hi")
    assert record.headers["x-long"] == "one two"
    assert str(record.date) == "2024-05-18 01:58:10+00:00"
    assert record.revision is None


@pytest.mark.parametrize("front", [b"", b"JUNK"])
def test_header_bytes_that_are_no_utf8(front: bytes, tmp_path: Path) -> None:
    record = warc_record("response", "http://a.org/PAGE", b"x", extra="X-\u00e9: \u00e9\r\n")
    record = record.replace(b"PAGE", b"\xff\xe9")
    found = list(read_archive(write_unit(tmp_path / "x.warc", front + record * 2).file, LIMIT))
    assert [r.uri for r in found if isinstance(r, Record)] == ["http://a.org/\ufffd\ufffd"] * 2


@pytest.mark.parametrize("text", ["", "2024", "yesterday", "0001-01-01T00:00:00+14:00", "20080430204825", "9" * 99])
def test_dates_never_raise(text: str) -> None:
    date = parse_date(text)
    assert date is None or date.tzinfo is not None


def arc_record(uri: str, block: bytes, length: int | None = None) -> bytes:
    return (
        f"{uri} 192.0.2.1 20080430204825 text/html {len(block) if length is None else length}\n".encode()
        + block
        + b"\n"
    )


FILEDESC = arc_record("filedesc://x", b"1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_arc_as_warcio_reads_it(suffix: str, tmp_path: Path) -> None:
    records = [FILEDESC, *(arc_record(f"http://{n}.org/ x", b"HTTP/1.0 200 OK\r\n\r\n" + b) for n, b in BLOCKS.items())]
    path = tmp_path / f"x.arc{suffix}"
    unit = write_unit(path, map(PACKERS[suffix], records))
    ours = [r for r in read_archive(unit.file, LIMIT) if isinstance(r, Record)]
    with path.open("rb") as stream:
        iterator = ArchiveIterator(stream, no_record_parse=True)
        theirs = [
            (r.rec_headers.get_header("uri"), r.raw_stream.read(), iterator.get_record_offset()) for r in iterator
        ]
    # warcio leaves out the file's own description, which it reads on its own
    assert [(r.uri, r.block, r.position) for r in ours][1:] == theirs[1:]
    assert [r.type for r in ours] == ["warcinfo"] + ["response"] * 5


def test_arc_damage(tmp_path: Path) -> None:
    sound = {name: arc_record(f"http://{name}.org/", block) for name, block in BLOCKS.items()}
    for wrong in (-500, 7, 10_000, 10**9):
        hurt = {**sound, "b": arc_record("http://b.org/", BLOCKS["b"], length=len(BLOCKS["b"]) + wrong)}
        blocks, _ = read(tmp_path / "x.arc", FILEDESC + b"JUNK\n" + b"".join(hurt.values()))
        assert {n: b for n, b in blocks.items() if n in BLOCKS} == BLOCKS, wrong
    assert ARC.parse(b"http://a.org/ 1.2.3.4 20080430204825 text/html 5") is None


@pytest.mark.parametrize("suffix", PACKERS)
def test_random_damage_never_raises_and_spares_what_it_did_not_touch(suffix: str, tmp_path: Path) -> None:
    chance = random.Random(11)
    members = [
        PACKERS[suffix](warc_record("response", f"http://{n}.org/", BLOCKS[c])) for n, c in enumerate("abce" * 2)
    ]
    for _ in range(150):
        hurt = [bytearray(member) for member in members]
        victims = set()
        for _ in range(chance.randrange(1, 4)):
            victim = chance.randrange(len(hurt))
            victims.add(victim)
            start = chance.randrange(len(hurt[victim]))
            hurt[victim][start : start + chance.randrange(9)] = chance.randbytes(chance.randrange(9))
        blocks, _ = read_all(tmp_path / "x.warc", b"".join(hurt))
        for n, name in enumerate("abce" * 2):
            if n not in victims:
                assert BLOCKS[name] in blocks.get(f"http://{n}.org/", []), (n, victims)


def read_all(path: Path, data: bytes) -> tuple[dict[str, list[bytes]], list[Damage]]:
    found = list(read_archive(write_unit(path, data).file, LIMIT))
    blocks: dict[str, list[bytes]] = {}
    for item in found:
        if isinstance(item, Record):
            blocks.setdefault(item.uri or "", []).append(item.block)
    return blocks, [item for item in found if isinstance(item, Damage)]


@pytest.mark.parametrize(
    "head",
    [b"", b"WARC/1.0\r\n", b"http://a.org/ 1.2.3.4 20080430204825 text/html 9\n", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"],
)
def test_random_bytes_never_raise(head: bytes, tmp_path: Path) -> None:
    chance = random.Random(13)
    words = [
        b"WARC/1.0\r\n",
        b"Content-Length: 10\r\n",
        b"\r\n\r\n",
        b"\n",
        b"\x1f\x8b\x08\x00",
        b" 1 ",
        b"a:",
        b"\0\0",
    ]
    for _ in range(60):
        body = b"".join(chance.choice([*words, chance.randbytes(5)]) for _ in range(200))
        for item in read_archive(write_unit(tmp_path / "x.warc", head + body).file, LIMIT):
            assert isinstance(item, (Record, Damage))
