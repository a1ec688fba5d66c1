"""Values of blocks and their sums over the nodes that hold them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import borrowing, kernel
from gpucurate.sources.html.blocks import page, tags
from gpucurate.sources.html.blocks.characters import Table
from gpucurate.sources.html.blocks.tags import HEADINGS, KINDS, SPAN

Values = NDArray[np.float64]

# Columns of `values`.  Characters of wide scripts count twice, and half as words.
GOOD, LINK_SHARE, WORDS, SINCE_HEADING, CHARS_BEFORE, SINCE_GOOD, UNTIL_GOOD, BLOCK_CHARS, VALUES = range(9)
# Columns of `sums`; SCORE and PARAGRAPHS are of direct children, the others of all that is below a node.
CHARS, LINK_CHARS, GOOD_CHARS, BLOCKS, LINK_HEADINGS, SCORE, PARAGRAPHS, SUMS = range(8)

GOOD_WORDS = 8
SHORTEST_SCORED = 25  # characters, as readability scores paragraphs
LINKED = 0.5  # share of a heading's characters in links from which it counts as a link


@kernel
def block_parents(nodes: Table) -> Table:
    """For each node its nearest ancestor that is no span."""
    parents = np.zeros(len(nodes), np.int32)
    for node in range(1, len(nodes)):
        parent = nodes[node, page.PARENT]
        spanned = parent > 0 and KINDS[nodes[parent, page.TAG]] == SPAN
        parents[node] = parents[parent] if spanned else parent
    return parents


@kernel
def block_values(blocks: Table, nodes: Table) -> Values:
    """GOOD, LINK_SHARE, WORDS and BLOCK_CHARS of each block; the rest is filled by `headings`."""
    values = np.zeros((len(blocks), VALUES))
    for k in range(len(blocks)):
        block = blocks[k]
        chars = np.float64(block[page.CHARS] + block[page.WIDE])
        share = block[page.LINK_CHARS] / max(1, block[page.CHARS])
        words = block[page.WORDS] + 0.5 * block[page.WIDE]
        values[k, BLOCK_CHARS] = chars
        values[k, LINK_SHARE] = share
        values[k, WORDS] = words
        if block[page.TERMINALS] + block[page.COMMAS] and words >= GOOD_WORDS and share < LINKED:
            values[k, GOOD] = chars - block[page.LINK_CHARS]
    return values


@kernel
def node_sums(blocks: Table, nodes: Table, parents: Table, values: Values) -> tuple[Values, Values]:
    """Sums over each node with all below it, and the same of its own blocks alone."""
    sums = np.zeros((len(nodes), SUMS))
    for k in range(len(blocks)):
        block = blocks[k]
        node = block[page.NODE]
        tag = nodes[node, page.TAG]
        sums[node, CHARS] += values[k, BLOCK_CHARS]
        sums[node, LINK_CHARS] += block[page.LINK_CHARS]
        sums[node, GOOD_CHARS] += values[k, GOOD]
        sums[node, BLOCKS] += 1
        sums[node, LINK_HEADINGS] += HEADINGS[tag] and values[k, LINK_SHARE] > LINKED
        if values[k, BLOCK_CHARS] >= SHORTEST_SCORED:
            _score(k, node, tag, block, parents, values, sums)
    direct = sums.copy()
    for node in range(len(nodes) - 1, 0, -1):
        parent = nodes[node, page.PARENT]
        for column in range(SCORE):
            sums[parent, column] += sums[node, column]
    return sums, direct


LEAF = tags.tag_set("p pre blockquote li dd dt h1 h2 h3 h4 h5 h6")


@borrowing
def _score(k: int, node: int, tag: int, block: Table, parents: Table, values: Values, sums: Values) -> None:
    """Readability's score of a paragraph, for its container and half of it for the container's: one for being there,
    one for each comma, one for each hundred characters up to three, less the share of links."""
    score = (1 + block[page.COMMAS] + min(values[k, BLOCK_CHARS] / 100.0, 3.0)) * (1 - values[k, LINK_SHARE])
    container = node
    if LEAF[tag]:
        container = parents[node]
        sums[container, PARAGRAPHS] += tag == tags.P
    sums[container, SCORE] += score
    if container > 0:
        sums[parents[container], SCORE] += score / 2
