"""The audit of near-duplicates: what was grouped, what was refused, and what to read to believe it."""

from gpucurate.report.duplicates.audit import Audit, audit
from gpucurate.report.duplicates.printing import print_audit

__all__ = ["Audit", "audit", "print_audit"]
