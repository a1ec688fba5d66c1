"""`page_signals`: planted pages of every kind and language, pages that only speak of them, and the shape of pages."""

from __future__ import annotations

import random
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.device.cpu import CpuBackend
from gpucurate.recipe.load import parse_recipe
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.steps.page_signals import PageSignals
from gpucurate.steps.page_signals.config import PageSignalsConfig
from gpucurate.steps.page_signals.kinds import DIRECTORY, KINDS
from gpucurate.steps.page_signals.shape import shape_of
from gpucurate.steps.page_signals.step import HEAD
from gpucurate.steps.page_signals.text_phrases import TEXTS
from gpucurate.steps.page_signals.title_phrases import TITLES
from tests.oracles.repeated_spans_reference import lines, words

PROSE = "The miller opened the gate and let the water run over the wheel until evening came."


def verdicts(pages: list[tuple[str | None, str]], **settings: object) -> list[str]:
    """The reason of each (title, text) without the step's name, `kept` where there is none."""
    step = PageSignals(PageSignalsConfig.model_validate(settings), CpuBackend())
    documents = pa.table(
        {
            "title": pa.array([title for title, _ in pages], pa.string()),
            "text": pa.array([text for _, text in pages], pa.large_string()),
        }
    )
    found = step.judge(documents.drop_columns(["text"]), step.measure(documents).signals)
    return ["kept" if v == 0 else step.reasons[v - 1].code.removeprefix("page_signals.") for v in found.tolist()]


def test_every_phrase_in_every_language_is_found_where_it_stands() -> None:
    """In the title with a site's name, and in the text amid other words, in capitals and with odd spaces; another kind
    may claim a page first (`sign in to continue` is said beside `javascript`), but none is kept."""
    pages: list[tuple[str | None, str]] = []
    for kind in KINDS:
        for phrase in (p for each in TITLES[kind].values() for p in each):
            pages += [(f"{phrase.capitalize()} | Example", PROSE), (f"Example - {phrase.upper()}", PROSE), (phrase, "")]
        for phrase in (p for each in TEXTS[kind].values() for p in each):
            shown = phrase.capitalize().replace("'", "\u2019").replace(" ", " \n\u00a0")
            pages.append(("Example", shown if kind == DIRECTORY else f"Menu\n\n{PROSE} {shown}, {PROSE}"))
    told = verdicts(pages)
    assert len(pages) > 600
    assert [page for page, verdict in zip(pages, told, strict=True) if verdict == "kept"] == []


@pytest.mark.parametrize(
    ("title", "text", "kind"),
    [
        ("Widgets: Error", "Home | Contact\nThe widget you asked for had an error.", "soft_404"),
        (None, "Oops! The page you\u2019re looking for has moved.", "soft_404"),
        ("Seite nicht gefunden \u2013 Beispiel", "", "soft_404"),
        ("\u62b1\u6b49\uff0c\u9875\u9762\u4e0d\u5b58\u5728", "\u9996\u9875", "soft_404"),
        ("beispiel.example", "Diese Domain steht zum Verkauf!", "parked"),
        ("Welcome to nginx!", "Thank you for using nginx.", "parked"),
        ("Members", "You must be logged in to view this content.", "login"),
        ("Shop \u00bb Anmelden", "E-Mail\nPasswort", "login"),
        ("Example", "We value your privacy\nAccept all | Reject", "consent"),
        (None, "You need to enable JavaScript to run this app.", "no_script"),
        ("Just a moment...", "", "no_script"),
        (
            "Index of /pub/linux",
            "Index of /pub/linux\n\nName Last modified Size\n" + "file.txt 2001 1k\n" * 500,
            DIRECTORY,
        ),
        ("Files", "Name\tLast modified\tSize\n" + "a.gz 1-Jan-2001 9\n" * 90, DIRECTORY),
    ],
)
def test_planted_pages(title: str | None, text: str, kind: str) -> None:
    assert verdicts([(title, text)]) == [kind]
    assert verdicts([(title, text)], kinds=[each for each in KINDS if each != kind]) == ["kept"]
    if kind != DIRECTORY:  # a long page that says the same is about it
        assert verdicts([(title, f"{text}\n" + f"{PROSE}\n" * 12)]) == ["kept"]


