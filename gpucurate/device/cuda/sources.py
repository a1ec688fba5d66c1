"""The text of the kernels, as any compiler takes it: one string without includes.

Includes are written out here because CuPy keys its cache of compiled kernels by the text it is given, and would not
notice a changed header.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from gpucurate.device.cuda.engine import BLOCK, Kernel

FOLDER = Path(__file__).parent / "kernels"
_INCLUDE = re.compile(r'^#include "(.+)"\n', re.MULTILINE)


@cache
def source(file: str) -> str:
    """CUDA C++ of a file of the folder `kernels`, every header written out where it is first included."""
    return _written_out(file, set())


def options(kernel: Kernel) -> tuple[str, ...]:
    """Compiler options of a kernel: the language, the block size, its constants."""
    constants = (("BLOCK", BLOCK), *kernel.constants)
    return ("-std=c++17", *(f"-D{name}={value}" for name, value in constants))


def _written_out(file: str, seen: set[str]) -> str:
    if file in seen:
        return ""
    seen.add(file)
    text = (FOLDER / file).read_text(encoding="utf-8").replace("#pragma once\n", "")
    return _INCLUDE.sub(lambda found: _written_out(found[1], seen), text)
