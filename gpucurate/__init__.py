"""gpucurate turns raw web crawls and Wikipedia dumps into verified token shards, and accounts for every removal.

Importing the package loads nothing heavy: no CUDA, no torch, no Dask.  The public names are listed in ``__all__``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpucurate.tokens.reader import Shards

__version__ = "0.1.0"
__all__ = ["__version__", "open_shards"]


def open_shards(directory: str) -> Shards:
    """Open the shards of a finished run for reading by memory map; see :class:`gpucurate.tokens.reader.Shards`."""
    from gpucurate.tokens.reader import open_shards as open_directory

    return open_directory(directory)
