"""Lines of JSON: documents that are fine, lines that are no documents, and what must not reach a model."""

from __future__ import annotations

import json

from articles import Article, Author
from flaws import FLAWS
from foreign import FOREIGN
from ledger import Ledger
from protected import QUESTIONS, UNWANTED

SITE = "https://archive.quickstart.example/"


class Lines:
    """Lines in the order they are added; `ascii_only` writes everything else as escapes."""

    def __init__(self, ascii_only: bool) -> None:
        self._ascii_only = ascii_only
        self._lines: list[bytes] = []

    def add(self, name: str, text: str) -> str:
        """A document; returns its address."""
        record = {"url": SITE + name, "text": text, "timestamp": "2026-05-20T10:00:00Z"}
        self.add_raw(json.dumps(record, ensure_ascii=self._ascii_only).encode())
        return SITE + name

    def add_raw(self, line: bytes) -> None:
        """A line as it stands."""
        self._lines.append(line + b"\n")

    def as_bytes(self) -> bytes:
        """The file."""
        return b"".join(self._lines)


def plant_lines(author: Author, shared: list[Article], ledger: Ledger) -> tuple[bytes, list[str]]:
    """A file with everything in it, and the addresses of the `shared` articles."""
    lines = Lines(ascii_only=False)
    for article in author.articles(150):
        ledger.keep(lines.add(article.name, article.text))
    for article in (author.foreign(language) for language in 3 * list(FOREIGN)):
        ledger.remove(lines.add(article.name, article.text), "language", "language.other")
    for code, flawed in FLAWS.items():
        for name in author.names(2):
            ledger.remove(lines.add(name, flawed(author)), "rules", code)
    _plant_no_prose(author, lines, ledger)
    _plant_broken_lines(lines, ledger)
    _plant_untidy_text(author, lines, ledger)
    for article in author.articles(4):
        ledger.same_text([lines.add(article.name, article.text), lines.add(f"{article.name}-again", article.text)])
    _plant_near_copies(author, lines, ledger)
    _plant_what_must_not_be_learned(author, lines, ledger)
    copies = [lines.add(article.name, article.text) for article in shared]
    return lines.as_bytes(), copies


def plant_escaped_lines(author: Author, ledger: Ledger) -> bytes:
    """A second file, of sound documents, one with half a character."""
    lines = Lines(ascii_only=True)
    for article in author.articles(80):
        ledger.keep(lines.add(article.name, article.text))
    (article,) = author.articles(1)
    ledger.keep(lines.add(article.name, article.with_ending("The letter ends with half a character: \ud835.").text))
    ledger.must_stay("half a character: \ufffd.")
    return lines.as_bytes()


def _plant_no_prose(author: Author, lines: Lines, ledger: Ledger) -> None:
    digits, mixed, blank = author.names(3), author.names(3), author.names(2)
    for name in digits:
        figures = author.dice(name)
        text = " ".join(str(figures.number(1, 9999)) for _ in range(120))
        ledger.remove(lines.add(name, text), "language", "language.no_text")
    for name in mixed:
        ledger.remove(lines.add(name, author.mixture()), "language", "language.unsure")
    for name in blank:
        ledger.remove(lines.add(name, "\u00a0 \t\n\x00"), "normalize", "normalize.empty")


def _plant_broken_lines(lines: Lines, ledger: Ledger) -> None:
    broken = {
        "jsonl.not_json": [b'{"text": "the line ends he', b"text: no JSON at all", b'{"text": "a"} {"text": "b"}'],
        "jsonl.not_object": [b'["a list", "of texts"]', b'"a text by itself"'],
        "jsonl.no_text": [b'{"title": "no text"}', b'{"text": null}', b'{"text": ["in", "pieces"]}'],
        "jsonl.encoding": ['{"text": "Café Übersee"}'.encode(code) for code in ("latin-1", "utf-16-le")],
    }
    for code, raw_lines in broken.items():
        for line in raw_lines:
            lines.add_raw(line)
            ledger.no_document(code)
    lines.add_raw(b"")  # blank lines are no records


def _plant_untidy_text(author: Author, lines: Lines, ledger: Ledger) -> None:
    """What `normalize` must put right: line ends, blanks, control characters, a combining accent."""
    (article,) = author.articles(1)
    untidy = article.text.replace("\n\n", "\r\n\r\n\r\n\r\n").replace(", ", ",\u00a0 \t")
    ledger.keep(lines.add(article.name, f"{untidy}\x07\x00 The cafe\u0301 was  closed."))
    ledger.must_stay("The café was closed.")
    for mess in ("\r", "\u00a0", "\t", "\x07", "\x00", "\u0301", "\n\n\n", "  "):
        ledger.must_vanish(mess)


def _plant_near_copies(author: Author, lines: Lines, ledger: Ledger) -> None:
    """Articles and their edited versions, one word in a hundred changed."""
    for article in author.articles(8):
        words = article.text.split(" ")
        words[40::97] = ["indeed"] * len(words[40::97])
        edited = lines.add(f"{article.name}-edited", " ".join(words))
        ledger.nearly_same_text([lines.add(article.name, article.text), edited])


def _plant_what_must_not_be_learned(author: Author, lines: Lines, ledger: Ledger) -> None:
    """Insults, a benchmark's questions, the same passage again and again, and how to reach people."""
    for word, article in zip(UNWANTED, author.articles(len(UNWANTED)), strict=True):
        uri = lines.add(article.name, article.with_ending(f"They called the old keeper a {word} to his face.").text)
        ledger.remove(uri, "toxicity", "toxicity.words")
    for question, article in zip(QUESTIONS, author.articles(len(QUESTIONS)), strict=True):
        uri = lines.add(article.name, article.with_ending(question).text)
        ledger.remove(uri, "decontaminate", "decontaminate.item")
    passage = " ".join(author.sentences(6))
    for number, article in enumerate(author.articles(7)):
        ledger.keep(lines.add(article.name, article.with_ending(passage).text))
        ledger.edit("repeated_spans", int(number > 0))
    ledger.must_stay_once(passage)
    for number, article in enumerate(author.articles(6)):
        mail, phone = f"{article.hero.lower().replace(' ', '.')}@post.example", f"+44 20 7946 0{100 + number}"
        ledger.keep(lines.add(article.name, article.with_ending(f"Write to {mail} or call {phone} before noon.").text))
        ledger.edit("pii")
        ledger.must_vanish(mail, phone)
