"""Reading a .bz2 dump (decompress and give every page's fields) against bz2 with xml.etree's iterparse.

    python benchmarks/dump_reading.py --data ../shared/data [--megabytes 120] [--rounds 3]

The dump is made from real English pages, varied so that no block repeats.  All ways run in turn in each round; the
table shows medians of wall and CPU time, and of their ratio to the baseline within a round.
"""

from __future__ import annotations

import argparse
import bz2
import statistics
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from gpucurate.sources.contract import Unit
from gpucurate.sources.wikipedia import Wikipedia, WikipediaConfig
from gpucurate.sources.wikipedia.page import parse_page
from gpucurate.sources.wikipedia.pages import RawPage, split_pages
from gpucurate.sources.wikipedia.pieces import form_of, read_pieces

DUMP = "wiki/gensim/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
Counts = tuple[int, int]  # pages, bytes of wikitext


def make_dump(source: Path, target: Path, megabytes: int) -> int:
    """Write a dump of about so many MB of XML; returns its exact size."""
    raw = bz2.decompress(source.read_bytes())
    start, stop = raw.index(b"<page>"), raw.rindex(b"</page>") + len(b"</page>\n")
    packer, size = bz2.BZ2Compressor(), 0
    with target.open("wb") as out:
        parts = [raw[:start]]
        parts += [raw[start:stop].replace(b" the ", b" the%d " % n) for n in range(megabytes * 10**6 // (stop - start))]
        for part in [*parts, b"</mediawiki>\n"]:
            out.write(packer.compress(part))
            size += len(part)
        out.write(packer.flush())
    return size


def iterparse(path: Path) -> Counts:
    """The baseline: bz2 and xml.etree, the tree cleared page by page."""
    pages = text_bytes = 0
    with bz2.open(path) as stream:
        events = ET.iterparse(stream, events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag.endswith("}page"):
                text = element.find("{*}revision/{*}text")
                assert element.findtext("{*}title") is not None
                pages += 1
                text_bytes += len(((text.text if text is not None else "") or "").encode())
                root.clear()
    return pages, text_bytes


def read_unit(unit: Unit) -> Counts:
    """Pages of one unit, parsed."""
    pages = text_bytes = 0
    with Path(unit.file.url).open("rb") as stored:
        form = form_of(stored, unit.file)
        for record in split_pages(read_pieces(stored, unit, form, framed=True)):
            assert isinstance(record, RawPage)
            pages += 1
            text_bytes += len(parse_page(record.data).text)
    return pages, text_bytes


def read_documents(source: Wikipedia, unit: Unit) -> int:
    """The whole source: pages, extraction, tables."""
    return sum(chunk.documents.num_rows for chunk in source.read(unit))


def total(counts: Iterable[Counts]) -> Counts:
    """Sum over units."""
    listed = list(counts)
    return sum(c[0] for c in listed), sum(c[1] for c in listed)


def main() -> None:
    """Make the dump, time every way in turn, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--megabytes", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "dump.xml.bz2"
        size = make_dump(options.data / DUMP, path, options.megabytes)
        source = Wikipedia("dump", WikipediaConfig(path=(str(path),)))
        units = source.units(source.files())
        print(f"{size / 1e6:.0f} MB of XML, {path.stat().st_size / 1e6:.0f} MB packed, {len(units)} units")
        Wikipedia.warm()
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            list(pool.map(warm_worker, range(2)))
            ways: dict[str, Callable[[], object]] = {
                "bz2 + xml.etree.iterparse": lambda: iterparse(path),
                "pages, 1 process": lambda: total(map(read_unit, units)),
                "pages, 2 processes": lambda: total(pool.map(read_unit, units)),
                "documents with text, 1 process": lambda: sum(read_documents(source, unit) for unit in units),
            }
            report(ways, size, options.rounds)


def warm_worker(_: int) -> None:
    """Load the kernels in a worker."""
    Wikipedia.warm()
    time.sleep(0.5)  # so that each worker gets one


def report(ways: dict[str, Callable[[], object]], size: int, rounds: int) -> None:
    """Run the ways in turn and print medians; all that count pages must agree."""
    wall: dict[str, list[float]] = {name: [] for name in ways}
    cpu: dict[str, list[float]] = {name: [] for name in ways}  # of this process: of no meaning for two
    counted = set()
    for _ in range(rounds):
        for name, run in ways.items():
            start, cpu_start = time.perf_counter(), time.process_time()
            result = run()
            wall[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - cpu_start)
            if isinstance(result, tuple):
                counted.add(result)
    assert len(counted) == 1, counted
    for name in ways:
        columns = [_speed(times, name, size) for times in ((wall,) if "2 processes" in name else (wall, cpu))]
        print(f"{name:32} wall {'  CPU '.join(columns)}")


def _speed(times: dict[str, list[float]], name: str, size: int) -> str:
    baseline = next(iter(times.values()))
    ratio = statistics.median(b / t for b, t in zip(baseline, times[name], strict=True))
    return f"{size / 1e6 / statistics.median(times[name]):6.1f} MB/s x {ratio:.2f}"


if __name__ == "__main__":
    main()
