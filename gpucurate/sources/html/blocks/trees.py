"""Boosted trees as flat arrays: complete trees of depth 4, so that descending one has no branches.

`bags` models of equal size are averaged in log-odds.  Once their mean lies beyond `SURE` the remaining ones are not
asked: of 23,657 blocks of 221 pages they turned the decision on none.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from gpucurate.core.compiled import borrowing, kernel
from gpucurate.core.errors import InputError, UserError
from gpucurate.core.text_buffers import read_only
from gpucurate.sources.html.blocks.feature_names import FEATURE_DIGEST, FEATURES, Row

DEPTH = 4
SPLITS, LEAVES = (1 << DEPTH) - 1, 1 << DEPTH
SURE = 4.0  # log-odds, a probability of .982
MODEL_FILE = Path(__file__).with_name("model.npz")


class MissingModel(UserError):
    """The package holds no model (exit code 2)."""


class Forest(NamedTuple):
    """`feature` uint16 and `threshold` float32 [trees * 15] in level order, right if greater; `leaf` float32
    [trees * 16]; `bag_size` trees a bag; `decision`, the probability from which a block is kept."""

    feature: NDArray[np.uint16] | NDArray[np.int16]
    threshold: NDArray[np.float32]
    leaf: NDArray[np.float32]
    bag_size: int
    decision: float


class Trees:
    """A forest with what the trainer says of it."""

    def __init__(self, forest: Forest) -> None:
        trees = len(forest.leaf) // LEAVES
        shapes = (len(forest.feature), len(forest.threshold), len(forest.leaf))
        if shapes != (trees * SPLITS, trees * SPLITS, trees * LEAVES) or trees == 0 or trees % forest.bag_size:
            raise InputError(f"the model's arrays do not make whole trees and bags: lengths {shapes}")
        if forest.feature.min() < 0 or forest.feature.max() >= FEATURES:
            raise InputError("the model asks for features that do not exist")
        self.forest = Forest(
            read_only(forest.feature.astype(np.uint16)),  # unsigned: an index that need not be tested for its sign
            read_only(forest.threshold.astype(np.float32)),
            read_only(forest.leaf.astype(np.float32)),
            int(forest.bag_size),
            float(forest.decision),
        )

    @property
    def digest(self) -> str:
        """Of all that decides: another model draws other text."""
        hasher = blake3()
        for part in self.forest:
            hasher.update(np.ascontiguousarray(part).tobytes())
        return hasher.hexdigest(8)

    @classmethod
    def load(cls, path: Path = MODEL_FILE) -> Trees:
        """Read a model file.  Raises MissingModel if there is none, InputError if it was trained on other features."""
        if not path.is_file():
            raise MissingModel(f"there is no model for engine 'blocks' at {path}. Remedy: train one, see docs/html.md")
        with np.load(path, allow_pickle=False) as stored:
            if str(stored["feature_digest"]) != FEATURE_DIGEST:
                raise InputError(f"{path} was trained on other features than this version has. Remedy: train it again")
            forest = Forest(
                stored["feature"],
                stored["threshold"],
                stored["leaf"],
                int(stored["bag_size"]),
                float(stored["decision"]),
            )
        return cls(forest)

    def save(self, path: Path) -> None:
        """Write a model file, with the digest of the features it was trained on."""
        f = self.forest
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                feature_digest=np.array(FEATURE_DIGEST),
                feature=f.feature,
                threshold=f.threshold,
                leaf=f.leaf,
                bag_size=np.int64(f.bag_size),
                decision=np.float64(f.decision),
            )

    def probabilities(self, features: NDArray[np.float32], sure: float = SURE) -> NDArray[np.float32]:
        """Probability of being main content, float32 [blocks]; `sure` infinite asks all bags."""
        return _score_all(np.ascontiguousarray(features, np.float32), self.forest, sure)


@borrowing
def score(row: Row, forest: Forest, sure: float) -> np.float32:
    """Probability of one row of features."""
    total = np.float32(0)
    mean = np.float32(0)
    trees = len(forest.leaf) // LEAVES
    for first in range(0, trees, forest.bag_size):
        for tree in range(first, first + forest.bag_size):
            at = tree * SPLITS
            node = np.int64(row[forest.feature[at]] > forest.threshold[at])
            at += 1
            for level in range(1, DEPTH):
                split = at + node
                at += 1 << level
                node = 2 * node + np.int64(row[forest.feature[split]] > forest.threshold[split])
            total += forest.leaf[tree * LEAVES + node]
        mean = total / np.float32(first // forest.bag_size + 1)
        if abs(mean) > sure:
            break
    return np.float32(1.0 / (1.0 + np.exp(-mean)))


@kernel
def _score_all(features: NDArray[np.float32], forest: Forest, sure: float) -> NDArray[np.float32]:
    out = np.empty(len(features), np.float32)
    for k in range(len(features)):
        out[k] = score(features[k], forest, sure)
    return out
