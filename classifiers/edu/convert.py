"""Published ratings as a sample and labels: CSV with a header, a JSON list of objects, or JSON Lines.

    python classifiers/edu/convert.py ratings.csv --judge Llama-3.3-70B --source fineweb-edu --language eng --out edu
    python classifiers/edu/convert.py ratings.json --judge gemini --source fineweb2 --score educational_score \\
      --uri url --language-field language --out danish

writes sample.jsonl and labels.jsonl.  A document that is there several times was rated several times: its rows become
repeats.  Every document has the weight 1: nobody knows how the published ones were drawn.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gpucurate.classifier.examples import text_digest
from gpucurate.classifier.json_lines import as_line, read_objects
from gpucurate.core.digests import digest16
from gpucurate.core.errors import GpucurateError, InputError
from gpucurate.store.atomic import write_bytes


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--judge", required=True, help="Who rated.")
@click.option("--source", required=True, help="Where the texts are from.")
@click.option("--text", default="text", show_default=True, help="Field of the text.")
@click.option("--score", default="score", show_default=True, help="Field of the rating, 0 to 5.")
@click.option("--uri", help="Field of the address [default: none].")
@click.option("--language", help="Language of all texts.")
@click.option("--language-field", help="Field of the language.")
@click.option("--rubric", default="unknown", show_default=True, help="Digest of the rubric, if it is known.")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
def convert(
    path: Path, judge: str, source: str, text: str, score: str, uri: str | None, language: str | None,
    language_field: str | None, rubric: str, out: Path,
) -> None:  # fmt: skip
    """Convert the ratings in PATH."""
    samples: dict[str, bytes] = {}
    labels: list[bytes] = []
    repeats: Counter[str] = Counter()
    for place, row in objects(path):
        try:
            body, rating = row[text], float(row[score])
            address = row[uri] if uri else ""
            spoken = row[language_field] if language_field else language
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{place}: {error!r}. Remedy: name the fields with --text, --score, --uri") from error
        record = digest16(f"{source}\0{address}\0{body}".encode()).hex()
        document = {"record_id": record, "source": source, "uri": address, "title": None, "language": spoken}
        samples[record] = as_line({**document, "text": body, "weight": 1.0, "stratum": "all"})
        label = {"record_id": record, "score": rating, "judge": judge, "rubric": rubric, "repeat": repeats[record]}
        labels.append(as_line({**label, "answer": str(rating), "text_digest": text_digest(body), "tokens": None}))
        repeats[record] += 1
    write_bytes(out / "sample.jsonl", b"".join(samples.values()))
    write_bytes(out / "labels.jsonl", b"".join(labels))
    click.echo(f"{out}: {len(samples):,} documents, {len(labels):,} ratings")


def objects(path: Path) -> Iterator[tuple[str, Any]]:
    """Rows with their places.  Raises InputError for a file that is none of the three kinds."""
    if path.suffix == ".csv":
        csv.field_size_limit(sys.maxsize)
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 1):
                yield f"{path}, row {number}", row
    elif path.suffix == ".json":
        try:
            rows = json.loads(path.read_bytes())
        except ValueError as error:
            raise InputError(
                f"{path}: no JSON ({error}). Remedy: one list of objects, or JSON Lines as .jsonl"
            ) from error
        yield from ((f"{path}, object {number}", row) for number, row in enumerate(rows, 1))
    else:
        yield from read_objects(path)


if __name__ == "__main__":
    try:
        convert()
    except GpucurateError as error:
        raise SystemExit(f"{error}") from error
