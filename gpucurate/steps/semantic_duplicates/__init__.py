"""`semantic_duplicates`: one document of several that say the same stays, by sentence embeddings (SemDeDup)."""

from gpucurate.steps.semantic_duplicates.step import SemanticDuplicates

__all__ = ["SemanticDuplicates"]
