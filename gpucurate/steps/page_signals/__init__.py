"""`page_signals`: pages that a server sends with status 200 and that hold nothing to read."""

from gpucurate.steps.page_signals.step import PageSignals

__all__ = ["PageSignals"]
