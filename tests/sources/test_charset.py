from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.sources.charset import codec_of, decode_page

RUSSIAN = "Все люди рождаются свободными и равными в своем достоинстве и правах. " * 4
JAPANESE = "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。" * 4
CHINESE = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。" * 4
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. " * 4
POLISH = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. " * 4
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. " * 4
TAIWANESE = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。" * 4
HEBREW = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון. " * 4
ARABIC = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا. " * 4
TURKISH = "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler. " * 4
THAI = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม " * 4
FRENCH = "Tous les êtres humains naissent libres et égaux en dignité et en droits, où qu’ils soient. " * 4


def html(text: str, meta: str = "") -> str:
    return f"<html><head>{meta}<title>x</title></head><body><p>{text}</p></body></html>"


LEGACY = [
    (RUSSIAN, "windows-1251"),
    (RUSSIAN, "koi8-r"),
    (JAPANESE, "shift_jis"),
    (JAPANESE, "euc-jp"),
    (JAPANESE, "iso-2022-jp"),
    (CHINESE, "gbk"),
    (CHINESE, "gb18030"),
    (KOREAN, "euc-kr"),
    (POLISH, "iso-8859-2"),
    (GREEK, "iso-8859-7"),
    (FRENCH, "windows-1252"),
    (FRENCH, "utf-8"),
]


@pytest.mark.parametrize(("text", "charset"), LEGACY)
@pytest.mark.parametrize("told", ["header", "meta", "far meta", "http-equiv", "xml"])
def test_declared(text: str, charset: str, told: str) -> None:
    meta = {
        "meta": f'<META CharSet="{charset}">',
        "far meta": f"<script>{'x' * 5000}</script><meta charset={charset} />",
        "http-equiv": f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">',
    }.get(told, "")
    page = html(text, meta)
    if told == "xml":
        page = f"<?xml version='1.0' encoding='{charset}'?>" + page
    decoded = decode_page(page.encode(charset), charset.upper() if told == "header" else None)
    assert (decoded.text, decoded.replaced) == (page, 0)


@pytest.mark.parametrize(("text", "charset"), [case for case in LEGACY if case[1] != "iso-2022-jp"])
def test_detected(text: str, charset: str) -> None:
    assert decode_page(html(text).encode(charset), None).text == html(text)


UNDECLARED = [
    *(case for case in LEGACY if case[1] not in ("iso-2022-jp", "utf-8")),
    (TAIWANESE, "big5"),
    (HEBREW, "windows-1255"),
    (ARABIC, "windows-1256"),
    (TURKISH, "windows-1254"),
    (THAI, "cp874"),
]
MENU = "<div class='menu item'><a href='http://www.example.com/path?x=1&y=2'>English link</a></div>" * 300


@pytest.mark.parametrize(("text", "charset"), UNDECLARED)
def test_undeclared_in_a_short_page_behind_a_script_and_under_a_menu(text: str, charset: str) -> None:
    for body in (text[: len(text) // 8], f"<script>{'var a = 1;' * 10_000}</script>{text}", MENU + text[:80]):
        decoded = decode_page(html(body).encode(charset), None)
        assert (decoded.text, decoded.evidence) == (html(body), "detected")


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("header", [None, "iso-8859-1", "utf-16", "bogus"])
def test_unicode_whatever_is_declared(charset: str, header: str | None) -> None:
    decoded = decode_page(html(RUSSIAN).encode(charset), header)
    assert (decoded.text, decoded.replaced) == (html(RUSSIAN), 0)


@pytest.mark.parametrize("wrong", ["iso-8859-1", "windows-1251", "us-ascii", "shift_jis", "gbk", "nonsense", "utf-16"])
def test_valid_utf8_outweighs_a_wrong_header(wrong: str) -> None:
    decoded = decode_page(html(RUSSIAN).encode(), wrong)
    assert (decoded.text, decoded.evidence) == (html(RUSSIAN), "utf-8")


def test_a_chance_utf8_sequence_does_not_outweigh_a_declared_multibyte_charset() -> None:
    chance = "ﾂｩ"  # half-width katakana in Shift_JIS, which are the bytes of the copyright sign in UTF-8
    assert decode_page(html(chance).encode("cp932"), "shift_jis").text == html(chance)


def test_a_declaration_in_a_comment_is_none() -> None:
    page = html(RUSSIAN, "<!-- <meta charset=koi8-r> --><meta charset=windows-1251>")
    assert decode_page(page.encode("windows-1251"), None).text == page


def test_the_header_goes_before_the_meta_element() -> None:
    page = html(RUSSIAN, "<meta charset=koi8-r>")
    decoded = decode_page(page.encode("windows-1251"), "windows-1251")
    assert (decoded.text, decoded.evidence) == (page, "header")


def test_a_declaration_that_costs_too_much_is_not_believed() -> None:
    page = html(RUSSIAN, "<meta charset=utf-8>")
    decoded = decode_page(page.encode("windows-1251"), "utf-8")
    assert (decoded.text, decoded.evidence) == (page, "detected")


def test_a_few_wrong_bytes_are_replaced_and_told() -> None:
    page = html(RUSSIAN).encode()
    decoded = decode_page(page[:60] + b"\xff\xfe" + page[60:], "utf-8")
    assert decoded.replaced == 2
    assert decoded.text.replace("\ufffd", "") == html(RUSSIAN)


def test_a_replacement_character_of_the_page_is_none_of_ours() -> None:
    assert decode_page(html("a\ufffdb").encode(), None).replaced == 0


def test_a_character_cut_by_the_end_is_left_out() -> None:
    page = html(RUSSIAN).encode()[:101]
    decoded = decode_page(page, None)
    assert (decoded.charset, decoded.replaced) == ("utf-8", 0)
    assert page.startswith(decoded.text.encode())


def test_labels_as_the_encoding_standard_reads_them() -> None:
    assert codec_of("latin1") == codec_of("ISO-8859-1") == codec_of("ascii") == "cp1252"
    assert codec_of("gb2312") == "gb18030"
    assert codec_of("ks_c_5601-1987") == "cp949"
    assert codec_of("x-sjis") == "cp932"
    assert codec_of("none") is None
    assert codec_of("") is None
    assert codec_of(None) is None


@given(
    st.binary(max_size=400),
    st.sampled_from([None, "utf-8", "utf-16", "shift_jis", "iso-2022-jp", "gbk", "big5", "euc-kr", "koi8-u", "\0"]),
    st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"<meta charset=utf-16>", b"<p>\xe9", b"\0<\0p"]),
)
def test_every_page_decodes_to_valid_unicode(body: bytes, header: str | None, start: bytes) -> None:
    decoded = decode_page(start + body, header)
    decoded.text.encode()
    assert decoded.replaced >= 0


def test_declarations_are_found_in_linear_time() -> None:
    decode_page(b"<meta " * 100_000 + b"\xe9", None)
    decode_page(b"<!--" * 100_000 + b"\xe9", None)
