"""Common Crawl: which files a crawl has, from its path manifests.

Layout: https://data.commoncrawl.org/crawl-data/CRAWL/KIND.paths.gz lists paths below the same base.
"""

from __future__ import annotations

import gzip
import re
import zlib

from gpucurate.core.errors import InputError, UserError
from gpucurate.sources.fetch.download import Item
from gpucurate.sources.fetch.queue import FetchQueue

BASE_URL = "https://data.commoncrawl.org"
KINDS = ("warc", "wet", "wat")


def commoncrawl_items(
    queue: FetchQueue, crawl: str, kind: str, limit: int | None = None, base_url: str = BASE_URL
) -> list[Item]:
    """The first `limit` files of a crawl, in the manifest's order.

    Raises UserError for what cannot be a crawl, InputError if there is none or its manifest is damaged.
    """
    if not re.fullmatch(r"CC-(MAIN|NEWS)-[0-9-]+", crawl):
        raise UserError(f"{crawl!r} is not the name of a crawl; expected one such as CC-MAIN-2024-10")
    base = base_url.rstrip("/")
    manifest = f"crawl-data/{crawl}/{kind}.paths.gz"
    path = queue.fetch_one(Item(f"{base}/{manifest}", manifest))
    try:
        names = gzip.decompress(path.read_bytes()).decode().split()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}. Remedy: delete it and run again") from error
    if not names:
        raise InputError(f"{base}/{manifest} lists no files")
    return [Item(f"{base}/{name}", name) for name in names[:limit]]
