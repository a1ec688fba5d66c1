from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucurate.sources.wikitext import make_rules

Plain = Callable[..., str]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("{{convert|1300|mi|km}}", "1300 mi"),
        ("{{convert|777|km}}", "777 km"),
        ("{{convert|777|km2|mi}}", "777 km²"),
        ("{{cvt|20|C|F}}", "20 °C"),
        ("{{convert|5|to|10|km|mi}}", "5 to 10 km"),
        ("{{convert|3|-|8|km}}", "3–8 km"),
        ("{{convert|3|x|8|x|9|cm|in}}", "3 × 8 × 9 cm"),
        ("{{convert|6|ft|4|in|cm}}", "6 ft 4 in"),
        ("{{convert|6|ft|m|1}}", "6 ft"),
        ("a {{convert|10|km|mi|adj=on}} walk", "a 10-km walk"),
        ("{{convert|10|km|mi|adj=on|abbr=on}}", "10 km"),
        ("{{convert|abbr=on|10|km}}", "10 km"),
        ("{{convert|100|PD/km2}}", "100/km²"),
        ("{{convert|5}}", "5"),
        ("{{convert}}", ""),
    ],
)
def test_measures_keep_their_numbers_and_show_symbols(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("{{start date|1990|5|3}}", "May 3, 1990"),
        ("{{start date|1990|05|03|df=y}}", "3 May 1990"),
        ("{{Birth date and age|mf=yes|1990|12|31}}", "December 31, 1990"),
        ("{{death date and age|1999|1|2|1920|3|4}}", "January 2, 1999"),
        ("{{start date|1990|5}}", "May 1990"),
        ("{{start date|1990}}", "1990"),
        ("{{start date|3 May 1990}}", "3 May 1990"),
        ("{{as of|2012}}", "As of 2012"),
        ("{{As of|2012|9|lc=y}}", "as of September 2012"),
        ("{{as of|2012|5|3}}", "As of 3 May 2012"),
        ("{{as of|2012|5|3|df=US}}", "As of May 3, 2012"),
        ("{{date|3|mai|1990}}", "3 mai 1990"),
        ("{{circa|1990}}", "c. 1990"),
        ("{{circa|1990|2000}}", "c. 1990 – c. 2000"),
    ],
)
def test_dates_are_written_out(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("{{formatnum:6000}}", "6000"),
        ("{{formatnum:6000|R}}", "6000"),
        ("{{lang|fr|texte}}", "texte"),
        ("{{lang|rtl=yes|ar|text}}", "text"),
        ("{{lang-de|''Wort''}}", "Wort"),
        ("{{langx|de|Wort}}", "Wort"),
        ("{{Vol-et|Eesti Vabariik}} {{val-ru|b}}", "Eesti Vabariik b"),
        ("{{lang-}}{{lan-fr|a}}{{long-fr|b}}{{language|c}}{{vol|d}}{{volume-x|e}}", ""),
        ("the phoneme {{IPA|/a/}}", "the phoneme /a/"),
        ("a {{eqm}} b", "a ⇌ b"),
        ("{{columns-list|colwidth=9em|\n* [[a]]\n* b {{x}}\n}}\nc", "a\nb\nc"),
        ("see {{cmn|3|* a\n** b}}", "see\na\nb"),
        ("{{transl|ar|ALA|kitab}}", "kitab"),
        ("{{transl|ar|kitab|italic=no}}", "kitab"),
        ("{{nowrap|a [[b|c]]}}", "a c"),
        ("{{nowrap|1=x=y}}", "x=y"),
        ("{{ nowrap | a }}", "a"),
        ("{{no_wrap|a}}", ""),
        ("{{nowrap|http://a.b?c=d}}", "http://a.b?c=d"),
        ("1990{{ndash}}2000{{snd}}x", "1990–2000 – x"),
        ("a{{'}}b{{'s}}", "a'b's"),
        ("{{frac|2}} {{frac|1|2}} {{frac|3|1|2}}", "1/2 1/2 3 1/2"),
        ("{{chem|H|2|O}}", "H2O"),
        ("5{{e|6}} {{US$|7}}", "5×10^6 US$7"),
        ("{{ship|HMS|Victory}} {{USS|Nimitz|CVN-68}} {{SS|Pedernales}}", "HMS Victory USS Nimitz SS Pedernales"),
        ("a\n{{quote|b {{x}} c|author}}\nd", "a\nb  c\nd"),
        ("{{blockquote|text=b|author=c}}", "b"),
        ("{{nowrap|{{lang|fr|{{convert|1|m}}}}}}", "1 m"),
        ("{{nowrap|" + "{{lang|fr|a}} " * 100 + "}}", "a " * 99 + "a"),
        ("{{s|XIX|e}} siècle", "XIXe siècle"),
    ],
)
def test_what_visible_templates_say_is_kept(plain: Plain, page: str, text: str) -> None:
    assert plain(page) == text


def test_a_long_call_of_a_composed_template_shows_its_first_argument(plain: Plain) -> None:
    assert plain("{{circa|" + "a" * 500 + "|b}}") == "a" * 500


def test_visible_templates_can_be_switched_off(plain: Plain) -> None:
    assert plain("a{{convert|1|m}}{{ndash}}b", make_rules(visible_templates=False)) == "ab"
