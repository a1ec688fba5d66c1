"""What a recipe says about a dump, and the reasons for which its pages give no document."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpucurate.core.reasons import Reason, Verdict
from gpucurate.recipe.model import SourceConfig


class WikipediaConfig(SourceConfig):
    """MediaWiki XML exports: .xml, .xml.bz2 (single- or multistream), .xml.gz, .xml.zst."""

    namespaces: tuple[int, ...] = Field((0,), description="Namespaces whose pages become documents; 0 holds articles.")
    engine: Literal["scanner", "mwparserfromhell"] = Field(
        "scanner",
        description="`scanner` is compiled and linear in time; `mwparserfromhell` is the careful, slow reference.",
    )
    visible_templates: bool = Field(
        True, description="Keep what templates say where it is plain text: units, dates, foreign words (scanner)."
    )
    keep_code: bool = Field(True, description="Keep the inside of <pre>, <source> and <syntaxhighlight> (scanner).")
    page_seconds: float = Field(
        20.0, gt=0, description="CPU seconds that mwparserfromhell may take for a page before it is put aside."
    )


NAMESPACE, REDIRECT, MODEL = "wikipedia.namespace", "wikipedia.redirect", "wikipedia.model"
DELETED, EMPTY, NO_TEXT = "wikipedia.deleted", "wikipedia.empty", "wikipedia.no_text"
MALFORMED, DAMAGED, NO_EXPORT = "wikipedia.malformed", "wikipedia.damaged", "wikipedia.no_export"
FAMILY = "wikipedia"  # a failed extraction is `wikipedia.` and what the sandbox calls it

REASONS = (
    Reason(REDIRECT, "the page sends its readers to another one"),
    Reason(NAMESPACE, "the page is in a namespace that the recipe does not ask for"),
    Reason(MODEL, "the page's content is not wikitext"),
    Reason(DELETED, "the text of the newest revision was deleted"),
    Reason(EMPTY, "the newest revision has no text"),
    Reason(NO_TEXT, "nothing is left of the page once markup is gone"),
    Reason(MALFORMED, "the page cannot be read: it is cut, or is not well-formed XML", verdict=Verdict.QUARANTINE),
    Reason(DAMAGED, "the file is damaged or cut here, and pages may be lost", verdict=Verdict.QUARANTINE),
    Reason(NO_EXPORT, "the file is no MediaWiki XML export", verdict=Verdict.QUARANTINE),
    Reason("wikipedia.timeout", "extraction took longer than page_seconds", verdict=Verdict.QUARANTINE),
    Reason("wikipedia.crash", "extraction failed on the page", verdict=Verdict.QUARANTINE),
)
