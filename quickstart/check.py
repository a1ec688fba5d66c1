"""Compare a run with what was planted: `python quickstart/check.py POOL OUT`.

Exit code 1 if a single document met another fate than planned, or a text that had to vanish is left.  Everything is
read from the run's own account, decisions and documents; nothing is computed again.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpucurate import open_shards
from gpucurate.core.errors import GpucurateError, UserError
from gpucurate.report.funnel import funnel_data
from gpucurate.report.verify import surviving_texts
from gpucurate.run.state import RunState, open_finished
from gpucurate.store.artifacts import Artifact, read_table
from gpucurate.store.directory import OutputDirectory
from gpucurate.tokens.reader import Shards

SHOWN = 5  # differences of one kind that are spelled out
Planted = dict[str, Any]


def main(pool: Path, out: Path) -> int:
    """Print planted against found; returns the exit code."""
    planted = read_planted(pool)
    context, state = open_finished(out)
    directory = context.directory
    texts = [text for part in surviving_texts(context, state) for text in part["text"].to_pylist()]
    shards = open_shards(str(out))
    differences = [
        *compare_counts(planted, funnel_data(directory), shards.description.account["documents"]),
        *compare_edits(planted, funnel_data(directory)),
        *compare_fates(planted, fates(directory, state)),
        *compare_texts(planted, texts),
    ]
    if differences:
        print(f"\n{len(differences)} differences between what was planted and what was found:")
        print("\n".join(f"  {line}" for line in differences))
        return 1
    print("\nEverything that was planted was found, and nothing else was removed.")
    print_next(directory, shards)
    return 0


def read_planted(pool: Path) -> Planted:
    """What pool.py wrote down; raises UserError if it is not there."""
    path = pool / "planted.json"
    if not path.is_file():
        raise UserError(f"{path} is missing. Remedy: python quickstart/pool.py {pool}")
    planted: Planted = json.loads(path.read_text(encoding="utf-8"))
    return planted


def compare_counts(planted: Planted, funnel: dict[str, Any], in_shards: int) -> Iterator[str]:
    """Documents by step and reason, those that were kept, and those in the shards; prints the table."""
    expected = {(row["step"], row["reason"]): row["documents"] for row in planted["counts"]}
    found = {
        (step["name"], reason): tally["documents"]
        for step in funnel["steps"]
        for verdict in ("dropped", "quarantined")
        for reason, tally in step[verdict].items()
    }
    expected["", "kept"] = expected["", "in shards"] = len(planted["kept"]) + sum(map(len, planted["one_of"].values()))
    found["", "kept"], found["", "in shards"] = funnel["steps"][-1]["kept"]["documents"], in_shards
    order = {step["name"]: number for number, step in enumerate([*funnel["steps"], {"name": ""}])}
    print(f"{'step':<18}{'reason':<36}{'planted':>8}{'found':>8}")
    for step, reason in sorted({**expected, **found}, key=lambda key: (order.get(key[0], 0), key)):
        want, have = expected.get((step, reason), 0), found.get((step, reason), 0)
        print(f"{step:<18}{reason:<36}{want:>8}{have:>8}{'' if want == have else '  DIFFERS'}")
        if want != have:
            yield f"{(step + ' ' + reason).strip()}: {want} planted, {have} found"


def compare_edits(planted: Planted, funnel: dict[str, Any]) -> Iterator[str]:
    """Documents that each of these steps had to change."""
    changed = {step["name"]: step["edited"]["documents"] for step in funnel["steps"]}
    for step, expected in planted["edited"].items():
        print(f"{step:<18}{'edited':<36}{expected:>8}{changed.get(step, 0):>8}")
        if expected != changed.get(step):
            yield f"{step}: {expected} documents to change, {changed.get(step, 0)} changed"


def fates(directory: OutputDirectory, state: RunState) -> dict[str, str]:
    """The reason why each document was removed, or `kept`, by its address."""
    found: dict[str, str] = {}
    for settled in state.parts:
        table = read_table(Artifact.at(directory.root / settled.decisions), ["uri", "reason"])
        reasons = (reason or "kept" for reason in table["reason"].to_pylist())
        found.update(zip(table["uri"].to_pylist(), reasons, strict=True))
    return found


def compare_fates(planted: Planted, found: dict[str, str]) -> Iterator[str]:
    """Every single document, by its address."""
    alike = [(reason, uris) for reason, groups in planted["one_of"].items() for uris in groups]
    either = {uri for _, uris in alike for uri in uris}
    expected = dict.fromkeys(planted["kept"], "kept")
    expected.update((uri, reason) for reason, uris in planted["removed"].items() for uri in uris)
    wrong = [
        f"{uri}: planted {expected.get(uri, 'nothing')}, found {found.get(uri, 'nothing')}"
        for uri in sorted({*expected, *found} - either)
        if expected.get(uri) != found.get(uri)
    ]
    for reason, uris in alike:
        fate = Counter(found.get(uri, "nothing") for uri in uris)
        if fate != {"kept": 1, reason: len(uris) - 1}:
            wrong.append(f"{', '.join(uris)}: planted for {reason}, found {dict(fate)}")
    yield from wrong[:SHOWN]
    if len(wrong) > SHOWN:
        yield f"… and {len(wrong) - SHOWN} more documents"


def compare_texts(planted: Planted, texts: list[str]) -> Iterator[str]:
    """What must have vanished from the documents that were kept, and what must be in them."""
    for gone in planted["texts"]["gone"]:
        left = sum(gone in text for text in texts)
        if left:
            yield f"{gone!r} is left in {left} documents"
    for stay in planted["texts"]["stay"]:
        if not any(stay in text for text in texts):
            yield f"{stay!r} is in no document"
    for once in planted["texts"]["once"]:
        left = sum(text.count(once) for text in texts)
        if left != 1:
            yield f"{once[:40]!r}… is left {left} times"
    removed, found = len(planted["texts"]["gone"]), len(planted["texts"]["stay"])
    print(f"\nLooked for {removed} texts that must be gone and {found} that must have stayed.")


def print_next(directory: OutputDirectory, shards: Shards) -> None:
    """Where the results lie and what to do with them."""
    files = len(shards.description.shards)
    print(
        f"""
{files} shards in {directory.shards}: {len(shards):,} rows of {shards.length} tokens.
With the virtual environment active (. .venv/bin/activate):
  gpucurate funnel {directory.root}                                  # once more; --json for programs
  gpucurate samples {directory.root} --reason fineweb.short_lines    # read what a rule removed
  gpucurate duplicates {directory.root}                              # clusters, pairs, what was refused
  gpucurate decontamination {directory.root}                         # benchmark questions that were found, and where
  gpucurate pii audit {directory.root}                               # personal data, with its surroundings
  gpucurate verify {directory.root}                                  # read everything again and check it
  python -c "import gpucurate; x, y = gpucurate.open_shards('{directory.root}')[0]; print(x[:9], y[:9])"
Then your own data: set the path in configs/jsonl.yaml and run that; `gpucurate reference` explains every key."""
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: python quickstart/check.py POOL OUT", file=sys.stderr)
        sys.exit(2)
    try:
        sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
    except GpucurateError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
