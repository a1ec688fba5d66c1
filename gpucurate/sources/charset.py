"""Bytes of a page to text: by BOM, by being UTF-8, by declaration, by detection, in this order.

The order is that of the HTML standard (section 13.2.3.2), but for one thing: bytes that are valid UTF-8 are read so
whatever is declared, since a wrong header is common and text in another charset that happens to be valid UTF-8 is not.
Decoding never fails; what cannot be decoded becomes U+FFFD and is told.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

META_BYTES = 64 << 10  # where a declaration is looked for; the standard asks for 1,024, pages do not keep to it
DETECT_BYTES = 64 << 10
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
DECLARATION = re.compile(
    rb"<(?:meta\s[^>]{0,500}?charset\s*=|\?xml\s[^>]{0,200}?encoding\s*=)\s*[\"']?\s*([A-Za-z0-9._:+\-]{1,60})",
    re.IGNORECASE,
)
# The supersets that the Encoding standard (sections 4 and 5) decodes these names with.
SUPERSETS = {
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "iso8859-11": "cp874",
    "iso8859-8-i": "iso8859-8",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
MULTI_BYTE = frozenset({"gb18030", "cp949", "cp932", "big5hkscs", "euc_jp"})
ESCAPED = frozenset({"iso2022_jp"})  # speaks in ASCII
# Text from a byte beyond ASCII on, up to a tag; in ISO-2022 and HZ nothing is, but they are not detected.
NON_ASCII_TEXT = re.compile(rb"[\x80-\xff][^<>]{0,2000}")
WORDS_BEFORE = 100  # bytes
EVIDENCE = 4  # so many UTF-8 sequences outweigh the declaration of a multi-byte charset, where one may be chance
ERRORS_AT_MOST = 0.05  # share of U+FFFD among the non-ASCII characters that a declaration may cost


@dataclass(frozen=True, slots=True)
class Decoded:
    """`charset` is Python's name; `evidence` is bom, utf-8, header, meta, detected or none; `replaced` counts U+FFFD
    that stand for bytes that could not be decoded."""

    text: str
    charset: str
    evidence: str
    replaced: int = 0


def decode_page(page: bytes, header_charset: str | None) -> Decoded:
    """Text of an HTML page; `header_charset` is what its Content-Type header declares, as written."""
    for bom, charset in BOMS:
        if page.startswith(bom):
            return _replacing(page[len(bom) :], charset, "bom")
    if (wide := _bare_utf16(page)) is not None:
        return _replacing(page, wide, "detected")
    declared = [(how, name) for how, name in (("header", codec_of(header_charset)), ("meta", _declared(page))) if name]
    if (text := _as_utf8(page)) is not None:
        return _unless_declared_otherwise(page, text, declared)
    for how, declared_charset in declared:
        decoded = _replacing(page, declared_charset, how)
        if decoded.replaced <= ERRORS_AT_MOST * _non_ascii(decoded.text):
            return decoded
    return _detected(page)


def codec_of(label: str | None) -> str | None:
    """Python's codec for a charset label as the Encoding standard reads it; None if it is none."""
    from resiliparse.parse.encoding import map_encoding_to_html5

    name = map_encoding_to_html5(label, fallback_utf8=False) if label else None
    name = SUPERSETS.get(name, name) if name else None
    try:
        return codecs.lookup(name).name if name else None
    except LookupError:
        return None


def _declared(page: bytes) -> str | None:
    found = DECLARATION.search(COMMENT.sub(b"", page[:META_BYTES]))
    name = codec_of(found[1].decode("ascii")) if found else None
    return "utf-8" if name is not None and name.startswith("utf-16") else name  # it was readable as ASCII


def _as_utf8(page: bytes) -> str | None:
    """The page as UTF-8, if it is; a character cut in two by the end of the page is left out."""
    try:
        return page.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return page[: error.start].decode()
        return None


def _unless_declared_otherwise(page: bytes, text: str, declared: list[tuple[str, str]]) -> Decoded:
    how, charset = declared[0] if declared else ("utf-8", "utf-8")
    doubtful = charset in ESCAPED if page.isascii() else charset in MULTI_BYTE and _non_ascii(text) < EVIDENCE
    if doubtful:
        decoded = _replacing(page, charset, how)
        if not decoded.replaced:
            return decoded
    return Decoded(text, "utf-8", "utf-8")


def _bare_utf16(page: bytes) -> str | None:
    """UTF-16 without a BOM: markup is ASCII, so every other byte of its beginning is NUL."""
    head = page[:128]
    if head.count(0) * 4 < len(head) or len(head) < 8:
        return None
    return "utf-16-le" if head[1::2].count(0) > head[0::2].count(0) else "utf-16-be"


def _detected(page: bytes) -> Decoded:
    """resiliparse's detector, and charset-normalizer where that one finds nothing: it is right as often, at a fifth
    of the speed, but does not know the same charsets."""
    from resiliparse.parse.encoding import detect_encoding

    telling = _telling(page)
    charset = None
    for sample in (telling, page):  # a few words alone may say less than with the markup around them
        charset = charset or codec_of(detect_encoding(sample, max_len=DETECT_BYTES))
        if charset is not None and charset.startswith("utf-"):  # UTF-16 was told by its NUL bytes before
            charset = None
            break
    if charset is None:
        decoded = _replacing(page, "utf-8", "detected")
        if decoded.replaced <= ERRORS_AT_MOST * _non_ascii(decoded.text):
            return decoded
        charset = _second_opinion(telling)
    return _replacing(page, charset or "cp1252", "detected" if charset else "none")


def _telling(page: bytes) -> bytes:
    """The text that is not ASCII, without markup and scripts, which say nothing of a charset and drown what does."""
    found: list[bytes] = []
    size = end = 0
    for match in NON_ASCII_TEXT.finditer(page):
        before = page[max(end, match.start() - WORDS_BEFORE) : match.start()].rpartition(b">")[2]
        end = match.end()
        found.append(before + match[0])
        size += len(found[-1]) + 1
        if size >= DETECT_BYTES:
            break
    return b"\n".join(found)[:DETECT_BYTES]


def _second_opinion(page: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(page[:DETECT_BYTES]).best()
    name = codecs.lookup(best.encoding).name if best is not None else None
    return None if name is None or name.startswith("utf-16") else name


def _replacing(page: bytes, charset: str, evidence: str) -> Decoded:
    text = page.decode(charset, "replace")
    # U+FFFD can be spelt in Unicode charsets; only there must the page's own be told from ours.
    own = page.count("\ufffd".encode(charset)) if charset.startswith("utf-") else 0
    return Decoded(text, charset, evidence, max(0, text.count("\ufffd") - own))


def _non_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))
