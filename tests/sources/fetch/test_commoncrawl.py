from __future__ import annotations

import gzip
from typing import Any

import pytest

from gpucurate.core.errors import InputError, UserError
from gpucurate.sources.fetch.commoncrawl import commoncrawl_items
from gpucurate.sources.fetch.queue import FetchQueue
from tests.sources.loopback import Loopback

CRAWL = "CC-MAIN-2024-10"
NAMES = [f"crawl-data/{CRAWL}/segments/17.{n}/wet/CC-MAIN-{n:05d}.warc.wet.gz" for n in range(5)]
MANIFEST = f"crawl-data/{CRAWL}/wet.paths.gz"


def test_the_first_files_of_a_crawl(web: Loopback, queue: FetchQueue) -> None:
    web.put(f"/{MANIFEST}", gzip.compress("\n".join(NAMES).encode() + b"\n"))
    for name in NAMES:
        web.put(f"/{name}", name.encode())
    assert [i.name for i in commoncrawl_items(queue, CRAWL, "wet", base_url=web.url)] == NAMES
    items = commoncrawl_items(queue, CRAWL, "wet", 2, web.url + "/")
    assert queue.fetch(items).fetched == 2
    assert (queue.directory / NAMES[1]).read_bytes() == NAMES[1].encode()
    assert len(web.gets(f"/{MANIFEST}")) == 1


def test_from_s3(s3: Any, queue: FetchQueue) -> None:
    s3.put_object(Bucket="crawl", Key=MANIFEST, Body=gzip.compress("\n".join(NAMES).encode()))
    s3.put_object(Bucket="crawl", Key=NAMES[0], Body=b"wet")
    items = commoncrawl_items(queue, CRAWL, "wet", 1, "s3://crawl")
    assert queue.fetch(items).fetched == 1
    assert (queue.directory / NAMES[0]).read_bytes() == b"wet"


def test_mistakes(web: Loopback, queue: FetchQueue) -> None:
    with pytest.raises(UserError, match="'2024-10' is not the name of a crawl"):
        commoncrawl_items(queue, "2024-10", "wet", base_url=web.url)
    with pytest.raises(InputError, match=r"wet\.paths\.gz: the server answers 404"):
        commoncrawl_items(queue, CRAWL, "wet", base_url=web.url)
    for manifest, says in [(b"not gzip", "is damaged"), (gzip.compress(b"x")[:-4], "is damaged")]:
        web.put(f"/crawl-data/{CRAWL}/warc.paths.gz", manifest)
        with pytest.raises(InputError, match=says):
            commoncrawl_items(queue, CRAWL, "warc", base_url=web.url)
        (queue.directory / f"crawl-data/{CRAWL}/warc.paths.gz").unlink()
    web.put(f"/crawl-data/{CRAWL}/wat.paths.gz", gzip.compress(b"\n"))
    with pytest.raises(InputError, match="lists no files"):
        commoncrawl_items(queue, CRAWL, "wat", base_url=web.url)


def test_a_manifest_that_leads_out_of_the_directory(web: Loopback, queue: FetchQueue) -> None:
    web.put(f"/{MANIFEST}", gzip.compress(b"../../../etc/passwd\n"))
    items = commoncrawl_items(queue, CRAWL, "wet", base_url=web.url)
    with pytest.raises(InputError, match="outside the directory"):
        queue.fetch(items)
