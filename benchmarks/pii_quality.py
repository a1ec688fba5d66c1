"""What `pii` finds and what it takes for personal data wrongly, beside Presidio's pattern recognisers and two regexes.

    python benchmarks/pii_quality.py [--data ../shared/data] [--json FILE] [--hits FILE]

Needs presidio-analyzer (with spaCy), phonenumbers and python-stdnum; no model.  Two kinds of tables:

1. Precision, recall and F1 by class on labelled sets (see pii_labels.py).  `overlap`: a finding is right if it shares a
   byte with a label of its class, a label is found if a finding of its class shares a byte with it; `exact`: both ends
   must be equal.  Intervals of 95 %: Wilson for precision and recall; for F1 a percentile bootstrap over texts, or over
   templates where these are filled several times.  `valid` counts the labels found among those that the checksum and
   the rules of the class allow: many labels are invented numbers that a validator must refuse.
   `read` is precision with the findings that have no label judged by a reader, where all of them were: labels were
   forgotten in many texts.
2. False positives on Wikipedia: articles of two dumps, where hardly any personal data is.

`--hits` writes the hits that no label covers, with their text, for reading; pii_verdicts.csv has what was decided about
each: by an id, which is a digest of the text and the place.
"""

from __future__ import annotations

import argparse
import csv
import json
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
from gpucurate.report.pii.shapes import shape
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


def table_of(
    labelled: LabelledSet, hits: Sequence[Sequence[Hit]], exact: bool, verdicts: Mapping[str, str]
) -> list[dict[str, Any]]:
    rows = []
    texts = zip(labelled.texts, labelled.labels, hits, strict=True)
    extra = [(hit.kind, verdicts.get(identity(text, hit))) for text, ls, hs in texts for hit in unlabelled(ls, hs)]
    for kind in sorted({each.kind for labels in labelled.labels for each in labels}):
        each = np.array(
            [counts(labels, found, kind, exact) for labels, found in zip(labelled.labels, hits, strict=True)]
        )
        made, right, wanted, found, valid, valid_found = each.sum(axis=0).tolist()
        f1 = bootstrap(each, np.array(labelled.groups))
        read = Counter(said for extra_kind, said in extra if extra_kind == kind)
        after = right + read["right"]
        rows.append(
            {
                "class": kind,
                "labels": wanted,
                "findings": made,
                "precision": wilson(right / made, made) if made else wilson(0, 0),
                "read": wilson(after / made, made) if made and not exact and not read[None] else "",
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


# --- hits without a label, for reading --------------------------------------------------------------------------------


def identity(text: str, hit: Hit) -> str:
    """Says nothing about the text to whoever does not have it."""
    return digest16(f"{hit.kind} {hit.start}-{hit.end} ".encode() + text.encode()).hex()[:12]


def read_verdicts(path: Path) -> dict[str, str]:
    with path.open(newline="") as file:
        return {row["id"]: row["verdict"] for row in csv.DictReader(file)}


def unlabelled(labels: Sequence[Label], hits: Sequence[Hit]) -> list[Hit]:
    """Hits that touch no label of their class."""
    return [
        hit
        for hit in hits
        if not any(hit.kind == each.kind and hit.start < each.end and each.start < hit.end for each in labels)
    ]


def row_of(place: str, finder: str, text: str, hit: Hit, verdicts: Mapping[str, str]) -> dict[str, str]:
    data = text.encode()
    around = data[max(0, hit.start - 60) : hit.end + 30].decode(errors="ignore")
    match = data[hit.start : hit.end].decode()
    name = identity(text, hit)
    return {
        "id": name,
        "place": place,
        "finder": finder,
        "class": hit.kind,
        "shape": shape(match),
        "verdict": verdicts.get(name, ""),
        "match": match,
        "around": " ".join(around.split()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--hits", type=Path, help="CSV of hits without a label, with text, to be read")
    parser.add_argument("--verdicts", type=Path, default=Path(__file__).with_name("pii_verdicts.csv"))
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
    verdicts = read_verdicts(arguments.verdicts) if arguments.verdicts.exists() else {}
    to_read: list[dict[str, str]] = []
    figures: dict[str, Any] = {"sets": {}, "context": {}, "wikipedia": {}}
    for labelled in labelled_sets(arguments.data):
        print(f"\n{labelled.name}: {len(labelled.texts)} texts, {labelled.elsewhere} labels that are not in their text")
        for name, find in finders.items():
            hits = [find(text) for text in labelled.texts]
            texts = zip(labelled.texts, labelled.labels, hits, strict=True)
            to_read += [row_of(labelled.name, name, t, h, verdicts) for t, ls, hs in texts for h in unlabelled(ls, hs)]
            for exact in (False, True):
                rows = table_of(labelled, hits, exact, verdicts)
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
            found_here = [(text, hit) for text in texts for hit in find(text)]
            tally = Counter(hit.kind for _, hit in found_here)
            read = Counter((h.kind, verdicts.get(identity(t, h), "unread")) for t, h in found_here)
            if name == "gpucurate":
                to_read += [row_of(corpus, name, text, hit, verdicts) for text, hit in found_here]
            if name == "gpucurate":
                print("  read:", {" ".join(key): n for key, n in sorted(read.items())})
            figures["wikipedia"].setdefault(corpus, {"words": words, "articles": len(texts)})[name] = dict(tally)
            per_million = ", ".join(f"{kind} {n} ({n * 1e6 / words:.1f})" for kind, n in sorted(tally.items()))
            print(f"  {name:20s} {sum(tally.values()):6d} ({sum(tally.values()) * 1e6 / words:.1f}): {per_million}")
    if arguments.hits:
        with arguments.hits.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(to_read[0]) if to_read else ["id"])
            writer.writeheader()
            writer.writerows(to_read)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
