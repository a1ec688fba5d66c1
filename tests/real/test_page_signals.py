"""Archived pages of one site (archive.org in 2008): its menus and footers go, its error and login pages are told."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from gpucurate.device.cpu import CpuBackend
from gpucurate.sources.warc import Warc, WarcConfig
from gpucurate.steps.page_signals import PageSignals
from gpucurate.steps.page_signals.config import PageSignalsConfig
from tests.sources.archives import unit_of
from tests.steps.host_templates.corpora import run

MENU = "Web | Moving Images | Texts | Audio | Software | Education | Patron Info | About IA"
TEMPLATES = {  # and on how many pages each is cut
    MENU: 78,
    "UploadAnonymous User (login or join us)": 78,
    "Terms of Use (10 Mar 2001)": 78,
    "Search: Advanced Search": 77,
    "Home \t\tDonate | Forums | FAQs | Contributions | Terms, Privacy, & Copyright | Contact | Jobs | Bios": 51,
}
TOLD = {
    "/about/javascript-required.htm": "no_script",
    "/account/login.php": "login",
    **dict.fromkeys(
        (
            "/create/1.5.0",
            "/create/Microsoft.XMLHTTP",
            "/create/Msxml2.XMLHTTP",
            "/create/application/x-www-form-urlencoded",
            "/create/text/javascript",
        ),
        "login",
    ),
    **dict.fromkeys(
        (
            "/details/ShockwaveFlash.ShockwaveFlash",
            "/details/ShockwaveFlash.ShockwaveFlash.3",
            "/details/ShockwaveFlash.ShockwaveFlash.6",
            "/details/ShockwaveFlash.ShockwaveFlash.7",
            "/details/_pdf.zip/",
            "/details/application/x-shockwave-flash",
            "/details/flash.php",
            "/details/text/css",
            "/details/text/javascript",
            "/details/webtv/2.5",
            "/details/webtv/2.6",
        ),
        "soft_404",
    ),
}


@pytest.fixture(scope="module")
def pages(real_data: Path) -> pa.Table:
    warc = Warc("web", WarcConfig.model_validate({"path": "x", "engine": "resiliparse"}))
    chunks = warc.read(unit_of(real_data / "warc" / "aut" / "warc" / "example.warc.gz"))
    return pa.concat_tables(chunk.documents for chunk in chunks).combine_chunks()


def test_templates_of_the_site_go_and_posts_stay(pages: pa.Table) -> None:
    crawl = list(zip(pages["uri"].to_pylist(), pages["text"].to_pylist(), strict=True))
    left, edits, _ = run(crawl, [40])
    cut: Counter[str] = Counter()
    for first, edit in zip((0, 40), edits, strict=True):
        assert edit.findings is not None
        for found in edit.findings.to_pylist():
            cut[crawl[first + found["row"]][1].encode()[found["start"] : found["end"]].decode()] += 1
    assert cut == TEMPLATES
    assert not any(MENU in text for text in left)
    assert sum(map(len, left)) > 0.98 * sum(len(text) for _, text in crawl)


def test_pages_without_content_are_told(pages: pa.Table) -> None:
    step = PageSignals(PageSignalsConfig.model_validate({}), CpuBackend())
    verdicts = step.judge(pages, step.measure(pages).signals)
    told = {
        uri.partition("archive.org")[2]: step.reasons[verdict - 1].code.removeprefix("page_signals.")
        for uri, verdict in zip(pages["uri"].to_pylist(), verdicts.tolist(), strict=True)
        if verdict
    }
    assert told == TOLD
