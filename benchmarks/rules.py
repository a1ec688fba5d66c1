"""Rules against datatrove: speed in one interleaved run, agreement with its own words and with ours.

Run with a Python that has datatrove and spaCy: `python benchmarks/rules.py [documents]`; needs ../shared/data or
GPUCURATE_DATA.  Both sides get normalised text in memory and give verdicts; process time, medians of three rounds.
"""

from __future__ import annotations

import bz2
import os
import re
import statistics
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from gpucurate.core.text_buffers import pack_texts  # noqa: E402
from gpucurate.device import pick  # noqa: E402
from gpucurate.steps.normalize.changes import normalize_texts  # noqa: E402
from gpucurate.steps.rules import Rules, RulesConfig  # noqa: E402
from tests.oracles.datatrove_rules import SETS, our_words, verdicts  # noqa: E402

DATA = Path(os.environ.get("GPUCURATE_DATA") or ROOT.parent / "shared" / "data")
ROUNDS = 3


def cut(text: str, chars: int) -> list[str]:
    """Pieces of whole lines, of at least so many characters."""
    pieces, piece = [], ""
    for line in text.split("\n"):
        piece += line + "\n"
        if len(piece) >= chars:
            pieces.append(piece)
            piece = ""
    return [*pieces, piece]


def visible(html: str) -> str:
    """Tags out, crudely, menus and scripts left in: what a careless extraction gives."""
    html = re.sub(r"(?is)<(script|style)[^>]*>.*?</\1>", lambda m: m[0][:300] if len(m[0]) % 3 == 0 else "", html)
    html = re.sub(r"(?i)</?(p|div|li|h\d|tr|td|br|ul|section|article)[^>]*>", "\n", html)
    return re.sub(r"<[^>]*>", " ", html)


def corpus() -> list[str]:
    """Speeches, chats and reviews, pages from the web, and wiki pages, normalised."""
    texts: list[str] = []
    for archive, chars in (("webtext", 2_000), ("state_union", 4_000), ("inaugural", 3_000)):
        with zipfile.ZipFile(DATA / "books" / f"{archive}.zip") as books:
            for name in sorted(n for n in books.namelist() if n.endswith(".txt")):
                texts += cut(books.read(name).decode("latin-1"), chars)
    for file in sorted((DATA / "html").rglob("*.html")):
        texts += cut(visible(file.read_bytes().decode("utf-8", "replace")), 12_000)
    with bz2.open(next((DATA / "wiki" / "gensim").glob("enwiki*.bz2")), "rt", encoding="utf-8") as dump:
        texts += cut(visible(dump.read(3_000_000)), 4_000)
    edits = normalize_texts(pack_texts(texts), "NFC", True, True).edit.text.to_pylist()
    return [old if new is None else new for old, new in zip(texts, edits, strict=True)]


def seconds(function: Callable[[], object]) -> float:
    begin = time.process_time()
    function()
    return time.process_time() - begin


def main() -> None:
    texts = [text for text in corpus() if text]
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    texts = texts[:: max(1, len(texts) // most)]
    size = sum(len(text.encode()) for text in texts)
    print(f"{len(texts)} documents, {size / 1e6:.1f} MB")
    documents = pa.table({"text": pa.array(texts, pa.large_string())})
    step = Rules(RulesConfig.model_validate({name: {} for name in SETS}), pick("cpu"))
    step.warm()

    def ours() -> None:
        step.judge(documents, step.measure(documents).signals)

    def theirs_ours() -> None:
        with our_words():
            verdicts(texts)

    contestants = {
        "gpucurate": ours,
        "datatrove, spaCy": lambda: verdicts(texts),
        "datatrove, our words": theirs_ours,
    }
    verdicts(texts[:3])
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            times[name].append(seconds(run))
    base = statistics.median(times["gpucurate"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(
            f"{name:22} {len(texts) / median:10.0f} docs/s {size / median / 1e6:8.2f} MB/s  x{median / base:6.1f}  "
            f"{[round(t, 2) for t in taken]}"
        )

    signals = step.measure(documents).signals
    first: dict[str, list[str | None]] = {}
    for name in SETS:
        judge = Rules(RulesConfig.model_validate({name: {}}), pick("cpu"))
        found = judge.judge(documents, signals)
        first[name] = [judge.reasons[v - 1].code if v else None for v in found.tolist()]
    for label, rows in (("spaCy's words", verdicts(texts)), ("our words", _with_our_words(texts))):
        print(f"agreement on keep or drop, {label}:")
        for name in SETS:
            seen = [(mine, row[name]) for mine, row in zip(first[name], rows, strict=True)
                    if name != "fineweb" or row["c4"] is None]  # fmt: skip
            differ = Counter(pair for pair in seen if (pair[0] is None) != (pair[1] is None))
            dropped = sum(theirs is not None for _, theirs in seen)
            print(
                f"  {name:18} {1 - differ.total() / len(seen):8.4%} of {len(seen)} ({dropped} dropped by datatrove)  "
                f"{differ.most_common(3)}"
            )


def _with_our_words(texts: list[str]) -> list[dict[str, str | None]]:
    with our_words():
        return verdicts(texts)


if __name__ == "__main__":
    main()
