"""Articles before they take a form: title, address and sections of prose, each different from every other.

What they are written into, wiki markup, a page, a line of JSON, is the business of the modules named after it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from english import ENGLISH, TOWNS
from foreign import FOREIGN
from grammar import Dice, Writer


@dataclass(frozen=True, slots=True)
class Section:
    """A heading (none before the first section) and paragraphs."""

    heading: str | None
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """`town` and `hero` run through the prose; `name` is a word for addresses, different for every article."""

    name: str
    title: str
    town: str
    hero: str
    sections: tuple[Section, ...]

    @property
    def paragraphs(self) -> list[str]:
        """Prose without headings."""
        return [paragraph for section in self.sections for paragraph in section.paragraphs]

    @property
    def text(self) -> str:
        """Prose without headings, an empty line between paragraphs."""
        return "\n\n".join(self.paragraphs)

    def with_ending(self, paragraph: str) -> Article:
        """The same with one more paragraph at its end."""
        return replace(self, sections=(*self.sections, Section(None, (paragraph,))))


class Author:
    """Writes one article after the other; the same seed writes the same ones."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._written = 0
        self._towns = Dice(f"{seed}: towns").shuffled(TOWNS)

    def article(self) -> Article:
        """In English: two to four sections, 300 to 900 words."""
        dice, town = self._next()
        hero = f"{dice.pick(ENGLISH['first'])} {dice.pick(ENGLISH['last'])}"
        writer = Writer(ENGLISH, dice, {"town": town, "hero": hero})
        kind = writer.phrase("title")
        headings = [None, *(writer.phrase("heading") for _ in range(dice.number(1, 3)))]
        sections = [
            Section(
                heading[0].upper() + heading[1:] if heading else None,
                tuple(writer.paragraph(dice.number(4, 7)) for _ in range(dice.number(2, 3))),
            )
            for heading in headings
        ]
        return Article(f"{town.lower()}-{self._written}", kind[0].upper() + kind[1:], town, hero, tuple(sections))

    def articles(self, count: int) -> list[Article]:
        """That many."""
        return [self.article() for _ in range(count)]

    def names(self, count: int) -> list[str]:
        """Words for the addresses of documents that are no articles."""
        return [f"{self._next()[1].lower()}-{self._written}" for _ in range(count)]

    def foreign(self, language: str) -> Article:
        """In one of the languages of `foreign.FOREIGN`."""
        dice, town = self._next()
        writer = Writer(FOREIGN[language], dice, {})
        paragraphs = tuple(writer.paragraph(dice.number(5, 8)) for _ in range(dice.number(3, 5)))
        return Article(f"{language}-{self._written}", town, town, "", (Section(None, paragraphs),))

    def mixture(self) -> str:
        """More English than anything else, and yet not an English text."""
        others = [self.foreign(language).paragraphs[0].split(". ")[:3] for language in ("de", "fr", "es")]
        return " ".join([*self.sentences(10), *(". ".join(sentences) + "." for sentences in others)])

    def sentences(self, count: int) -> list[str]:
        """Loose English sentences, for documents that are no articles."""
        dice, town = self._next()
        writer = Writer(ENGLISH, dice, {"town": town, "hero": f"the first mayor of {town}"})
        return [writer.sentence() for _ in range(count)]

    def dice(self, purpose: str) -> Dice:
        """Chance for a form that the prose is put in."""
        return Dice(f"{self._seed}: {purpose}")

    def _next(self) -> tuple[Dice, str]:
        self._written += 1
        return Dice(f"{self._seed}: article {self._written}"), self._towns[self._written % len(self._towns)]
