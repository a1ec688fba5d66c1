"""Parts of samples and labels as files of their own, line for line as they were."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from gpucurate.classifier.json_lines import as_line, read_objects
from gpucurate.store.atomic import write_bytes


def write_part(directory: Path, samples: Sequence[Path], labels: Sequence[Path], record_ids: Collection[str]) -> None:
    """Write `sample.jsonl` and `labels.jsonl` with what belongs to these records; unlabelled documents are left out."""
    for name, paths in (("sample.jsonl", samples), ("labels.jsonl", labels)):
        lines = [as_line(row) for path in paths for _, row in read_objects(path) if row.get("record_id") in record_ids]
        write_bytes(directory / name, b"".join(dict.fromkeys(lines)))
