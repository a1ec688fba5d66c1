"""Registers of every kernel on several GPUs, as the table of docs/gpu.md: python -m tests.parity.register_table"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpucurate.device.cuda import bands, components, grams, minhash, shingles, verification, windows, words
from gpucurate.device.cuda.engine import Kernel
from tests.parity import nvrtc

ARCHITECTURES = (80, 90, 100, 120)  # A100, H100 and H200, B200, RTX PRO 6000
SHINGLES = (2, 3, 5, 7, 25, 50)
GRAMS = (5, 8, 13)
HASHES = (112, 117, 260)  # 14 x 8 (FineWeb), 9 x 13, 20 x 13 (NeMo Curator)


def settings() -> Iterator[tuple[str, Kernel]]:
    """A name and a kernel for every file and every constant that changes its code."""
    yield "tokenise", words.COUNT
    for size in SHINGLES:
        yield f"shingles of {size} words", shingles.shingle_kernel(size, np.uint64)
    for count in HASHES:
        spread = minhash.shape(count)
        yield (
            f"{count} hashes: {spread.groups} x {spread.lanes} threads of {spread.per_lane}",
            minhash.signature_kernel(spread),
        )
    for size in GRAMS:
        yield f"grams of {size} words", grams.search_kernel(size)
    yield "bands", bands.KEYS
    yield "shared", verification.COUNT
    yield "components", components.UNITE
    yield "windows", windows.SAMPLE


def table() -> str:
    """Registers a thread; `!` where a kernel spills or has a stack."""
    lines = [
        "| kernel | setting |" + "".join(f" sm_{a} |" for a in ARCHITECTURES),
        "|---|---|" + "---:|" * len(ARCHITECTURES),
    ]
    for setting, kernel in settings():
        found = [nvrtc.compiled(kernel, a) for a in ARCHITECTURES]
        for name in sorted(found[0]):
            cells = (
                f" {each[name].registers}{'!' if each[name].spilled or each[name].stack else ''} |" for each in found
            )
            lines.append(f"| `{name}` | {setting} |" + "".join(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    print("NVRTC {}.{}".format(*nvrtc.version()), table(), sep="\n\n")
