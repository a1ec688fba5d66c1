from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from gpucurate.core.errors import InputError, UserError
from gpucurate.sources.fetch.queue import FetchQueue
from gpucurate.sources.fetch.wikimedia import wikimedia_items
from tests.sources.loopback import Loopback

NAMES = [
    "pages-articles.xml.bz2",
    "pages-articles-multistream.xml.bz2",
    "pages-articles-multistream-index.txt.bz2",
    "pages-meta-current1.xml-p1p41242.bz2",
    "pages-meta-current2.xml-p41243p151573.bz2",
    "pages-meta-history.xml.bz2",
    "pages-meta-history.xml.7z",
    "stub-articles.xml.gz",
    "redirect.sql.gz",
]


def put_dump(web: Loopback, wiki: str = "simplewiki", date: str = "20240301", algorithm: str = "sha1") -> None:
    lines = []
    for name in NAMES:
        body = f"{wiki} {date} {name}".encode() * 100
        web.put(f"/{wiki}/{date}/{wiki}-{date}-{name}", body)
        lines.append(f"{hashlib.new(algorithm, body).hexdigest()}  {wiki}-{date}-{name}\n")
    for place in (date, "latest"):
        web.put(f"/{wiki}/{place}/{wiki}-{place}-{algorithm}sums.txt", "".join(lines).encode())


@pytest.mark.parametrize("date", ["latest", "20240301"])
@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("articles", NAMES[:1]),
        ("multistream", NAMES[1:2]),
        ("current", NAMES[3:5]),
        ("history", NAMES[5:6]),
    ],
)
def test_a_dump(web: Loopback, queue: FetchQueue, date: str, kind: str, names: list[str]) -> None:
    put_dump(web)
    items = wikimedia_items(queue, "simplewiki", date, kind, web.url + "/")
    assert [item.name for item in items] == [f"simplewiki/20240301/simplewiki-20240301-{name}" for name in names]
    outcome = queue.fetch(items)
    assert (outcome.fetched, outcome.failures) == (len(names), [])
    assert (queue.directory / items[0].name).read_bytes().startswith(b"simplewiki 20240301 pages")


def test_md5_where_there_is_no_sha1(web: Loopback, queue: FetchQueue) -> None:
    put_dump(web, algorithm="md5")
    (item,) = wikimedia_items(queue, "simplewiki", "20240301", "articles", web.url)
    assert str(item.checksum).startswith("md5:")
    assert queue.fetch([item]).fetched == 1


def test_a_file_that_is_not_what_the_checksums_say(web: Loopback, queue: FetchQueue) -> None:
    put_dump(web)
    items = wikimedia_items(queue, "simplewiki", "20240301", "articles", web.url)
    web.put(f"/{items[0].name}", b"something else")
    (failure,) = queue.fetch(items).failures
    assert "does not have its published checksum sha1:" in failure


def test_a_newer_latest_dump_is_noticed(web: Loopback, queue: FetchQueue) -> None:
    put_dump(web)
    queue.fetch(wikimedia_items(queue, "simplewiki", "latest", "articles", web.url))
    put_dump(web, date="20240401")
    (item,) = wikimedia_items(queue, "simplewiki", "latest", "articles", web.url)
    assert "20240401" in item.name


def test_what_was_fetched_is_itself_a_mirror(web: Loopback, queue: FetchQueue, tmp_path: Path) -> None:
    put_dump(web)
    queue.fetch(wikimedia_items(queue, "simplewiki", "20240301", "articles", web.url))
    second = FetchQueue(tmp_path / "second", queue._watch)
    items = wikimedia_items(second, "simplewiki", "20240301", "articles", str(queue.directory))
    assert second.fetch(items).fetched == 1


def test_mistakes(web: Loopback, queue: FetchQueue) -> None:
    put_dump(web)
    with pytest.raises(UserError, match="'Simple English' is not the name of a wiki's database"):
        wikimedia_items(queue, "Simple English", "latest", "articles", web.url)
    with pytest.raises(UserError, match="expected YYYYMMDD or latest"):
        wikimedia_items(queue, "simplewiki", "2024-03-01", "articles", web.url)
    with pytest.raises(InputError, match="no dump of simplewiki dated 20230101 with checksums"):
        wikimedia_items(queue, "simplewiki", "20230101", "articles", web.url)
    web.put("/simplewiki/20240501/simplewiki-20240501-sha1sums.txt", b"<html>not yet</html>\n")
    with pytest.raises(InputError, match=r"has no articles file yet. Remedy: an earlier --date"):
        wikimedia_items(queue, "simplewiki", "20240501", "articles", web.url)
