"""The features of a block, one row of float32 at a time; `feature_names` says what the columns are.

A row is filled, scored and forgotten when pages are extracted, and kept when a model is trained: the same kernel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import borrowing, kernel
from gpucurate.sources.html.blocks.context import Context, make_context
from gpucurate.sources.html.blocks.feature_names import FEATURES, Row
from gpucurate.sources.html.blocks.order_features import fill_neighbours, fill_page, fill_place, fill_windows
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.text_features import fill_said, fill_text
from gpucurate.sources.html.blocks.tree_features import fill_containers, fill_group, fill_named, fill_within


@borrowing
def fill_features(row: Row, k: int, scanned: ScannedPage, context: Context) -> None:
    """The features of block `k`."""
    fill_text(row, k, scanned, context)
    fill_within(row, k, scanned)
    fill_named(row, k, scanned, context)
    fill_said(row, k, scanned, context)
    fill_containers(row, k, scanned, context)
    fill_group(row, k, scanned, context)
    fill_place(row, k, scanned, context)
    fill_neighbours(row, k, scanned, context)
    fill_windows(row, k, scanned, context)
    fill_page(row, context, len(scanned.blocks))


@kernel
def feature_matrix(scanned: ScannedPage) -> NDArray[np.float32]:
    """float32 [blocks, FEATURES] of a page."""
    matrix = np.zeros((len(scanned.blocks), FEATURES), np.float32)
    if len(matrix):
        context = make_context(scanned)
        for k in range(len(matrix)):
            fill_features(matrix[k], k, scanned, context)
    return matrix
