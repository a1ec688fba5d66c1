"""GPT-3's keep rule: a document stays with a probability that rises with its score, instead of at a sharp cut.

Brown et al. 2020, appendix A: keep a document if a Pareto draw with shape 9 exceeds 1 - score, so that mostly what
scores high stays and some of what does not.  The draw here is a function of the record id and a seed alone: the same
documents stay whatever the order, the partition or the machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

ALPHA = 9.0  # GPT-3, appendix A
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # increment and multipliers of SplitMix64 (Steele, Lea and Flood 2014)
MIX = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))
MANTISSA = 53  # bits of a float64


def pareto_keep(
    scores: NDArray[np.float64],
    record_ids: pa.FixedSizeBinaryArray | Sequence[bytes],
    alpha: float = ALPHA,
    seed: int = 0,
) -> NDArray[np.bool_]:
    """[documents]: which ones stay, for scores from 0 to 1 (a classifier's probability of being good).

    Raises ValueError for a score outside 0 to 1 (NaN included) and for an `alpha` that is not positive.
    """
    if not alpha > 0:
        raise ValueError(f"the Pareto shape must be positive, found {alpha}")
    if not ((scores >= 0) & (scores <= 1)).all():
        raise ValueError("the Pareto rule takes scores from 0 to 1; a regressor's 0 to 5 must be divided by 5 first")
    draws = (1 - uniforms(record_ids, seed)) ** (-1 / alpha) - 1  # inverse of the Lomax distribution, as numpy's pareto
    return np.asarray(draws > 1 - scores)


def keep_probability(scores: NDArray[np.float64], alpha: float = ALPHA) -> NDArray[np.float64]:
    """[documents]: with what probability `pareto_keep` keeps a document of this score: (2 - score)^-alpha."""
    return np.asarray((2 - scores) ** -alpha)


def uniforms(record_ids: pa.FixedSizeBinaryArray | Sequence[bytes], seed: int = 0) -> NDArray[np.float64]:
    """[documents]: numbers in [0, 1) from the leading 8 bytes of each record id (themselves a digest) and the seed."""
    ids = record_ids if isinstance(record_ids, pa.Array) else pa.array(record_ids, pa.binary(16))
    raw = np.frombuffer(b"".join(each[:8] for each in ids.to_pylist()), "<u8")
    mixed = raw ^ _finalise(np.array([seed], np.uint64) + GOLDEN)
    return np.asarray(_finalise(mixed) >> np.uint64(64 - MANTISSA)) / float(1 << MANTISSA)


def _finalise(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, multiplier in MIX:
        words = (words ^ (words >> np.uint64(shift))) * multiplier
    return words ^ (words >> np.uint64(31))
