"""JSON Lines between the commands: one object a line, UTF-8; what is wrong in one is named by file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpucurate.core.errors import InputError


def read_objects(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Objects with their places (`file, line 3`).  Raises InputError for a file or line that cannot be read."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                place = f"{path}, line {number}"
                try:
                    row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
                except (ValueError, RecursionError) as error:  # wrong UTF-8 and endless brackets too
                    if not line.endswith(b"\n"):
                        raise InputError(
                            f"{place}: cut short. Remedy: let the command that writes the file finish; run again, "
                            "it resumes"
                        ) from error
                    raise InputError(f"{place}: no JSON ({error}). Remedy: one object a line, in UTF-8") from error
                if not isinstance(row, dict):
                    raise InputError(f"{place}: no JSON object. Remedy: one object a line, in UTF-8")
                yield place, row
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}. Remedy: correct the path") from error


def as_line(row: Mapping[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"
