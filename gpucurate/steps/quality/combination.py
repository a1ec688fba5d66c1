"""One score from several classifiers', by mean, maximum or rank, and what a cascade leaves to its first one.

Rank: a score becomes the number, 0 to 19, of the twentieth of a reference corpus it falls into, and the best rank of a
document counts (Nemotron-CC, arXiv 2412.02595, on ensembles of quality classifiers).  Where the twentieths begin is
kept in a file `quantiles.json` beside each model, so that scores of different scales can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.errors import InputError

SHARES = 20  # Nemotron-CC
FORMAT = 1
TOP = {"mean": 5.0, "max": 5.0, "rank": SHARES - 1.0}  # the scale's highest; FineWeb-Edu rates from 0 to 5
QUANTILES_FILE = "quantiles.json"

Scores = NDArray[np.float64]


def combine(scores: Mapping[str, Scores], how: str, edges: Mapping[str, Scores]) -> Scores:
    """[documents]: from scores by classifier, none of them NaN.  `edges`, by classifier: see `edges_of`."""
    if how == "rank":
        return np.asarray(np.max([rank(values, edges[name]) for name, values in scores.items()], axis=0))
    stacked = np.stack(list(scores.values()))
    return np.asarray(stacked.max(axis=0) if how == "max" else stacked.mean(axis=0))


def rank(scores: Scores, edges: Scores) -> Scores:
    """[documents]: in which share of the reference, counted from 0, a score falls; an edge belongs to the upper one."""
    return np.asarray(np.searchsorted(edges, scores, side="right"), np.float64)


def edges_of(scores: Scores) -> Scores:
    """[19]: the least scores of all shares but the lowest.  Raises ValueError for fewer scores than shares."""
    if len(scores) < SHARES:
        raise ValueError(f"{SHARES} shares need at least as many scores, found {len(scores)}")
    return np.asarray(np.quantile(scores, np.arange(1, SHARES) / SHARES))


def quantiles_content(edges: Scores, documents: int, classifier: str) -> bytes:
    """What a quantiles file holds; `classifier` is the digest of the model whose scores these are."""
    content = {"format": FORMAT, "classifier": classifier, "documents": documents, "edges": edges.tolist()}
    return json.dumps(content, indent=1).encode() + b"\n"


def read_edges(path: Path, classifier: str) -> Scores:
    """Edges of a quantiles file.  Raises InputError if it is missing, damaged, or another classifier's."""
    remedy = "Remedy: write one with gpucurate classifier quantiles"
    try:
        content = json.loads(path.read_bytes())
        edges = np.array(content["edges"], np.float64)
        written_for = content["classifier"]
    except FileNotFoundError as error:
        raise InputError(f"`combine: rank` needs {path}, which is not there. {remedy}") from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path} is no quantiles file ({error}). {remedy}") from error
    if edges.shape != (SHARES - 1,) or not np.isfinite(edges).all() or (np.diff(edges) < 0).any():
        raise InputError(f"{path} does not hold {SHARES - 1} ascending edges. {remedy}")
    if written_for != classifier:
        raise InputError(f"{path} was written for another classifier than the one here. {remedy}")
    return edges


def column(scores: Scores, asked: Sequence[bool] | NDArray[np.bool_]) -> pa.Array:
    """A signal: float32, null where nobody was asked."""
    return pa.array(scores.astype(np.float32), mask=~np.asarray(asked, np.bool_))
