"""The audit for people: counts, a histogram, and pairs of texts with their differences marked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gpucurate.report.duplicates.audit import BINS, Audit, Pair
from gpucurate.report.duplicates.documents import Side

BAR = 40  # columns of the longest bar
CONTEXT = 4  # words shown around a difference
HEADINGS = (
    ("largest", "Largest clusters: what stays, and the removed member least like it"),
    ("refused", "Refused by verification: the most similar pairs that were not similar enough"),
    ("apart", "Kept beside their representative: similar only to documents that go"),
)


def print_audit(audit: Audit, console: Console, length: int) -> None:
    """The whole audit; `length` is how many words of differences are shown of a pair."""
    print_counts(audit, console)
    for field, heading in HEADINGS:
        pairs: list[Pair] = getattr(audit, field)
        if pairs:
            console.print(f"\n[bold]{heading}[/bold]")
        for pair in pairs:
            print_pair(pair, console, length)


def print_counts(audit: Audit, console: Console) -> None:
    """Numbers and distributions."""
    refused = audit.compared - audit.verified
    console.print(
        f"{audit.compared:,} candidate pairs compared: {audit.verified:,} verified at {audit.threshold:g}, "
        f"{refused:,} refused"
    )
    console.print(
        f"{audit.clusters:,} clusters with {audit.members:,} documents: {audit.removed:,} removed "
        f"({audit.removed_for_indexed:,} for documents of an older corpus), {audit.kept_apart:,} kept beside their "
        "representative"
    )
    if audit.sizes:
        rows = [(f"{size:,}+", number) for size, number in audit.sizes]
        _histogram("cluster size", "clusters", rows, console)
    if audit.compared:
        rows = [(f"{n / BINS:.1f}", number) for n, number in enumerate(audit.similarities) if number]
        _histogram("similarity from", "pairs", rows, console)


def print_pair(pair: Pair, console: Console, length: int) -> None:
    """Two documents with the words in which they differ."""
    said = f"similarity {pair.similarity:.4f}" if pair.similarity is not None else "not compared or not similar"
    size = f", cluster of {pair.cluster_size:,}" if pair.cluster_size else ""
    console.print(f"\n[bold]{pair.kind}[/bold] {said}{size}", highlight=False)
    for sign, side in (("A", pair.first), ("B", pair.second)):
        console.print(f"  {sign} {side.record_id} {escape(side.uri)} {escape(side.title)}".rstrip(), highlight=False)
    if not pair.first.text or not pair.second.text:
        console.print("  (the text of an older corpus is not here)")
        return
    console.print("  " + " ".join(difference(pair.first, pair.second, length)), highlight=False)


def difference(first: Side, second: Side, length: int) -> Iterator[str]:
    """Words of both texts, those only in A in red as [-…-], those only in B in green as {+…+}; equal runs are cut."""
    a, b = (re.findall(r"\S+", side.text) for side in (first, second))
    shown = 0
    matcher = difflib.SequenceMatcher(None, a[: 8 * length], b[: 8 * length], autojunk=False)
    for operation, a0, a1, b0, b1 in matcher.get_opcodes():
        if shown >= length:
            yield "…"
            return
        if operation == "equal":
            words = a[a0:a1]
            cut = words if len(words) <= 2 * CONTEXT else [*words[:CONTEXT], "…", *words[-CONTEXT:]]
            yield from map(escape, cut)
            shown += len(cut)
            continue
        for style, opened, closed, words in (("red", "[-", "-]", a[a0:a1]), ("green", "{+", "+}", b[b0:b1])):
            if words:
                marked = f"{opened}{' '.join(words[: length - shown])}{closed}"  # as of `git diff --word-diff`
                yield f"[{style}]{escape(marked)}[/{style}]"
                shown += min(len(words), max(length - shown, 0))


def _histogram(title: str, unit: str, rows: list[tuple[str, int]], console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, justify="right")
    table.add_column(unit, justify="right")
    table.add_column("")
    most = max(number for _, number in rows)
    for label, number in rows:
        table.add_row(label, f"{number:,}", "█" * max(1, round(BAR * number / most)))
    console.print(table)
