"""Decontamination against "any shared 13-gram" and datatrove: what is found of planted items, what is found elsewhere.

    python benchmarks/decontamination.py --data ../shared/data [--items 200]

Items of GSM8K, HumanEval, MBPP and MMLU's dev split are planted between other words, one a document, in six kinds; the
second table counts documents of speeches, chats, reviews and wikitext in which nothing was planted.  Rows that need
datatrove (and spaCy) are left out, saying so, without it.  datatrove searches for 12-grams of the answer and over the
border of question and answer, by default, or also for those of the question.
"""

from __future__ import annotations

import argparse
import bz2
import random
import re
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from gpucurate.core.text_buffers import pack_texts  # noqa: E402
from gpucurate.device.cpu import CpuBackend  # noqa: E402
from gpucurate.device.grams import gram_table  # noqa: E402
from gpucurate.steps.decontaminate import Decontaminate  # noqa: E402
from gpucurate.steps.decontaminate.config import DecontaminateConfig  # noqa: E402
from gpucurate.steps.decontaminate.items import opaque  # noqa: E402
from gpucurate.steps.decontaminate.records import item_texts  # noqa: E402
from gpucurate.steps.decontaminate.registry import Registered, open_registry  # noqa: E402
from tests.steps.near_duplicates.corpora import table  # noqa: E402
from tests.steps.stages import MemoryStages, answers  # noqa: E402

