"""Where in the tree a block stands: ancestors, their names, containers and how much prose is in them."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.sources.html.blocks import page
from gpucurate.sources.html.blocks.best_container import IN_BEST, IN_PARENT, INSIDE, UP
from gpucurate.sources.html.blocks.characters import Marks
from gpucurate.sources.html.blocks.context import Context
from gpucurate.sources.html.blocks.feature_names import (
    AT_CONTAINERS,
    AT_GROUP,
    AT_NAMED,
    AT_NAMED_SUMS,
    AT_WITHIN,
    CONTAINER,
    WITHIN,
    Row,
)
from gpucurate.sources.html.blocks.groups import GROUP_BLOCKS, GROUP_CHARS, GROUP_GOOD, GROUP_LINK_CHARS
from gpucurate.sources.html.blocks.keywords import CATEGORIES, HIDDEN_BIT, NEGATIVE, POSITIVE
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.sums import (
    BLOCKS,
    CHARS,
    GOOD_CHARS,
    LINK_CHARS,
    LINK_HEADINGS,
    PARAGRAPHS,
)
from gpucurate.sources.html.blocks.tags import FIRST_ANCESTOR_BIT

FARTHEST = 12  # ancestors that are asked for a name
CATEGORY_COUNT, WITHIN_COUNT, CONTAINER_COLUMNS = len(CATEGORIES), len(WITHIN.split()), len(CONTAINER.split())
ONE = np.uint64(1)


@borrowing
def fill_within(row: Row, k: int, scanned: ScannedPage) -> None:
    """Columns of `feature_names.WITHIN`."""
    ancestors = scanned.block_marks[k, page.BLOCK_MASK] >> np.uint64(FIRST_ANCESTOR_BIT)
    for bit in range(WITHIN_COUNT):
        row[AT_WITHIN + bit] = ancestors & ONE
        ancestors >>= ONE


@borrowing
def fill_named(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.NAMED` and `NAMED_SUMS`.

    Far is any ancestor; near is a span around all of the text, the block, its parent or grandparent.
    """
    marks = scanned.node_marks
    node = scanned.blocks[k, page.NODE]
    parent = context.parents[node]
    far = scanned.block_marks[k, page.BLOCK_MASK]
    near = far & ~marks[node, page.ALL] | marks[node, page.OWN]
    near |= marks[parent, page.OWN] | marks[context.parents[parent], page.OWN]
    column = AT_NAMED
    for category in range(CATEGORY_COUNT + 1):
        bit = np.uint64(category if category < CATEGORY_COUNT else HIDDEN_BIT)
        row[column] = far >> bit & ONE
        row[column + 1] = near >> bit & ONE
        column += 2
    a = AT_NAMED_SUMS
    row[a] = _count_bits(near & NEGATIVE)
    row[a + 1] = _count_bits(far & NEGATIVE)
    row[a + 2] = _count_bits(near & POSITIVE)
    row[a + 3] = _count_bits(far & POSITIVE)
    row[a + 4] = _distance(node, marks, context, NEGATIVE)
    row[a + 5] = _distance(node, marks, context, POSITIVE)


@borrowing
def fill_containers(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.CONTAINERS`."""
    container = scanned.blocks[k, page.NODE]
    a = AT_CONTAINERS
    for _ in range(3):
        container = context.parents[container]
        sums = context.sums[container]
        row[a] = np.log1p(sums[CHARS])
        row[a + 1] = sums[LINK_CHARS] / max(1.0, sums[CHARS])
        row[a + 2] = sums[GOOD_CHARS] / max(1.0, sums[CHARS])
        row[a + 3] = np.log1p(sums[BLOCKS])
        row[a + 4] = sums[GOOD_CHARS] / max(1.0, context.totals[GOOD_CHARS])
        row[a + 5] = np.log1p(sums[LINK_HEADINGS])
        a += CONTAINER_COLUMNS


@borrowing
def fill_group(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.GROUP`."""
    node = scanned.blocks[k, page.NODE]
    group = context.groups[context.group_of[k]]
    best = context.sums[context.picks[0]]
    good = max(1.0, context.totals[GOOD_CHARS])
    a = AT_GROUP
    row[a] = context.sums[context.parents[node], PARAGRAPHS]
    row[a + 1] = np.log1p(group[GROUP_BLOCKS])
    row[a + 2] = group[GROUP_GOOD] / good
    row[a + 3] = group[GROUP_LINK_CHARS] / max(1.0, group[GROUP_CHARS])
    row[a + 4] = group[GROUP_GOOD] / max(1.0, group[GROUP_CHARS])
    row[a + 5] = context.best[node, INSIDE] == IN_BEST
    row[a + 6] = context.best[node, INSIDE] >= IN_PARENT
    row[a + 7] = best[CHARS] / max(1.0, context.totals[CHARS])
    row[a + 8] = best[GOOD_CHARS] / good
    while context.best[node, UP] == 0:
        node = context.parents[node]
    row[a + 9] = context.best[node, UP]


@borrowing
def _count_bits(mask: np.uint64) -> int:
    bits = 0
    while mask:
        mask &= mask - ONE
        bits += 1
    return bits


@borrowing
def _distance(node: int, marks: Marks, context: Context, wanted: np.uint64) -> int:
    """How many steps up the nearest element is whose own name is among the wanted."""
    for distance in range(FARTHEST):
        if marks[node, page.OWN] & wanted:
            return distance
        if node == 0:
            break
        node = context.parents[node]
    return FARTHEST
