"""Stands in for NeMo Curator's workflow: reads a job, writes what NeMo Curator 1.4.0 leaves behind.

The layout is the one described in gpucurate/steps/near_duplicates/nemo/groups.py.  Documents are duplicates here if
their texts are equal but for case.  As with NeMo, ids follow the arrival of the files, labels are any member's id, the
rows are in no order and lie in several files.  The first argument chooses how it ends.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

FILES_OF_COMPONENTS = 2


def write_outputs(job: dict, seed: int) -> int:
    """Registry, components and ids to remove; how many those are."""
    folder = Path(job["folder"])
    chance = random.Random(seed)
    paths = [str(folder / "texts" / name) for name in job["files"]]
    chance.shuffle(paths)
    registry, texts = {}, []
    for path in paths:
        column = pq.read_table(path, columns=["text"])["text"].to_pylist()
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, path))
        registry[key] = [len(texts), len(texts) + len(column) - 1]
        texts += column
    (folder / "output").mkdir()
    said = {"next_id": len(texts), "batch_registry": registry}
    (folder / "output" / "fuzzy_id_generator.json").write_text(json.dumps(said))
    groups: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        groups.setdefault(text.casefold(), []).append(number)
    rows = [(member, max(ids)) for ids in groups.values() if len(ids) > 1 for member in ids]
    if not rows:
        return 0  # NeMo skips the stage, so its folder is not even made
    chance.shuffle(rows)
    stage = folder / "cache" / "ConnectedComponentsStage"
    stage.mkdir(parents=True)
    for file in range(FILES_OF_COMPONENTS):
        ids, labels = [row[0] for row in rows[file::2]], [row[1] for row in rows[file::2]]
        table = pa.table({"_curator_dedup_id": pa.array(ids, pa.int64()), "_duplicate_group_id": labels})
        pq.write_table(table, stage / f"r{uuid.UUID(int=chance.getrandbits(128)).hex}.parquet")
    removed = [member for ids in groups.values() for member in chance.sample(ids, len(ids) - 1)]
    (folder / "output" / "FuzzyDuplicateIds").mkdir()
    table = pa.table({"_curator_dedup_id": sorted(removed)})
    pq.write_table(table, folder / "output" / "FuzzyDuplicateIds" / "part.0.parquet")
    return len(removed)


def main(behaviour: str, description: str) -> None:
    job = json.loads(Path(description).read_text())
    folder = Path(job["folder"])
    with (folder.parent / "calls").open("a") as calls:
        calls.write("called\n")
    if behaviour == "fails":
        print("\n".join(f"line {n}" for n in range(100)))
        sys.exit("out of memory on GPU 0")
    if behaviour == "hangs":  # like Ray: a process in a session of its own, which holds no pipe of ours
        quiet = subprocess.DEVNULL
        left = subprocess.Popen(["sleep", "600"], start_new_session=True, stdin=quiet, stdout=quiet, stderr=quiet)
        (folder.parent / "left").write_text(str(left.pid))
        (folder.parent / "left").replace(folder.parent / "left.pid")
        if "--deaf" not in sys.argv:
            sys.stdin.buffer.read()
            sys.exit(1)
        time.sleep(600)
    if behaviour == "forgets":
        return
    duplicates = write_outputs(job, seed=int(behaviour) if behaviour.isdigit() else 0)
    if behaviour == "loses":
        next((folder / "cache" / "ConnectedComponentsStage").glob("*.parquet")).unlink()
    (folder / "finished.json").write_text(json.dumps({"duplicates": duplicates}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[-1])
