"""Count the lines of Python that the kernels run, uncompiled, on adversarial pages of two sizes; prints JSON.

A process of its own: NUMBA_DISABLE_JIT must be set before the kernels are imported.
"""

from __future__ import annotations

import json
import sys
import warnings
from types import FrameType

warnings.simplefilter("ignore")  # 64-bit hashes overflow, as they shall

from gpucurate.sources.html.blocks.engine import BlocksEngine  # noqa: E402
from tests.sources.html.forests import EVERYTHING  # noqa: E402
from tests.sources.html.pages import ADVERSARIAL  # noqa: E402

SIZES = 60, 120
steps = 0


def count(frame: FrameType, event: str, _: object) -> object:
    """A tracer that counts the lines of the engine."""
    global steps
    if "sources/html/blocks" not in frame.f_code.co_filename:
        return None
    steps += event == "line"
    return count


def main() -> None:
    engine = BlocksEngine(trees=EVERYTHING)
    counted = {}
    for name, (repeat, around) in ADVERSARIAL.items():
        taken = []
        for size in SIZES:
            before = steps
            sys.settrace(count)
            engine.extract([around.replace("*", repeat * size)])
            sys.settrace(None)
            taken.append(steps - before)
        counted[name] = taken
    print(json.dumps(counted))


if __name__ == "__main__":
    main()
