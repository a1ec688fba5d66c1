"""`near_duplicates`: MinHash candidates, verified exactly, and a choice that depends on the documents only."""

from gpucurate.steps.near_duplicates.step import NearDuplicates

__all__ = ["NearDuplicates"]
