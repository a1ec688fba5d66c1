"""What a block itself is and says."""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.sources.html.blocks import page, tags
from gpucurate.sources.html.blocks.context import Context
from gpucurate.sources.html.blocks.feature_names import AT_SAID, AT_TEXT, Row
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.phrases import PHRASES
from gpucurate.sources.html.blocks.sums import BLOCK_CHARS, LINK_SHARE, WORDS
from gpucurate.sources.html.blocks.tags import HEADINGS

CONTAINER = tags.tag_set("div section article body")
QUOTE_OR_PRE = tags.tag_set("blockquote pre")
CELL = tags.tag_set("td th")
DEFINITION = tags.tag_set("dt dd")
LONGEST_WORD = 20.0
LONGEST_SENTENCE = 60.0
WHOLE_LINK = 0.9
PHRASE_COUNT = len(PHRASES)


@borrowing
def fill_text(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.TEXT`."""
    block = scanned.blocks[k]
    node = block[page.NODE]
    tag = scanned.nodes[node, page.TAG]
    chars = np.float64(block[page.CHARS])
    words = max(1, block[page.WORDS])
    a = AT_TEXT
    row[a] = np.log1p(context.values[k, BLOCK_CHARS])
    row[a + 1] = np.log1p(context.values[k, WORDS])
    row[a + 2] = context.values[k, LINK_SHARE]
    row[a + 3] = np.log1p(np.float64(block[page.LINKS]))
    row[a + 4] = np.log1p(np.float64(block[page.TERMINALS]))
    row[a + 5] = np.log1p(np.float64(block[page.COMMAS]))
    row[a + 6] = block[page.DIGITS] / chars
    row[a + 7] = block[page.UPPERS] / words
    row[a + 8] = min(LONGEST_WORD, chars / words)
    row[a + 9] = block[page.LAST]
    row[a + 10] = block[page.BREAKS]
    row[a + 11] = np.log1p(np.float64(block[page.FORMATS]))
    row[a + 12] = block[page.WIDE] / chars
    row[a + 13] = np.log1p(np.float64(block[page.FORMULAS]))
    row[a + 14] = min(LONGEST_SENTENCE, context.values[k, WORDS] / max(1, block[page.TERMINALS]))
    row[a + 15] = block[page.LINKS] == 1 and context.values[k, LINK_SHARE] > WHOLE_LINK
    row[a + 16] = tag == tags.P
    row[a + 17] = tag == tags.LI or (node > 0 and scanned.nodes[context.parents[node], page.TAG] == tags.LI)
    row[a + 18] = tag - tags.H1 + 1 if HEADINGS[tag] else 0
    row[a + 19] = CELL[tag]
    row[a + 20] = CONTAINER[tag]
    row[a + 21] = QUOTE_OR_PRE[tag]
    row[a + 22] = DEFINITION[tag]
    row[a + 23] = tag == tags.FIGCAPTION
    row[a + 24] = scanned.nodes[node, page.DEPTH]


@borrowing
def fill_said(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """Columns of `feature_names.SAID`."""
    block = scanned.blocks[k]
    for phrase in range(PHRASE_COUNT):
        row[AT_SAID + phrase] = block[page.PHRASE_BITS] >> phrase & 1
    shared = np.float64(block[page.TITLE_WORDS])
    row[AT_SAID + PHRASE_COUNT] = shared / max(1.0, context.values[k, WORDS])
    row[AT_SAID + PHRASE_COUNT + 1] = shared
