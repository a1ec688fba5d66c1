from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.errors import RecipeError
from gpucurate.device import pick
from gpucurate.steps.urls import Place, Urls, UrlsConfig, place_of


def urls(**settings: object) -> Urls:
    return Urls(UrlsConfig.model_validate(settings), pick("cpu"))


def verdicts(step: Urls, *uris: str) -> list[str]:
    documents = pa.table({"uri": pa.array(uris, pa.string())})
    found = step.judge(documents, step.measure(documents).signals)
    assert found.dtype == np.int16
    assert [verdict > 0 for verdict in found] == [step.blocks(uri) for uri in uris]
    return ["" if verdict == 0 else step.reasons[verdict - 1].code for verdict in found]


@pytest.mark.parametrize(
    "uri",
    [
        "http://bad.example",
        "https://bad.example/",
        "http://BAD.Example/path",
        "http://bad.example:8080/x",
        "http://bad.example./x",
        "http://user:pass@bad.example/x",
        "http://a.b.bad.example/x?y#z",
        "//bad.example/x",
        "http://bad.example?q",
        "ftp://bad.example/x",
        "  http://bad.example/x",
        "http://bücher.example/",
        "http://xn--bcher-kva.example/",
        "http://www.BÜCHER.example/",
        "http://[2001:db8::1]:80/x",
        "http://192.0.2.7/x",
    ],
)
def test_domains_in_every_spelling(uri: str) -> None:
    step = urls(domains=["bad.example", "bücher.example", "[2001:db8::1]", "192.0.2.7"])
    assert verdicts(step, uri) == ["urls.domain"]


@pytest.mark.parametrize(
    "uri",
    [
        "http://notbad.example/",
        "http://bad.example.org/",
        "http://good.example/bad.example",
        "http://good.example/?u=http://bad.example/",
        "http://bad.example@good.example/",
        "http://example/",
        "dump.jsonl#17",
        "",
        "http://",
        "mailto:x@bad.example",
    ],
)
def test_what_only_looks_like_a_domain(uri: str) -> None:
    assert verdicts(urls(domains=["bad.example"]), uri) == [""]


@pytest.mark.parametrize(
    "entry", ["https://Bad.Example/", "*.bad.example", ".bad.example", "bad.example.", "bad.example:80"]
)
def test_domains_as_lists_write_them(entry: str) -> None:
    assert verdicts(urls(domains=entry), "http://x.bad.example/y", "http://good.example/") == ["urls.domain", ""]


@pytest.mark.parametrize("entry", ["bad.example/path", "0.0.0.0 bad.example", "//"])
def test_what_is_no_domain_is_told(entry: str) -> None:
    with pytest.raises(RecipeError, match="is no domain"):
        verdicts(urls(domains=[entry]), "http://x/")


def test_urls_without_scheme_and_fragment() -> None:
    step = urls(urls=["https://a.example/Page?x=1", "b.example"])
    assert verdicts(
        step,
        "http://A.example:80/Page?x=1#top",
        "https://a.example/page?x=1",
        "https://a.example/Page",
        "http://b.example",
        "http://b.example/",
        "http://b.example/more",
        "http://www.b.example/",
    ) == ["urls.url", "", "", "urls.url", "urls.url", "", ""]


def test_words() -> None:
    step = urls(words=["Casino", "лото"], soft_words=["free", "win", "cash"])
    assert verdicts(
        step,
        "http://x.example/casino-royal",
        "http://my-CASINO.example/",
        "http://casinos.example/",
        "http://x.example/лото/1",
        "http://x.example/free",
        "http://x.example/free/free_free",
        "http://x.example/free?cash=1",
        "http://win.example/free/casino",
    ) == ["urls.word", "urls.word", "", "urls.word", "", "", "urls.soft_words", "urls.word"]


def test_the_soft_limit_judges_without_measuring_again() -> None:
    strict, mild = urls(soft_words=["free", "win"], soft_limit=1), urls(soft_words=["free", "win"], soft_limit=3)
    assert verdicts(strict, "http://x.example/free") == ["urls.soft_words"]
    assert verdicts(mild, "http://x.example/free/win") == [""]
    assert strict.config.measuring() == mild.config.measuring()


def test_the_domain_goes_before_url_and_word() -> None:
    step = urls(domains=["a.example"], urls=["a.example/casino", "b.example/casino"], words=["casino"])
    assert verdicts(step, "http://a.example/casino", "http://b.example/casino", "http://c.example/casino") == [
        "urls.domain",
        "urls.url",
        "urls.word",
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_lists_from_files(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("list.gz" if packed else "list.txt")
    text = "\ufeff# a comment\r\n\r\nbad.example\r\n  bücher.example  \n".encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    step = urls(domain_files=[str(path)], domains=["more.example"])
    assert verdicts(step, *(f"http://{host}.example/" for host in ("bad", "bücher", "more", "good"))) == [
        *["urls.domain"] * 3,
        "",
    ]


def test_file_lists_of_every_kind(tmp_path: Path) -> None:
    for name, line in {"d": "a.example", "u": "b.example/x", "w": "casino", "s": "free\nwin"}.items():
        (tmp_path / name).write_text(line)
    step = urls(
        domain_files=str(tmp_path / "d"),
        url_files=str(tmp_path / "u"),
        word_files=str(tmp_path / "w"),
        soft_word_files=str(tmp_path / "s"),
    )
    step.warm()
    uris = ("http://a.example/", "http://b.example/x", "http://casino.example/", "http://win.example/free")
    assert verdicts(step, *uris) == [reason.code for reason in step.reasons]


def test_resources_are_digests_and_paths_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("bad.example")
    (tmp_path / "two").write_text("bad.example")
    one, two = urls(domain_files=str(tmp_path / "one")), urls(domain_files=str(tmp_path / "two"))
    assert one.resources() == two.resources()
    assert one.config.measuring() == two.config.measuring()
    (tmp_path / "two").write_text("worse.example")
    assert one.resources() != two.resources()


def test_bad_list_files_are_told(tmp_path: Path) -> None:
    missing = urls(domain_files=str(tmp_path / "missing.txt"))
    with pytest.raises(RecipeError, match=r"missing\.txt"):
        missing.resources()
    with pytest.raises(RecipeError, match=r"missing\.txt"):
        missing.blocks("http://x/")
    for name, data in {"cut.gz": gzip.compress(b"bad.example" * 999)[:-9], "latin.txt": b"b\xfccher.example"}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RecipeError, match=name):
            urls(domain_files=str(tmp_path / name)).blocks("http://x/")


def test_no_lists_block_nothing() -> None:
    assert verdicts(urls(), "http://x.example/") == [""]
    assert verdicts(urls()) == []


@given(st.one_of(st.text(max_size=40), st.text(alphabet="htp:/.@[]#?%\\ aé:0", max_size=40)))
def test_any_uri_has_a_place_and_a_verdict(uri: str) -> None:
    place = place_of(uri)
    assert isinstance(place, Place)
    assert place.host == place.host.lower()
    step = urls(domains=["a"], urls=["a/0"], words=["h"], soft_words=["t", "p"])
    assert verdicts(step, uri) in ([""], *([reason.code] for reason in step.reasons))
