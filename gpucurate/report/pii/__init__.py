"""What the step `pii` found, to be looked at before it changes anything and after: `gpucurate pii audit`."""

from gpucurate.report.pii.audit import Audit, audit

__all__ = ["Audit", "audit"]
