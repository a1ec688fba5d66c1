"""Print what the CPU backend gives for the golden vectors: `python -m tests.device.golden_values`.

For whoever changed a verb on purpose: put the lines into `gpucurate/device/golden.py`, and say why in the commit.
"""

from __future__ import annotations

from gpucurate.device.cpu import CpuBackend
from gpucurate.device.golden import golden_values

if __name__ == "__main__":
    for verb, digest in golden_values(CpuBackend()).items():
        print(f'    "{verb}": "{digest}",')
