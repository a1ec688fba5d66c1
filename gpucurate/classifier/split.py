"""Splits in which nothing known to belong together lies on both sides.

Examples of one host, and near-duplicates wherever they are from, form a group (the connected components of both
relations); a group is never divided.  Which side a group comes to depends on a keyed hash of its record ids, not on
the order of the examples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from gpucurate.classifier.examples import Example
from gpucurate.classifier.kin import components, near_duplicates
from gpucurate.core.errors import InputError

REMEDY = (
    "Remedy: label documents of more sites, or, where one site is all there is, group by near-duplicates alone "
    "(--one-site; for a training --set one_site=true)"
)


def split(
    examples: Sequence[Example], fraction: float, seed: int, by_host: bool = True
) -> tuple[list[Example], list[Example]]:
    """(train, held out): whole groups, in the order of their hashes, are held out as long as `fraction` allows.

    A group larger than the room that is left is passed over, so the held-out part never exceeds `fraction` of the
    examples, and a site that is larger is always trained on.  Both keep the order of `examples`.  Raises InputError if
    either part would be empty, ValueError if `fraction` is not between 0 and 1.
    """
    if not 0 < fraction < 1:
        raise ValueError(f"fraction {fraction} is not between 0 and 1")
    labels = groups(examples, by_host)
    room = round(fraction * len(examples))
    held = np.zeros(len(examples), bool)
    for group in _hashed(examples, labels, seed):
        members = labels == group
        if members.sum() <= room:
            room -= int(members.sum())
            held |= members
    if not held.any() or held.all():
        raise InputError(
            f"{len(examples)} examples in {len(np.unique(labels))} groups of one host or near-duplicates cannot be "
            f"split so that {fraction:g} are held out. {REMEDY}"
        )
    return _where(examples, ~held), _where(examples, held)


def folds(examples: Sequence[Example], k: int, seed: int, by_host: bool = True) -> NDArray[np.int64]:
    """[examples]: the fold, 0 to k - 1, of each; groups are whole, folds as equal in size as the groups allow.

    Groups are dealt by size, the largest first, equals in the order of their hashes, each to the smallest fold.  Raises
    InputError with fewer groups than folds, ValueError with k < 2.
    """
    if k < 2:
        raise ValueError(f"{k} folds are too few")
    labels = groups(examples, by_host)
    hashed = _hashed(examples, labels, seed)
    if len(hashed) < k:
        raise InputError(f"{len(hashed)} groups of one host or near-duplicates do not fill {k} folds. {REMEDY}")
    sizes = dict(zip(*(part.tolist() for part in np.unique(labels, return_counts=True)), strict=True))
    filled = np.zeros(k, np.int64)
    fold_of: dict[int, int] = {}
    for group in sorted(hashed, key=lambda group: -sizes[group]):  # stable: equals stay in the order of their hashes
        fold_of[group] = int(filled.argmin())
        filled[fold_of[group]] += sizes[group]
    return np.array([fold_of[int(label)] for label in labels], np.int64)


def groups(examples: Sequence[Example], by_host: bool = True) -> NDArray[np.int64]:
    """[examples]: the place of the first example of each one's group.  An example without a host is no site's."""
    pairs = [near_duplicates([example.text for example in examples])]
    if by_host:
        first: dict[str, int] = {}
        hosts = [(at, example.host) for at, example in enumerate(examples) if example.host]
        same = [(first.setdefault(host.lower(), at), at) for at, host in hosts]
        pairs.append(np.array(same, np.int64).reshape(-1, 2))
    return components(len(examples), np.concatenate(pairs))


def _hashed(examples: Sequence[Example], labels: NDArray[np.int64], seed: int) -> list[int]:
    """The groups in the order of a hash keyed by `seed` over the least record id of each."""
    names: dict[int, str] = {}
    for example, label in zip(examples, labels.tolist(), strict=True):
        names[label] = min(example.record_id, names.get(label, example.record_id))
    return sorted(names, key=lambda group: blake3(f"{seed}/{names[group]}".encode()).digest())


def _where(examples: Sequence[Example], chosen: NDArray[np.bool_]) -> list[Example]:
    return [example for example, wanted in zip(examples, chosen, strict=True) if wanted]
