"""What other extractors take for the main content of a page: the labels of pages that nobody has labelled by hand.

The first functions run in a sandbox, since extractors hang and crash on some pages; an extractor that fails on a page
has found nothing there.  Answers are kept in a file, one JSON object a line, and are not asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpucurate.classifier.main_content.pages import Page
from gpucurate.sources.sandbox import Sandbox

# In favour of the default, of precision, of recall, and without its fallbacks; they label together, see `labels`.
TRAFILATURA = ("trafilatura", "trafilatura_precision", "trafilatura_recall", "trafilatura_fast")
TEACHERS = (*TRAFILATURA, "readability", "resiliparse")
SECONDS = 20.0  # of CPU a page

Answers = dict[str, str]  # teacher to text


def trafilatura(page: bytes) -> str:
    """trafilatura's default, without comments."""
    return _trafilatura(page)


def trafilatura_precision(page: bytes) -> str:
    """trafilatura in favour of precision, as FineWeb uses it."""
    return _trafilatura(page, favor_precision=True)


def trafilatura_recall(page: bytes) -> str:
    """trafilatura in favour of recall."""
    return _trafilatura(page, favor_recall=True)


def trafilatura_fast(page: bytes) -> str:
    """trafilatura without its fallbacks."""
    return _trafilatura(page, fast=True)


def readability(page: bytes) -> str:
    """readability-lxml, a line a text node."""
    import lxml.html
    from readability import Document

    article = lxml.html.fromstring(Document(page.decode("utf-8", "replace")).summary(html_partial=True))
    return "\n".join(text.strip() for text in article.itertext() if text.strip())


def resiliparse(page: bytes) -> str:
    """resiliparse's rules for main content."""
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(page.decode("utf-8", "replace"), main_content=True, alt_texts=False, links=False)
    return text


def _trafilatura(page: bytes, favor_precision: bool = False, favor_recall: bool = False, fast: bool = False) -> str:
    import trafilatura as engine

    html = page.decode("utf-8", "replace")
    options = {"favor_precision": favor_precision, "favor_recall": favor_recall, "fast": fast}
    text: str | None = engine.extract(html, include_comments=False, **options)  # type: ignore[arg-type]
    return text or ""


def ask(pages: Iterable[Page], store: Path) -> dict[str, Answers]:
    """The answers of all teachers, by the key of the page; what `store` lacks is asked for and added to it."""
    pages = list(pages)
    answers = _stored(store)
    with ThreadPoolExecutor(len(TEACHERS)) as pool:
        lessons = pool.map(lambda name: _lesson(name, pages, answers, store), TEACHERS)
        for teacher, texts in zip(TEACHERS, lessons, strict=True):
            for key, text in texts.items():
                answers.setdefault(key, {})[teacher] = text
    return answers


def _lesson(teacher: str, pages: list[Page], known: dict[str, Answers], store: Path) -> Answers:
    """What one teacher says of the pages that it was not asked about before."""
    texts: Answers = {}
    with Sandbox(__name__, teacher, SECONDS) as sandbox, store.open("a", encoding="utf-8") as file:
        for page in pages:
            if teacher not in known.get(page.key, {}) and page.key not in texts:
                answer = sandbox.run(page.html.encode("utf-8", "replace"))
                texts[page.key] = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else ""
                file.write(json.dumps({"page": page.key, "teacher": teacher, "text": texts[page.key]}) + "\n")
    return texts


def _stored(store: Path) -> dict[str, Answers]:
    answers: dict[str, Answers] = {}
    if store.is_file():
        for line in store.read_text(encoding="utf-8").splitlines():
            answer = json.loads(line)
            answers.setdefault(answer["page"], {})[answer["teacher"]] = answer["text"]
    return answers
