"""The scanner: which blocks a page has, what their text is, what is known of them."""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.sources.html.blocks import FEATURE_NAMES, FEATURES, block_texts, features, page, scan

pytestmark = pytest.mark.xdist_group("html")  # one process compiles the kernels, not both

CASES = {
    # what a start tag closes, and what an end tag does
    "<p>a<p>b</p>c": ["a", "b", "c"],
    "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>": ["a", "b", "c", "d"],
    "<table><tr><td>a<td>b<tr><td>c</table>d": ["a", "b", "c", "d"],
    "<div>a</p>b</div>c": ["a", "b", "c"],
    "<b>a</b><i>b</i> c": ["ab c"],
    "<dl><dt>a<dd>b<dt>c</dl>": ["a", "b", "c"],
    "<x-card>a</x-card><unknown>b</unknown>c": ["a", "bc"],
    # white space, references, line breaks
    " a \n\t b&nbsp;c\u2003d\u3000e ": ["a b c d e"],
    "a<br>b<br><br>c<br/>": ["a\nb", "c"],
    "&lt;&copy;&copy &amp;amp; &eacute &#8212;&#x41;&#150; &bogus; &notit; & &#; &ngE;": [
        "<©© &amp; é —A– &bogus; ¬it; & &#; ≧̸"
    ],
    "a\u00adb\u200bc\x00d\ufeffe&shy;f": ["abcdef"],
    "1 < 2 <3 a<b>c</b>": ["1 < 2 <3 ac"],
    "<pre>\n\n  x = 1\n\n\ty</pre>": ["  x = 1\n\n\ty"],
    "<pre><code>a\n<span> b</span></code>\n</pre>": ["a\n b"],
    "<pre>a<br>b<br><br>c</pre>": ["a\nb\n\nc"],
    # what is not text
    "a<!-- <p>b</p> -->c<!>d<!doctype html><?php x > e": ["acd e"],
    "<!-->a<!--->b<!--x--!>c<!-- never closed": ["abc"],
    "a<script>if (1 < 2) '</p>'</script>b<style>p{}</style>": ["ab"],
    "a<noscript><p>b</p></noscript><svg><title>t</title></svg>c": ["ac"],
    "a<select><option>b</select><button>c</button>d": ["ad"],
    "a<textarea>b</textarea>c<iframe>d</iframe>": ["ac"],
    "a<title>b": ["ab"],
    "a<script>b": ["a"],
    "a<p title='x>y'>b<p title=\"never closed>c": ["a", "b"],
    # hidden inside a line
    "a<span style='color:red; DISPLAY : none'>b</span>c<span hidden>d</span>": ["ac"],
    "a<span style='overflow-y:hidden'>b</span><span aria-hidden=true>c</span>": ["ab"],
    "<h2>a<a class='headerlink' href='#a'>¶</a></h2><p>b<sup class=reference><a href='#1'>[1]</a></sup>": ["a", "b"],
    "a<span style='display:none'>b<p>c": ["a", "c"],
    # formulas
    "<p>a <math alttext='x&lt;y'><mi>x</mi></math> b": ["a $x<y$ b"],
    "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'> x^2 </annotation></semantics></math>": [
        "$x^2$"
    ],
    "a <mjx-container><mjx-math aria-hidden=true>-</mjx-math><math><mi>x</mi></math></mjx-container> b": ["a x b"],
    "a <g-emoji>b</g-emoji> c": ["a b c"],
    "<math><mi>x</mi><mo>=</mo><mn>1</mn></math>": ["x=1"],
    "a <script type='math/tex; mode=display'>\\frac{1}{2}</script> b": ["a $\\frac{1}{2}$ b"],
    "a <img class='latex' alt='$$'> <img class='tex' alt='e^x'><img alt='cat' class='texture'>": ["a $$$$ $e^x$"],
    "<span style='display:none'><math alttext='z'></math></span><img class='mwe-math' aria-hidden=true alt=z>": ["$z$"],
}


@pytest.mark.parametrize(("html", "texts"), CASES.items())
def test_the_blocks_of_a_page(html: str, texts: list[str]) -> None:
    assert block_texts(scan(html.encode())) == texts


def test_what_is_counted_in_a_block() -> None:
    scanned = scan(
        b"<title>The Big Apple</title><p>The <a href=x>big Apple</a>, <a href=y>it</a> says: 42! <a name=z>no</a> link."
    )
    block = scanned.blocks[0]
    counted = {
        "CHARS": 29,
        "WORDS": 8,
        "LINKS": 2,
        "LINK_CHARS": 10,
        "LINK_WORDS": 3,
        "TERMINALS": 2,
        "COMMAS": 1,
        "DIGITS": 2,
        "UPPERS": 2,
        "TITLE_WORDS": 3,
        "LAST": 1,
    }
    assert {name: int(block[getattr(page, name)]) for name in counted} == counted
    links = [scanned.text[start:stop].tobytes() for start, stop in scanned.links]
    assert links == [b"big Apple", b"it"]


def test_parents_come_before_children_and_masks_are_inherited() -> None:
    scanned = scan(b"<div class='post-content'><span id=nav><p class=comment>a</p></span></div><p>b")
    assert (scanned.nodes[1:, page.PARENT] < np.arange(1, len(scanned.nodes))).all()
    first, second = features(scanned)
    assert (first[FEATURE_NAMES.index("far_body")], second[FEATURE_NAMES.index("far_body")]) == (1, 0)
    assert first[FEATURE_NAMES.index("near_comment")] == 1


def test_every_feature_is_a_finite_number_with_a_name_of_its_own() -> None:
    assert len(set(FEATURE_NAMES)) == FEATURES
    matrix = features(scan(b"<h1>A b</h1><p>" + b"Some words, and a sentence. " * 9 + b"<p>x<ul><li>y"))
    assert matrix.shape == (4, FEATURES)
    assert np.isfinite(matrix).all()
    assert features(scan(b"")).shape == (0, FEATURES)
