"""`repeated_spans`: passages that occur again, in other documents or further on, found exactly and cut."""

from gpucurate.steps.repeated_spans.step import RepeatedSpans

__all__ = ["RepeatedSpans"]
