"""Models made by hand, since what is tested here is what is done with a model."""

from __future__ import annotations

import numpy as np

from gpucurate.sources.html.blocks import FEATURE_NAMES, Forest, Trees


def split_on(feature: str, threshold: float, below: float = -5.0, above: float = 5.0) -> Trees:
    """One tree: log-odds `below` where the feature is at most the threshold, `above` where it is greater."""
    features = np.full(15, FEATURE_NAMES.index(feature), np.int16)
    leaves = np.repeat(np.float32([below, above]), 8)
    return Trees(Forest(features, np.full(15, threshold, np.float32), leaves, 1, 0.4))


EVERYTHING = split_on("chars", -1.0)
LONG = split_on("words", float(np.log1p(5.5)))  # blocks of six words and more
