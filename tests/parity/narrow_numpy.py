"""The part of NumPy that CuPy has with the same meaning, and no more: what code above the seam may call.

tests/parity/test_cupy.py holds the list against an installed CuPy.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.parity.metered import Meter

# Function and the keywords it may be called with.
CALLS: dict[str, tuple[str, ...]] = {
    "arange": ("dtype",),
    "argsort": ("kind",),
    "asarray": (),
    "concatenate": (),
    "cumsum": ("dtype",),
    "diff": (),
    "empty": (),
    "flatnonzero": (),
    "full": (),
    "minimum": (),
    "ones": (),
    "searchsorted": ("side",),
    "stack": ("axis",),
    "where": (),
    "zeros": (),
}


def narrow(meter: Meter) -> Any:
    return SimpleNamespace(**{name: _checked(name, keywords, meter) for name, keywords in CALLS.items()})


def _checked(name: str, keywords: tuple[str, ...], meter: Meter) -> Any:
    def call(*arguments: Any, **named: Any) -> Any:
        assert set(named) <= set(keywords), f"{name}: {sorted(named)} are not among {keywords}"
        if name == "argsort":
            assert named == {"kind": "stable"}, "the two modules agree on stable sorts only"
            assert arguments[0].ndim == 1
            pair = arguments[0].nbytes + 8 * arguments[0].size
            meter.take(0, beside=2 * pair)  # CuPy copies the keys, and Thrust sorts between two buffers
        if name == "flatnonzero":
            meter.take(0, beside=8 * arguments[0].size)  # CuPy scans the mask
        if name == "searchsorted":
            assert arguments[0].size, "CuPy reads the last bin without asking whether there is one"
            assert arguments[0].dtype == arguments[1].dtype, "no promotion between signed and unsigned"
        if name == "arange":
            assert "dtype" in named, "the default differs between platforms"
        return meter.adopt(getattr(np, name)(*arguments, **named))

    return call
