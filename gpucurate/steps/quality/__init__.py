"""`quality`: every document's score by one or several classifiers, and a cut through it."""

from gpucurate.steps.quality.config import QualityConfig
from gpucurate.steps.quality.step import Quality

__all__ = ["Quality", "QualityConfig"]
