"""How many documents each stratum gives: shares by a power of its size, and never more than it holds.

Every stratum gives at least one, since a document that cannot be drawn would bias every estimate on the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpucurate.core.errors import UserError

# Exponent of a stratum's size in its share.  `root` is the power allocation (Bankier 1988, "Power allocations") at one
# half: large strata give more, small ones enough to be looked at by themselves.
POWERS = {"proportional": 1.0, "root": 0.5, "equal": 0.0}
LEAST = 2  # of each stratum where the size allows: from one document no variance can be estimated


def allocate(sizes: Mapping[str, int], total: int, allocation: str) -> dict[str, int]:
    """Documents to draw from each stratum (all sizes at least 1); they sum up to `total`, or to all there are.

    Raises UserError if there are more strata than documents wanted.
    """
    population = sum(sizes.values())
    if total >= population:
        return dict(sizes)
    if total < len(sizes):
        raise UserError(
            f"{len(sizes):,} strata, but only {total:,} documents to draw, and every stratum must give one. "
            "Remedy: a larger --size, or strata by fewer properties (--by, --domains)"
        )
    affordable = sum(min(size, LEAST) for size in sizes.values()) <= total
    least = {name: min(size, LEAST if affordable else 1) for name, size in sizes.items()}
    share = {name: size ** POWERS[allocation] for name, size in sizes.items()}

    def wanted(factor: float) -> dict[str, float]:
        return {name: min(max(factor * share[name], least[name]), size) for name, size in sizes.items()}

    low, high = 0.0, max(size / share[name] for name, size in sizes.items())
    for _ in range(100):  # halvings; more than a double can tell apart
        middle = (low + high) / 2
        if math.fsum(wanted(middle).values()) <= total:
            low = middle
        else:
            high = middle
    given = {name: math.floor(number) for name, number in wanted(low).items()}
    rest = {name: number - given[name] for name, number in wanted(low).items()}
    missing = total - sum(given.values())
    while missing:  # largest remainders first; ties by name
        for name in sorted((n for n in sizes if given[n] < sizes[n]), key=lambda n: (-rest[n], n))[:missing]:
            given[name] += 1
        missing = total - sum(given.values())
    return given
