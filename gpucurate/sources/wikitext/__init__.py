"""Wikitext to plain text: a scanner over bytes in two linear passes, compiled by Numba.

`make_rules` once per wiki, then `extract` per batch; `residue` counts what markup is left.  The careful and slow
reference engine stands in `reference` and is imported from there, as it needs an optional package.
"""

from gpucurate.sources.wikitext.extraction import extract, warm
from gpucurate.sources.wikitext.residue import residue
from gpucurate.sources.wikitext.rules import Rules, make_rules

__all__ = ["Rules", "extract", "make_rules", "residue", "warm"]
