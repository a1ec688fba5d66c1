"""Settings of `page_signals`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from gpucurate.recipe.model import StepConfig

Kind = Literal["soft_404", "parked", "login", "consent", "no_script", "directory_index"]


class PageSignalsConfig(StepConfig):
    """Settings of `page_signals`; all of them judge, so that a change measures nothing again."""

    judging: ClassVar[frozenset[str]] = frozenset({"kinds", "title_words", "text_words", "listing", "listing_words"})
    kinds: tuple[Kind, ...] = Field(
        ("soft_404", "parked", "login", "consent", "no_script", "directory_index"),
        description="Kinds of pages that are dropped; the others are only measured.",
    )
    title_words: int = Field(
        150, ge=0, description="Longest page, in words, that is dropped for what its title says (`Error 404`)."
    )
    text_words: int = Field(
        100,
        ge=0,
        description="Longest page, in words, that is dropped for a phrase in its title or at the beginning of its text "
        "(`the page you are looking for`). Directory indexes are dropped at any length.",
    )
    listing: float | None = Field(
        None,
        gt=0.0,
        le=1.0,
        description="Drop pages with at least this share of their words in short lines that end no sentence: lists of "
        "links, tables, menus. Not set, such pages are only measured: tables and lists of facts read alike.",
    )
    listing_words: int = Field(50, ge=0, description="Shortest page, in words, that `listing` drops.")
