"""A web archive of HTML pages as a crawler stores them, and the archive of texts that goes with such crawls.

Around each article stand menu, banner, teasers and footer; between the pages, all the records that are none.
"""

from __future__ import annotations

import zlib
from html import escape

from articles import Article, Author
from containers import brotli_stream, gzip_stream, stored_blocks
from flaws import FLAWS
from foreign import FOREIGN
from ledger import Ledger

CRAWL, TEXTS = "https://news.quickstart.example/", "https://pages.quickstart.example/"
BLOCKED_DOMAIN, BLOCKED_WORD = "blocked.example", "casino"  # as configs/quickstart.yaml has them
DATE = "2026-04-02T08:30:00Z"
MENU = ("HOME", "NEWS", "WEATHER", "SPORTS", "SHOP", "CONTACT")
RESPONSE = "application/http; msgtype=response"


class Archive:
    """Records in the order they are added, each a gzip member of its own."""

    def __init__(self) -> None:
        self._members: list[bytes] = []

    def add(self, kind: str, uri: str | None, content_type: str, block: bytes) -> None:
        """One WARC/1.0 record."""
        fields = [
            "WARC/1.0",
            f"WARC-Type: {kind}",
            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{len(self._members):012d}>",
            f"WARC-Date: {DATE}",
            *([f"WARC-Target-URI: {uri}"] if uri is not None else []),
            f"Content-Type: {content_type}",
            f"Content-Length: {len(block)}",
        ]
        self._members.append(gzip_stream("\r\n".join(fields).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"))

    def respond(self, uri: str, body: bytes, *fields: str, status: str = "200 OK") -> None:
        """An HTTP response, of HTML in UTF-8 unless `fields` (header lines) begin with another Content-Type."""
        declared = fields if fields and fields[0].startswith("Content-Type") else (_html("utf-8"), *fields)
        head = "\r\n".join([f"HTTP/1.1 {status}", *declared, f"Content-Length: {len(body)}", "", ""])
        self.add("response", uri, RESPONSE, head.encode() + body)

    def as_bytes(self) -> bytes:
        """The file."""
        return b"".join(self._members)


def plant_crawl(author: Author, ledger: Ledger) -> bytes:
    """The archive of pages."""
    archive = Archive()
    archive.add("warcinfo", None, "application/warc-fields", b"software: quickstart\r\nformat: WARC 1.0\r\n")
    ledger.no_document("warc.warcinfo")
    for number, article in enumerate(author.articles(140)):
        uri = CRAWL + article.name
        if number % 9 == 0:
            archive.add("request", uri, "application/http; msgtype=request", b"GET / HTTP/1.1\r\nHost: news\r\n\r\n")
            ledger.no_document("warc.request")
        archive.respond(uri, page(article).encode())
        ledger.keep(uri)
        if number % 20 == 0:
            ledger.must_stay(*article.paragraphs)
    _plant_encodings(author, archive, ledger)
    _plant_no_pages(archive, ledger)
    for site in (f"https://{BLOCKED_DOMAIN}/", f"http://www.{BLOCKED_DOMAIN}:8080/"):
        for article in author.articles(3):
            archive.respond(site + article.name, page(article).encode())
            ledger.remove(site + article.name, "urls", "urls.domain")
    for article in author.articles(2):
        uri = f"{CRAWL}{BLOCKED_WORD}/{article.name}"
        archive.respond(uri, page(article).encode())
        ledger.remove(uri, "urls", "urls.word")
    for language in FOREIGN:
        article = author.foreign(language)
        archive.respond(CRAWL + article.name, page(article).encode())
        ledger.remove(CRAWL + article.name, "language", "language.other")
    for article in author.articles(3):
        uris = [CRAWL + article.name, f"{CRAWL}{article.name}?print=1"]
        for uri in uris:
            archive.respond(uri, page(article).encode())
        ledger.same_text(uris)
    ledger.must_vanish("PLANTED SCRIPT", "PLANTED BANNER", "PLANTED TEASER", "PLANTED FOOTER", "PLANTED HOME", "color:")
    return archive.as_bytes()


def page(article: Article, charset: str = "utf-8") -> str:
    """The article as a newspaper's page."""
    body = []
    for section in article.sections:
        if section.heading is not None:
            body.append(f"<h2>{escape(section.heading)}</h2>")
        body += [f"<p>{escape(paragraph, quote=False)}</p>" for paragraph in section.paragraphs]
    menu = "".join(f'<li><a href="/{name.lower()}">PLANTED {name}</a></li>' for name in MENU)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html><head><meta charset="{charset}"><title>{escape(article.title)}</title>',
            "<script>var planted = 'PLANTED SCRIPT';</script><style>.menu { color: red }</style></head><body>",
            f'<header><nav class="menu"><ul>{menu}</ul></nav></header>',
            '<div class="cookie-banner"><p>PLANTED BANNER: we use cookies.</p><button>Accept</button></div>',
            f"<main><article><h1>{escape(article.title)}</h1>",
            *body,
            "</article></main>",
            '<aside class="sidebar"><h3>More</h3><ul><li><a href="/1">PLANTED TEASER</a></li></ul></aside>',
            "<footer><p>PLANTED FOOTER. All rights reserved.</p></footer></body></html>",
        ]
    )


