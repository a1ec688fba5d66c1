"""Templates of hosts as plainly as they can be said: every line of every page in one dictionary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from urllib.parse import urlsplit

from tests.oracles.repeated_spans_reference import left, lines, words
from tests.steps.repeated_spans.corpora import record_id

Page = tuple[str, str]


def gone_lines(pages: Sequence[Page], least: int, share: float, keep_first: bool) -> list[set[int]]:
    """For each (URI, text) the numbers of the lines that are cut."""
    hosts: dict[str, set[Page]] = defaultdict(set)
    having: dict[tuple[str, Hashable], list[tuple[int, int]]] = defaultdict(list)
    for page, (uri, text) in enumerate(pages):
        host = (urlsplit(uri).hostname or "").removeprefix("www.")
        if not host:
            continue
        hosts[host].add((_address(uri), text))
        for number, (spelled, _, _) in enumerate(lines(text)):
            folded = tuple(word for word, _, _ in words(spelled.decode()))
            if folded:
                having[host, folded].append((page, number))
    gone: list[set[int]] = [set() for _ in pages]
    for (host, _), places in having.items():
        count = _pages({(_address(pages[page][0]), pages[page][1]) for page, _ in places})
        if count >= least and count / _pages(hosts[host]) >= share:
            first = min((page for page, _ in places), key=lambda page: (record_id(" ".join(pages[page])), page))
            for page, number in places:
                if not keep_first or page != first:
                    gone[page].add(number)
    return gone


def texts_left(pages: Sequence[Page], gone: Sequence[set[int]]) -> list[str]:
    return [left(text, "lines", numbers) for (_, text), numbers in zip(pages, gone, strict=True)]


def _address(uri: str) -> str:
    parts = urlsplit(uri)
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path}?{parts.query}"


def _pages(found: set[Page]) -> int:
    return min(len({address for address, _ in found}), len({text for _, text in found}))
