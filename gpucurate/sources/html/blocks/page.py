"""A scanned page as arrays: blocks of text, the nodes they hang on, links, and where its metadata stands.

A node is an open element that is a block or a span; node 0 is the body.  A block is a stretch of text without a line
break of its own in the layout: a paragraph, a list item, a cell, a heading.  Columns of tables are numbered here, so
that every module that reads or writes them agrees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpucurate.core.compiled import borrowing, kernel
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks.characters import LESS, LETTER, SLASH, Marks, Table

# 262,144 tags take 36 MB while the page is scanned; of 431 archived bodies of HTML the largest had 70,531 in 1.2 MB.
MAX_TAGS = 1 << 18
MAX_BYTES = 1 << 26  # positions are int32
TITLE_SLOTS = 128  # of the hash set of the title's words, at most half full

# Columns of `blocks`.
(NODE, START, STOP, FIRST_LINK, LINKS, BREAKS, FORMATS, FORMULAS) = range(8)  # written by the scanner
(CHARS, WORDS, LINK_CHARS, LINK_WORDS, TERMINALS, COMMAS, DIGITS, UPPERS, WIDE, LAST, PHRASE_BITS, TITLE_WORDS) = range(
    8, 20
)  # written by `measures`
BLOCK_COLUMNS = 20
BLOCK_MASK, BLOCK_HASH, BLOCK_MARKS = 0, 1, 2  # columns of `block_marks`
PARENT, TAG, DEPTH, NODE_COLUMNS = 0, 1, 2, 3  # columns of `nodes`; DEPTH does not count spans
OWN, ALL, PATH, NODE_MARKS = 0, 1, 2, 3  # columns of `node_marks`: own mask, with ancestors', hash of the tag path
# Rows of `fields`: where in the source a piece of metadata stands.
(
    FIELD_TITLE,
    FIELD_LANGUAGE,
    FIELD_CANONICAL,
    FIELD_LICENSE,
    FIELD_CREATIVE_COMMONS,
    FIELD_OG_TITLE,
    FIELD_AUTHOR,
    FIELD_PUBLISHED,
    FIELD_MODIFIED,
    FIELD_CONTENT_LANGUAGE,
    FIELD_LOCALE,
    FIELD_RIGHTS,
    FIELD_TIME,
    FIELDS,
) = range(14)


class ScannedPage(NamedTuple):
    """What `scan` gives and everything else reads.

    text        uint8 [bytes]             the text of all blocks, UTF-8
    blocks      int32 [blocks, 20]        NODE, text[START:STOP], counts
    block_marks uint64 [blocks, 2]        mask of what all its text lies in, hash of the text
    nodes       int32 [nodes, 3]          PARENT (smaller than the node), TAG, DEPTH
    node_marks  uint64 [nodes, 3]         OWN and ALL masks (keywords, hidden, ancestors), PATH
    links       int32 [links, 2]          stretches of `text` that are links, from a block's FIRST_LINK on
    fields      int32 [FIELDS, 2]         source[start:stop] of the metadata, start -1 where there is none
    title_words uint64 [TITLE_SLOTS]      hash set of the words of <title>
    """

    text: Bytes
    blocks: Table
    block_marks: Marks
    nodes: Table
    node_marks: Marks
    links: Table
    fields: Table
    title_words: Marks


@borrowing
def count_tags(src: Bytes, start: int, stop: int) -> int:
    """How many tags there may be: an upper bound of nodes, blocks and links."""
    tags = 0
    for k in range(start, stop - 1):
        if src[k] == LESS:
            tags += LETTER[src[k + 1]] or src[k + 1] == SLASH
    return tags


@kernel
def reserve(size: int, tags: int) -> ScannedPage:
    """Room for a page of so many bytes and tags; nothing is touched before it is needed."""
    return ScannedPage(
        np.empty(size + 64, np.uint8),
        np.empty((tags + 3, BLOCK_COLUMNS), np.int32),
        np.empty((tags + 3, BLOCK_MARKS), np.uint64),
        np.empty((tags + 3, NODE_COLUMNS), np.int32),
        np.empty((tags + 3, NODE_MARKS), np.uint64),
        np.empty((tags + 3, 2), np.int32),
        np.empty((FIELDS, 2), np.int32),
        np.empty(TITLE_SLOTS, np.uint64),
    )