def test_pages_that_only_use_such_words() -> None:
    pages = [
        ("The comedy of errors", PROSE),
        ("Errors and how to find them", PROSE),
        ("Trial-and-error", PROSE),
        ("Trial, error, success", PROSE),
        ("404 Park Avenue", PROSE),
        ("Room 404", PROSE),
        ("Login systems of the seventies", PROSE),
        ("A page in history", f"{PROSE} You must be logged in to post a comment."),
        ("The index of leading indicators", f"An index of / over: {PROSE}"),
        ("Domain names", f"{PROSE} A domain is a name."),
        ("Gone with the wind", PROSE),
        (None, ""),
        ("", " \n"),
        ("JavaScript", f"JavaScript is a language. {PROSE}"),
    ]
    assert verdicts(pages) == ["kept"] * len(pages)
    behind = "\u6c49" * HEAD + " Page not found."
    assert verdicts([(None, behind)], text_words=10_000) == ["kept"]


def test_limits_judge_without_measuring_again() -> None:
    page = [("Error 404", f"{PROSE}\n" * 3), (None, f"Page not found. {PROSE}")]  # 48 and 19 words
    assert verdicts(page, title_words=48, text_words=19) == ["soft_404", "soft_404"]
    assert verdicts(page, title_words=47, text_words=18) == ["kept", "kept"]
    settings = {"title_words": 3, "text_words": 3, "listing": 0.5, "listing_words": 3, "kinds": ["parked"]}
    assert PageSignalsConfig.model_validate(settings).measuring() == PageSignalsConfig.model_validate({}).measuring()
    recipe = {"name": "pages", "sources": [{"name": "a", "jsonl": {"path": "a.jsonl"}}]}
    for wrong in ({"kinds": ["soft_500"]}, {"listing": 0}, {"text_words": -1}):
        with pytest.raises(Exception, match=next(iter(wrong))):
            parse_recipe({**recipe, "steps": [{"page_signals": wrong}]}, VOCABULARY)


def test_listings() -> None:
    listing = "Articles\n" + "\n".join(f"Story {n} of the week" for n in range(20))
    assert verdicts([(None, listing), (None, f"{PROSE}\n" * 9)], listing=0.9) == ["listing", "kept"]
    assert verdicts([(None, listing)]) == ["kept"]
    assert verdicts([(None, listing)], listing=0.9, listing_words=200) == ["kept"]


@given(st.lists(st.text("ab .!\u3002\u65e5\n\t\u0e01", max_size=120), max_size=4))
def test_shape_against_its_definition(texts: list[str]) -> None:
    made = shape_of(pa.array(texts, pa.large_string()))
    for text, total, share in zip(texts, made.words, made.short_lines, strict=True):
        assert total == len(words(text))
        short = 0
        for spelled, _, _ in lines(text):
            line = spelled.decode()
            if len(words(line)) < 10 and not re.search("[.!\u3002]$", line):
                short += len(words(line))
        assert share == (short / total if total else 0)


def test_any_text_is_measured() -> None:
    chance = random.Random(5)
    texts = ["", "\x00", "\u202e\u0627", "\ufffd" * 3000, "a" * 100_000, "\n" * 5000, "(" * 500, "e\u0301" * 1500]
    texts += ["".join(map(chr, chance.choices(range(0x20, 0xD7FF), k=3000))) for _ in range(5)]
    assert verdicts([(text[:300], text) for text in texts]) == ["kept"] * len(texts)
    assert verdicts([]) == []
    slices = pa.table({"title": pa.array(["x", None], pa.string()), "text": pa.array(["a", "b c"], pa.large_string())})
    step = PageSignals(PageSignalsConfig.model_validate({}), CpuBackend())
    assert np.asarray(step.measure(slices.slice(1)).signals["page_words"]).tolist() == [2]
