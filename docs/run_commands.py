"""Run every `sh` block of Markdown files, in order, so that the docs cannot promise what does not work.

Blocks run with `bash -euo pipefail` in the repository root, with the virtual environment first on the path.  A block
fenced as `console` or `text` is only shown, not run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
ROOT = Path(__file__).parents[1]


def main(paths: list[str]) -> int:
    """Exit code: 0 if every block of every file ended well."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    failed = 0
    for path in paths:
        for number, block in enumerate(BLOCK.findall(Path(path).read_text(encoding="utf-8")), 1):
            started = time.monotonic()
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", block], cwd=ROOT, env=environment, capture_output=True, text=True
            )
            print(f"{path} block {number}: exit {done.returncode}, {time.monotonic() - started:.1f} s", flush=True)
            if done.returncode:
                failed += 1
                print(block, done.stdout, done.stderr, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
