"""Rows of floats to 8-bit integers and sums of their products back, each in one pass.

As operations of torch these passes took longer than the multiplication between them (docs/quality.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.compiled import kernel

LARGEST = np.float32(127)
LEAST = np.float32(1e-12)  # for a row that is all zeros
MAGNITUDE = np.int32(0x7FFFFFFF)  # all bits of a float32 but its sign; they sort as the magnitudes do


@kernel
def quantise(
    rows: NDArray[np.float32],
    bits: NDArray[np.int32],
    quantised: NDArray[np.int8],
    scale: NDArray[np.float32],
    scale_bits: NDArray[np.int32],
) -> None:
    """Fill `quantised` [rows, columns] and `scale` [rows] so that their product is near `rows`; NaN gives a NaN scale.

    `bits` and `scale_bits` are `rows` and `scale` seen as integers: their maximum is found many at a time, a maximum of
    floats is not.
    """
    for row in range(len(rows)):
        largest = np.int32(0)
        for column in range(rows.shape[1]):
            largest = max(largest, np.int32(bits[row, column] & MAGNITUDE))
        scale_bits[row] = largest
        step = scale[row] if scale[row] != scale[row] else max(scale[row], LEAST)
        inverse = LARGEST / step
        for column in range(rows.shape[1]):
            quantised[row, column] = np.int8(np.rint(rows[row, column] * inverse))
        scale[row] = step / LARGEST


@kernel
def dequantise(
    sums: NDArray[np.int32],
    scale: NDArray[np.float32],
    weight_scale: NDArray[np.float32],
    bias: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    """`out` [rows, columns] from integer sums, the scales of rows and of columns, and a value to add per column."""
    for row in range(len(sums)):
        for column in range(sums.shape[1]):
            out[row, column] = np.float32(sums[row, column]) * (scale[row] * weight_scale[column]) + bias[column]
