"""A wiki dump: articles in wiki markup with all that surrounds prose there, and pages that are no articles.

Markup is laid around the author's prose without changing it, so that the text is what must come out again.
"""

from __future__ import annotations

import bz2
from dataclasses import dataclass
from xml.sax.saxutils import escape

from articles import Article, Author
from flaws import too_short
from foreign import FOREIGN
from grammar import Dice
from ledger import Ledger

SITE = "https://wiki.quickstart.example/wiki/"
NAMESPACES = {
    -1: "Special", 0: "", 1: "Talk", 2: "User", 3: "User talk", 6: "File", 10: "Template", 14: "Category",
}  # fmt: skip
LINKED_EVERY = 17  # words


@dataclass(frozen=True, slots=True)
class Revision:
    """`text` is None where it was deleted."""

    text: str | None
    model: str = "wikitext"


class Dump:
    """Pages in the order they are added, with running ids."""

    def __init__(self) -> None:
        self._pages: list[str] = []
        self._revisions = 0

    def add(self, title: str, *revisions: Revision, namespace: int = 0, redirect: str | None = None) -> str:
        """Add a page; returns the address of its article."""
        number = len(self._pages) + 1
        lines = [
            "  <page>",
            f"    <title>{escape(title)}</title>",
            f"    <ns>{namespace}</ns>",
            f"    <id>{number}</id>",
        ]
        if redirect is not None:
            lines.append(f'    <redirect title="{escape(redirect)}" />')
        lines += [line for revision in revisions for line in self._revision(revision)]
        self._pages.append("\n".join([*lines, "  </page>"]))
        return SITE + title.replace(" ", "_")

    def as_bytes(self) -> bytes:
        """The whole export, compressed."""
        head = [
            '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">',
            "  <siteinfo>",
            "    <sitename>Quickstart Wiki</sitename>",
            "    <dbname>quickstartwiki</dbname>",
            f"    <base>{SITE}Main_Page</base>",
            "    <case>first-letter</case>",
            "    <namespaces>",
            *(
                f'      <namespace key="{key}" case="first-letter">{name}</namespace>'
                for key, name in NAMESPACES.items()
            ),
            "    </namespaces>",
            "  </siteinfo>",
        ]
        return bz2.compress("\n".join([*head, *self._pages, "</mediawiki>", ""]).encode())

    def _revision(self, revision: Revision) -> list[str]:
        self._revisions += 1
        number = self._revisions
        if revision.text is None:
            text = '<text bytes="0" deleted="deleted" />'
        elif not revision.text:
            text = '<text bytes="0" xml:space="preserve" />'
        else:
            size = len(revision.text.encode())
            text = f'<text bytes="{size}" xml:space="preserve">{escape(revision.text)}</text>'
        return [
            "    <revision>",
            f"      <id>{1000 + number}</id>",
            f"      <timestamp>2026-03-{1 + number // 24 % 28:02d}T{number % 24:02d}:15:00Z</timestamp>",
            "      <contributor><username>Quill</username><id>7</id></contributor>",
            f"      <model>{revision.model}</model>",
            "      <format>text/x-wiki</format>",
            f"      {text}",
            "    </revision>",
        ]


def plant_wiki(author: Author, shared: list[Article], ledger: Ledger) -> tuple[bytes, list[str]]:
    """The dump, and the addresses of the `shared` articles in it, whose text other sources have too."""
    dump = Dump()
    dice = author.dice("wiki markup")
    for number, article in enumerate(author.articles(160)):
        title = page_title(article)
        if number % 9 == 0:
            dump.add(f"{article.town} (history)", Revision(f"#REDIRECT [[{title}]]"), redirect=title)
            ledger.no_document("wikipedia.redirect")
        ledger.keep(dump.add(title, Revision(in_markup(article, dice))))
        if number % 20 == 0:
            ledger.must_stay(*article.paragraphs)
    _plant_other_namespaces(author, dump, ledger)
    _plant_flawed_pages(author, dump, dice, ledger)
    _plant_exact_wording(author, dump, ledger)
    copies = [dump.add(page_title(a), Revision(f"{a.text}\n\n[[Category:Towns]]\n")) for a in shared]
    return dump.as_bytes(), copies


def page_title(article: Article) -> str:
    """Unique in the wiki, by the number in the article's name."""
    return f"{article.title} ({article.name.rpartition('-')[2]})"


