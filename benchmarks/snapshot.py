"""A crawl snapshot of any size, made of real pages: WARC files as Common Crawl lays them out, with things planted.

    python benchmarks/snapshot.py out/snapshot --data ../shared/data --pages 20000 [--files 4] [--seed 0]

Markup, menus and scripts are those of real pages; the paragraphs of each are replaced by real paragraphs drawn by
chance, so that every page is another one but for the planted copies.  Beside the files stands `planted.jsonl`, one line
a page: its URL, its kind, the page it copies.  The same seed gives the same bytes.  Pages stay their publishers': the
snapshot is for measuring, not for training or for passing on.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import brotli

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from gpucurate.sources.charset import decode_page  # noqa: E402
from gpucurate.sources.contract import InputFile, Unit  # noqa: E402
from gpucurate.sources.warc.archive import read_archive  # noqa: E402
from gpucurate.sources.warc.pages import HtmlPage, read_page  # noqa: E402
from gpucurate.sources.warc.record import Record  # noqa: E402
from gpucurate.sources.wikipedia import Wikipedia, WikipediaConfig  # noqa: E402

PARAGRAPH = re.compile(r"(?is)(<p\b[^>]*>)((?:(?!</?p\b|<div|<table|<ul|<ol|<script|<pre).){60,8000}?)(</p>)")
TITLE = re.compile(r"(?is)(<title[^>]*>)([^<]*)(</title>)")
CHARSET = re.compile(r"""(?i)(<meta[^>]{0,200}charset\s*=\s*["']?)([\w.:-]+)""")
ARCHIVES = ("aut/warc/example.warc.gz", "dolma/warc/*.warc.gz", "resiliparse/warcfile.warc.gz",
            "pywb/warcs/iana.warc.gz", "resiliparse/clueweb-quirk.warc.gz", "whirlwind/whirlwind.warc.gz")  # fmt: skip
# Declarations of Human Rights by the charsets that pages in the language were once written in.
OTHER_LANGUAGES = {
    "deu_1901": "windows-1252", "fra": "iso-8859-1", "rus": "windows-1251", "ell_monotonic": "iso-8859-7",
    "jpn": "shift_jis", "kor": "euc-kr", "cmn_hans": "gb18030", "cmn_hant": "big5", "tha": "windows-874",
    "arb": "windows-1256", "hin": "utf-8",
}  # fmt: skip
# Kinds of pages out of 1,000; the rest are pages of their own.  Shares of status and type are near Common Crawl's
# published error rates; the others are there to have enough of each.
KINDS = {
    "status": 30, "not_html": 20, "exact_copy": 40, "near_copy": 80, "repeating": 20, "lorem": 5, "bracket": 20,
    "short": 60, "other_language": 250, "untouched": 15,
}  # fmt: skip
BROKEN_EVERY = 5_000  # pages between two damaged places in a file


@dataclass(frozen=True, slots=True)
class Template:
    """A real page cut at its paragraphs: `parts` alternate fixed markup and the paragraphs' own text."""

    name: str
    parts: tuple[str, ...]

    @property
    def slots(self) -> int:
        return len(self.parts) // 2


@dataclass(frozen=True, slots=True)
class Web:
    """What pages are made of: layouts, English paragraphs, and those of other languages by charset."""

    templates: tuple[Template, ...]
    english: tuple[str, ...]
    others: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page before it is encoded; `copy_of` is the URL of the page that it copies."""

    url: str
    kind: str
    text: str
    charset: str
    paragraphs: tuple[str, ...]
    template: Template
    copy_of: str | None = None


def real_pages(data: Path) -> Iterator[tuple[str, str]]:
    """Name and decoded HTML of every page at hand, files first, then those of archives."""
    for path in sorted((data / "html").rglob("*.html")):
        if "expected" not in path.name:
            yield str(path.relative_to(data)), decode_page(path.read_bytes(), None).text
    for pattern in ARCHIVES:
        for path in sorted((data / "warc").glob(pattern)):
            file = InputFile(str(path), path.stat().st_size, "snapshot", path.name)
            for number, found in enumerate(read_archive(file, 1 << 21)):
                page = read_page(found, 1 << 20) if isinstance(found, Record) else None
                if isinstance(page, HtmlPage):
                    yield f"{path.name}:{number}", decode_page(page.payload, page.charset).text


def template(name: str, page: str) -> Template | None:
    """None for a page without a head or with fewer than three paragraphs."""
    parts: list[str] = []
    begin = 0
    for found in PARAGRAPH.finditer(page):
        parts += [page[begin : found.end(1)], found[2]]
        begin = found.end(2)
    return Template(name, (*parts, page[begin:])) if len(parts) >= 6 and len(page) < 400_000 else None


def english_paragraphs(data: Path) -> list[str]:
    """Paragraphs of speeches, of informal web text and of Wikipedia articles, each once, by length 120 to 2,500."""
    found: list[str] = []
    for book in ("state_union", "inaugural", "webtext"):
        with ZipFile(data / "books" / f"{book}.zip") as archive:
            for name in sorted(n for n in archive.namelist() if n.endswith(".txt")):
                text = archive.read(name).decode("utf-8", "replace")
                found += [" ".join(each.split()) for each in re.split(r"\n\s*\n|\n(?=[A-Z\"'])", text)]
    for path in sorted((data / "wiki" / "gensim").glob("enwiki*.bz2")):
        source = Wikipedia("wiki", WikipediaConfig.model_validate({"path": str(path)}))
        for chunk in source.read(
            Unit("wiki", InputFile(str(path), path.stat().st_size, "snapshot", path.name), 0, path.stat().st_size)
        ):
            found += [line for text in chunk.documents["text"].to_pylist() for line in text.split("\n")]
    return list(dict.fromkeys(each for each in found if 120 <= len(each) <= 2_500 and each.count(" ") > 12))


def gather(data: Path) -> Web:
    """Read everything that pages are made of."""
    templates = [made for name, page in real_pages(data) if (made := template(name, page)) is not None]
    others: dict[str, tuple[str, ...]] = {}
    with ZipFile(data / "books" / "udhr2.zip") as archive:
        for name in OTHER_LANGUAGES:
            lines = archive.read(f"udhr2/{name}.txt").decode("utf-8", "replace").split("\n")
            others[name] = tuple(line.strip() for line in lines if len(line) > 60)
    return Web(tuple(templates), tuple(english_paragraphs(data)), others)


class Maker:
    """Draws pages; everything depends on the seed and the order of calls alone."""

    def __init__(self, web: Web, seed: int) -> None:
        self.web = web
        self.chance = random.Random(seed)
        self.own: list[MadePage] = []  # pages that may be copied

    def page(self, number: int) -> MadePage:
        kind = self.chance.choices([*KINDS, "own"], [*KINDS.values(), 1_000 - sum(KINDS.values())])[0]
        if kind in ("exact_copy", "near_copy") and not self.own:
            kind = "own"
        layout = self.chance.choice(self.web.templates)
        site = hashlib.blake2b(layout.name.encode(), digest_size=4).hexdigest()
        host = f"www{self.chance.randrange(3)}.site-{site}.example"
        url = f"https://{host}/{self.chance.choice(('news', 'blog', 'article', 'p', 'about'))}/{number}.html"
        if kind == "untouched":
            return MadePage(url, kind, "".join(layout.parts), "utf-8", (), layout)
        if kind == "exact_copy":
            old = self.chance.choice(self.own)
            return MadePage(url, kind, old.text, old.charset, old.paragraphs, old.template, old.url)
        if kind == "near_copy":
            return self._near_copy(url, layout)
        if kind == "other_language":
            language = self.chance.choice(list(OTHER_LANGUAGES))
            words = self._paragraphs(layout, self.web.others[language])
            charset = self.chance.choice((OTHER_LANGUAGES[language], "utf-8"))
            return self._filled(url, kind, layout, words, charset)
        words = self._paragraphs(layout, self.web.english)
        if kind == "repeating":
            words = [words[0]] * len(words)
        elif kind == "lorem":
            words[0] = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor."
        elif kind == "bracket":
            words[-1] += " function () { return 0; }"
        elif kind == "short":
            words = [words[0][:150]]
        elif self.chance.random() < 0.05:
            words[-1] += f" Write to editor{number}@newsroom.co.uk or call 192.0.2.7, 81.2.69.{number % 250}."
        charset = self.chance.choices(("utf-8", "windows-1252", "utf-16"), (900, 95, 5))[0]
        made = self._filled(url, kind, layout, words, charset)
        if kind == "own" and len(words) >= 4:
            self.own.append(made)
        return made

    def _paragraphs(self, layout: Template, pool: tuple[str, ...]) -> list[str]:
        most = min(layout.slots, 24)
        return self.chance.sample(pool, min(self.chance.randint(min(3, most), most), len(pool)))

    def _near_copy(self, url: str, layout: Template) -> MadePage:
        """Another layout, or the same with another sentence: what syndication and updates look like."""
        old = self.chance.choice(self.own)
        words = list(old.paragraphs)
        if self.chance.random() < 0.5 or layout.slots < len(words):
            layout = old.template
            words[-1] = f"{words[-1]} Updated on {self.chance.randint(1, 28)} May 2024."
        return self._filled(url, "near_copy", layout, words, "utf-8", old.url)

    def _filled(
        self, url: str, kind: str, layout: Template, words: list[str], charset: str, copy_of: str | None = None
    ) -> MadePage:
        parts = list(layout.parts)
        for slot in range(layout.slots):
            parts[2 * slot + 1] = html.escape(words[slot], quote=False) if slot < len(words) else ""
        title = html.escape(words[0][:60]) if words else "Untitled"
        text = TITLE.sub(lambda found: found[1] + title + found[3], "".join(parts), count=1)
        declared = charset if self.chance.random() < 0.8 else None  # else nothing tells it but the bytes
        text = CHARSET.sub(lambda found: found[1] + (declared or "x-user-defined-unknown"), text, count=1)
        return MadePage(url, kind, text, charset, tuple(words), layout, copy_of)


def http_response(page: MadePage, chance: random.Random, with_brotli: bool) -> bytes:
    """Status line, headers and body; bodies are packed as some servers send them, though Common Crawl unpacks most."""
    codec = {"windows-874": "cp874"}.get(page.charset, page.charset)
    body = page.text.encode(codec, "replace" if codec.startswith("utf") else "xmlcharrefreplace")
    status, kind = "200 OK", "text/html"
    if page.kind == "status":
        status = chance.choice(("404 Not Found", "301 Moved Permanently", "503 Service Unavailable"))
    if page.kind == "not_html":
        kind, body = chance.choice(
            (("application/pdf", b"%PDF-1.4 "), ("image/png", b"\x89PNG\r\n"), ("application/json", b"{}"))
        )
        body += bytes(chance.randrange(256) for _ in range(200))
    if kind == "text/html" and chance.random() < 0.6:
        kind += f"; charset={page.charset}"
    head = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Date: Fri, {chance.randint(1, 28):02} May 2024 01:58:10 GMT",
    ]
    packing = chance.choices(("", "gzip", "br", "said", "chunked"), (700, 180, 60 if with_brotli else 0, 20, 40))[0]
    if packing == "gzip":
        body = gzip.compress(body, 6, mtime=0)
    elif packing == "br":
        body = brotli.compress(body, quality=4)
    elif packing == "chunked":
        cut = len(body) // 2
        body = b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in (body[:cut], body[cut:]) if each) + b"0\r\n\r\n"
        head.append("Transfer-Encoding: chunked")
    if packing in ("gzip", "br", "said"):
        head.append(f"Content-Encoding: {'gzip' if packing == 'said' else packing}")  # "said": declared, not done
    return ("\r\n".join(head) + f"\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body


def record(kind: str, url: str, block: bytes, content_type: str, length: int | None = None) -> bytes:
    """One WARC record; `length` is what its header claims, if not the truth."""
    identity = hashlib.blake2b(f"{kind} {url}".encode(), digest_size=16).hexdigest()
    identity = "-".join((identity[:8], identity[8:12], identity[12:16], identity[16:20], identity[20:]))
    told = (
        "" if kind != "response" or b"text/html" not in block[:200] else "WARC-Identified-Payload-Type: text/html\r\n"
    )
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{identity}>\r\nWARC-Date: 2024-05-18T01:58:10Z\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\n{told}"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def damaged(member: bytes, chance: random.Random) -> bytes:
    """A gzip member with a stretch of its middle overwritten."""
    middle = len(member) // 2
    return member[:middle] + chance.randbytes(64) + member[middle + 64 :]


def write_snapshot(out: Path, web: Web, pages: int, files: int, seed: int, damage: bool = True) -> Counter[str]:
    """Write `files` archives and planted.jsonl; returns pages by kind, and `bytes` of records before compression."""
    out.mkdir(parents=True, exist_ok=True)
    maker, counts = Maker(web, seed), Counter[str]()
    with (out / "planted.jsonl").open("w") as planted:
        for file in range(files):
            first, last = pages * file // files, pages * (file + 1) // files
            with (out / f"CC-MAIN-synthetic-{file:05}.warc.gz").open("wb") as archive:
                info = b"software: benchmarks/snapshot.py\r\n"
                archive.write(
                    gzip.compress(record("warcinfo", f"file:{file}", info, "application/warc-fields"), mtime=0)
                )
                for number in range(first, last):
                    page = maker.page(number)
                    response = http_response(page, maker.chance, with_brotli=damage)
                    broken = damage and number % BROKEN_EVERY == BROKEN_EVERY // 2
                    members = [
                        record("request", page.url, b"GET / HTTP/1.1\r\n\r\n", "application/http; msgtype=request"),
                        record("response", page.url, response, "application/http; msgtype=response"),
                        record("metadata", page.url, b"fetchTimeMs: 42\r\n", "application/warc-fields"),
                    ]
                    packed = [gzip.compress(member, 6, mtime=0) for member in members]
                    if broken:
                        packed[1] = damaged(packed[1], maker.chance)
                    archive.write(b"".join(packed))
                    kind = "damaged" if broken else page.kind
                    counts[kind] += 1
                    counts["bytes"] += sum(map(len, members))
                    json.dump({"url": page.url, "kind": kind, "copy_of": page.copy_of}, planted)
                    planted.write("\n")
                if damage and file == files - 1:
                    cut = gzip.compress(
                        record(
                            "response",
                            "https://cut.example/",
                            b"HTTP/1.1 200 OK\r\n\r\n" + b"<p>" * 999,
                            "application/http",
                        ),
                        mtime=0,
                    )
                    archive.write(cut[: len(cut) // 2])
                    counts["damaged"] += 1
    return counts


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--pages", type=int, default=20_000)
    arguments.add_argument("--files", type=int, default=4)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--sound", action="store_true", help="without damage and brotli, which some readers stop at")
    options = arguments.parse_args()
    web = gather(options.data)
    print(f"{len(web.templates)} layouts, {len(web.english)} English paragraphs")
    counts = write_snapshot(options.out, web, options.pages, options.files, options.seed, not options.sound)
    stored = sum(path.stat().st_size for path in options.out.glob("*.warc.gz"))
    records = counts.pop("bytes")
    print(f"{records / 1e9:.2f} GB of records, {stored / 1e9:.2f} GB compressed, pages by kind: {dict(counts)}")


if __name__ == "__main__":
    main()
