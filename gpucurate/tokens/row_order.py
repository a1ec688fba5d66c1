"""The order of rows in an epoch: a keyed permutation computed position by position.

Nothing is stored and nothing is drawn from a random stream, so that any position of any epoch is at hand at once, on
any machine and with any version of NumPy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.tokens.siphash import Key, Words, derive_key, siphash

# Four rounds of a pseudo-random function make a pseudo-random permutation (Luby and Rackoff, SIAM Journal on Computing
# 17, 1988), but only asymptotically: of 1,000 rows, 1.26 pairs stay neighbours on average where chance keeps 1.00.  Six
# rounds showed nothing; eight are used.
ROUNDS = 8


def permuted_rows(positions: NDArray[np.int64], rows: int, seed: int) -> NDArray[np.int64]:
    """The rows (int64 [n]) at these positions (int64 [n], each in 0 <= p < rows) of the epoch named by `seed`.

    A Feistel network over the least even number of bits that holds `rows`; what falls outside is sent through again
    until it falls inside (Black and Rogaway, CT-RSA 2002, "cycle walking"), less than four times on average.
    """
    half = max(1, -(-(rows - 1).bit_length() // 2))
    keys = [derive_key(f"order of rows, round {r}", seed) for r in range(ROUNDS)]
    values = positions.astype(np.uint64)
    outside = np.arange(len(values))
    while len(outside):
        values[outside] = _feistel(values[outside], half, keys)
        outside = outside[values[outside] >= rows]
    return values.astype(np.int64)


def _feistel(values: Words, half: int, keys: list[Key]) -> Words:
    mask = np.uint64((1 << half) - 1)
    left, right = values >> np.uint64(half), values & mask
    for key in keys:
        left, right = right, left ^ (siphash(key, right[:, None]) & mask)
    return left << np.uint64(half) | right
