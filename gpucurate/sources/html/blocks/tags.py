"""The elements of HTML: what the scanner does with each, their numbers, and their bit among a block's ancestors.

Kinds follow what browsers show (HTML standard, section 15.3), not the content categories: a block starts a new line,
a span is kept on the stack since its class may say something, formatting is only counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpucurate.sources.html.blocks.characters import name_table

SPAN, BLOCK, VOID, BREAK, RULE, RAW, TITLE, FORMAT, LINK, SKIPPED, HEAD, MATH = range(12)
KIND_OF = {
    # Unknown elements are spans, unless they have a dash: custom elements are mostly used as blocks.
    SPAN: "span label sup",
    BLOCK: "p li ul ol dl dt dd div article section main header footer nav aside h1 h2 h3 h4 h5 h6 table tr td th "
    "thead tbody tfoot caption blockquote pre figure figcaption form fieldset legend address center details summary "
    "dir menu hgroup listing body frameset noframes search",
    VOID: "img input wbr area col embed param source track keygen",
    BREAK: "br",
    RULE: "hr",
    RAW: "script style iframe textarea noembed xmp",
    TITLE: "title",
    FORMAT: "b strong i em u s small big sub font code kbd samp var tt abbr acronym cite q dfn mark time ins del bdi "
    "bdo ruby rb rt rp rtc nobr strike colgroup data output meter progress picture slot mi mn mo ms mtext mrow mfrac "
    "msup msub msqrt semantics relative-time time-ago g-emoji",
    LINK: "a",
    # What is in these is no running text: fallbacks, controls, drawings.
    SKIPPED: "noscript template svg select button datalist audio video canvas object map dialog optgroup option applet "
    "annotation annotation-xml",
    HEAD: "html head meta link base basefont frame bgsound",
    MATH: "math",
}
NAMES = ["", *(name for names in KIND_OF.values() for name in names.split())]
NUMBER = {name: number for number, name in enumerate(NAMES)}  # 0: unknown
KINDS = np.zeros(len(NAMES), np.uint8)
for _kind, _names in KIND_OF.items():
    for _name in _names.split():
        KINDS[NUMBER[_name]] = _kind
TAG_KEYS, TAG_NUMBERS = name_table({name: number for name, number in NUMBER.items() if name})

P, LI, UL, OL, DT, DD, DIV, TD, TH, TR, TABLE, H1, BODY, PRE, FORM = map(
    NUMBER.__getitem__,
    ("p", "li", "ul", "ol", "dt", "dd", "div", "td", "th", "tr", "table", "h1", "body", "pre", "form"),
)
FIGCAPTION, SUP, SCRIPT, STYLE, IMG, META, HTML, CAPTION, BLOCKQUOTE, FIGURE, THEAD = map(
    NUMBER.__getitem__,
    ("figcaption", "sup", "script", "style", "img", "meta", "html", "caption", "blockquote", "figure", "thead"),
)

# Ancestors worth knowing of a block, from bit 32 on; a few share a bit.
FIRST_ANCESTOR_BIT = 32
ANCESTORS = (
    "nav,menu header footer aside form,fieldset,search figure,figcaption table ul ol dl article main section "
    "blockquote pre address details label center"
)
ANCESTOR_BIT = np.zeros(len(NAMES), np.uint64)
for _bit, _shared in enumerate(ANCESTORS.split()):
    for _name in _shared.split(","):
        ANCESTOR_BIT[NUMBER[_name]] = np.uint64(1 << (FIRST_ANCESTOR_BIT + _bit))


def tag_set(names: str) -> NDArray[np.bool_]:
    """Membership table by tag number."""
    members = np.zeros(len(NAMES), np.bool_)
    members[[NUMBER[name] for name in names.split()]] = True
    return members


HEADINGS = tag_set("h1 h2 h3 h4 h5 h6")
