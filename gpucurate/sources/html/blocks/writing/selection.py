"""Which blocks are main content: those the model says, less what is hidden, commented or far off, plus what belongs.

The model sees a block at a time; the rules here are about the page as a whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import borrowing
from gpucurate.sources.html.blocks import page, sums, tags
from gpucurate.sources.html.blocks.best_container import IN_PARENT, INSIDE
from gpucurate.sources.html.blocks.context import Context
from gpucurate.sources.html.blocks.keywords import COMMENT, HIDDEN, NEGATIVE, category_mask
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.writing.options import Options

Keep = NDArray[np.bool_]
Probabilities = NDArray[np.float32]

LEAST, RELATIVE = 0.05, 0.6  # where no block reaches the decision, those near the best one
ENOUGH_ELSEWHERE, SHARE_ELSEWHERE = 30.0, 0.1  # words outside from which a section is dropped as a whole
GAP_BLOCKS, GAP_WORDS = 10, 40  # what parts two clusters of kept blocks
LIGHT = 0.25  # of the heaviest cluster
TITLE_AMONG = 3  # kept blocks
LEAD, NO_LEAD = category_mask("lead"), NEGATIVE & ~category_mask("head media list factbox side")
LEAD_WITHIN, LEAD_WORDS, LEAD_LINKS = 12, 8.0, 0.3
FORMULA_WITHIN = 3  # blocks behind one that is kept
COMMENT_WORDS, COMMENT_LINKS = 5.0, 0.5
NO_COMMENT_TEXT = category_mask("share related ad signup cookie nav foot ui byline meta")


@borrowing
def choose(
    scanned: ScannedPage, context: Context, probabilities: Probabilities, decision: float, options: Options, keep: Keep
) -> int:
    """Fill `keep`; returns how many blocks are kept."""
    highest = np.float32(0)
    for probability in probabilities:
        highest = max(highest, probability)
    bar = decision if highest >= decision else max(LEAST, RELATIVE * highest)
    for k in range(len(keep)):
        keep[k] = probabilities[k] >= bar
    _drop_section(HIDDEN, scanned, context, probabilities, keep)
    if not options.comments:
        _drop_section(COMMENT, scanned, context, probabilities, keep)
    _drop_light_clusters(scanned, context, probabilities, keep)
    _add_formulas(scanned, context, keep)
    _drop_captions(scanned, options.captions, keep)
    if options.standfirst:
        _add_standfirst(scanned, context, keep)
    if options.comments:
        _add_comments(scanned, context, keep)
    kept = 0
    for flag in keep:
        kept += flag
    if not options.title and kept > TITLE_AMONG:
        kept -= _drop_title(scanned, keep)
    return kept


@borrowing
def _drop_section(
    mask: np.uint64, scanned: ScannedPage, context: Context, probabilities: Probabilities, keep: Keep
) -> None:
    """Drop what lies in elements with this mark, unless little else is left."""
    inside = outside = 0.0
    for k in range(len(keep)):
        if keep[k]:
            weight = probabilities[k] * context.values[k, sums.WORDS]
            if scanned.block_marks[k, page.BLOCK_MASK] & mask:
                inside += weight
            else:
                outside += weight
    if inside > 0 and outside >= ENOUGH_ELSEWHERE and outside >= SHARE_ELSEWHERE * inside:
        for k in range(len(keep)):
            if scanned.block_marks[k, page.BLOCK_MASK] & mask:
                keep[k] = False


@borrowing
def _drop_light_clusters(scanned: ScannedPage, context: Context, probabilities: Probabilities, keep: Keep) -> None:
    """Kept blocks far from the others, with little weight against the heaviest cluster of kept blocks."""
    heaviest = 0.0
    for drop in range(2):
        start = 0
        while start < len(keep):
            stop, weight = _cluster(start, context, probabilities, keep)
            if drop and weight < LIGHT * heaviest:
                for k in range(start, stop):
                    keep[k] = False
            heaviest = max(heaviest, weight)
            start = stop


@borrowing
def _cluster(start: int, context: Context, probabilities: Probabilities, keep: Keep) -> tuple[int, float]:
    """Where the cluster that begins at or behind `start` ends, and its weight."""
    weight = 0.0
    last = -1
    words = 0.0
    k = start
    while k < len(keep):
        if keep[k]:
            if last >= 0 and k - last - 1 >= GAP_BLOCKS and words >= GAP_WORDS:
                return k, weight
            weight += probabilities[k] * context.values[k, sums.WORDS]
            last = k
            words = 0.0
        else:
            words += context.values[k, sums.WORDS]
        k += 1
    return k, weight


@borrowing
def _add_formulas(scanned: ScannedPage, context: Context, keep: Keep) -> None:
    """Formulas on lines of their own, near what is kept in the best container: the text goes on behind them."""
    since = FORMULA_WITHIN
    for k in range(len(keep)):
        block = scanned.blocks[k]
        if keep[k]:
            since = 0
        elif since < FORMULA_WITHIN and block[page.FORMULAS] and context.best[block[page.NODE], INSIDE] >= IN_PARENT:
            keep[k] = not scanned.block_marks[k, page.BLOCK_MASK] & HIDDEN
        since += 1


@borrowing
def _drop_captions(scanned: ScannedPage, captions: bool, keep: Keep) -> None:
    """All captions go, or all between the first and last kept block stay."""
    first, last = len(keep), -1
    for k in range(len(keep)):
        if keep[k]:
            first = min(first, k)
            last = k
    for k in range(first, last + 1):
        node = scanned.blocks[k, page.NODE]
        parent = scanned.nodes[node, page.PARENT]
        if scanned.nodes[node, page.TAG] == tags.FIGCAPTION or scanned.nodes[parent, page.TAG] == tags.FIGCAPTION:
            keep[k] = captions and not scanned.block_marks[k, page.BLOCK_MASK] & HIDDEN


@borrowing
def _add_standfirst(scanned: ScannedPage, context: Context, keep: Keep) -> None:
    """Prose between the headline and the first kept block, by its class or by ending as a sentence does."""
    headline = context.picks[2] if context.picks[2] >= 0 else context.picks[1]
    first = 0
    while first < len(keep) and not keep[first]:
        first += 1
    if headline < 0 or first == len(keep):
        return
    for k in range(headline + 1, min(first, headline + 1 + LEAD_WITHIN)):
        mask = scanned.block_marks[k, page.BLOCK_MASK]
        named = mask & LEAD
        sentence = scanned.blocks[k, page.LAST] == 1 and scanned.blocks[k, page.TERMINALS] > 0
        prose = context.values[k, sums.WORDS] >= LEAD_WORDS and context.values[k, sums.LINK_SHARE] < LEAD_LINKS
        if prose and (named or sentence) and not mask & NO_LEAD and context.repeats[k] == 1:
            keep[k] = True


@borrowing
def _add_comments(scanned: ScannedPage, context: Context, keep: Keep) -> None:
    """What stands in sections of comments and is no button, name or date."""
    for k in range(len(keep)):
        mask = scanned.block_marks[k, page.BLOCK_MASK]
        near = mask & ~scanned.node_marks[scanned.blocks[k, page.NODE], page.ALL]
        near |= scanned.node_marks[scanned.blocks[k, page.NODE], page.OWN]
        if mask & COMMENT and not near & (NO_COMMENT_TEXT | HIDDEN):
            words, linked = context.values[k, sums.WORDS], context.values[k, sums.LINK_SHARE]
            keep[k] |= words >= COMMENT_WORDS and linked < COMMENT_LINKS


@borrowing
def _drop_title(scanned: ScannedPage, keep: Keep) -> int:
    """Drop an h1 among the first kept blocks; returns how many were dropped."""
    seen = dropped = 0
    for k in range(len(keep)):
        if keep[k]:
            seen += 1
            if seen > TITLE_AMONG:
                break
            tag = scanned.nodes[scanned.blocks[k, page.NODE], page.TAG]
            if tag == tags.H1:
                keep[k] = False
                dropped += 1
    return dropped
