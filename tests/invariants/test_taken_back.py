"""Every editing step in one run: the last text, the spans and the bytes they took give each original text back."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml

from gpucurate.core.digests import digest16, digest_file
from gpucurate.recipe.load import parse_recipe
from gpucurate.report.edits import restored
from gpucurate.run.driver import Cluster, run
from gpucurate.run.edit_tables import RESTRICTED_TABLE, SPANS_TABLE, find_edit_table
from gpucurate.run.live import RunContext
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.text_layers import TextLayers
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.run.walk import walk
from gpucurate.steps.contract import SPANS
from gpucurate.store.artifacts import read_table

from .corpus import PASSAGE, sentences

EDITING = ["normalize", "rules", "host_templates", "repeated_spans", "decontaminate", "pii"]
DOCUMENTS = 40


def texts() -> dict[str, str]:
    """By URL: prose between which every step finds something, with characters of one to four bytes around it."""
    made = {}
    for n in range(DOCUMENTS):
        rng = random.Random(n)
        planted = [
            "Please enable JavaScript 😀 to see this page.",  # C4
            "Home, news 😀 and letters to the editor of this house.",  # a template of the host
            f"Cafe\u0301 {n}: {PASSAGE} n\u0303.",  # repeated, but for its first occurrence
            f"漢字 {question(n)}? 漢字." if n % 4 else "Nothing was asked here.",
            f"Write to keeper{n}@lamps.org 😀, call +44 20 7946 {1100 + n}\u00a0or ask the host 8.8.4.{n}.",
        ]
        parts = [sentences(rng, 6) + f"\u00a0 \n{each}" for each in planted] + [sentences(rng, 6)]
        made[f"https://example.org/{n}"] = "\r\n\n\n".join(parts) + " \n\n\t"
    made["https://example.org/all"] = PASSAGE.capitalize() + "."  # nothing is left of it, or of another one
    made["https://example.org/short"] = "Too short 😀.\u00a0 "  # edited, then dropped
    return made


def question(n: int) -> str:
    """What a made-up benchmark asks; no other text of this corpus holds it."""
    rng = random.Random(f"item {n}")
    return " ".join(f"{rng.choice('bdfgklmnprst')}{rng.choice('aeiou')}{rng.choice('bdgkmnrt')}{n}" for _ in range(16))


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """The finished run, and the digest of every text as it was in the input, by URL."""
    root = tmp_path_factory.mktemp("taken_back")
    lines = [json.dumps({"url": url, "text": text}) + "\n" for url, text in texts().items()]
    for number in range(3):
        (root / f"part-{number}.jsonl").write_text("".join(lines[number::3]))
    items = root / "items" / "items.jsonl"
    items.parent.mkdir()
    items.write_text("".join(json.dumps({"question": question(n)}) + "\n" for n in range(DOCUMENTS)))
    registry: dict[str, Any] = {"name": "asked", "version": "1", "items": [["question"]]}
    registry["files"] = [{"path": items.name, "digest": digest_file(items)}]
    (items.parent / "registry.yaml").write_text(yaml.safe_dump(registry))
    recipe = {
        "name": "edited",
        "sources": [{"name": "web", "jsonl": {"path": str(root / "part-*.jsonl")}}],
        "steps": [
            "normalize",
            {
                "rules": {
                    "gopher_quality": {"min_words": 20},
                    "c4": {"terminal_punctuation": True, "min_sentences": None},
                }
            },
            "host_templates",
            {"repeated_spans": {"words": 15}},
            {"decontaminate": {"registry": str(items.parent), "verdict": "remove", "margin": 1}},
            {"pii": {"policies": {"email": "surrogate", "phone": "redact", "ip_address": "redact"}}},
        ],
    }
    run(parse_recipe(recipe, VOCABULARY), root / "out", Cluster(inline=True), "cpu", PlainProgress())
    return root / "out", {url: digest16(text.encode()) for url, text in texts().items()}


def test_every_original_text_comes_back(originals: tuple[Path, dict[str, bytes]]) -> None:
    out, expected = originals
    context, state = open_finished(out)[:2]
    seen, edits = set(), Counter[str]()
    layered = Counter[int]()
    for settled in state.parts:
        done = walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)
        steps, last = edited(context, settled.part, done.text)
        for row, url in enumerate(done.meta["uri"].to_pylist()):
            text, layers = last[row].as_py().encode(), 0
            for label, spans, removed in reversed(steps):
                mine = np.flatnonzero(spans["row"].to_numpy() == row)
                text = restored(text, spans.take(mine), [removed[k] for k in mine])
                edits[label] += bool(len(mine))
                layers += bool(len(mine))
            assert digest16(text) == expected[url], url
            layered[layers] += 1
            seen.add(url)
    assert seen == set(expected)
    assert set(edits) == set(EDITING)
    assert min(edits.values()) > DOCUMENTS // 2
    assert layered[len(EDITING)] > DOCUMENTS // 2


def edited(
    context: RunContext, part: Any, text: TextLayers
) -> tuple[list[tuple[str, pa.Table, list[bytes]]], pa.Array]:
    """Label, spans (row: of the part) and the bytes that they took, of each edit; and the last texts."""
    directory = context.directory.parts / part.name
    before = TextLayers(part.artifact(context.directory.root), part.rows)
    steps = []
    for artifact, rows in text.layers:
        found = find_edit_table(directory, artifact.stage, artifact.key, SPANS_TABLE)
        spans = read_table(found) if found else SPANS.empty_table()
        spans = spans.set_column(0, "row", pa.array(rows[spans["row"].to_numpy()]))
        raw = [each.encode() for each in before.current().to_pylist()]
        removed = [
            raw[row][start:end] for row, start, end in zip(*spans.select([0, 1, 2]).to_pydict().values(), strict=True)
        ]
        steps.append((artifact.stage, spans, removed))
        before.add(artifact, rows, read_table(artifact))
    return steps, before.current()


def test_the_restricted_table_of_pii_has_what_its_spans_took(originals: tuple[Path, dict[str, bytes]]) -> None:
    context, state = open_finished(originals[0])[:2]
    looked_at = 0
    for settled in state.parts:
        done = walk(context, settled.part, context.live.steps, state.corpus_keys, measure=False)
        steps, _ = edited(context, settled.part, done.text)
        _, spans, removed = steps[-1]
        artifact, rows = done.text.layers[-1]
        directory = context.directory.parts / settled.part.name
        found = find_edit_table(directory, artifact.stage, artifact.key, RESTRICTED_TABLE)
        assert found is not None
        assert artifact.stage == "pii"
        secret = read_table(found)
        places = zip(rows[secret["row"].to_numpy()].tolist(), secret["start"].to_pylist(), strict=True)
        matches = dict(zip(places, secret["match"].to_pylist(), strict=True))
        for row, start, was in zip(spans["row"].to_pylist(), spans["start"].to_pylist(), removed, strict=True):
            assert matches[row, start].encode() == was
            looked_at += 1
    assert looked_at > 2 * DOCUMENTS
