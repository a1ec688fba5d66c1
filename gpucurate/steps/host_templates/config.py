"""Settings of `host_templates`."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from gpucurate.recipe.model import StepConfig


class KeepOne(StrEnum):
    """What becomes of a template on the first page that has it."""

    NOWHERE = "nowhere"
    FIRST_ID = "first_id"


class HostTemplatesConfig(StepConfig):
    """Settings of `host_templates`."""

    pages: int = Field(
        4,
        ge=2,
        description="Least number of different pages of one host that have a line for it to be a template. On fewer a "
        "line is as likely quoted as built in (docs/page-signals.md).",
    )
    share: float = Field(
        0.3,
        gt=0.0,
        le=1.0,
        description="Least share of the host's pages that have it. A menu is on nearly all of them; a line of a "
        "section, or a phrase that pages of one subject share, is on fewer.",
    )
    keep: KeepOne = Field(
        KeepOne.NOWHERE,
        description="Where a template stays: `nowhere`, since a menu teaches no more on one page than on a thousand; "
        "or on the page of the smallest record id (`first_id`), for hosts whose notices are worth reading once.",
    )
