"""The one way to compile a kernel: Numba, cached on disk, free of the interpreter lock.

Numba's own cache only watches the file a function is defined in; here it watches the whole folder of that file, and
those of the kernels and modules its module imports, so that a changed callee or table there is compiled in.  A constant
imported by name alone from another folder is passed in as an argument.  A decorated function keeps its annotations,
which say dtypes for the reader; Numba ignores them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from blake3 import blake3
from numba import njit

UNCOUNTED: dict[str, Any] = {"_nrt": False}  # private to Numba, pinned by a test

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first call, keep the machine code beside the module (or in the user's cache directory)."""
    return cast(Function, _watch_folder(function, njit(cache=True, nogil=True)(function)))


def borrowing(function: Function) -> Function:
    """As `kernel`, for a function that creates and returns no array and is called by other kernels only.

    It counts no references to the arrays it is given, which in a short function that takes tuples of arrays costs more
    than the work; Numba would fail to compile an allocation in it.
    """
    return cast(Function, _watch_folder(function, njit(cache=True, nogil=True, **UNCOUNTED)(function)))


def inlined(function: Function) -> Function:
    """A small function that Numba copies into its callers; measured before use, it costs compile time."""
    return cast(Function, _watch_folder(function, njit(cache=True, nogil=True, inline="always")(function)))


def _watch_folder(function: Any, compiled: Any) -> Any:
    if hasattr(compiled, "_cache"):  # absent under NUMBA_DISABLE_JIT; private to Numba, pinned by a test
        named = function.__globals__.values()
        imported = [value.py_func for value in named if isinstance(value, type(compiled))]
        folders = {Path(each.__code__.co_filename).parent for each in (function, *imported)}
        folders |= {Path(str(value.__file__)).parent for value in named if _is_ours(value)}
        compiled._cache._cache_file._source_stamp = "".join(map(_folder_digest, sorted(folders)))
    return compiled


def _is_ours(value: object) -> bool:
    """A module of this package, whose constants a kernel may read."""
    return isinstance(value, ModuleType) and value.__name__.startswith(f"{__package__.partition('.')[0]}.")


@cache
def _folder_digest(folder: Path) -> str:
    hasher = blake3()
    for module in sorted(folder.glob("*.py")):
        hasher.update(module.read_bytes())
    return hasher.hexdigest()
