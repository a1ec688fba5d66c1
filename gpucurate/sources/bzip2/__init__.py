"""Reading bzip2 from any place in a file, block by block, faster than the reference library.

A block stands for itself: 48 bits of magic, a CRC, up to 900 kB of text.  Blocks are found by their magic at any bit,
decoded and checked; damage costs the blocks it touches and is told.  The room knows nothing of what is inside the text.
"""

from gpucurate.sources.bzip2.stream import Block, Hole, read_blocks, warm

__all__ = ["Block", "Hole", "read_blocks", "warm"]
