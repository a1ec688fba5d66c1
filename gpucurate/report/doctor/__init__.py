"""Is this machine fit to run: its devices, packages, models, memory and disk, each looked at and told with a remedy.

Nothing is changed, downloaded or left behind.  A check fails only for what would spoil or stop a run; what is merely
not there (a GPU, an optional package, a model that a recipe may not need) is said and does no harm.
"""

from gpucurate.report.doctor.check import Check, State
from gpucurate.report.doctor.examination import Examination, examine

__all__ = ["Check", "Examination", "State", "examine"]
