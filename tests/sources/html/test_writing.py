"""Selection and layout: which blocks are kept by rules beside the model, and what text they become."""

from __future__ import annotations

import pytest

from gpucurate.sources.html.blocks import Trees
from gpucurate.sources.html.blocks.engine import BlocksEngine
from gpucurate.sources.html.blocks.writing.options import MARKDOWN, Options
from tests.sources.html.forests import EVERYTHING, LONG, split_on

pytestmark = pytest.mark.xdist_group("html")  # one process compiles the kernels, not both

SENTENCE = "This is a sentence of the article, and it has some words."
PROSE = "".join(f"<p>{SENTENCE} It is number {n}.</p>" for n in range(6))


def text(html: str, trees: Trees = EVERYTHING, **options: int) -> str:
    return BlocksEngine(Options(**options), trees=trees).extract([html])[0].text


LAYOUTS = {
    "<h2>A</h2><p>b<br>c</p><h4>D</h4>": ("A\nb\nc\nD", "## A\n\nb\nc\n\n#### D"),
    "<ul><li>a<ul><li>b<li>c</ul><li><p>d<p>e</ul>f": (
        "- a\n  - b\n  - c\n- d\ne\nf",
        "- a\n  - b\n  - c\n- d\n  e\n\nf",
    ),
    "<ol><li>a<li>b<ul><li>c</ul><li>d</ol>": ("1. a\n2. b\n  - c\n3. d", "1. a\n2. b\n  - c\n3. d"),
    "<table><tr><th>k<th>v<tr><td>a|b<td>1<br>2<tr><td><td>3</table>x": (
        "k\tv\na|b\t1 2\n\t3\nx",
        "| k | v |\n| --- | --- |\n| a\\|b | 1 2 |\n| | 3 |\n\nx",
    ),
    "<table><tr><td><p>a<p>b<td>c</table>": ("a\nb\nc", "a\n\nb\n\nc"),
    "<p>a</p><pre>if x:\n\n  y</pre><pre>z</pre>b": (
        "a\nif x:\n\n  y\nz\nb",
        "a\n\n```\nif x:\n\n  y\n```\n```\nz\n```\n\nb",
    ),
    "<blockquote><p>a<p>b</blockquote>c<hr>d": ("a\nb\nc\nd", "> a\n\n> b\n\nc\n\nd"),
}


@pytest.mark.parametrize(("html", "layouts"), LAYOUTS.items())
def test_layouts(html: str, layouts: tuple[str, str]) -> None:
    assert (text(html), text(html, layout=MARKDOWN)) == layouts


def test_the_headline_is_left_to_the_title_unless_asked_for() -> None:
    html = f"<title>A headline</title><h1>A headline</h1>{PROSE}"
    assert not text(html).startswith("A headline")
    assert text(html, title=True).startswith("A headline\n")


def test_a_standfirst_is_kept_and_a_byline_is_not() -> None:
    lead = "Here is in two lines what the article will say at length."
    doubtful = split_on("since_heading", 1.0)  # the block behind the headline is not kept by the model
    for name, kept in (("standfirst", True), ("x", True), ("byline", False)):
        html = f"<title>Some headline</title><h1>Some headline</h1><p class={name}>{lead}</p>{PROSE}"
        assert text(html, doubtful).startswith(lead if kept else SENTENCE)
        assert text(html, doubtful, standfirst=0).startswith(SENTENCE)


def test_comments_captions_and_hidden_text_by_choice() -> None:
    html = (
        f"<article>{PROSE}<figure><img src=x><figcaption>A picture of what the article is about.</figcaption></figure>"
        f"{PROSE}<div style='display: none'>What nobody sees is not part of any article.</div></article>"
        "<section id=comments><p>First! I have read all of it and I agree.</p><p class=byline>by somebody</p></section>"
    )
    for options, expected in (
        ({}, (False, False, False)),
        ({"captions": 1}, (True, False, False)),
        ({"comments": 1}, (False, True, False)),
    ):
        found = text(html, LONG, **options)
        assert ("A picture" in found, "First!" in found, "nobody sees" in found) == expected
        assert "by somebody" not in found
        assert found.count(SENTENCE) == 12


def test_a_formula_on_a_line_of_its_own_stays_where_the_text_around_it_does() -> None:
    formula = "<p><math alttext='x^2'></math></p>"
    assert text(f"<div>{formula}{PROSE}{formula}</div><footer><p>a</p>{formula}</footer>", LONG).count("x^2") == 1


def test_what_is_far_off_and_light_is_dropped() -> None:
    menu = "".join(f"<li><a href=x>A link {n}</a>" for n in range(20))
    html = f"<div>{PROSE}</div><ul>{menu}</ul><p>One more line of six words.</p>"
    assert "One more line" not in text(html, LONG)
    assert "One more line" in text(html.replace(menu, ""), LONG)


def test_a_page_without_any_block_above_the_decision_keeps_the_likeliest() -> None:
    low = Trees(LONG.forest._replace(leaf=LONG.forest.leaf / 5))
    assert text("<p>one<p>one two three four five six seven", Trees(low.forest._replace(decision=0.9))) == (
        "one two three four five six seven"
    )


def test_a_listing_is_told() -> None:
    teasers = "".join(f"<h3><a href=x>Some teaser of an article {n}</a></h3>" for n in range(12))
    engine = BlocksEngine(trees=EVERYTHING)
    listing, article = engine.extract([teasers, PROSE])
    assert (listing.listing, article.listing) == (True, False)
