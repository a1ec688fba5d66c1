"""Freezing: the digests of a benchmark's files, written into its registry file where they belong.

Only the digests change; comments and layout stay as their author wrote them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from gpucurate.core.errors import UserError
from gpucurate.steps.decontaminate.records import item_texts
from gpucurate.steps.decontaminate.registry import digest_of, read_registry_file
from gpucurate.store.atomic import write_bytes


@dataclass(frozen=True, slots=True)
class Frozen:
    """What freezing did to one entry of a registry file."""

    path: str
    before: str | None
    now: str


def freeze(path: Path, folder: str | None = None) -> tuple[int, list[Frozen]]:
    """Write the digests of a registry file's entries; returns how many records they hold, and what changed.

    The files are read once, so that a wrong field is found before it is frozen.  Raises UserError, InputError,
    StorageError.
    """
    registered = read_registry_file(path, folder)
    records = sum(1 for _ in item_texts(registered))
    done = [Frozen(file.path, file.digest, digest_of(registered, file)) for file in registered.benchmark.files]
    text = path.read_text(encoding="utf-8")
    fresh = _with_digests(text, [each.now for each in done], path)
    if fresh != text:
        write_bytes(path, fresh.encode())
    return records, done


def _with_digests(text: str, digests: list[str], path: Path) -> str:
    """The YAML with one digest an entry of `files`, each in the place of the old one or behind the entry's path."""
    files = _value(yaml.compose(text), "files")
    if not isinstance(files, yaml.SequenceNode):
        raise UserError(f"{path}: files: expected a list")
    edits: list[tuple[int, int, str]] = []
    for node, digest in zip(files.value, digests, strict=True):
        old = _value(node, "digest")
        if old is not None and old.start_mark.index != old.end_mark.index:
            edits.append((old.start_mark.index, old.end_mark.index, digest))
        elif old is not None:  # `digest:` with nothing behind it
            edits.append((old.start_mark.index, old.end_mark.index, f" {digest}"))
        else:
            place = _value(node, "path")
            assert place is not None
            gap = ", " if node.flow_style else "\n" + " " * node.start_mark.column
            edits.append((place.end_mark.index, place.end_mark.index, f"{gap}digest: {digest}"))
    for start, end, put in sorted(edits, reverse=True):
        text = text[:start] + put + text[end:]
    return text


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                found: yaml.Node = value
                return found
    return None