def in_markup(article: Article, dice: Dice) -> str:
    """Infobox, links, references, tables, files and categories around the article's sentences."""
    lines = [
        "{{Short description|Town in a made-up valley}}",
        "<!-- PLANTED COMMENT: please keep the infobox short -->",
        f"{{{{Infobox town\n| name = {article.town}\n| image = [[File:{article.town}.jpg|thumb|PLANTED IMAGE]]",
        f"| founded = {{{{start date|{dice.number(1100, 1600)}}}}}\n| motto = ''PLANTED MOTTO''\n}}}}",
    ]
    for number, section in enumerate(article.sections):
        if section.heading is not None:
            lines.append(f"\n== {section.heading} ==")
        if number == 1:
            lines.append(f"[[File:{article.town} view.jpg|thumb|upright=1.2|PLANTED CAPTION with a [[link]]]]")
            lines.append(_table(dice))
        for place, paragraph in enumerate(section.paragraphs):
            marked = _linked(paragraph, dice)
            if number == 0 and place == 0:
                people = f"{{{{formatnum:{dice.number(2000, 90_000)}}}}}"
                marked = f"'''{article.town}''' is a town with {people} people. {marked}"
            reference = f'<ref name="a{number}{place}">{{{{cite book |title=PLANTED SOURCE |year=1931}}}}</ref>'
            lines.append(f"{marked}{reference if dice.number(0, 1) else ''}\n")
    lines += [
        "== References ==\n{{reflist|30em}}",
        "{{Navbox|PLANTED NAVIGATION|[[One]] [[Two]]}}\n{{authority control}}",
        "[[Category:Towns]]\n[[Category:Towns by river|PLANTED SORT KEY]]",
    ]
    return "\n".join(lines)


def _linked(paragraph: str, dice: Dice) -> str:
    words = paragraph.split(" ")
    for at in range(dice.number(3, LINKED_EVERY), len(words), LINKED_EVERY):
        if words[at].isalpha():
            words[at] = dice.pick([f"[[{words[at]}]]", f"[[Glossary#{words[at]}|{words[at]}]]", f"''{words[at]}''"])
    return " ".join(words)


def _table(dice: Dice) -> str:
    rows = "\n".join(f"|-\n| {year} || PLANTED CELL {dice.number(100, 9999)}" for year in range(1800, 1880, 20))
    return f'{{| class="wikitable sortable"\n|+ PLANTED TABLE\n! Year !! People\n{rows}\n|}}'


def _plant_other_namespaces(author: Author, dump: Dump, ledger: Ledger) -> None:
    pages = {f"Talk:{page_title(a)}": (1, f"== Sources ==\n{a.paragraphs[0]} ~~~~") for a in author.articles(9)}
    pages["Template:Infobox town"] = (10, "{| class=infobox\n| {{{name}}} || {{{founded}}}\n|}")
    pages["Category:Towns"] = (14, "Towns in this wiki.")
    for title, (namespace, text) in pages.items():
        dump.add(title, Revision(text), namespace=namespace)
        ledger.no_document("wikipedia.namespace")


def _plant_flawed_pages(author: Author, dump: Dump, dice: Dice, ledger: Ledger) -> None:
    nothing = {
        "wikipedia.empty": Revision(""),
        "wikipedia.deleted": Revision(None),
        "wikipedia.no_text": Revision("{{Infobox town|name=Nothing yet}}\n[[Category:Towns]]"),
        "wikipedia.model": Revision('{"towns": 600}', model="json"),
    }
    for reason, revision in nothing.items():
        for article in author.articles(2):
            dump.add(page_title(article), revision)
            ledger.no_document(reason)
    for article in author.articles(4):
        stub = f"'''{article.town}''' is a [[town]]. {too_short(author)} {{{{stub}}}}"
        ledger.remove(dump.add(page_title(article), Revision(stub)), "rules", "gopher.short")
    for language in FOREIGN:
        article = author.foreign(language)
        ledger.remove(dump.add(page_title(article), Revision(in_markup(article, dice))), "language", "language.other")


def _plant_exact_wording(author: Author, dump: Dump, ledger: Ledger) -> None:
    """Pages whose text must come out in these words: a newer revision, numbers within templates."""
    revised, measured = author.articles(2)
    newest = "This revision is the newer one."
    old, new = Revision(f"PLANTED OLD REVISION. {revised.text}"), Revision(revised.with_ending(newest).text)
    ledger.keep(dump.add(page_title(revised), old, new))
    measures = (
        "The road is {{convert|4321|km|mi}} long, cost {{formatnum:60417}} pounds and was opened "
        "{{nowrap|on a {{lang|fr|jour de fête}}}}."
    )
    ledger.keep(dump.add(page_title(measured), Revision(measured.with_ending(measures).text)))
    ledger.must_stay(newest, "The road is 4321 km long", "pounds and was opened on a jour de fête.")
    ledger.must_vanish(
        "PLANTED COMMENT", "PLANTED IMAGE", "PLANTED MOTTO", "PLANTED CAPTION", "PLANTED SOURCE", "PLANTED NAVIGATION",
        "PLANTED SORT KEY", "PLANTED CELL", "PLANTED TABLE", "PLANTED OLD REVISION", "{{", "[[", "<ref",
    )  # fmt: skip
