"""What decontamination found: items by benchmark, what was removed for them, and what to read to believe it."""

from gpucurate.report.decontamination.figures import Decontamination, decontamination
from gpucurate.report.decontamination.printing import print_decontamination

__all__ = ["Decontamination", "decontamination", "print_decontamination"]
