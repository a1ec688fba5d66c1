"""Settings of `quality`."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import Field, WithJsonSchema, field_validator, model_validator

from gpucurate.recipe.model import Block, StepConfig
from gpucurate.steps.quality.combination import TOP
from gpucurate.steps.quality.regressor import MAX_WINDOWS

NAME = re.compile(r"[a-z][a-z0-9_]*")


class ClassifierConfig(Block):
    """One classifier."""

    model: str = Field(
        min_length=1,
        description="Directory of a classifier (Hugging Face with one output, or fastText as `gpucurate classifier "
        "train-fasttext` writes it), or a model's name on the Hugging Face hub.",
    )
    max_tokens: int = Field(
        512, ge=8, description="Tokens a regressor sees at a time, special ones included; 512 as FineWeb-Edu."
    )
    long: Literal["truncate", "mean"] = Field(
        "truncate",
        description="Documents longer than `max_tokens`: `truncate` scores their beginning, `mean` takes the mean "
        "score of consecutive windows. As the classifier was trained.",
    )
    max_windows: int = Field(
        MAX_WINDOWS, ge=1, description="Windows of a document with `long: mean`, evenly spaced where it has more."
    )
    precision: Literal["auto", "fp32", "bf16", "fp16", "int8"] = Field(
        "auto",
        description="Arithmetic of a regressor: `auto` is bf16 on a GPU and fp32 on a CPU. `int8` is for CPUs, `fp16` "
        "for GPUs. Name one where some workers have a GPU and some have none.",
    )
    calibrated: bool = Field(
        True,
        description="Where the classifier has a calibration (`gpucurate classifier evaluate --calibrate`), `score` is "
        "made of the ratings that its scores stand for; `score_NAME` stays its own. No effect on `combine: rank`.",
    )
    quantiles: str | None = Field(
        None,
        description="File of `gpucurate classifier quantiles`, for `combine: rank`; without it `quantiles.json` in the "
        "model's directory.",
    )


class CascadeConfig(Block):
    """A cheap classifier that spares the others what it is sure of."""

    first: str = Field(description="Name of the classifier that scores every document.")
    low: float = Field(description="Documents that it scores below this are not shown to the others.")
    high: float = Field(description="Nor those that it scores above this.")

    @model_validator(mode="after")
    def _in_order(self) -> CascadeConfig:
        if not self.low < self.high:
            raise ValueError(
                f"`low` {self.low:g} must lie below `high` {self.high:g}: the others score what is between"
            )
        return self


MODEL_OR_SETTINGS = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"anyOf": [{"type": "string"}, ClassifierConfig.model_json_schema()]},
}


class QualityConfig(StepConfig):
    """Settings of `quality`."""

    judging: ClassVar[frozenset[str]] = frozenset({"cut", "pareto", "seed"})
    on: Literal["all", "survivors"] = Field(
        "survivors",
        description="Which documents are scored; `all` lets the funnel answer what-if questions, at a price.",
    )
    classifiers: Annotated[dict[str, ClassifierConfig], WithJsonSchema(MODEL_OR_SETTINGS)] = Field(
        description="The classifiers by a name of your own, which names their signal `score_NAME`: a directory or hub "
        "name, or a mapping of settings.",
    )
    combine: Literal["mean", "max", "rank"] = Field(
        "mean",
        description="One score from several: the mean, the highest, or the highest rank from 0 to 19 among twenty "
        "equal shares of a reference corpus (Nemotron-CC, arXiv 2412.02595).",
    )
    cascade: CascadeConfig | None = Field(
        None,
        description="`{first: NAME, low: , high: }`: the other classifiers see only documents that `first` scores from "
        "`low` to `high`; any other document has the score of `first`.",
    )
    cut: float | None = Field(
        None,
        description="Least score of documents to keep; `null` keeps all and only scores them. `gpucurate retention` "
        "shows what each cut costs. FineWeb-Edu keeps what rounds to 3, that is 2.5.",
    )
    pareto: float | None = Field(
        None,
        gt=0,
        description="Instead of a cut, keep documents by chance, the more likely the better they score: the shape of "
        "GPT-3's Pareto rule, there 9.",
    )
    seed: int = Field(0, ge=0, description="Of the chance of `pareto`; the draw depends on it and the record id alone.")

    @field_validator("classifiers", mode="before")
    @classmethod
    def _model_alone(cls, value: object) -> object:
        if not isinstance(value, dict) or not value:
            raise ValueError("expected a mapping of names to models, such as {edu: path/to/classifier}")
        for name in value:
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise ValueError(f"{name!r}: a classifier's name is made of small letters, digits and '_'")
        return {name: {"model": each} if isinstance(each, str) else each for name, each in value.items()}

    @model_validator(mode="after")
    def _fit_together(self) -> QualityConfig:
        if self.cut is not None and self.pareto is not None:
            raise ValueError("`cut` and `pareto` both decide what stays; give one of them")
        if self.cascade is not None:
            if self.cascade.first not in self.classifiers:
                raise ValueError(f"cascade: there is no classifier {self.cascade.first!r} to begin with")
            if len(self.classifiers) == 1:
                raise ValueError("cascade: there is no second classifier for what the first one is unsure of")
        return self

    @property
    def top(self) -> float:
        """The highest score of the scale."""
        return TOP[self.combine]

    def measuring(self) -> dict[str, object]:
        """Without models, quantiles and calibrations: their digests are among the step's resources."""
        settings = super().measuring()
        digested = {"model", "quantiles", "calibrated"}
        classifiers = {
            name: {k: v for k, v in each.model_dump(mode="json").items() if k not in digested}
            for name, each in self.classifiers.items()
        }
        return {**settings, "classifiers": classifiers}
