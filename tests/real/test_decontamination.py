"""Real benchmark items planted in real speeches: found however they are printed, and nothing found where none is."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from zipfile import ZipFile

from gpucurate.steps.decontaminate.items import opaque
from gpucurate.steps.decontaminate.records import item_texts
from tests.steps.decontaminate.registries import step
from tests.steps.near_duplicates.corpora import table
from tests.steps.stages import MemoryStages, answers

CONFIGS = Path(__file__).parents[2] / "configs" / "registry"
NAMES = ("gsm8k", "humaneval", "mbpp", "mmlu")
EVERY = 9  # of the items


def test_planted_items(real_data: Path) -> None:
    made = step(*(CONFIGS / f"{name}.yaml" for name in NAMES), folder=str(real_data / "benchmarks"))
    with ZipFile(real_data / "books" / "state_union.zip") as archive:
        speeches = [archive.read(name).decode("latin-1") for name in archive.namelist() if name.endswith(".txt")]
    clean = answers(made, MemoryStages([table(speeches)]))
    assert clean["action"].null_count == len(speeches)
    wanted, items = [], []
    for registered in made.registry:
        for texts in list(item_texts(registered))[::EVERY]:
            wanted.append(opaque(texts))
            items.append(max(texts, key=len) if registered.benchmark.name != "gsm8k" else "\n".join(texts))
    around = [speeches[n % len(speeches)][:30_000] for n in range(len(items))]
    shares = {}
    for kind, printed in {
        "verbatim": items,
        "re-wrapped": [textwrap.fill(item, 33) for item in items],
        "capitals": [re.sub(r"[^\w\s]", " ", item).upper() for item in items],
        "half": [" ".join(item.split(" ")[: len(item.split(" ")) // 2]) for item in items],
        "reworded": [" ".join("other" if n % 4 == 3 else w for n, w in enumerate(item.split())) for item in items],
    }.items():
        planted = [f"{text[:15_000]}\n{item}\n{text[15_000:]}" for text, item in zip(around, printed, strict=True)]
        said = answers(made, MemoryStages([table(planted)]))
        drops = [
            name in {run["item"] for run in of or () if run["action"] == "drop"}
            for name, of in zip(wanted, said["found"].to_pylist(), strict=True)
        ]
        shares[kind] = sum(drops) / len(drops)
    print({kind: f"{share:.1%}" for kind, share in shares.items()}, len(items))
    assert shares["verbatim"] == shares["re-wrapped"] == shares["capitals"] == 1
    assert shares["half"] > 0.85
    assert shares["reworded"] < 0.01
