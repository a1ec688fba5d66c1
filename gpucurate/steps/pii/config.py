"""Settings of `pii`."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from gpucurate.recipe.model import StepConfig
from gpucurate.steps.pii.classes import NAMED, PATTERNS, PiiClass

REGIONS = ("US", "CA", "GB", "IE", "AU", "NZ", "IN", "DE", "FR", "ES", "IT", "NL", "BR", "MX", "IL")
NATIONAL_IDS = (
    "us.itin",
    "br.cpf",
    "es.dni",
    "es.nie",
    "it.codicefiscale",
    "fr.nir",
    "de.idnr",
    "nl.bsn",
    "be.nn",
    "pl.pesel",
    "se.personnummer",
    "no.fodselsnummer",
    "dk.cpr",
    "fi.hetu",
    "gb.nhs",
    "ca.sin",
    "au.tfn",
    "cn.ric",
    "kr.rrn",
    "in_.aadhaar",
    "in_.pan",
    "mx.curp",
    "tr.tckimlik",
    "za.idnr",
)
SURROGATES = (
    PiiClass.EMAIL,
    PiiClass.PHONE,
    PiiClass.IP_ADDRESS,
    PiiClass.CREDIT_CARD,
    PiiClass.IBAN,
    PiiClass.US_SSN,
    PiiClass.MAC_ADDRESS,
)  # classes with a range that nobody owns


class Policy(StrEnum):
    """What happens to a finding."""

    KEEP = "keep"
    REDACT = "redact"
    SURROGATE = "surrogate"
    DROP = "drop"
    QUARANTINE = "quarantine"


class PiiConfig(StepConfig):
    """Settings of `pii`."""

    judging: ClassVar[frozenset[str]] = frozenset({"drop_above", "max_findings"})
    engine: Literal["native", "nemo"] = Field(
        "native",
        description="Where detectors run: in gpucurate's own workers, or in a pipeline of NeMo Curator (with the "
        "extra `nemo`; no GPU needed), which finds the same and starts a Ray cluster for each part.",
    )
    policies: dict[PiiClass, Policy] = Field(
        dict.fromkeys(PATTERNS, Policy.REDACT),
        description="What happens to the findings of each class; a class that is not named is not looked for. `keep` "
        "only reports; `redact` puts a placeholder such as `[EMAIL]`; `surrogate` puts a made-up value of the same "
        "class that nobody owns, the same one for the same value everywhere; `drop` drops documents with more than "
        "`drop_above` findings of the class and redacts in the others; `quarantine` sets documents aside.",
    )
    drop_above: int = Field(0, ge=0, description="Findings of a class with policy `drop` that a document may have.")
    max_findings: int | None = Field(
        None, ge=0, description="Drop documents with more findings than this, over all classes but those kept."
    )
    min_score: float = Field(
        0.5, ge=0, le=1, description="Least score of a finding (docs/pii.md says what gives which score)."
    )
    regions: tuple[str, ...] = Field(
        REGIONS,
        description="Regions (ISO 3166) whose national phone numbers are known; numbers with an international prefix "
        "are found for every region.",
    )
    national_ids: tuple[str, ...] = Field(
        NATIONAL_IDS, description="National ids looked for, as python-stdnum names them."
    )
    spare_reserved: bool = Field(
        True,
        description="Spare what nobody can own: documentation addresses, example domains, numbers set aside for films.",
    )
    key_file: str | None = Field(
        None,
        description="File whose content is the secret key of surrogates and context digests. Without it the "
        "environment variable GPUCURATE_PII_KEY is the key, and without that a public default, with a remark.",
    )
    ner: Literal["none", "gliner", "presidio"] = Field(
        "none", description="Model that finds names and street addresses; each needs its package."
    )
    ner_model: str | None = Field(
        None, description="The model's path or hub name; for `presidio` the name of a spaCy pipeline."
    )

    @field_validator("policies")
    @classmethod
    def _possible(cls, value: dict[PiiClass, Policy]) -> dict[PiiClass, Policy]:
        for kind, policy in value.items():
            if policy is Policy.SURROGATE and kind not in SURROGATES:
                raise ValueError(f"{kind} has no range of values that nobody owns. Remedy: {kind}: redact")
        return {kind: value[kind] for kind in PiiClass if kind in value}

    @field_validator("regions")
    @classmethod
    def _upper(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(region.upper() for region in value)

    @model_validator(mode="after")
    def _names_need_a_model(self) -> PiiConfig:
        named = [kind for kind in NAMED if kind in self.policies]
        if named and self.ner == "none":
            raise ValueError(f"class {named[0]} is found by a model. Remedy: set ner: gliner or ner: presidio")
        if PiiClass.STREET_ADDRESS in named and self.ner == "presidio":
            raise ValueError("presidio finds no street addresses. Remedy: ner: gliner, or leave out street_address")
        if self.ner != "none" and not self.ner_model:
            raise ValueError(f"ner: {self.ner} needs a model. Remedy: set ner_model")
        return self

    @property
    def classes(self) -> tuple[PiiClass, ...]:
        """Classes looked for, in order of rank."""
        return tuple(self.policies)

    def measuring(self) -> dict[str, object]:
        """Without the key's place: its fingerprint is among the step's resources."""
        return {k: v for k, v in super().measuring().items() if k != "key_file"}
