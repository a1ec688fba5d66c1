"""Wikimedia dumps: which files a dump of a wiki has, from its published checksums.

Layout: https://dumps.wikimedia.org/WIKI/DATE/WIKI-DATE-KIND, checksums in WIKI-DATE-sha1sums.txt beside them.
"""

from __future__ import annotations

import re

from gpucurate.core.errors import InputError, UserError
from gpucurate.sources.fetch.download import Item
from gpucurate.sources.fetch.queue import FetchQueue

BASE_URL = "https://dumps.wikimedia.org"
PARTS = r"\d*\.xml(-p\d+p\d+)?\.bz2"  # large wikis are also dumped in numbered parts
KINDS = {
    "articles": f"pages-articles{PARTS}",
    "multistream": rf"pages-articles-multistream{PARTS}",
    "current": f"pages-meta-current{PARTS}",
    "history": f"pages-meta-history{PARTS}",
}
ALGORITHMS = ("sha1", "md5")
SUM_LINE = re.compile(r"([0-9a-f]{32}|[0-9a-f]{40}) [ *](\S+)")


def wikimedia_items(queue: FetchQueue, wiki: str, date: str, kind: str, base_url: str = BASE_URL) -> list[Item]:
    """Files of a dump, with checksums.  `date` is YYYYMMDD or `latest`; where there is one whole file of a kind, its
    parts are left out.

    Raises UserError for a wiki or date that cannot be one, InputError if there is no such dump or it is not done yet.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", wiki):
        raise UserError(f"{wiki!r} is not the name of a wiki's database; expected one such as simplewiki or enwiki")
    if not re.fullmatch(r"latest|\d{8}", date):
        raise UserError(f"--date {date}: expected YYYYMMDD or latest")
    base = base_url.rstrip("/")
    sums = _checksums(queue, wiki, date, base)
    wanted = re.compile(rf"{wiki}-(\d{{8}})-{KINDS[kind]}")
    names = sorted(name for name in sums if wanted.fullmatch(name))
    whole = [name for name in names if name.endswith(f"{KINDS[kind].removesuffix(PARTS)}.xml.bz2")]
    if not names:
        raise InputError(
            f"the dump {wiki} {date} has no {kind} file yet. Remedy: an earlier --date; {base}/{wiki}/ lists them"
        )
    dates = {name: wanted.fullmatch(name)[1] for name in names}  # type: ignore[index]
    return [
        Item(f"{base}/{wiki}/{dates[name]}/{name}", f"{wiki}/{dates[name]}/{name}", sums[name])
        for name in whole or names
    ]


def _checksums(queue: FetchQueue, wiki: str, date: str, base: str) -> dict[str, str]:
    """Published checksums by file name; the lists of a dump that is still being made grow."""
    for algorithm in ALGORITHMS:
        name = f"{wiki}/{date}/{wiki}-{date}-{algorithm}sums.txt"
        try:
            path = queue.fetch_one(Item(f"{base}/{name}", name, changes=True))
        except InputError as error:
            if algorithm == ALGORITHMS[-1]:
                raise InputError(f"no dump of {wiki} dated {date} with checksums at {base}: {error}") from error
            continue
        lines = path.read_text("utf-8", errors="replace").splitlines()
        found = [match for line in lines if (match := SUM_LINE.fullmatch(line.strip()))]
        return {match[2]: f"{algorithm}:{match[1]}" for match in found}
    raise AssertionError("the last algorithm returns or raises")
