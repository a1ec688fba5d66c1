"""Where in the reading order a block stands, what its neighbours are, and what page it is on."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.sources.html.blocks import page, sums, tags
from gpucurate.sources.html.blocks.context import Context
from gpucurate.sources.html.blocks.feature_names import AT_NEIGHBOURS, AT_PAGE, AT_PLACE, AT_WINDOWS, NEIGHBOUR, Row
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.tags import HEADINGS

FARTHEST_BACK, FARTHEST_ON, NO_HEADING = -30, 60, -40
MOST_REPEATS = 10
OFFSETS = np.array([-2, -1, 1, 2])
RADII = np.array([3, 8])
NEIGHBOUR_COLUMNS = len(NEIGHBOUR.split())


@borrowing
def fill_place(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.PLACE`."""
    blocks, parents, values = scanned.blocks, context.parents, context.values[k]
    parent = parents[blocks[k, page.NODE]]
    h1, title = context.picks[1], context.picks[2]
    a = AT_PLACE
    row[a] = k / len(blocks)
    row[a + 1] = values[sums.CHARS_BEFORE] / max(1.0, context.totals[sums.CHARS])
    row[a + 2] = values[sums.SINCE_HEADING]
    row[a + 3] = _from(h1, k)
    row[a + 4] = _from(title if title >= 0 else h1, k)
    row[a + 5] = title >= 0
    row[a + 6] = min(MOST_REPEATS, context.repeats[k])
    row[a + 7] = values[sums.SINCE_GOOD]
    row[a + 8] = values[sums.UNTIL_GOOD]
    row[a + 9] = k > 0 and parents[blocks[k - 1, page.NODE]] == parent
    row[a + 10] = k + 1 < len(blocks) and parents[blocks[k + 1, page.NODE]] == parent


@borrowing
def _from(heading: int, k: int) -> int:
    """Blocks behind a heading, or NO_HEADING."""
    return min(FARTHEST_ON, max(FARTHEST_BACK, k - heading)) if heading >= 0 else NO_HEADING


@borrowing
def fill_neighbours(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.NEIGHBOURS`."""
    a = AT_NEIGHBOURS
    for offset in OFFSETS:
        other = k + offset
        if 0 <= other < len(scanned.blocks):
            tag = scanned.nodes[scanned.blocks[other, page.NODE], page.TAG]
            row[a] = np.log1p(context.values[other, sums.WORDS])
            row[a + 1] = context.values[other, sums.LINK_SHARE]
            row[a + 2] = scanned.blocks[other, page.LAST]
            row[a + 3] = tag == tags.P
            row[a + 4] = tag - tags.H1 + 1 if HEADINGS[tag] else 0
            row[a + 5] = context.values[other, sums.GOOD] > 0
        else:
            row[a : a + NEIGHBOUR_COLUMNS] = 0
            row[a] = row[a + 2] = -1
        a += NEIGHBOUR_COLUMNS


@borrowing
def fill_windows(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.WINDOWS`."""
    for which in range(len(RADII)):
        good = 0.0
        chars = link_chars = 0
        for other in range(max(0, k - RADII[which]), min(len(scanned.blocks), k + RADII[which] + 1)):
            good += context.values[other, sums.GOOD]
            chars += scanned.blocks[other, page.CHARS]
            link_chars += scanned.blocks[other, page.LINK_CHARS]
        row[AT_WINDOWS + which] = np.log1p(good)
        row[AT_WINDOWS + len(RADII) + which] = link_chars / max(1, chars)


@borrowing
def fill_page(row: Row, context: Context, blocks: int) -> None:
    """Columns of `feature_names.PAGE`, the same for every block."""
    totals = context.totals
    a = AT_PAGE
    row[a] = np.log1p(totals[sums.CHARS])
    row[a + 1] = totals[sums.LINK_CHARS] / max(1.0, totals[sums.CHARS])
    row[a + 2] = totals[sums.GOOD_CHARS] / max(1.0, totals[sums.CHARS])
    row[a + 3] = np.log1p(np.float64(blocks))
    row[a + 4] = np.log1p(totals[sums.LINK_HEADINGS])
