"""Templates whose arguments are plain text of the sentence around them, and how each shows them.

Expanding templates needs the wiki; these need only what stands in the call.  Everything not listed shows nothing, as
infoboxes, navigation and citations should.  The forms follow each template's documentation on English Wikipedia.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpucurate.sources.wikitext.characters import LINE_BREAK, QUOTE

# How a template is shown.
TEXT = 0  # `before` alone
ARGUMENT = 1  # `before` and one argument, of any length, with all markup inside
JOIN = 2  # `before` and the arguments `first` to `last`, `between` in between; empty ones are left out
CONVERT = 3  # a measure: numbers and units
DATE = 4  # year, month, day
FRACTION = 5  # 1/2 from {{frac|2}} and {{frac|1|2}}, 3 1/2 from {{frac|3|1|2}}
LAST_ARGUMENT = -1


class Shown(NamedTuple):
    """`first` and `last` are positions of arguments; an ARGUMENT that is missing falls back to a named text=."""

    shape: int
    first: int = 0
    last: int = 0
    before: str = ""
    between: str = ""
    day_first: bool = False  # DATE: 3 May 1990 rather than May 3, 1990


def _argument(names: str, position: int = 1, before: str = "") -> dict[str, Shown]:
    return {name: Shown(ARGUMENT, position, position, before) for name in names.split(",")}


def _join(names: str, last: int, before: str = "", between: str = " ") -> dict[str, Shown]:
    return {name: Shown(JOIN, 1, last, before, between) for name in names.split(",")}


def _text(names: str, text: str) -> dict[str, Shown]:
    return {name: Shown(TEXT, before=text) for name in names.split(",")}


def _shape(shape: int, names: str, before: str = "", day_first: bool = False) -> dict[str, Shown]:
    return {name: Shown(shape, before=before, day_first=day_first) for name in names.split(",")}


LANGUAGE_FAMILIES = "lang- vol- val-"  # {{lang-fr|...}}, and its like in Latgalian and Latvian
SHOWN_TEMPLATES: dict[str, Shown] = {
    **_argument(
        "nowrap,nobr,nobold,noitalic,small,smaller,big,larger,sup,sub,smallcaps,sc,strong,em,abbr,abbrv,tooltip"
    ),
    **_argument(
        "sic,val,angbr,mono,linktext,nihongo,ill,interlanguage link,visible anchor,vanchor,vr,tq,kbd,samp,varserif,ipa,"
        "railgauge,track gauge"
    ),
    **_argument(
        "formatnum,lc,uc,lcfirst,ucfirst,nombre,formatnombre,flag,flagcountry,flagu,birth-date,death-date,not a typo"
    ),
    **_argument("birth-date and age,death-date and age,birth year and age,death year and age,nbsp text,nq,proper name"),
    **_argument("lang,langx,rtl-lang,color,colour,font color,zh-lang", 2),
    **_argument("columns-list,cmn,col-list", LAST_ARGUMENT, "\n"),
    **_argument("transl,transliteration,script,xlit,translit", LAST_ARGUMENT),
    **_argument(
        "quote,blockquote,cquote,quotation,bquote,block quote,quote box,poemquote,zitat,citation bloc",
        1,
        chr(LINE_BREAK),
    ),
    **_argument("hms", 1, "HMS "),
    **_argument("uss", 1, "USS "),
    **_argument("ss", 1, "SS "),
    **_argument("rms", 1, "RMS "),
    **_argument("us$,usd", 1, "US$"),
    **_argument("a$,aud", 1, "A$"),
    **_argument("gbp,£,pound sterling", 1, "£"),
    **_argument("eur,€,euro", 1, "€"),
    **_argument("inr,₹", 1, "₹"),
    **_argument("jpy,¥", 1, "¥"),
    **_join("ship,sclass", 2),
    **_join("unité,unite,unit,date", 3),
    **_join("s,s-,sp,sp-", 2, between=""),
    **_join("chem,chem2", 7, between=""),
    **_join("circa,c.,ca", 2, "c. ", " – c. "),
    **_join("floruit,fl.", 2, "fl. ", "–"),
    **_join("reign,r.", 2, "r. ", "–"),
    **_join("e", 1, "×10^", ""),
    **_shape(CONVERT, "convert,cvt"),
    **_shape(FRACTION, "frac,sfrac,fraction"),
    **_shape(DATE, "start date,end date,start date and age,end date and age,birth date,birth date and age,death date"),
    **_shape(DATE, "death date and age,film date,release date,dts,dob,bda,dda,start-date,end-date"),
    **_shape(DATE, "as of", "As of ", day_first=True),
    **_text("ndash,en dash,–", "–"),
    **_text("mdash,em dash,—", "—"),
    **_text("spaced ndash,snd,spnd,spndash,spaced en dash", " – "),
    **_text("spaced mdash,spaced em dash,smd", " — "),
    **_text("·,dot,•,bull,middot", " · "),
    **_text("nbsp,space,spaces,thinsp,zwsp", " "),
    **_text("'", chr(QUOTE)),
    **_text("'s", chr(QUOTE) + "s"),
    **_text("=", "="),
    **_text("eqm", "⇌"),
}

RANGE_WORDS = {  # {{convert|5|to|10|km}}, Template:Convert, "Ranges of values"
    **{word: f" {word} " for word in ("to", "and", "or", "by", "and then", "to about", "up to")},
    **dict.fromkeys(("x", "×", "*", "xx", "by(x)"), " × "),
    **dict.fromkeys(("-", "–", "to-", "to(-)", "and(-)"), "–"),
    **dict.fromkeys(("+/-", "±"), " ± "),
    "+": " + ",
    ",": ", ",
}
COMPOUND_UNITS = "in oz lb ft yd"  # {{convert|6|ft|4|in}}
UNIT_SYMBOLS = {  # codes that differ from the symbol a reader sees; Template:Convert, "Units"
    "km2": "km²", "m2": "m²", "cm2": "cm²", "mm2": "mm²", "sqkm": "km²", "sqm": "m²", "sqmi": "sq mi", "mi2": "sq mi",
    "sqft": "sq ft", "ft2": "sq ft", "sqin": "sq in", "in2": "sq in", "sqyd": "sq yd", "yd2": "sq yd", "acre": "acres",
    "sqnmi": "sq nmi", "e6km2": "million km²", "e6sqmi": "million sq mi", "e6acre": "million acres",
    "e3km2": "thousand km²", "m3": "m³", "cm3": "cm³", "mm3": "mm³", "km3": "km³", "dm3": "dm³", "cuft": "cu ft",
    "ft3": "cu ft", "cuin": "cu in", "cuyd": "cu yd", "cumi": "cu mi", "acre.ft": "acre⋅ft", "acre-ft": "acre⋅ft",
    "impgal": "imp gal", "usgal": "US gal", "U.S.gal": "US gal", "USgal": "US gal", "usoz": "US fl oz",
    "oilbbl": "bbl", "koilbbl/d": "kbbl/d", "koilbbl": "kbbl", "e6m3": "million m³", "m3/s": "m³/s",
    "cuft/s": "cu ft/s", "m3/d": "m³/d", "C": "°C", "F": "°F", "C-change": "°C", "F-change": "°F", "kph": "km/h",
    "kn": "knots", "kt": "knots", "lb-f": "lbf", "lbft": "lb⋅ft", "Nm": "N⋅m", "N.m": "N⋅m", "um": "μm",
    "LT": "long tons", "ST": "short tons", "shton": "short tons", "MT": "tonnes", "kg/m3": "kg/m³", "g/cm3": "g/cm³",
    "PD/km2": "/km²", "PD/sqmi": "/sq mi", "/km2": "/km²", "/sqmi": "/sq mi", "inhabitants/km2": "inhabitants/km²",
    "m/s2": "m/s²", "ft/s2": "ft/s²", "deg": "°", "cc": "cm³", "kgf/cm2": "kgf/cm²",
}  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

# Slots of an argument table: positions first, then named arguments that change what is shown.
POSITIONS = 7
POSITION_1, POSITION_2, POSITION_3 = map(np.int64, (1, 2, 3))
ADJECTIVE, ABBREVIATED, DAY_FIRST, LOWER_CASE, TEXT_ARGUMENT = map(np.int64, range(POSITIONS + 1, POSITIONS + 6))
SLOTS = POSITIONS + 6
OPTIONS: dict[str, int | np.int64] = {
    "adj": ADJECTIVE, "abbr": ABBREVIATED, "df": DAY_FIRST, "lc": LOWER_CASE, "text": TEXT_ARGUMENT,
    "quote": TEXT_ARGUMENT, **{str(k): k for k in range(1, POSITIONS + 1)},
}  # fmt: skip