NAMES = ("gsm8k", "humaneval", "mbpp", "mmlu")
PER_DOCUMENT = 6_000  # characters of a document where nothing was planted
Method = Callable[[Sequence[str]], list[bool]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--items", type=int, default=200, help="of each benchmark, spread over its files")
    arguments.add_argument("--documents", type=int, help="at most so many of each kind where nothing was planted")
    arguments.add_argument("--list", action="store_true", help="print what is found where nothing was planted")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        registry = open_registry([str(path) for path in registered(options.data, Path(folder))], folder)
        leaks = {each.benchmark.name: leaked(each) for each in registry}
        ours = step(options.data, Path(folder))
        methods = {
            "ours": found_by(ours),
            "ours, .5 / .9": found_by(step(options.data, Path(folder), threshold=0.5, short_threshold=0.9)),
            "any 13-gram": any_gram(ours, registry),
            **datatrove(leaks),
        }
        clean = untouched(options.data)
        recall(leaks, options.items, methods, [text for texts in clean.values() for text in texts])
        most = options.documents
        false_positives({n: t[:: max(1, len(t) // most)] if most else t for n, t in clean.items()}, methods)
        human_paraphrases(options.data, Path(folder))
        if options.list:
            listed(ours, clean)
        speed(ours, [text for texts in clean.values() for text in texts], methods)


def registered(data: Path, folder: Path) -> list[Path]:
    """The shipped registry files; their paths begin in a folder with links to the data."""
    for name in NAMES:
        if not (folder / name).exists():
            (folder / name).symlink_to((data / "benchmarks" / name).resolve())
    return [ROOT / "configs" / "registry" / f"{name}.yaml" for name in NAMES]


def step(data: Path, folder: Path, **settings: Any) -> Decontaminate:
    config = {"registry": [str(path) for path in registered(data, folder)], "folder": str(folder), **settings}
    return Decontaminate(DecontaminateConfig.model_validate(config), CpuBackend())


def leaked(registered: Registered) -> list[tuple[str, str]]:
    """Question and answer of every record, as a page might show them."""
    name = registered.benchmark.name
    pairs = []
    for texts in item_texts(registered):
        if name in ("gsm8k", "humaneval"):
            pairs.append((texts[0], texts[1]))
        elif name == "mbpp":
            pairs.append((texts[0], texts[2]))
        else:
            pairs.append((texts[0], texts[2].removeprefix(texts[0]).strip()))
    return pairs


def found_by(step: Decontaminate) -> Method:
    """Documents that the step would drop; common grams are counted on what it is given."""

    def found(texts: Sequence[str]) -> list[bool]:
        said = answers(step, MemoryStages([table(texts)]))
        return [action == "drop" for action in said["action"].to_pylist()]

    return found


def any_gram(step: Decontaminate, registry: Sequence[Registered]) -> Method:
    """Documents that share any 13 words in a row with any text of any item, in our words."""
    texts = pack_texts([text for each in registry for texts in item_texts(each) for text in texts])
    searched = gram_table({13: step.backend.shingle_sets(texts, 13).hashes})

    def found(documents: Sequence[str]) -> list[bool]:
        hits = step.backend.gram_hits(pack_texts(list(documents)), searched)
        return np.isin(np.arange(len(documents)), hits.documents).tolist()

    return found


def datatrove(leaks: dict[str, list[tuple[str, str]]]) -> dict[str, Method]:
    """Its filter over hashes made by its indexer, with both of its ways to look at questions."""
    try:
        from datatrove.data import Document
        from datatrove.pipeline.decont import n_grams
    except ImportError as error:
        print(f"without datatrove ({error})")
        return {}
    methods: dict[str, Method] = {}
    for name, queries in (("datatrove", False), ("datatrove, questions too", True)):
        config = n_grams.NGramsDecontConfig(find_query_ngrams=queries)
        indexer = object.__new__(n_grams.NGramsDecontIndexer)  # its constructor asks for lighteval, which is not used
        indexer.config = config
        judge = n_grams.NGramsDecontFilter("/nowhere", config)
        of_bytes = judge.hash_func  # xxhash 4 takes bytes only, and datatrove gives it strings
        judge.hash_func = indexer.hash_func = lambda gram, of_bytes=of_bytes: of_bytes(gram.encode())
        indexer.tokenizer = judge.tokenizer
        judge._index_hashes = {
            gram: name
            for name, pairs in leaks.items()
            for query, label in pairs
            for gram in indexer.compute_hashes(label, query)
        }

        def found(texts: Sequence[str], judge: Any = judge) -> list[bool]:
            return [judge.filter(Document(text=text, id=str(n))) is not True for n, text in enumerate(texts)]

        methods[name] = found
    return methods


def kinds(question: str, answer: str, rng: random.Random, around: str) -> dict[str, str]:
    """One item in every kind; `around` has at least 5,000 words of something else."""
    whole = f"{question}\n{answer}"
    words = whole.split()
    other = around.split()
    short = " ".join(other[:60])
    bare = re.sub(r"[^\w\s]", " ", whole).upper()
    half = whole.split(" ")[: len(whole.split(" ")) // 2]
    reworded = [rng.choice(other) if n % 4 == 3 else word for n, word in enumerate(words)]
    return {
        "verbatim": f"{short}\n\n{whole}\n\n{short}",
        "re-wrapped": f"{short}\n\n{textwrap.fill(whole, 33)}\n\n{short}",
        "re-cased, no punctuation": f"{short} {bare} {short}",
        "question only": f"{short}\n\n{question}\n\n{short}",
        "first half": f"{short}\n\n{' '.join(half)}\n\n{short}",
        "within 5,000 words": f"{' '.join(other[:2_500])}\n{whole}\n{' '.join(other[2_500:5_000])}",
        "every 4th word another": f"{short}\n\n{' '.join(reworded)}\n\n{short}",
    }


def recall(leaks: dict[str, list[tuple[str, str]]], most: int, methods: dict[str, Method], clean: list[str]) -> None:
    """Share of planted items that each method finds, by kind and benchmark."""
    rng = random.Random(1)
    filler = " ".join(clean)[: 40 * 6 * 5_000]
    planted: dict[str, dict[str, list[str]]] = {}
    for name, pairs in leaks.items():
        for question, answer in pairs[:: max(1, len(pairs) // most)]:
            at = rng.randrange(len(filler) - 60_000)
            for kind, text in kinds(question, answer, rng, filler[at : at + 60_000]).items():
                planted.setdefault(kind, {}).setdefault(name, []).append(text)
    print(f"\n{'found of planted items':26}{'':26}" + "".join(f"{name:>11}" for name in leaks))
    for kind, by_name in planted.items():
        for method, find in methods.items():
            shares = [f"{np.mean(find(texts)):>11.1%}" for texts in by_name.values()]
            print(f"{kind:26}{method:26}{''.join(shares)}", flush=True)
    print("planted: " + ", ".join(f"{name} {len(texts)}" for name, texts in planted["verbatim"].items()))


def untouched(data: Path) -> dict[str, list[str]]:
    """Documents of many kinds in which nothing was planted."""
    found: dict[str, list[str]] = {}
    for name in ("inaugural", "state_union", "webtext"):
        with ZipFile(data / "books" / f"{name}.zip") as archive:
            names = sorted(each for each in archive.namelist() if each.endswith(".txt"))
            found[name] = [piece for each in names for piece in pieces(archive.read(each).decode("latin-1"))]
    for name, pattern in (("enwiki", "gensim/enwiki-latest*.bz2"), ("ltgwiki", "ltgwiki/small*.bz2")):
        xml = bz2.decompress(next((data / "wiki").glob(pattern)).read_bytes()).decode()
        pages = [unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", xml, re.DOTALL)]
        found[name] = [piece for page in pages for piece in pieces(page)]
    return found


def pieces(text: str) -> list[str]:
    return [text[at : at + PER_DOCUMENT] for at in range(0, len(text), PER_DOCUMENT)]


def false_positives(clean: dict[str, list[str]], methods: dict[str, Method]) -> None:
    """Documents found where nothing was planted; every one may still be right, see `--list`."""
    print(f"\n{'found where none is planted':52}" + "".join(f"{name:>12}" for name in clean))
    print(f"{'documents':52}" + "".join(f"{len(texts):>12,}" for texts in clean.values()))
    for method, find in methods.items():
        print(f"{method:52}" + "".join(f"{sum(find(texts)):>12,}" for texts in clean.values()), flush=True)


def human_paraphrases(data: Path, folder: Path) -> None:
    """Sentences of the MSR corpus as items of a benchmark, their paraphrases by people as the corpus."""
    import json

    import yaml

    from gpucurate.steps.decontaminate.freeze import freeze

    lines = [
        line.split("\t")
        for path in sorted((data / "neardup" / "msr-para").rglob("*.tsv"))
        for line in path.read_text("utf-8-sig").splitlines()[1:]
    ]
    pairs = [(line[3], line[4]) for line in lines if line[0] == "1"]
    if not pairs:
        return
    (folder / "msr.jsonl").write_text("".join(json.dumps({"text": first}) + "\n" for first, _ in pairs))
    entry = {"name": "msr", "version": "all", "files": [{"path": "msr.jsonl"}], "items": [["text"]]}
    (folder / "msr.yaml").write_text(yaml.safe_dump(entry))
    freeze(folder / "msr.yaml")
    config = DecontaminateConfig.model_validate({"registry": str(folder / "msr.yaml")})
    made = Decontaminate(config, CpuBackend())
    said = answers(made, MemoryStages([table([second for _, second in pairs])]))
    right = 0
    for (first, _), found in zip(pairs, said["found"].to_pylist(), strict=True):
        right += opaque((first,)) in {run["item"] for run in found or ()}
    print(f"\nparaphrases by people (MSR): {right:,} of {len(pairs):,} found ({right / len(pairs):.1%})")


def listed(step: Decontaminate, clean: dict[str, list[str]]) -> None:
    """Everything that ours finds where nothing was planted, flags too."""
    for name, texts in clean.items():
        said = answers(step, MemoryStages([table(texts)]))
        for text, found in zip(texts, said["found"].to_pylist(), strict=True):
            for run in found or ():
                shown = " ".join(text.encode()[run["start"] : run["end"]].decode().split())[:160]
                share = f"{run['matched']} of {run['grams']}"
                print(f"  {name}: {run['action']} {run['benchmark']} {run['item']} ({share}): {shown}")


def speed(step: Decontaminate, texts: list[str], methods: dict[str, Method], rounds: int = 5) -> None:
    """Megabytes a second of one core: our kernel over all grams of the registry, and each method as a whole."""
    some = texts[:: max(1, len(texts) // 300)]
    packed, few = pack_texts(texts), sum(len(text.encode()) for text in some)
    protected = step.protected([])
    kernel, rows = [], {name: [] for name in methods}  # type: ignore[var-annotated]
    for _ in range(rounds):
        kernel.append(seconds(lambda: step.backend.gram_hits(packed, protected.table)))
        for name, find in methods.items():
            rows[name].append(seconds(lambda find=find: find(some)))  # type: ignore[misc]
    print(f"\n{'MB/s of CPU time, medians':34}")
    print(f"{'our kernel':34}{packed.data.size / 1e6 / float(np.median(kernel)):>10.1f}")
    for name, took in rows.items():
        print(f"{name:34}{few / 1e6 / float(np.median(took)):>10.1f}")


def seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
