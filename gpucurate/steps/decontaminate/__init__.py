"""`decontaminate`: what a benchmark asks must not be in the corpus; nor what is held out of it."""

from gpucurate.steps.decontaminate.step import Decontaminate

__all__ = ["Decontaminate"]
