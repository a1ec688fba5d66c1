"""What a page is like, for a recipe to decide on: how much of it was kept, and whether it only lists other pages."""

from __future__ import annotations

from gpucurate.core.compiled import borrowing
from gpucurate.sources.html.blocks import page, sums
from gpucurate.sources.html.blocks.context import Context
from gpucurate.sources.html.blocks.feature_names import Row
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.sums import LINK_HEADINGS, Values
from gpucurate.sources.html.blocks.writing.selection import Keep, Probabilities

# Columns of signals.
PAGE_WORDS = 0  # ideographs count half
KEPT_WORDS = 1
KEPT_LINK_SHARE = 2  # of the characters kept, those in links
KEPT_PROBABILITY = 3  # mean over the words kept
KEPT_GOOD_SHARE = 4  # of the characters kept, those in prose
HEADING_LINKS = 5  # headings that are links: teasers of other pages
SIGNALS = 6

# A page that lists: what was kept is mostly links, or mostly short lines, or teasers outnumber its paragraphs.
LISTING_LINK_SHARE, LISTING_GOOD_SHARE, TEASERS = 0.5, 0.25, 8


@borrowing
def fill_signals(
    scanned: ScannedPage, context: Context, probabilities: Probabilities, keep: Keep, signals: Row
) -> None:
    """The signals of a page, float32 [SIGNALS]."""
    values: Values = context.values
    words = kept = chars = links = good = certainty = 0.0
    for k in range(len(keep)):
        words += values[k, sums.WORDS]
        if keep[k]:
            kept += values[k, sums.WORDS]
            chars += values[k, sums.BLOCK_CHARS]
            links += scanned.blocks[k, page.LINK_CHARS]
            good += values[k, sums.GOOD]
            certainty += probabilities[k] * values[k, sums.WORDS]
    signals[PAGE_WORDS] = words
    signals[KEPT_WORDS] = kept
    signals[KEPT_LINK_SHARE] = links / max(1.0, chars)
    signals[KEPT_PROBABILITY] = certainty / max(1.0, kept)
    signals[KEPT_GOOD_SHARE] = good / max(1.0, chars)
    signals[HEADING_LINKS] = context.totals[LINK_HEADINGS]


def is_listing(signals: Row) -> bool:
    """Does the page list other pages rather than hold content of its own?"""
    prose = float(signals[KEPT_GOOD_SHARE])
    return bool(
        signals[KEPT_LINK_SHARE] > LISTING_LINK_SHARE
        or (prose < LISTING_GOOD_SHARE and signals[HEADING_LINKS] >= TEASERS)
    )
