"""Modifiers for NeMo Curator's `Modify` stage: `ScrubPii` gives the new text, `FindPii` what was found.

    pipeline.add_stage(Modify(ScrubPii(PiiConfig()), input_fields="text"))

Read in NeMo Curator 1.4.0 (stages/text/modifiers).  A modifier sees one document at a time and can only change it:
policies that drop or set aside documents are for recipes, and are refused here.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from nemo_curator.stages.text.modifiers import DocumentModifier

from gpucurate.core.errors import RecipeError
from gpucurate.steps.pii.config import PiiConfig, Policy
from gpucurate.steps.pii.finder import Finder
from gpucurate.steps.pii.keys import Key, read_key
from gpucurate.steps.pii.policy import apply


class _WithFinder(DocumentModifier):  # type: ignore[misc]
    """Builds its detectors where the first document is, in each worker: compiled scans and tables do not travel."""

    def __init__(self, config: PiiConfig | None = None) -> None:
        super().__init__()
        self.config = config or PiiConfig.model_validate({})
        self._finder: Finder | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_finder": None}

    def _find(self, texts: pa.Array) -> pa.Table:
        if self._finder is None:
            self._finder = Finder(self.config)
        return self._finder.find(texts)


class FindPii(_WithFinder):
    """Text to its findings: a JSON list of [start, end, class, detector, version, score] as in finder.FINDINGS.

    Give the stage `output_fields`, or the findings stand in the place of the text.
    """

    def modify_document(self, text: str) -> str:
        """Findings of one document."""
        found = self._find(pa.array([text], pa.large_string()))
        return json.dumps([list(row.values())[1:] for row in found.to_pylist()])


class ScrubPii(_WithFinder):
    """Text to text with the policies applied, as the step `pii` leaves it.

    The key of surrogates is read where the modifier is made and travels with it.  Raises RecipeError for policies that
    would remove the document.
    """

    def __init__(self, config: PiiConfig | None = None) -> None:
        super().__init__(config)
        self._key: Key = read_key(self.config.key_file)
        for kind, policy in self.config.policies.items():
            if policy in (Policy.DROP, Policy.QUARANTINE):
                raise RecipeError(
                    f"policy {policy.value} of class {kind.value} removes documents, which a modifier cannot. "
                    "Remedy: keep, redact or surrogate; or run the step pii of a recipe"
                )

    def modify_document(self, text: str) -> str:
        """New text of one document."""
        texts = pa.array([text], pa.large_string())
        new = apply(texts, self._find(texts), self.config, self._key).text[0].as_py()
        return text if new is None else str(new)
