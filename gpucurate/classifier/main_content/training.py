"""Boosted trees over blocks by LightGBM, made into the flat arrays that the engine reads.

Equal pages, answers and settings give equal arrays: LightGBM is told to be deterministic and to use one thread, and the
rows stand in the order of the pages' digests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.main_content.examples import Example
from gpucurate.classifier.main_content.settings import MainContentSettings
from gpucurate.core.errors import UserError
from gpucurate.sources.html.blocks.trees import DEPTH, LEAVES, Forest

BINS = 127  # of a feature's values


def train(examples: Sequence[Example], settings: MainContentSettings, decision: float) -> Forest:
    """A forest of `settings.bags` bags.  Raises UserError if LightGBM is not installed."""
    try:
        import lightgbm
    except ImportError as error:
        raise UserError("training needs lightgbm. Remedy: pip install 'gpucurate[main-content]'") from error
    ordered = sorted(examples, key=lambda example: example.page.key)
    matrix = np.concatenate([example.matrix for example in ordered])
    label = np.concatenate([example.label for example in ordered])
    weight = np.concatenate([example.weight for example in ordered])
    weight = weight * (len(weight) / weight.sum())
    trees = []
    for bag in range(settings.bags):
        data = lightgbm.Dataset(matrix, label, weight=weight, params={"max_bin": BINS, "verbose": -1})
        model = lightgbm.train(_parameters(settings, bag), data, settings.rounds)
        dumped = [_complete(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]
        still = ([0] * (LEAVES - 1), [0.0] * (LEAVES - 1), [0.0] * LEAVES)  # where there was nothing more to learn
        trees += (dumped + [still] * settings.rounds)[: settings.rounds]
    return Forest(
        np.array([split for tree in trees for split in tree[0]], np.uint16),
        _down(np.array([threshold for tree in trees for threshold in tree[1]])),
        np.array([leaf for tree in trees for leaf in tree[2]], np.float32),
        settings.rounds,
        decision,
    )


def _parameters(settings: MainContentSettings, bag: int) -> dict[str, Any]:
    return {
        "objective": "cross_entropy",  # labels are shares, not classes
        "num_leaves": LEAVES,
        "max_depth": DEPTH,
        "learning_rate": settings.learning_rate,
        "min_data_in_leaf": settings.least_rows,
        "min_sum_hessian_in_leaf": 1e-2,
        "feature_fraction": settings.feature_share,
        "bagging_fraction": settings.row_share,
        "bagging_freq": 1,
        "lambda_l2": settings.l2,
        "max_bin": BINS,
        "seed": settings.seed * 1000 + bag + 1,
        "deterministic": True,
        "num_threads": 1,
        "force_col_wise": True,
        "verbose": -1,
    }


def _complete(root: dict[str, Any]) -> tuple[list[int], list[float], list[float]]:
    """Splits, thresholds and leaves of a complete tree in level order; a leaf above the bottom is reached both ways."""
    splits: list[int] = []
    thresholds: list[float] = []
    level = [root]
    for _ in range(DEPTH):
        below = []
        for node in level:
            leaf = "leaf_value" in node
            splits.append(0 if leaf else node["split_feature"])
            thresholds.append(0.0 if leaf else node["threshold"])
            below += [node, node] if leaf else [node["left_child"], node["right_child"]]
        level = below
    return splits, thresholds, [node["leaf_value"] for node in level]


def _down(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest float32 that is not above: features are float32, so that no comparison changes."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded).astype(np.float32)
