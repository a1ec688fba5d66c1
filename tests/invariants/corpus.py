"""A small corpus with something for every step to do, and the digests of what a run made of it."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import yaml

from gpucurate.core.digests import digest_file

WORDS = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "for",
    "it",
    "as",
    "was",
    "with",
    "be",
    "by",
    "on",
    "not",
    "he",
    "his",
    "but",
    "at",
    "are",
    "this",
    "have",
    "from",
    "or",
    "had",
    "an",
    "they",
    "which",
    "river",
    "stone",
    "market",
    "winter",
    "letter",
    "garden",
    "music",
    "bridge",
    "teacher",
    "village",
    "history",
    "engine",
    "science",
    "island",
    "forest",
    "king",
]
ITEM = "How many lamps does a keeper light in nine nights if he lights forty two lamps every single night"
PASSAGE = "this notice hangs in every room of the house and says that guests who leave early must pay the whole week"


def write_corpus(directory: Path, documents: int = 90, files: int = 3) -> None:
    """JSON lines in several files: prose, copies, near-copies, short and repetitive texts, damaged lines, addresses, a
    repeated passage, an item of the benchmark that lies in `protected/`."""
    directory.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        lines = []
        for i in range(documents // files):
            rng = random.Random(i if i % 4 == 0 else 1000 * number + i)
            text = sentences(rng, 6 + i % 9)
            if i % 8 == 4:
                text += f" Chapter {number}."  # nearly equal across files
            if i % 9 == 2:
                text += f" {PASSAGE} {number} {i}. Write to keeper{i}@lamps{number}.org or 192.0.2.{i}."
            if i == 9:
                text += f" {ITEM}?"
            if i % 10 == 3:
                text = "Too short."
            if i % 10 == 7:
                text = "\n".join(["again and again the same line"] * 30)
            lines.append(json.dumps({"url": f"https://example.org/{number}/{i}", "text": f"{text} \n\n\n\t"}))
        lines[5] = "{not json"
        (directory / f"part-{number}.jsonl").write_text("\n".join(lines) + "\n")
    write_protected(directory / "protected")


def write_protected(folder: Path) -> None:
    """A benchmark of one item, and its registry file."""
    folder.mkdir(exist_ok=True)
    (folder / "items.jsonl").write_text(json.dumps({"question": ITEM}) + "\n")
    registry: dict[str, Any] = {"name": "small", "version": "1", "items": [["question"]]}
    registry["files"] = [{"path": "items.jsonl", "digest": digest_file(folder / "items.jsonl")}]
    (folder / "registry.yaml").write_text(yaml.safe_dump(registry))


def sentences(rng: random.Random, count: int) -> str:
    """Paragraphs of made-up prose."""
    made = [" ".join(rng.choices(WORDS, k=rng.randint(8, 16))).capitalize() + "." for _ in range(count)]
    return "\n\n".join(" ".join(made[i : i + 3]) for i in range(0, count, 3))


def recipe(pattern: Path) -> dict[str, object]:
    """Every kind of step over that corpus; the benchmark lies in `protected/` beside its files."""
    return {
        "name": "small",
        "sources": [{"name": "web", "jsonl": {"path": str(pattern)}}],
        "steps": [
            "normalize",
            {"rules": {"gopher_quality": {"min_words": 20}, "gopher_repetition": {}, "c4": {}}},
            "exact_duplicates",
            {"near_duplicates": {"shingle": 3, "bands": 12, "rows": 4}},
            {"repeated_spans": {"words": 15}},
            {"decontaminate": {"registry": str(pattern.parent / "protected"), "holdout": {"share": 0.1}}},
            {"pii": {"policies": {"email": "surrogate", "ip_address": "redact"}}},
        ],
        "tokens": {"tokenizer": "tiktoken:gpt2"},
        "shards": {"length": 32, "size": 990, "remainder": "pad"},
    }


def digests(out: Path) -> dict[str, str]:
    """SHA-256 of every table and shard file below an output directory, by relative name."""
    files = [
        p
        for p in out.rglob("*")
        if p.is_file() and (p.suffix in {".parquet", ".arrow", ".npy"} or p.parent.name == "shards")
    ]
    return {p.relative_to(out).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(files)}
