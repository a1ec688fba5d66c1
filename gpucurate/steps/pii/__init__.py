"""`pii`: finds personal data and secrets, and keeps, redacts or replaces them, or drops or sets aside the document."""

from gpucurate.steps.pii.config import PiiConfig
from gpucurate.steps.pii.step import Pii

__all__ = ["Pii", "PiiConfig"]
