"""Blocks that stand in the same path of tags and classes, and blocks with the same text."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import kernel
from gpucurate.sources.html.blocks import page
from gpucurate.sources.html.blocks.characters import Marks, Table
from gpucurate.sources.html.blocks.sums import GOOD, Values

GROUP_BLOCKS, GROUP_GOOD, GROUP_CHARS, GROUP_LINK_CHARS, GROUP_SUMS = range(5)


@kernel
def group_blocks(blocks: Table, node_marks: Marks, values: Values) -> tuple[Table, Values]:
    """The number of each block's group, and sums over the groups."""
    paths = np.empty(len(blocks), np.uint64)
    for k in range(len(blocks)):
        paths[k] = node_marks[blocks[k, page.NODE], page.PATH]
    group_of, _ = _number(paths)
    sums = np.zeros((len(blocks) + 1, GROUP_SUMS))
    for k in range(len(blocks)):
        group = group_of[k]
        sums[group, GROUP_BLOCKS] += 1
        sums[group, GROUP_GOOD] += values[k, GOOD]
        sums[group, GROUP_CHARS] += blocks[k, page.CHARS]
        sums[group, GROUP_LINK_CHARS] += blocks[k, page.LINK_CHARS]
    return group_of, sums


@kernel
def repeats(hashes: Marks) -> Table:
    """How often each value occurs."""
    number_of, count = _number(hashes)
    counts = np.zeros(count, np.int32)
    for number in number_of:
        counts[number] += 1
    return counts[number_of]


@kernel
def _number(keys: Marks) -> tuple[Table, int]:
    """Number equal keys alike, in the order of their first occurrence."""
    capacity = 16
    while capacity < 2 * len(keys):
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)  # index of the first key of each kind
    numbers = np.empty(len(keys), np.int32)
    count = 0
    mask = np.uint64(capacity - 1)
    for k in range(len(keys)):
        slot = (keys[k] ^ keys[k] >> np.uint64(29)) & mask
        while slots[slot] >= 0 and keys[slots[slot]] != keys[k]:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = k
            numbers[k] = count
            count += 1
        else:
            numbers[k] = numbers[slots[slot]]
    return numbers, count
