"""The names of a block's features, in the order of the columns; the model file carries a digest of them.

Shares lie in 0..1, counts of characters and words are log(1 + n), distances are counted in blocks and capped.
"""

from __future__ import annotations

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from gpucurate.sources.html.blocks.keywords import CATEGORIES
from gpucurate.sources.html.blocks.phrases import PHRASES
from gpucurate.sources.html.blocks.tags import ANCESTORS

Row = NDArray[np.float32]  # [FEATURES]

TEXT = (
    "chars words link_share links terminals commas digit_share upper_share word_length ending breaks formats "
    "wide_share formulas sentence_words one_link is_p is_li heading_level is_cell is_container is_quote_or_pre "
    "is_definition is_figcaption depth"
)
WITHIN = " ".join("in_" + names.split(",")[0] for names in ANCESTORS.split())
NAMED = " ".join(f"{where}_{category}" for category in (*CATEGORIES, "hidden") for where in ("far", "near"))
NAMED_SUMS = "near_negatives far_negatives near_positives far_positives negative_distance positive_distance"
SAID = " ".join(f"says_{phrase}" for phrase in PHRASES) + " title_share title_words"
CONTAINER = "chars link_share good_share blocks share_of_good link_headings"
CONTAINERS = " ".join(
    f"{which}_{what}" for which in ("parent", "grandparent", "great_grandparent") for what in CONTAINER.split()
)
GROUP = (
    "parent_paragraphs group_blocks group_share_of_good group_link_share group_good_share in_best in_best_parent "
    "best_share best_share_of_good up_to_best"
)
PLACE = (
    "position chars_before since_heading from_h1 from_title has_title repeats since_good until_good "
    "same_parent_before same_parent_after"
)
NEIGHBOUR = "words link_share ending is_p heading_level is_good"
NEIGHBOURS = " ".join(f"{what}_{offset:+d}" for offset in (-2, -1, 1, 2) for what in NEIGHBOUR.split())
WINDOWS = "good_within_3 good_within_8 link_share_within_3 link_share_within_8"
PAGE = "page_chars page_link_share page_good_share page_blocks page_link_headings"

GROUPS = (TEXT, WITHIN, NAMED, NAMED_SUMS, SAID, CONTAINERS, GROUP, PLACE, NEIGHBOURS, WINDOWS, PAGE)
FEATURE_NAMES = tuple(name for group in GROUPS for name in group.split())
FEATURES = len(FEATURE_NAMES)
FEATURE_DIGEST = blake3(" ".join(FEATURE_NAMES).encode()).hexdigest(16)

# First column of each group.
(
    AT_TEXT,
    AT_WITHIN,
    AT_NAMED,
    AT_NAMED_SUMS,
    AT_SAID,
    AT_CONTAINERS,
    AT_GROUP,
    AT_PLACE,
    AT_NEIGHBOURS,
    AT_WINDOWS,
    AT_PAGE,
) = (FEATURE_NAMES.index(group.split()[0]) for group in GROUPS)
