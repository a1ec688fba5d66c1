"""`toxicity`: scores by classifiers of harmful text and hits of word lists, with thresholds by language."""

from gpucurate.steps.toxicity.config import ToxicityConfig
from gpucurate.steps.toxicity.step import Toxicity

__all__ = ["Toxicity", "ToxicityConfig"]
