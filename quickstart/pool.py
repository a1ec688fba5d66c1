"""Write the quickstart's raw pool: `python quickstart/pool.py FOLDER`.

A wiki dump, a web archive, its text archive and lines of JSON, a benchmark and a word list to protect them from, all
made up here, the same bytes every time; beside them planted.json, which says what a run must find.  Nothing is
downloaded, and no text is anyone else's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from articles import Author
from containers import gzip_stream
from json_lines import plant_escaped_lines, plant_lines
from ledger import Ledger
from protected import FILE, benchmark, registry, unwanted_words
from web import plant_crawl, plant_text_archive
from wiki import plant_wiki


def pool() -> dict[str, bytes]:
    """Contents of the pool's files by name."""
    ledger = Ledger()
    shared = Author("shared").articles(6)  # in three sources at once
    dump, in_dump = plant_wiki(Author("wiki"), shared, ledger)
    text_archive, in_text_archive = plant_text_archive(Author("texts"), shared, ledger)
    lines, in_lines = plant_lines(Author("lines"), shared, ledger)
    for uris in zip(in_dump, in_text_archive, in_lines, strict=True):
        ledger.same_text(uris)
    return {
        "wiki/quickstartwiki-pages-articles.xml.bz2": dump,
        "crawl/quickstart.warc.gz": plant_crawl(Author("crawl"), ledger),
        "crawl/quickstart.warc.wet.gz": text_archive,
        "documents/part-1.jsonl": lines,
        "documents/part-2.jsonl.gz": gzip_stream(plant_escaped_lines(Author("escaped lines"), ledger)),
        f"protected/{FILE}": benchmark(),
        "protected/registry.yaml": registry(),
        "protected/unwanted.txt": unwanted_words(),
        "planted.json": json.dumps(ledger.as_data(), indent=1, ensure_ascii=False).encode() + b"\n",
    }


def write_pool(folder: Path) -> None:
    """Write all files below a folder, over what an earlier run left there.

    Exits with code 2 if the folder holds anything else: a run would read that too, and nobody planted it.
    """
    files = pool()
    strange = sorted(path for path in folder.rglob("*") if path.is_file() and _name(path, folder) not in files)
    if strange:
        print(f"{strange[0]} is no file of the pool. Remedy: name another folder, or remove this one", file=sys.stderr)
        sys.exit(2)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(f"{path}: {len(content):,} bytes")


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: python quickstart/pool.py FOLDER", file=sys.stderr)
        sys.exit(2)
    write_pool(Path(sys.argv[1]))
