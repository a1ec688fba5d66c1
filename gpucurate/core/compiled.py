"""The one way to compile a kernel: Numba, cached on disk, free of the interpreter lock.

Numba's cache only watches the file a function is defined in: keep a kernel's constants in its own module or pass them
in.  A decorated function keeps its annotations, which say dtypes for the reader; Numba ignores them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first call, keep the machine code beside the module (or in the user's cache directory)."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """A small function that Numba copies into its callers; measured before use, it costs compile time."""
    return cast(Function, njit(cache=True, nogil=True, inline="always")(function))
