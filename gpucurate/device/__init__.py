"""The only room that knows CPU from GPU.

`pick` chooses a backend once per process; everything above calls its verbs and never asks which device it got.  The
CPU version is the definition of every verb, the GPU version must give the same bytes.
"""

from gpucurate.device.backend import Backend
from gpucurate.device.choice import pick, resolve

__all__ = ["Backend", "pick", "resolve"]
