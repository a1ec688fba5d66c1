"""Where in lists, tables and preformatted text each node stands: one pass over the nodes, parents first."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.sources.html.blocks import page, tags
from gpucurate.sources.html.blocks.characters import Table

# Columns of `places`: the innermost of each kind that a node is or is in, -1 for none; a table cell begins anew.
ITEM, LIST_DEPTH, ROW, CELL, TABLE_OF, PRE_OF, QUOTED = range(7)
NUMBER = 7  # of an item in an ordered list, of a cell in its row, from 1 on; 0 for items without number
BEGUN = 8  # 1 once the item's bullet, the table's first row or the fence of a <pre> is written
CHILDREN = 9  # items or cells so far
PLACES = 10

LIST = tags.tag_set("ul ol menu dir")
CELL_TAG = tags.tag_set("td th")


@kernel
def find_places(nodes: Table) -> Table:
    """int32 [nodes, PLACES]."""
    places = np.zeros((len(nodes), PLACES), np.int32)
    places[0, ITEM] = places[0, ROW] = places[0, CELL] = places[0, TABLE_OF] = places[0, PRE_OF] = -1
    for node in range(1, len(nodes)):
        parent = nodes[node, page.PARENT]
        tag = nodes[node, page.TAG]
        place = places[node]
        place[:NUMBER] = places[parent, :NUMBER]
        if CELL_TAG[tag] and place[ROW] >= 0:
            row = places[place[ROW]]
            row[CHILDREN] += 1
            place[CELL] = node
            place[NUMBER] = row[CHILDREN]
            place[ITEM] = -1
            place[LIST_DEPTH] = 0
        elif tag == tags.TR:
            place[ROW] = node
            place[CELL] = -1
        elif tag == tags.TABLE:
            place[TABLE_OF] = node
            place[ROW] = place[CELL] = -1
        elif LIST[tag]:
            place[LIST_DEPTH] += 1
            place[ITEM] = -1
        elif tag == tags.LI:
            place[ITEM] = node
            place[LIST_DEPTH] = max(1, place[LIST_DEPTH])
            if nodes[parent, page.TAG] == tags.OL:
                places[parent, CHILDREN] += 1
                place[NUMBER] = places[parent, CHILDREN]
        elif tag == tags.PRE and place[PRE_OF] < 0:
            place[PRE_OF] = node
        elif tag == tags.BLOCKQUOTE:
            place[QUOTED] = 1
    return places
