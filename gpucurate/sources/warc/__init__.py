"""Web archives: records from WARC and ARC files, HTTP messages from records, pages from messages.

`archive` gives records and never an exception for a damaged file, `http` gives bodies, `source` decides which of them
are documents.  Nothing here knows how text is drawn out of HTML.
"""

from gpucurate.sources.warc.source import Warc, WarcConfig

__all__ = ["Warc", "WarcConfig"]
