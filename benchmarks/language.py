"""Language identification against fastText's own `predict`, on whole texts.

    python benchmarks/language.py --data ../shared/data [--model lid.176.ftz] [--rounds 7]

Both run in turn in each round, in one process and thread; the table shows megabytes a second of CPU time, and the
median and quartiles of the ratio within a round.  fastText gets lists of strings without line ends, made beforehand;
ours reads Arrow's buffers.  Every second row is the step as a whole, and a script that does as much with fastText.
"""

from __future__ import annotations

import argparse
import bz2
import re
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from html import unescape
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
from fasttext.FastText import _FastText

from gpucurate.core.text_buffers import TextBuffers, text_buffers
from gpucurate.device import pick
from gpucurate.steps.language import Language, LanguageConfig
from gpucurate.steps.language.identifier import load_model, model_path
from gpucurate.steps.language.predictor import Predictor, predict


def books(data: Path, *names: str) -> list[str]:
    texts = []
    for name in names:
        with ZipFile(data / "books" / f"{name}.zip") as archive:
            texts += [archive.read(each).decode("utf-8", "replace") for each in archive.namelist() if each[-1] != "/"]
    return texts


def without_tags(page: str) -> str:
    return re.sub(r"<[^>]*>", "", re.sub(r"(?s)<(script|style).*?</\1>", "", page))


def wikitext(data: Path, dump: str) -> list[str]:
    xml = bz2.decompress(next((data / "wiki").glob(dump)).read_bytes()).decode()
    return [unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", xml, re.DOTALL)]


def corpora(data: Path) -> dict[str, list[str]]:
    pages = [path.read_text("utf-8", "replace") for path in sorted((data / "html").rglob("*.html"))]
    rights = books(data, "udhr2")
    return {
        "speeches, chats, reviews": books(data, "inaugural", "state_union", "webtext"),
        "web pages without tags": [without_tags(page) for page in pages],
        "web pages": pages,
        "English wikitext": wikitext(data, "gensim/enwiki-latest*.bz2"),
        "Latgalian wikitext": wikitext(data, "ltgwiki/*.bz2"),
        "rights in 389 languages": rights,
        "lines of those": [line for text in rights for line in text.split("\n") if line],
    }


def ours(model: Predictor, texts: TextBuffers) -> object:
    return predict(model, texts.data, texts.offsets[:-1], texts.offsets[1:])


def script(model: _FastText, column: pa.Array) -> object:
    """What the step measures, by fastText: strings, whether there is a letter, label and score."""
    texts = [text.replace("\n", " ") for text in column.to_pylist() if any(map(str.isalpha, text))]
    labels, scores = model.predict(texts)
    return [label[0] for label in labels], [score[0] for score in scores]


def interleaved(rounds: int, ways: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, call in ways.items():
            begin = time.process_time()
            call()
            seconds[way].append(time.process_time() - begin)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    step = Language(LanguageConfig(model=arguments.model, keep=None), pick("cpu"))
    step.warm()
    path = model_path(arguments.model)
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    model = load_model.__wrapped__(path)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    arrays = [array for table in (model.words, model.output) for array in table if hasattr(array, "nbytes")]
    held = sum(array.nbytes for array in arrays) / 1e6
    print(
        f"{path.name}: {time.perf_counter() - begin:.2f} s to load, {held:.1f} MB held, peak grew {grown / 1e3:.0f} MB"
    )
    reference = _FastText(str(path))
    print(f"{'texts':28}{'number':>7}{'MB':>6}{'fastText':>10}{'gpucurate':>11}{'ratio':>7}{'quartiles':>13}")
    for name, texts in corpora(arguments.data).items():
        column = pa.array(texts, pa.large_string())
        buffers, lines = text_buffers(column), [text.replace("\n", " ") for text in texts]
        pairs = {
            name: (partial(reference.predict, lines), partial(ours, model, buffers)),
            "  the whole step": (partial(script, reference, column), partial(step.measure, pa.table({"text": column}))),
        }
        for label, (theirs, mine) in pairs.items():
            seconds = interleaved(arguments.rounds, {"theirs": theirs, "mine": mine})
            ratios = [a / b for a, b in zip(seconds["theirs"], seconds["mine"], strict=True)]
            low, middle, high = statistics.quantiles(ratios, n=4)
            size = len(buffers.data) / 1e6
            speeds = [size / statistics.median(taken) for taken in seconds.values()]
            print(
                f"{label:28}{len(texts):7}{size:6.1f}{speeds[0]:10.1f}{speeds[1]:11.1f}{middle:7.1f}"
                f"{f'{low:.1f}-{high:.1f}':>13}"
            )


if __name__ == "__main__":
    main()
