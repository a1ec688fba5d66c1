from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucurate.sources.wikitext import make_rules

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a<!-- x -->b", "ab"),
        ("a\n<!-- x -->\nb", "a\nb"),
        ("a\n  <!-- x -->  \nb", "a\n\nb"),
        ("a <!-- b", "a <!-- b"),
        ("a<!-->-->b", "ab"),
    ],
)
def test_comments(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a<ref>b {{c}} [[d]]</ref>e", "ae"),
        ('a<ref name="x" />b<REF name=y>c</ref >d', "abd"),
        ("<ref>a</ref name>b</ref>c", "c"),
        ("a<gallery>\nFile:x|y\n</gallery>b", "ab"),
        ("a <math>x^2 | {{y</math> b", "a  b"),
        ("<timeline>x</timeline>a<score>x</score>b", "ab"),
        ("a\n<math>x</math>;however\n{{x}}: b\n<ref>c</ref>* d", "a\n;however\n: b\n* d"),
        ("a<includeonly>b</includeonly><noinclude>c</noinclude>", "ac"),
        ("<noinclude>== a ==</noinclude>\n<noinclude>* b", "a\nb"),
    ],
)
def test_extension_tags_go_with_what_they_hold(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize("page", ["a<ref>b", "a</ref>b", "a <foo> b < c", "1<2", "<br.x>", "<ref name='", "a <b <b"])
def test_what_is_no_complete_known_tag_stays_as_written(plain: Plain, page: str) -> None:
    assert plain(page) == page


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<nowiki>''a'' [[b]] {{c}} &lt;</nowiki>", "''a'' [[b]] {{c}} <"),
        ("<nowiki>*</nowiki> a\n<nowiki/>* b", "* a\n* b"),
        ("<pre>\n* a\n! b\n</pre>", "* a\n! b"),
        ("<pre><nowiki>[[a]]</nowiki></pre>", "[[a]]"),
        ("<syntaxhighlight lang='hs'>\n| x > 0 = ''y''\n</syntaxhighlight>", "| x > 0 = ''y''"),
        ("<syntaxhighlight><nowiki></syntaxhighlight>", "<nowiki>"),
        ("<code>a ''b''</code>", "a b"),
    ],
)
def test_literal_tags_keep_their_inside_to_the_letter(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


def test_code_can_be_dropped(plain: Plain) -> None:
    page = "a<pre>b</pre><source>c</source><syntaxhighlight>d</syntaxhighlight><nowiki>e</nowiki>"
    assert plain(page, make_rules(keep_code=False)) == "ae"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("H<sub>2</sub>O <span style='x'>a</span>", "H2O a"),
        ("a<br />b<BR>\nc<br><br>d", "a\nb\nc\nd"),
        ("a <br> * b", "a\n* b"),
        ("<p>a</p><p>b</p>", "a\nb"),
        ("a<table><tr><td>x<table>y</table></td></tr></table>b", "a\nb"),
        ("a<table><tr><td>x", "a\nx"),
        ('<div class="<!-- > -->x">a</div>', "a"),
        ("<div <div>a</div>", "<div\na"),
    ],
)
def test_html_tags(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text
