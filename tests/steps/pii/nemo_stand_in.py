"""Does what NeMo Curator's pipeline does to a job's files, without it: `python nemo_stand_in.py works JOB`.

Files are handled and named in another order than they were written, as Ray's workers do.  Other behaviours lose a
document, give some twice, or fail; those find nothing, so as not to load the detectors.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

behaviour, description = sys.argv[1:]
folder = Path(description).parent


def detectors() -> Callable[[pa.Table], pa.Table]:
    from gpucurate.steps.pii.config import PiiConfig
    from gpucurate.steps.pii.finder import Finder

    finder = Finder(PiiConfig.model_validate_json(Path(description).read_text()))
    return lambda table: finder.find(table["text"])


def found_in(table: pa.Table, find: Callable[[pa.Table], pa.Table] | None) -> list[str]:
    found: list[list[object]] = [[] for _ in range(table.num_rows)]
    for row in find(table).to_pylist() if find else ():
        found[row.pop("row")].append(list(row.values()))
    return [json.dumps(each) for each in found]


if behaviour == "fails":
    sys.exit("no room for the object store")
find = detectors() if behaviour == "works" else None
(folder / "output").mkdir()
for number, path in enumerate(sorted(folder.glob("texts/*.parquet"), reverse=True)):
    table = pq.read_table(path)
    answer = pa.table({"document": table["document"], "findings": found_in(table, find)})
    if behaviour == "loses" and number == 1:
        answer = answer.slice(1)
    pq.write_table(answer, folder / "output" / f"{number}.parquet")
    if behaviour == "doubles":
        pq.write_table(answer, folder / "output" / f"{number}-again.parquet")
(folder / "finished").touch()
