"""Speed of `pii` beside Presidio's pattern recognisers with phone, on Wikipedia articles cut to about 3 KB.

    python benchmarks/pii.py [--data ../shared/data] [--documents 1000] [--presidio-documents 100]

Needs presidio-analyzer with spaCy (`pip install presidio-analyzer`; no model: see pii_peers.py), phonenumbers and
python-stdnum.  Everything runs in one thread of one process, rounds interleaved; figures are medians of process time,
after one call that compiles or loads.  Presidio takes the same documents, fewer of them since it is slow.

`scan` is the compiled pass alone, `find` adds the detectors, `measure` the whole step: policies, digests, tables.
`presidio` has its recognisers for the classes that patterns find (e-mail, phone, US SSN, card, IBAN, IP, wallet, MAC),
Presidio's `PhoneRecognizer` with its own regions; `phone` is that recogniser by itself.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from pii_peers import ENTITIES, _analyzer
from pii_quality import ENWIKI, LTGWIKI, articles

from gpucurate.core.text_buffers import text_buffers
from gpucurate.device import pick
from gpucurate.steps.pii import Pii, PiiConfig
from gpucurate.steps.pii.finder import Finder
from gpucurate.steps.pii.scan import candidates

ROUNDS = 3
CHARACTERS = 3_000
DENSE = " Mail a.b{0}@mail.org, call (212) 736-{0:04}, host 8.8.{1}.{1}, card 4111 1111 1111 1111."


def cut(texts: list[str]) -> list[str]:
    """Pieces of CHARACTERS; what is left at an article's end is left out unless it is the whole."""
    pieces = [text[i : i + CHARACTERS] for text in texts for i in range(0, max(1, len(text) - CHARACTERS), CHARACTERS)]
    return [piece for piece in pieces if len(piece) > CHARACTERS // 2]


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--presidio-documents", type=int, default=100)
    arguments = parser.parse_args()

    plain = cut([text for name in (ENWIKI, LTGWIKI) for text in articles(arguments.data / name)])[: arguments.documents]
    dense = [
        text[:-300] + "".join(DENSE.format(1000 + n % 9000, n % 250) for _ in range(3)) for n, text in enumerate(plain)
    ]
    config = PiiConfig()
    finder, step, presidio = Finder(config), Pii(config, pick("cpu")), _analyzer()
    phone = next(each for each in presidio.registry.recognizers if each.name == "PhoneRecognizer")
    for name, texts in (("articles", plain), ("articles with 12 findings each", dense)):
        column = pa.array(texts, pa.large_string())
        few = texts[:: max(1, len(texts) // arguments.presidio_documents)][: arguments.presidio_documents]

        def by_presidio(few: list[str] = few) -> None:
            for text in few:
                presidio.analyze(text, language="en", entities=list(ENTITIES), score_threshold=0.4)

        def by_its_phone(few: list[str] = few) -> None:
            for text in few:
                phone.analyze(text, ["PHONE_NUMBER"])

        work: dict[str, tuple[int, Callable[[], object]]] = {
            "scan": (len(texts), lambda column=column: candidates(*text_buffers(column))),
            "find": (len(texts), lambda column=column: finder.find(column)),
            "measure": (len(texts), lambda column=column: step.measure(pa.table({"text": column}))),
            "presidio": (len(few), by_presidio),
            "presidio's phone": (len(few), by_its_phone),
        }
        for _, once in work.values():
            once()
        times: dict[str, list[float]] = {each: [] for each in work}
        for _ in range(ROUNDS):
            for each, (_, once) in work.items():
                times[each].append(seconds(once))
        size = sum(len(text.encode()) for text in texts) / len(texts)
        print(
            f"\n{name}: {len(texts)} documents, {size:,.0f} bytes in the mean, {finder.find(column).num_rows} findings"
        )
        rates = {each: count / statistics.median(times[each]) for each, (count, _) in work.items()}
        for each, rate in rates.items():
            print(f"  {each:18s} {rate:10,.0f} documents/s {rate * size / 1e6:8.2f} MB/s")
        print(f"  measure / presidio: {rates['measure'] / rates['presidio']:.0f}")


if __name__ == "__main__":
    main()
