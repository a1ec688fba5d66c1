"""The stack of open elements: what a start tag closes, what an end tag closes, and the node that an element becomes.

It is the tree builder of the HTML standard (section 13.2.6) as far as text needs it: implied end tags and the scopes of
tables and lists.  No foster parenting, no adoption agency: links and formatting are never on the stack.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.sources.html.blocks import tags
from gpucurate.sources.html.blocks.characters import FNV_PRIME, Marks, Table
from gpucurate.sources.html.blocks.page import ALL, DEPTH, OWN, PARENT, PATH, TAG
from gpucurate.sources.html.blocks.state import (
    MAX_DEPTH,
    NODES,
    OVERFLOW,
    STACK_NODE,
    STACK_TAG,
    TOP,
    Scanner,
    State,
    cut_stack,
)
from gpucurate.sources.html.blocks.tags import BLOCK, KINDS, SPAN

CELL = tags.tag_set("td th")
TABLE_PART = tags.tag_set("table tr td th thead tbody tfoot")
ROW_GROUP = tags.tag_set("thead tbody tfoot")
CELL_SCOPE = tags.tag_set("td th caption table")  # an end tag of anything else does not reach beyond these
LIST = tags.tag_set("ul ol menu dir")
ITEM = tags.tag_set("li dt dd")
DEFINITION = tags.tag_set("dt dd")
PASSED_BY_ITEMS = tags.tag_set("div p address")  # between an item and the item before it (section 13.2.6.4.7)
ROOT_PATH = np.uint64(0x9E3779B97F4A7C15)


@borrowing
def new_root(nodes: Table, node_marks: Marks, scanner: Scanner) -> None:
    """Node 0, the body."""
    nodes[0, PARENT] = 0
    nodes[0, TAG] = tags.BODY
    nodes[0, DEPTH] = 0
    node_marks[0, OWN] = np.uint64(0)
    node_marks[0, ALL] = np.uint64(0)
    node_marks[0, PATH] = ROOT_PATH
    scanner.counters[NODES] = 1
    scanner.counters[TOP] = 0
    scanner.stack[0, STACK_NODE] = 0
    scanner.stack[0, STACK_TAG] = tags.BODY


@borrowing
def push(tag: int, mask: np.uint64, words: np.uint64, nodes: Table, node_marks: Marks, scanner: Scanner) -> bool:
    """Open an element whose naming attributes gave `mask` and `words`; False if the stack is full."""
    counters, stack = scanner.counters, scanner.stack
    if counters[TOP] + 1 >= MAX_DEPTH:
        counters[OVERFLOW] += 1
        return False
    parent = stack[counters[TOP], STACK_NODE]
    node = counters[NODES]
    counters[NODES] += 1
    counters[TOP] += 1
    stack[counters[TOP], STACK_NODE] = node
    stack[counters[TOP], STACK_TAG] = tag
    kind = KINDS[tag]
    own = mask | tags.ANCESTOR_BIT[tag]
    path = node_marks[parent, PATH]
    nodes[node, PARENT] = parent
    nodes[node, TAG] = tag
    nodes[node, DEPTH] = nodes[parent, DEPTH] + (kind != SPAN)
    node_marks[node, OWN] = own
    node_marks[node, ALL] = node_marks[parent, ALL] | own
    if kind == BLOCK:
        path = path * FNV_PRIME ^ np.uint64(tag) + (words << np.uint64(8))
    elif kind != SPAN:
        path = path * FNV_PRIME ^ np.uint64(tag)
    node_marks[node, PATH] = path
    return True


@borrowing
def imply_end_tags(tag: int, scanner: Scanner) -> None:
    """Before a block opens: close a paragraph, and the item, cell, row or group that `tag` begins anew."""
    counters, stack = scanner.counters, scanner.stack
    top = skip_spans(stack, counters[TOP])
    cut = counters[TOP]
    if top > 0 and stack[top, STACK_TAG] == tags.P:
        cut = top - 1
    if ITEM[tag]:
        cut = _open_item(stack, cut, tag)
    elif CELL[tag] or tag == tags.TR or ROW_GROUP[tag]:
        cut = _open_part(stack, cut, tag)
    if cut < counters[TOP]:
        cut_stack(counters, cut)


@borrowing
def skip_spans(stack: Table, top: int) -> int:
    """Index of the innermost open element that is no span; 0 is the body."""
    while top > 0 and KINDS[stack[top, STACK_TAG]] == SPAN:
        top -= 1
    return int(top)


@borrowing
def _open_item(stack: Table, top: int, tag: int) -> int:
    k = top
    while k > 0:
        t = stack[k, STACK_TAG]
        if ITEM[t] and DEFINITION[t] == DEFINITION[tag]:
            return int(k - 1)
        if KINDS[t] == BLOCK and not PASSED_BY_ITEMS[t]:
            break
        k -= 1
    return int(top)


@borrowing
def _open_part(stack: Table, top: int, tag: int) -> int:
    """Close the cell, row or group before this one, not beyond the table they are in."""
    k = top
    while k > 0 and stack[k, STACK_TAG] != tags.TABLE:
        t = stack[k, STACK_TAG]
        if CELL[tag] and t == tags.TR:
            break
        if (CELL[tag] and CELL[t]) or (tag == tags.TR and t == tags.TR):
            return int(k - 1)
        k -= 1
    return int(k) if ROW_GROUP[tag] and k > 0 else int(top)


@borrowing
def close_element(tag: int, scanner: Scanner) -> None:
    """An end tag closes its element and all within, unless the element is out of scope; then it closes nothing."""
    counters, stack = scanner.counters, scanner.stack
    if counters[OVERFLOW] > 0:
        counters[OVERFLOW] -= 1
        return
    if tag == tags.BODY:  # what follows </body> belongs to it as well
        return
    if KINDS[tag] == SPAN:
        k = counters[TOP]
        while k > 0 and KINDS[stack[k, STACK_TAG]] == SPAN and stack[k, STACK_TAG] != tag:
            k -= 1
        if k > 0 and stack[k, STACK_TAG] == tag:
            cut_stack(counters, k - 1)
        return
    k = _in_scope(stack, counters[TOP], tag)
    if k <= 0:
        return
    if tag == tags.FORM and k != counters[TOP]:
        stack[k, STACK_TAG] = 0  # the form goes, what is open in it stays (section 13.2.6.4.7)
    else:
        cut_stack(counters, k - 1)


@borrowing
def _in_scope(stack: Table, top: int, tag: int) -> int:
    k = top
    while k > 0 and stack[k, STACK_TAG] != tag:
        t = stack[k, STACK_TAG]
        if t == tags.TABLE if TABLE_PART[tag] else CELL_SCOPE[t]:
            return 0
        if (tag == tags.P and KINDS[t] == BLOCK) or (tag == tags.LI and LIST[t]):
            return 0
        k -= 1
    return int(k)


@borrowing
def block_node(scanner: Scanner) -> int:
    """The node that text at this place hangs on: the innermost element that is no span."""
    counters: State = scanner.counters
    return int(scanner.stack[skip_spans(scanner.stack, counters[TOP]), STACK_NODE])
