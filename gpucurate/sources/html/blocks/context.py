"""What a block's features need to know of the rest of the page, computed once a page.

`good` text is what reads like sentences: punctuation, at least eight words, not mostly links.  Sums of it over nodes,
and over blocks with the same path of tags, tell where on the page such text gathers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel
from gpucurate.sources.html.blocks import page
from gpucurate.sources.html.blocks.best_container import find_best, mark_best
from gpucurate.sources.html.blocks.characters import Table
from gpucurate.sources.html.blocks.groups import group_blocks, repeats
from gpucurate.sources.html.blocks.headings import note_distances, title_headings
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.sums import block_parents, block_values, node_sums

Values = NDArray[np.float64]


class Context(NamedTuple):
    """`parents` int32 [nodes], nearest ancestor that is no span; `values` [blocks, 8] and `sums` [nodes, 7] by the
    columns in `sums`; `group_of` int32 [blocks] and `groups` [groups, 4] by those in `groups`; `repeats` int32
    [blocks], how many blocks have the same text; `best` int32 [nodes, 2]; `picks` int64 [3], the best container, the
    first h1 and the heading that repeats the title (-1: none); `totals` [7], sums over the page."""

    parents: Table
    values: Values
    sums: Values
    group_of: Table
    groups: Values
    repeats: Table
    best: Table
    picks: NDArray[np.int64]
    totals: Values


@kernel
def make_context(scanned: ScannedPage) -> Context:
    """The context of a page."""
    blocks, nodes = scanned.blocks, scanned.nodes
    parents = block_parents(nodes)
    values = block_values(blocks, nodes)
    sums, direct = node_sums(blocks, nodes, parents, values)
    totals = sums[0].copy()
    chosen = find_best(sums, direct, scanned.node_marks)
    best = mark_best(chosen, nodes, parents)
    group_of, groups = group_blocks(blocks, scanned.node_marks, values)
    h1, title = title_headings(blocks, nodes, values, scanned.title_words)
    note_distances(blocks, nodes, values)
    return Context(
        parents,
        values,
        sums,
        group_of,
        groups,
        repeats(scanned.block_marks[:, page.BLOCK_HASH].copy()),
        best,
        np.array([chosen, h1, title]),
        totals,
    )