def plant_text_archive(author: Author, shared: list[Article], ledger: Ledger) -> tuple[bytes, list[str]]:
    """The archive of texts, and the addresses of the `shared` articles in it."""
    archive = Archive()
    archive.add("warcinfo", None, "application/warc-fields", b"software: quickstart\r\n")
    ledger.no_document("wet.warcinfo")
    for number, article in enumerate(author.articles(130)):
        text = article.text
        if number % 10 == 0:
            text = f"PLANTED NOTICE: turn on JavaScript.\n{text}\nPLANTED POLICY: read our cookie policy.\n"
            ledger.must_stay(article.text)
        ledger.keep(_add_text(archive, article.name, text))
    ledger.must_vanish("PLANTED NOTICE", "PLANTED POLICY")
    for language in 2 * list(FOREIGN):
        article = author.foreign(language)
        ledger.remove(_add_text(archive, article.name, article.text), "language", "language.other")
    for code, flawed in FLAWS.items():
        (name,) = author.names(1)
        ledger.remove(_add_text(archive, name, flawed(author)), "rules", code)
    copies = [_add_text(archive, article.name, article.text) for article in shared]
    return archive.as_bytes(), copies


def _add_text(archive: Archive, name: str, text: str) -> str:
    archive.add("conversion", TEXTS + name, "text/plain", text.encode())
    return TEXTS + name


def _plant_encodings(author: Author, archive: Archive, ledger: Ledger) -> None:
    """Pages in other charsets, and with a body that is encoded for the wire."""
    for charset, sign in (("iso-8859-1", "Café Übersee, naïve"), ("windows-1251", "Москва")):
        (article,) = author.articles(1)
        body = page(article.with_ending(f"The sign above the door read: {sign}."), charset).encode(charset)
        archive.respond(CRAWL + article.name, body, _html(charset))
        ledger.keep(CRAWL + article.name)
        ledger.must_stay(f"read: {sign}.")
    for coding, encode in (("br", brotli_stream), ("gzip", gzip_stream), ("deflate", _zlib_stream)):
        (article,) = author.articles(1)
        archive.respond(CRAWL + article.name, encode(page(article).encode()), f"Content-Encoding: {coding}")
        ledger.keep(CRAWL + article.name)
    (article,) = author.articles(1)
    archive.respond(CRAWL + article.name, _chunks(page(article).encode()), "Transfer-Encoding: chunked")
    ledger.keep(CRAWL + article.name)


def _plant_no_pages(archive: Archive, ledger: Ledger) -> None:
    """Responses that are no pages, and records that are no responses."""
    for number in range(4):
        picture = b"\x89PNG\r\n\x1a\n" + bytes(200)
        archive.respond(f"{CRAWL}{number}.png", picture, "Content-Type: image/png")
        ledger.no_document("warc.not_html")
    for number in range(3):
        archive.respond(f"{CRAWL}gone/{number}", b"<p>not found</p>", status="404 Not Found")
        ledger.no_document("warc.http_status")
        archive.add("revisit", f"{CRAWL}again/{number}", RESPONSE, b"")
        ledger.no_document("warc.revisit")
    for number in range(2):
        archive.respond(f"{CRAWL}empty/{number}", b"<html><body></body></html>")
        ledger.no_document("html.empty")


def _html(charset: str) -> str:
    return f"Content-Type: text/html; charset={charset}"


def _chunks(body: bytes) -> bytes:
    """Transfer-Encoding `chunked` (RFC 9112, section 7.1)."""
    pieces = [body[start : start + 1000] for start in range(0, len(body), 1000)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""])


def _zlib_stream(data: bytes) -> bytes:
    """Content-Encoding `deflate` (RFC 1950)."""
    return b"\x78\x01" + stored_blocks(data) + zlib.adler32(data).to_bytes(4, "big")
