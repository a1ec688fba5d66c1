"""Settings of `toxicity`."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema, field_validator, model_validator

from gpucurate.recipe.model import Block, StepConfig
from gpucurate.steps.language.codes import find_language
from gpucurate.steps.toxicity.word_lists import EVERY_LANGUAGE

NAME = re.compile(r"[a-z][a-z0-9_]*")
AUTO = "auto"
MAX_WINDOWS = 8
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
LABELS = {"type": "object", "additionalProperties": SHARE}
Thresholds = Annotated[dict[str, Annotated[float, Field(ge=0, le=1)]], WithJsonSchema(LABELS)]
ByLanguage = Annotated[
    dict[str, Thresholds], WithJsonSchema({"type": "object", "additionalProperties": LABELS}), Field(default={})
]
TEXTS = {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}}


def _codes(value: object) -> object:
    """Keys of a mapping as the codes of their languages."""
    if not isinstance(value, dict):
        return value
    found: dict[str, object] = {}
    for name, each in value.items():
        code = EVERY_LANGUAGE if name == EVERY_LANGUAGE else find_language(str(name)).code
        if code in found:
            raise ValueError(f"the language {code!r} is named twice")
        found[code] = each
    return found


class ToxicityClassifier(Block):
    """One classifier."""

    model: str = Field(
        min_length=1,
        description="A fastText model (`.bin` or `.ftz`, or the directory of `model.bin`), a Hugging Face directory, "
        "or a model's name on the Hugging Face hub.",
    )
    thresholds: Thresholds = Field(
        default={},
        description="`{LABEL: score}`: documents that reach the score of any label go. Labels are named as the model "
        "does, without fastText's `__label__`; those that are not named are only scored.",
    )
    languages: ByLanguage = Field(
        description="`{LANGUAGE: {LABEL: score}}`: other thresholds for documents of a language.",
    )
    activation: Literal["auto", "sigmoid", "softmax", "none"] = Field(
        "auto",
        description="From a Hugging Face model's outputs to scores. `auto` follows its `problem_type`: labels that "
        "exclude each other `softmax`, others, or one alone, `sigmoid`.",
    )
    max_tokens: int = Field(512, ge=8, description="Tokens such a model sees at a time, special ones included.")
    long: Literal["truncate", "mean", "max"] = Field(
        "max",
        description="Documents longer than `max_tokens`: `max` takes each label's highest score over consecutive "
        "windows, `mean` its mean, `truncate` looks at the beginning only. fastText reads the whole text at once.",
    )
    max_windows: int = Field(
        MAX_WINDOWS,
        ge=1,
        description="Windows of a document, evenly spaced where it has more; what lies between them is not looked at.",
    )
    precision: Literal["auto", "fp32", "bf16", "fp16", "int8"] = Field(
        "auto", description="Arithmetic of a Hugging Face model, as for `quality`."
    )

    @field_validator("languages", mode="before")
    @classmethod
    def _as_codes(cls, value: object) -> object:
        return _codes(value)

    @field_validator("thresholds", "languages")
    @classmethod
    def _no_every_language(cls, value: dict[str, object]) -> dict[str, object]:
        if EVERY_LANGUAGE in value:
            raise ValueError("thresholds for every language stand in `thresholds` itself, by label")
        return value


class WordLimits(Block):
    """How much of a document may be listed words."""

    most: int | None = Field(None, ge=0, description="Documents with more listed words or phrases go; 0 as C4 does.")
    share: float | None = Field(None, ge=0, le=1, description="Documents with a larger share of listed words go.")


class WordsConfig(WordLimits):
    """Word lists."""

    lists: Annotated[dict[str, str], WithJsonSchema(TEXTS)] = Field(
        min_length=1,
        description="`{LANGUAGE: FILE}`: lists of the user's own, one word or phrase a line; `all` is looked up in "
        "documents of every language.",
    )
    languages: dict[str, WordLimits] = Field(
        default={}, description="`{LANGUAGE: {most: , share: }}` in place of both limits for documents of a language."
    )

    @field_validator("lists", "languages", mode="before")
    @classmethod
    def _as_codes(cls, value: object) -> object:
        return _codes(value)


MODEL_OR_SETTINGS = {
    "type": "object",
    "additionalProperties": {"anyOf": [{"type": "string"}, ToxicityClassifier.model_json_schema()]},
}


class ToxicityConfig(StepConfig):
    """Settings of `toxicity`."""

    on: Literal["all", "survivors"] = Field(
        "survivors",
        description="Which documents are scored; `all` lets the funnel answer what-if questions, at a price.",
    )
    classifiers: Annotated[dict[str, ToxicityClassifier], WithJsonSchema(MODEL_OR_SETTINGS)] = Field(
        default={},
        description="The classifiers by a name of your own, which names their signals `score_NAME_LABEL`: a model, or "
        "a mapping of settings.",
    )
    words: WordsConfig | None = Field(None, description="Word lists.")
    language: str = Field(
        AUTO,
        description="Language of the documents, as an ISO 639 code or an English name. `auto` identifies each one's by "
        "lid.176, if lists or thresholds are told apart by language.",
    )
    language_model: str | None = Field(None, description="The file lid.176.ftz or lid.176.bin, as for `language`.")

    @field_validator("classifiers", mode="before")
    @classmethod
    def _model_alone(cls, value: object) -> object:
        if not isinstance(value, dict):
            raise ValueError("expected a mapping of names to models, such as {jigsaw: path/to/classifier}")
        for name in value:
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise ValueError(f"{name!r}: a classifier's name is made of small letters, digits and '_'")
        return {name: {"model": each} if isinstance(each, str) else each for name, each in value.items()}

    @field_validator("language")
    @classmethod
    def _as_code(cls, value: str) -> str:
        return value if value == AUTO else find_language(value).code

    @model_validator(mode="after")
    def _something_to_do(self) -> ToxicityConfig:
        if not self.classifiers and self.words is None:
            raise ValueError("neither `classifiers` nor `words` is given, so nothing would be measured")
        return self

    @property
    def identifies(self) -> bool:
        """Whether each document's language is asked for."""
        by_language = {code for each in self.classifiers.values() for code in each.languages}
        if self.words is not None:
            by_language |= {*self.words.lists, *self.words.languages} - {EVERY_LANGUAGE}
        return self.language == AUTO and bool(by_language)

    def measuring(self) -> dict[str, object]:
        """Without thresholds, which decide, and without places: digests of files are among the step's resources."""
        measured = {"activation", "max_tokens", "long", "max_windows", "precision"}
        return {
            "on": self.on,
            "classifiers": {
                name: each.model_dump(mode="json", include=measured) for name, each in self.classifiers.items()
            },
            "words": None if self.words is None else sorted(self.words.lists),
            "language": AUTO if self.identifies else self.language,
        }
