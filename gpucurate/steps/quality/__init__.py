"""`quality`: scores of classifiers for every document, and a cut through them (see `step`)."""

from gpucurate.steps.quality.config import QualityConfig
from gpucurate.steps.quality.step import Quality

__all__ = ["Quality", "QualityConfig"]
