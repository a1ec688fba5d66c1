"""WET beside WARC on the same pages: how much of a page's visible text is its main content, and what rules notice.

    python benchmarks/wet_beside_warc.py --data ../shared/data

Pages are readability's, whose main content is known.  A WET file holds all visible text of a page; here resiliparse
draws it (no boilerplate removed), since the WET files of these pages are not at hand; the one capture that is there as
WARC and as WET says how near that is.  Residue is the share of words that are not in the main content.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

import pyarrow as pa

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from gpucurate.device import pick  # noqa: E402
from gpucurate.sources.charset import decode_page  # noqa: E402
from gpucurate.sources.html import engines  # noqa: E402
from gpucurate.sources.warc.archive import read_archive  # noqa: E402
from gpucurate.sources.warc.pages import HtmlPage, read_page  # noqa: E402
from gpucurate.sources.warc.record import Record  # noqa: E402
from gpucurate.sources.wet import Wet, WetConfig  # noqa: E402
from gpucurate.steps.language import Language, LanguageConfig  # noqa: E402
from gpucurate.steps.rules import Rules, RulesConfig  # noqa: E402
from gpucurate.tokens.config import TokensConfig  # noqa: E402
from gpucurate.tokens.tokenizer import load_tokenizer  # noqa: E402
from tests.sources.archives import unit_of  # noqa: E402


def visible(page: bytes) -> str:
    """All visible text, a line a block."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    text: str = extract_plain_text(HTMLTree.parse(page.decode()), main_content=False, alt_texts=False, links=False)
    return text


def content(engine: Callable[[bytes], str]) -> Callable[[bytes], str]:
    """An engine's text without its title line."""
    return lambda page: engine(page).partition("\n")[2]


WAYS: dict[str, Callable[[bytes], str]] = {
    "visible text, as WET has it": visible,
    "WARC, engine resiliparse": content(engines.resiliparse),
    "WARC, engine trafilatura": content(engines.trafilatura),
}


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def scores(texts: Sequence[str], gold: Sequence[str]) -> tuple[float, float, float, float]:
    """Mean F1, precision and recall of words over pages, and residue over all words."""
    rows, said, right = [], 0, 0
    for text, main in zip(texts, gold, strict=True):
        ours, wanted = words(text), words(main)
        shared = (ours & wanted).total()
        precision, recall = shared / max(1, ours.total()), shared / max(1, wanted.total())
        rows.append((2 * precision * recall / (precision + recall or 1), precision, recall))
        said, right = said + ours.total(), right + shared
    f1, precision, recall = (mean(column) for column in zip(*rows, strict=True))
    return f1, precision, recall, 1 - right / said


def kept(texts: Sequence[str]) -> list[bool]:
    """Which texts language and rules of the recipe keep."""
    table = pa.table({"text": pa.array(texts, pa.large_string())})
    language = Language(LanguageConfig(), pick("cpu"))
    sets: dict[str, dict[str, object]] = {"gopher_repetition": {}, "gopher_quality": {}, "c4": {}, "fineweb": {}}
    rules = Rules(RulesConfig.model_validate(sets), pick("cpu"))
    verdicts = [step.judge(table, step.measure(table).signals) for step in (language, rules)]
    return ((verdicts[0] == 0) & (verdicts[1] == 0)).tolist()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    data = arguments.parse_args().data
    folders = sorted(path.parent for path in (data / "html" / "readability").rglob("expected.html"))
    pages = [
        decode_page((folder / "source.html").read_bytes(), None).text.encode("utf-8", "replace") for folder in folders
    ]
    gold = [visible((folder / "expected.html").read_bytes()) for folder in folders]
    encoding = load_tokenizer(TokensConfig(tokenizer="tiktoken:gpt2"))
    print(f"{len(pages)} pages, {sum(map(len, pages)) / 1e6:.1f} MB of HTML")
    print(
        "| | tokens | F1 | precision | recall | residue | kept by language and rules | their tokens | their residue |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, way in {**WAYS, "main content as labelled": None}.items():
        texts = gold if way is None else [way(page) for page in pages]
        f1, precision, recall, residue = scores(texts, gold)
        stays = kept(texts)
        survivors = [(text, main) for text, main, stay in zip(texts, gold, stays, strict=True) if stay]
        left = scores([text for text, _ in survivors], [main for _, main in survivors])[3]
        counts = [
            len(encoding.encode(pa.array(some, pa.large_string()))[0])
            for some in (texts, [text for text, _ in survivors])
        ]
        print(
            f"| {name} | {counts[0]:,} | {f1:.3f} | {precision:.3f} | {recall:.3f} | {residue:.1%} | {sum(stays)} "
            f"| {counts[1]:,} | {left:.1%} |"
        )
    capture(data / "warc" / "whirlwind")


def capture(folder: Path) -> None:
    """The one page that is there as WARC and as Common Crawl's own WET."""
    (chunk,) = Wet("wet", WetConfig.model_validate({"path": "x"})).read(unit_of(folder / "whirlwind.warc.wet.gz"))
    wet = chunk.documents["text"][0].as_py()
    records = read_archive(unit_of(folder / "whirlwind.warc.gz").file, 1 << 24)
    found = [read_page(record, 1 << 24) for record in records if isinstance(record, Record)]
    (page,) = (page for page in found if isinstance(page, HtmlPage))
    html = decode_page(page.payload, page.charset).text.encode()
    print(f"one capture: Common Crawl's WET has {words(wet).total()} words")
    for name, way in WAYS.items():
        ours = words(way(html))
        shared = (ours & words(wet)).total()
        print(f"  {name}: {ours.total()} words, {shared / ours.total():.1%} of them in the WET")


if __name__ == "__main__":
    main()
