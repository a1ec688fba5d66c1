"""Whether a fastText model file is whole.

fastText's own reader trusts the sizes a file names: from one that was cut short it allocates for minutes, or goes on
with what happens to be in memory.  So the file is walked here first, from size to size; only the dictionary's entries
must be read.  Layout: fastText's version 12 (see `steps.language.model_file`).
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

from gpucurate.steps.language.model_file import CENTROIDS, MAGIC, SUPERVISED, VERSION

ENDS_EARLY = "it ends too early or is damaged"


def check_whole(path: Path) -> None:
    """Raises ValueError, saying what is wrong, for a file that is damaged or no classifier."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            raise ValueError("it is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _Walk(data).whole()


class _Walk:
    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def whole(self) -> None:
        if self.next("<2i") != (MAGIC, VERSION):
            raise ValueError(f"it does not begin as a fastText model of version {VERSION} does")
        settings = self.next("<12id")
        if settings[7] != SUPERVISED:
            raise ValueError("it holds word vectors, no classifier")
        entries, _, _, _, pruned = self.next("<3i2q")
        for _ in range(entries):
            end = self.data.find(b"\0", self.at)
            if end < 0:
                raise ValueError(ENDS_EARLY)
            self.at = end + 1
            self.skip(9)  # count and kind
        self.skip(8 * max(pruned, 0))
        (quantised,) = self.next("<?")
        self.matrix(quantised)
        (output_quantised,) = self.next("<?")
        self.matrix(quantised and output_quantised)
        if self.at != len(self.data):
            raise ValueError("there is more in it than its matrices")

    def matrix(self, quantised: bool) -> None:
        (norms_apart,) = self.next("<?") if quantised else (False,)
        height, width = self.next("<2q")
        if not quantised:
            self.skip(4 * height * width)
            return
        (codes,) = self.next("<i")
        self.skip(codes)
        self.quantiser()
        if norms_apart:
            self.skip(height)
            self.quantiser()

    def quantiser(self) -> None:
        dim, _, _, _ = self.next("<4i")
        self.skip(4 * dim * CENTROIDS)

    def skip(self, size: int) -> None:
        if not 0 <= size <= len(self.data) - self.at:
            raise ValueError(ENDS_EARLY)
        self.at += size

    def next(self, layout: str) -> tuple[Any, ...]:
        begin = self.at
        self.skip(struct.calcsize(layout))
        return struct.unpack_from(layout, self.data, begin)
