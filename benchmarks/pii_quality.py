"""What `pii` finds and what it takes for personal data wrongly, beside Presidio's pattern recognisers and two regexes.

    python benchmarks/pii_quality.py [--data ../shared/data] [--json FILE] [--hits FILE]

Needs presidio-analyzer (with spaCy), phonenumbers and python-stdnum; no model.  Two kinds of tables:

1. Precision, recall and F1 by class on labelled sets (see pii_labels.py).  `overlap`: a finding is right if it shares a
   byte with a label of its class, a label is found if a finding of its class shares a byte with it; `exact`: both ends
   must be equal.  Intervals of 95 %: Wilson for precision and recall; for F1 a percentile bootstrap over texts, or over
   templates where these are filled several times.  `valid` counts the labels found among those that the checksum and
   the rules of the class allow: many labels are invented numbers that a validator must refuse.
2. False positives on Wikipedia: articles of two dumps, where hardly any personal data is.  `--hits` writes every hit
   of gpucurate with its text for reading; `--verdicts` reads what was decided about each, by opaque id.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pii_labels import Label, LabelledSet, context_sentences, labelled_sets
from pii_peers import NANP_PHONE, PHONE, Finds, Hit, presidio, regexes

from gpucurate.core.digests import digest16
from gpucurate.report.pii.wilson import Share, wilson

RESAMPLES = 2000
ENWIKI = "wiki/gensim/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
LTGWIKI = "wiki/ltgwiki/smallwiki-latest-pages-articles.xml.bz2"


def gpucurate_finds() -> Finds:
    from gpucurate.steps.pii.config import PiiConfig
    from gpucurate.steps.pii.finder import Finder

    finder = Finder(PiiConfig())

    def find(text: str) -> list[Hit]:
        rows = finder.find(pa.array([text], pa.large_string()))
        return [
            Hit(*each) for each in zip(*(rows[n].to_pylist() for n in ("start", "end", "class", "score")), strict=True)
        ]

    return find


# --- labelled sets -------------------------------------------------------------------------------------------------


def counts(labels: Sequence[Label], hits: Sequence[Hit], kind: str, exact: bool) -> list[int]:
    """Of one text: findings, right ones, labels, found ones, valid labels, found ones."""
    mine = [hit for hit in hits if hit.kind == kind]
    wanted = [each for each in labels if each.kind == kind]

    def same(a: Hit, b: Label) -> bool:
        return (a.start, a.end) == (b.start, b.end) if exact else a.start < b.end and b.start < a.end

    right = [hit for hit in mine if any(same(hit, each) for each in wanted)]
    found = [any(same(hit, each) for hit in mine) for each in wanted]
    valid = [ok for ok, each in zip(found, wanted, strict=True) if each.valid]
    return [len(mine), len(right), len(wanted), sum(found), len(valid), sum(valid)]


def table_of(labelled: LabelledSet, hits: Sequence[Sequence[Hit]], exact: bool) -> list[dict[str, Any]]:
    rows = []
    for kind in sorted({each.kind for labels in labelled.labels for each in labels}):
        each = np.array(
            [counts(labels, found, kind, exact) for labels, found in zip(labelled.labels, hits, strict=True)]
        )
        made, right, wanted, found, valid, valid_found = each.sum(axis=0).tolist()
        f1 = bootstrap(each, np.array(labelled.groups))
        rows.append(
            {
                "class": kind,
                "labels": wanted,
                "findings": made,
                "precision": wilson(right / made, made) if made else wilson(0, 0),
                "recall": wilson(found / wanted, wanted),
                "f1": f1,
                "valid": f"{valid_found}/{valid}",
            }
        )
    return rows


def bootstrap(each: np.ndarray[Any, Any], groups: np.ndarray[Any, Any]) -> Share:
    """F1 with a percentile interval over groups of texts."""
    names, group = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(names), each.shape[1]))
    np.add.at(sums, group, each)
    drawn = np.random.default_rng(0).multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES) @ sums
    values = f1_of(drawn)
    return Share(float(f1_of(sums.sum(axis=0)[None])[0]), *np.nanquantile(values, [0.025, 0.975]).tolist())


def f1_of(sums: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    made, right, wanted, found = sums[:, :4].T
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = np.where(made > 0, right / made, 0), found / wanted
        return np.where(precision + recall > 0, 2 * precision * recall / (precision + recall), 0 * wanted / wanted)


# --- Wikipedia -----------------------------------------------------------------------------------------------------


def articles(path: Path) -> list[str]:
    """Texts of the articles of a dump, as gpucurate extracts and normalises them."""
    from gpucurate.recipe.load import parse_recipe
    from gpucurate.run.driver import Cluster, run
    from gpucurate.run.progress import PlainProgress
    from gpucurate.run.vocabulary import VOCABULARY

    recipe = {"name": "w", "sources": [{"name": "w", "wikipedia": {"path": str(path)}}], "steps": ["exact_duplicates"]}
    with tempfile.TemporaryDirectory() as folder:
        run(parse_recipe(recipe, VOCABULARY), Path(folder) / "out", Cluster(inline=True), "cpu", PlainProgress())
        parts = sorted(Path(folder).glob("out/parts/*/documents@*.parquet"))
        return [text for part in parts for text in pq.read_table(part, columns=["text"])["text"].to_pylist()]


def shape(text: str) -> str:
    """What a match looks like without what it says: digits are 9, letters a or A, runs of letters of one kind once."""
    plain = re.sub(r"\d", "9", re.sub(r"[^\W\d_]", lambda m: "A" if m[0].isupper() else "a", text))
    return re.sub(r"([aA])\1+", r"\1", plain)


def write_hits(
    path: Path, corpora: Mapping[str, list[str]], find: Finds, verdicts: Mapping[str, str]
) -> list[dict[str, str]]:
    """Every hit with its id; the file has its text and surroundings too."""
    rows = []
    for name, texts in corpora.items():
        for text in texts:
            data = text.encode()
            for hit in find(text):
                identity = digest16(data + f"{hit.start}-{hit.end}".encode()).hex()[:12]
                match = data[hit.start : hit.end].decode()
                around = data[max(0, hit.start - 80) : hit.end + 80].decode(errors="ignore").replace("\n", " ")
                rows.append(
                    {
                        "id": identity,
                        "dump": name,
                        "class": hit.kind,
                        "score": f"{hit.score:.2f}",
                        "shape": shape(match),
                        "verdict": verdicts.get(identity, ""),
                        "match": match,
                        "around": around,
                    }
                )
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["id"])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--hits", type=Path, help="CSV of gpucurate's hits on Wikipedia, with text")
    parser.add_argument("--verdicts", type=Path, help="CSV with the columns id and verdict, from reading --hits")
    parser.add_argument("--json", type=Path, help="all figures")
    parser.add_argument("--only", help="one of the finders, as the tables name them")
    arguments = parser.parse_args()
    finders: dict[str, Finds] = {
        "gpucurate": gpucurate_finds(),
        "presidio": presidio(0),
        "presidio ≥ 0.4": presidio(0.4),
        "regexes, any phone": regexes(PHONE),
        "regexes, US phone": regexes(NANP_PHONE),
    }
    finders = {name: find for name, find in finders.items() if arguments.only in (None, name)}
    figures: dict[str, Any] = {"sets": {}, "context": {}, "wikipedia": {}}
    for labelled in labelled_sets(arguments.data):
        print(f"\n{labelled.name}: {len(labelled.texts)} texts, {labelled.elsewhere} labels that are not in their text")
        for name, find in finders.items():
            hits = [find(text) for text in labelled.texts]
            for exact in (False, True):
                rows = table_of(labelled, hits, exact)
                how = "exact" if exact else "overlap"
                figures["sets"].setdefault(labelled.name, {}).setdefault(name, {})[how] = rows
                for row in rows:
                    if row["findings"] or name == "gpucurate":
                        print(f"  {name:20s} {how:8s}", *(f"{value!s:>24s}" for value in row.values()))
    sentences = context_sentences(arguments.data)
    print("\nsentences of Presidio's tests with the class found")
    for name, find in finders.items():
        found = Counter(kind for kind, text in sentences if any(hit.kind == kind for hit in find(text)))
        figures["context"][name] = {k: f"{found[k]}/{n}" for k, n in Counter(k for k, _ in sentences).items()}
        print(f"  {name:20s}", figures["context"][name])
    corpora = {name: articles(arguments.data / path) for name, path in (("enwiki", ENWIKI), ("ltgwiki", LTGWIKI))}
    for corpus, texts in corpora.items():
        words = sum(len(text.split()) for text in texts)
        print(f"\n{corpus}: {len(texts)} articles, {words:,} words; hits, and per million words")
        for name, find in finders.items():
            tally = Counter(hit.kind for text in texts for hit in find(text))
            figures["wikipedia"].setdefault(corpus, {"words": words, "articles": len(texts)})[name] = dict(tally)
            per_million = ", ".join(f"{kind} {n} ({n * 1e6 / words:.1f})" for kind, n in sorted(tally.items()))
            print(f"  {name:20s} {sum(tally.values()):6d} ({sum(tally.values()) * 1e6 / words:.1f}): {per_million}")
    if arguments.hits:
        verdicts = {}
        if arguments.verdicts:
            with arguments.verdicts.open(newline="") as file:
                verdicts = {row["id"]: row["verdict"] for row in csv.DictReader(file)}
        rows = write_hits(arguments.hits, corpora, finders["gpucurate"], verdicts)
        tally = Counter((row["dump"], row["class"], row["verdict"] or "unread") for row in rows)
        print("\nhits read:", {" ".join(key): n for key, n in sorted(tally.items())})
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
