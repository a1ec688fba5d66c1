"""What a training can be told, and reading it from a YAML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeVar

import yaml
from pydantic import Field, ValidationError

from gpucurate.core.errors import RecipeError
from gpucurate.recipe.mistakes import explain
from gpucurate.recipe.model import Block
from gpucurate.recipe.overrides import apply_overrides

DEFAULT_MODEL = "Snowflake/snowflake-arctic-embed-m"  # FineWeb-Edu's (Penedo et al. 2024, section 4), 110 M parameters
FROZEN_RATE = 1e-3  # Adam's own default (Kingma and Ba 2015); 3e-4 to 3e-3 differ little (docs/training.md)
TUNED_RATE = 3e-5  # between the rates BERT's authors recommend (Devlin et al. 2019, appendix A.3)

AnySettings = TypeVar("AnySettings", bound=Block)


class TrainSettings(Block):
    """Settings of `gpucurate classifier train`."""

    model: str = Field(
        DEFAULT_MODEL,
        min_length=1,
        description="Sentence-embedding model to start from: a name on the Hugging Face hub or a local directory.",
    )
    encoder: Literal["frozen", "tuned"] = Field(
        "frozen",
        description="`frozen` runs the encoder once over the texts and trains the head on what it gave (FineWeb-Edu); "
        "`tuned` trains everything, which needs a GPU or few texts.",
    )
    long: Literal["truncate", "mean"] = Field(
        "truncate",
        description="Documents longer than `max_tokens`: `truncate` sees their beginning, `mean` takes the mean score "
        "of consecutive windows. Score with the same setting.",
    )
    max_tokens: int = Field(512, ge=8, description="Tokens of a window, special tokens included.")
    max_windows: int = Field(
        8, ge=1, description="Windows of a document trained on with `long: mean`, evenly spaced where it has more."
    )
    epochs: int = Field(20, ge=1, description="Passes over the examples at most; 20 as FineWeb-Edu.")
    batch: int = Field(32, ge=1, description="Documents of one update, over all devices together.")
    device_batch: int = Field(
        32, ge=1, description="Documents a device takes at once; halved, saying so, where its memory does not suffice."
    )
    learning_rate: float | None = Field(
        None,
        gt=0,
        description=f"Highest rate of AdamW; falls linearly to 0. Without it {FROZEN_RATE:g} for `frozen`, "
        f"{TUNED_RATE:g} for `tuned`.",
    )
    warmup: float = Field(0.05, ge=0, lt=1, description="Share of the updates in which the rate rises to its highest.")
    weight_decay: float = Field(0.01, ge=0, description="AdamW's.")
    gradient_norm: float = Field(1.0, gt=0, description="Longer gradients are cut to this length.")
    precision: Literal["auto", "fp32", "bf16", "fp16"] = Field(
        "auto",
        description="Arithmetic of the forward pass (weights stay fp32); `auto` is bf16 on a GPU that has it, else "
        "fp16 there, and fp32 on CPU.",
    )
    balance: Literal["none", "classes"] = Field(
        "none", description="`classes` draws every rounded score equally often, so that rare ones count."
    )
    weights: bool = Field(
        False, description="Weigh the loss with the sample's weights; with `balance: classes`, within each class."
    )
    dropout: bool = Field(False, description="Use the model's own dropout; FineWeb-Edu trains without.")
    held_out: float = Field(
        0.1, ge=0, lt=1, description="Part held out for early stopping, by whole groups of a host or near-duplicates; "
        "0 trains on everything for all epochs."
    )  # fmt: skip
    one_site: bool = Field(
        False, description="All is from one site, such as a wiki: only near-duplicates form groups to hold out."
    )
    patience: int = Field(5, ge=1, description="Stop after so many looks at the held-out part without improvement.")
    evaluate_every: int | None = Field(
        None, ge=1, description="Updates between two looks; without it as many as an epoch has."
    )
    checkpoint_every: int = Field(500, ge=1, description="Updates between two checkpoints; every look writes one too.")
    seed: int = Field(0, ge=0, lt=2**32, description="Of the new head, the order of the examples and the split.")

    @property
    def rate(self) -> float:
        """The highest learning rate."""
        return self.learning_rate or (FROZEN_RATE if self.encoder == "frozen" else TUNED_RATE)

    def deciding(self) -> dict[str, object]:
        """The settings the result depends on, in plain JSON types."""
        return {k: v for k, v in self.model_dump(mode="json").items() if k not in ("device_batch", "checkpoint_every")}


def read_settings(model: type[AnySettings], path: Path | None, overrides: Sequence[str] = ()) -> AnySettings:
    """Settings from a YAML mapping (none: the defaults) and `key=value` overrides.

    Raises RecipeError naming the key, what was expected and the nearest right word.
    """
    data: object = {}
    if path is not None:
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise RecipeError(f"cannot read settings {path}: {error.strerror}") from error
        except (UnicodeDecodeError, yaml.YAMLError) as error:
            raise RecipeError(f"settings {path} are not valid YAML: {error}") from error
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise RecipeError(f"settings {path} must be a mapping with the keys {', '.join(model.model_fields)}")
    try:
        return model.model_validate(apply_overrides(data, overrides))
    except ValidationError as error:
        raise RecipeError(explain(error, model, str(path) if path else "settings")) from error
