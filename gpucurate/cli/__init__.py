"""Thin commands over the rooms below; nothing is decided here but words and exit codes.

Exit codes: 0 all well, 1 a check or an invariant failed, 2 the recipe or the arguments are wrong, 3 an input, the
storage or the device failed.
"""

from gpucurate.cli.root import main

__all__ = ["main"]
