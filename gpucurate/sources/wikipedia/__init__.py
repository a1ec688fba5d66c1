"""MediaWiki XML exports to documents: one a page, from its newest revision.

A dump is cut into byte ranges that depend on the file alone, pages are split and parsed one at a time, and wikitext is
extracted a chunk at a time.  A page that cannot be read costs one quarantine row, never the dump.
"""

from gpucurate.sources.wikipedia.config import WikipediaConfig
from gpucurate.sources.wikipedia.source import Wikipedia

__all__ = ["Wikipedia", "WikipediaConfig"]
