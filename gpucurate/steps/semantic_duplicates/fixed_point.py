"""Vectors in fixed point, so that every sum over them is exact.

A coordinate is a 16-bit integer, 32,767 standing for 1: a step of 3·10⁻⁵, as fine as float16 where coordinates of
sentence vectors lie, in the same two bytes.  A product of two vectors is then a sum of integers below 2⁵³, which
float64 holds exactly: it is the same in any order, on any number of threads, in any batch, on a CPU and on a GPU.
Divisions and roots of such numbers are correctly rounded everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.fixed_bytes import fixed_bytes, fixed_column

ONE = 32_767
FixedPoint = NDArray[np.int16]  # [vectors, dimensions]


def to_fixed(vectors: NDArray[np.float64]) -> FixedPoint:
    """Coordinates from -1 to 1."""
    return np.asarray(np.rint(vectors * ONE), np.int16)


def as_column(vectors: FixedPoint) -> pa.Array:
    """Fixed-size binary, little-endian."""
    rows = np.ascontiguousarray(vectors, "<i2")
    return fixed_column(rows.view(np.uint8).reshape(len(rows), 2 * vectors.shape[1]))


def from_column(column: pa.Array | pa.ChunkedArray) -> FixedPoint:
    """A view where the column has one chunk."""
    vectors: FixedPoint = fixed_bytes(column).view("<i2")
    return vectors


def squares(vectors: FixedPoint) -> NDArray[np.float64]:
    """[vectors]: squared lengths, exact."""
    return rowwise(vectors, vectors)


def rowwise(first: FixedPoint, second: FixedPoint) -> NDArray[np.float64]:
    """[vectors]: the product of each with its own other, exact."""
    return np.asarray(np.einsum("nd,nd->n", first, second, dtype=np.int64), np.float64)


class Products:
    """Products of fixed-point vectors on a device of torch."""

    def __init__(self, device: str) -> None:
        import torch

        self._torch: Any = torch
        self._device = torch.device(device)

    def dots(self, first: FixedPoint, second: FixedPoint) -> NDArray[np.float64]:
        """[first, second]: exact integers."""
        found: NDArray[np.float64] = (self._up(first) @ self._up(second).T).cpu().numpy()
        return found

    def cosines(self, first: FixedPoint, second: FixedPoint) -> NDArray[np.float64]:
        """[first, second]: 1 for equal vectors, 0 where one is zero."""
        lengths = np.sqrt(squares(first)[:, None] * squares(second)[None, :])  # of equal ones exactly the square
        return self.dots(first, second) / np.where(lengths == 0, 1, lengths)

    def nearest(self, vectors: FixedPoint, centres: FixedPoint) -> NDArray[np.int64]:
        """[vectors]: the centre with the largest cosine, the first of equal ones."""
        lengths = self._torch.from_numpy(np.sqrt(squares(centres))).to(self._device)
        scores = self._up(vectors) @ self._up(centres).T / lengths
        found: NDArray[np.int64] = scores.argmax(dim=1).cpu().numpy()
        return found

    def sums(self, vectors: FixedPoint, groups: NDArray[np.int64], count: int) -> NDArray[np.float64]:
        """[count, dimensions]: the sum of each group's vectors, exact below 2³⁸ of them."""
        sums = self._torch.zeros((count, vectors.shape[1]), dtype=self._torch.float64, device=self._device)
        sums.index_add_(0, self._torch.from_numpy(groups).to(self._device), self._up(vectors))
        found: NDArray[np.float64] = sums.cpu().numpy()
        return found

    def _up(self, vectors: FixedPoint) -> Any:
        return self._torch.from_numpy(np.array(vectors, np.int16)).to(self._device).double()
