"""Why a document survives on one side of benchmarks/end_to_end.py only: every one gets a cause that was looked up.

For a document that the filters of one side drop, datatrove's own filters are asked again about our text, with spaCy's
words and with ours: where they agree with us given our words, the words are the cause.  For one that is lost as a copy,
the documents most similar to it are looked up, and who has kept which of them.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpucurate.core.text_buffers import pack_texts
from gpucurate.run.state import open_finished
from gpucurate.steps.normalize.changes import normalize_texts
from gpucurate.store.artifacts import Artifact, read_table

WORD = re.compile(r"\w+")
SIMILAR = 0.5  # Jaccard over 5-word shingles; 14 bands of 8 rows find less than one pair in 20 below it


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a document of ours: the step's reason or None, and its normalised text."""

    reason: str | None
    text: str

    @property
    def passed_filters(self) -> bool:
        return self.reason is None or self.reason.startswith("near_duplicates.")


@dataclass(frozen=True, slots=True)
class Survivors:
    """datatrove's: texts by URL after the filters, and the URLs that are left after deduplication."""

    filtered: Mapping[str, str]
    kept: frozenset[str]


def our_fates(out: Path) -> dict[str, Fate]:
    """By URL, every document of a finished run."""
    context, state = open_finished(out)
    root = context.directory.root
    fates: dict[str, Fate] = {}
    for settled in state.parts:
        documents = read_table(settled.part.artifact(root), ["uri", "text"])
        decisions = read_table(Artifact.at(root / settled.decisions), ["reason"])
        texts = documents["text"].to_pylist()
        edited = normalize_texts(pack_texts(texts), "NFC", True, True).edit.text.to_pylist()
        rows = zip(documents["uri"].to_pylist(), texts, edited, decisions["reason"].to_pylist(), strict=True)
        fates |= {uri: Fate(reason, old if new is None else new) for uri, old, new, reason in rows}
    return fates


def their_survivors(out: Path) -> Survivors:
    """Read from the folders that the stages wrote."""
    kept = frozenset(row["metadata"]["url"] for row in _json_lines(out / "kept"))
    return Survivors({row["metadata"]["url"]: row["text"] for row in _json_lines(out / "filtered")}, kept)


def _json_lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            yield from map(json.loads, lines)


def explain(
    fates: Mapping[str, Fate],
    theirs: Survivors,
    texts: Path,
    answers: Path,
    ask: Callable[[], None],
) -> Iterator[str]:
    """Lines of a report.  `ask` makes datatrove's filters judge the documents in `texts` and write `answers`."""
    ours = {url for url, fate in fates.items() if fate.reason is None}
    differ = sorted(ours ^ theirs.kept)
    yield f"survivors: {len(ours)} ours, {len(theirs.kept)} datatrove's, {len(ours & theirs.kept)} on both sides"
    with texts.open("w") as stream:
        for url in differ:
            stream.write(json.dumps({"url": url, "text": fates[url].text if url in fates else None}) + "\n")
    ask()
    asked = {row["url"]: row for row in map(json.loads, answers.read_text().splitlines())}
    copies = Copies(fates, theirs)
    causes: dict[str, Counter[str]] = {"ours": Counter(), "datatrove's": Counter()}
    examples: dict[str, str] = {}
    for url in differ:
        cause = _filter_cause(fates.get(url), url in theirs.filtered, asked[url]) or copies.cause(url, url in ours)
        causes["ours" if url in ours else "datatrove's"][cause] += 1
        examples.setdefault(cause, url)
    for side, counts in causes.items():
        yield f"survives on one side only, {side}: {counts.total()}"
        yield from (f"  {number:6} {cause} (e.g. {examples[cause]})" for cause, number in counts.most_common())
    same_text = causes["ours"][OTHER_COPY]
    yield f"counting copies of one text as the same document: {len(ours & theirs.kept) + same_text} on both sides"


def _filter_cause(fate: Fate | None, passed_theirs: bool, answer: Mapping[str, Any]) -> str | None:
    """None where both sides' filters let the document through."""
    if fate is None:
        return "no page for us (no status 200, or no text), a document for datatrove"
    if fate.passed_filters and passed_theirs:
        return None
    agree_given_words = (answer["ours"] is None) == fate.passed_filters
    agree_given_text = (answer["spacy"] is None) == fate.passed_filters
    if agree_given_text and "theirs" in answer:
        if answer["theirs"] == "no text":
            return "trafilatura draws no text from it"
        return "the extracted text: datatrove's filters agree with ours about our text"
    if agree_given_text and answer["read"] is None and not passed_theirs:
        return "not read by datatrove (charset or record)"
    if agree_given_words:
        where = answer["spacy"] or fate.reason
        return f"words: given ours, datatrove's filters agree; else {where}"
    return f"filters differ: we say {fate.reason}, datatrove {answer['ours']} given our words"


OTHER_COPY = "copies: another copy of the same text stays"


class Copies:
    """Which documents resemble one, among all that passed the filters of a side."""

    def __init__(self, fates: Mapping[str, Fate], theirs: Survivors) -> None:
        self.fates, self.theirs = fates, theirs
        passed = {url for url, fate in fates.items() if fate.passed_filters}
        self.sets = {
            url: shingles(theirs.filtered.get(url) or fates[url].text) for url in sorted(passed | set(theirs.filtered))
        }
        self.holders: dict[int, list[str]] = defaultdict(list)
        for url, grams in self.sets.items():
            for gram in grams:
                self.holders[gram].append(url)

    def like(self, url: str) -> dict[str, float]:
        """Similarity by URL, of at least SIMILAR."""
        own = self.sets[url]
        shared = Counter(other for gram in own for other in self.holders[gram] if other != url)
        found = {other: number / (len(own) + len(self.sets[other]) - number) for other, number in shared.items()}
        return {other: value for other, value in found.items() if value >= SIMILAR}

    def cause(self, url: str, kept_by_us: bool) -> str:
        """Of a document that passed both sides' filters and survives on one side only."""
        like = self.like(url)
        if not like:
            return "copies: nothing resembles it"
        other_side_kept = {n for n in like if (n in self.theirs.kept if kept_by_us else self._ours(n))}
        this_side_kept = {n for n in like if (self._ours(n) if kept_by_us else n in self.theirs.kept)}
        if other_side_kept - this_side_kept:
            return OTHER_COPY
        one_side = [n for n in like if self._passed(n) != (n in self.theirs.filtered)]
        if one_side:
            return "copies: its copy passed the filters of one side only"
        best = max(like.values())
        tenth = min(9, int(best * 10)) / 10
        band = "1" if best == 1 else f"{tenth:.1f} to {tenth + 0.1:.1f}"
        return f"copies: found by one side's hashes only, similarity {band}"

    def _ours(self, url: str) -> bool:
        return url in self.fates and self.fates[url].reason is None

    def _passed(self, url: str) -> bool:
        return url in self.fates and self.fates[url].passed_filters


def shingles(text: str) -> set[int]:
    """Hashes of all runs of five words, in lower case."""
    words: Iterable[str] = WORD.findall(text.lower())
    listed = list(words)
    return {hash(tuple(listed[i : i + 5])) for i in range(max(1, len(listed) - 4))}
