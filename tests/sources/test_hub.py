from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from blake3 import blake3

from gpucurate.core.errors import InputError, MissingExtra, RecipeError
from gpucurate.sources.contract import Chunk
from gpucurate.sources.hub import Hub, HubConfig, source, streamed

datasets = pytest.importorskip("datasets")


@pytest.fixture(autouse=True)
def nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    source._open_split.cache_clear()
    yield
    source._open_split.cache_clear()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A data set as on the hub: three training files and a test file."""
    data = tmp_path / "pool" / "data"
    data.mkdir(parents=True)
    for part in range(3):
        rows = [{"text": f"text {part}.{row}", "id": row, "meta": {"author": "x"}} for row in range(part + 1)]
        (data / f"train-{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (data / "test.jsonl").write_text('{"text":"test","id":0,"meta":{"author":"y"}}\n')
    return tmp_path / "pool"


def read(path: Path | str, **config: Any) -> list[Chunk]:
    hub = Hub("pool", HubConfig(path=(str(path),), **config))
    return [chunk for unit in hub.units(hub.files()) for chunk in hub.read(unit)]


def documents(chunks: list[Chunk]) -> list[dict[str, Any]]:
    return [row for chunk in chunks for row in chunk.documents.to_pylist()]


def texts(chunks: list[Chunk]) -> list[str]:
    return [row["text"] for row in documents(chunks)]


def test_each_data_file_is_an_input_file(directory: Path) -> None:
    files = Hub("pool", HubConfig(path=(str(directory),))).files()
    assert [file.name for file in files] == [f"pool/data/train-{part}.jsonl" for part in range(3)]
    content = (directory / "data" / "train-0.jsonl").read_bytes()
    assert (files[0].size, files[0].digest) == (len(content), blake3(content).hexdigest())


def test_rows_are_documents_in_order(directory: Path) -> None:
    rows = documents(read(directory, title_field="meta.author"))
    assert [row["text"] for row in rows] == ["text 0.0", "text 1.0", "text 1.1", "text 2.0", "text 2.1", "text 2.2"]
    last = rows[-1]
    assert (last["uri"], last["file"], last["position"]) == ("pool/data/train-2.jsonl#2", "pool/data/train-2.jsonl", 2)
    assert (last["revision"], last["title"], last["raw_bytes"]) == ("2", "x", 8)
    assert texts(read(directory, split="test")) == ["test"]


def test_ids_do_not_depend_on_where_the_directory_lies(directory: Path) -> None:
    before = [row["record_id"] for row in documents(read(directory))]
    (directory.parent / "far").mkdir()
    assert [row["record_id"] for row in documents(read(directory.rename(directory.parent / "far" / "pool")))] == before


def test_other_formats(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    table = pa.table({"text": ["a", None, "c"], "n": [1, 2, 3]})
    for part in range(2):
        pq.write_table(table, tmp_path / "tables" / f"train-{part}.parquet")
    chunks = read(tmp_path / "tables")
    assert texts(chunks) == ["a", "c"] * 2
    assert [row["reason"] for chunk in chunks for row in chunk.quarantine.to_pylist()] == ["hub.no_text"] * 2


def test_a_single_file_and_one_that_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "train.jsonl").write_text('{"text":"a"}\n')
    assert texts(read(tmp_path / "one")) == ["a"]
    source._open_split.cache_clear()
    (tmp_path / "one" / "train.jsonl").write_text('{"text":"a"}\n{"text":\n')
    (row,) = [row for chunk in read(tmp_path / "one") for row in chunk.quarantine.to_pylist()]
    assert (row["reason"], row["file"], row["position"]) == ("hub.damaged", "one/train.jsonl", 0)


@pytest.mark.parametrize("several", [True, False])
def test_a_directory_from_save_to_disk(tmp_path: Path, several: bool) -> None:
    datasets.disable_progress_bars()
    rows = datasets.Dataset.from_dict({"text": [f"t{i}" for i in range(10)], "id": list(range(10))})
    if several:
        datasets.DatasetDict({"train": rows, "test": rows.select([0])}).save_to_disk(
            tmp_path / "saved", num_shards={"train": 3, "test": 1}
        )
        with pytest.raises(RecipeError, match=r"has no split 'trian'; did you mean 'train'\?"):
            read(tmp_path / "saved", split="trian")
    else:
        rows.save_to_disk(tmp_path / "saved", num_shards=3)
    hub = Hub("pool", HubConfig(path=(str(tmp_path / "saved"),)))
    below = "saved/train" if several else "saved"
    assert [file.name for file in hub.files()] == [f"{below}/data-0000{i}-of-00003.arrow" for i in range(3)]
    assert texts(read(tmp_path / "saved")) == [f"t{i}" for i in range(10)]


def test_a_damaged_saved_directory(tmp_path: Path) -> None:
    datasets.Dataset.from_dict({"text": ["a"] * 10}).save_to_disk(tmp_path / "saved")
    arrow = next((tmp_path / "saved").glob("*.arrow"))
    arrow.write_bytes(arrow.read_bytes()[:200])
    (row,) = [row for chunk in read(tmp_path / "saved") for row in chunk.quarantine.to_pylist()]
    assert row["reason"] == "hub.damaged"
    source._open_split.cache_clear()
    (tmp_path / "saved" / "state.json").write_text("{")
    with pytest.raises(InputError, match=r"cannot read .*state\.json"):
        read(tmp_path / "saved")


def test_mistakes(directory: Path) -> None:
    with pytest.raises(RecipeError, match=r"Bad split: trian\. Available splits: \['train', 'test'\]"):
        read(directory, split="trian")
    with pytest.raises(RecipeError, match="'nosuch' not found"):
        read(directory, subset="nosuch")
    with pytest.raises(RecipeError, match=r"train-0\.jsonl has no field 'texte'; did you mean 'text'"):
        read(directory, text_field="texte")
    with pytest.raises(InputError, match="no such directory: /no/such"):
        read("/no/such")


def test_a_data_set_that_changed_since_it_was_listed(directory: Path) -> None:
    hub = Hub("pool", HubConfig(path=(str(directory),)))
    (unit, *_) = hub.units(hub.files())
    (directory / "data" / "train-0.jsonl").write_text('{"text":"longer than it was before"}\n' * 3)
    source._open_split.cache_clear()
    with pytest.raises(InputError, match=r"train-0\.jsonl is not what the run listed"):
        list(hub.read(unit))


def test_files_on_the_hub_are_named_without_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed.remote_files, "describe", lambda url: (7, "etag:blob"))
    file = streamed._describe("hf://datasets/owner/name@0123abc/data/a.parquet", "owner/name")
    assert (file.name, file.size, file.digest) == ("owner/name/data/a.parquet", 7, "etag:blob")


def test_offline_is_said_plainly(tmp_path: Path) -> None:
    program = (
        "from gpucurate.sources.hub import *\n"
        "from gpucurate.core.errors import InputError\n"
        "try: Hub('pool', HubConfig(path=('owner/name',))).files()\n"
        "except InputError as error: print(error)"
    )
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert "data set 'owner/name' cannot be reached or does not exist" in done.stdout
    assert "Remedy: check the name, the network" in done.stdout


def test_without_the_package(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtra, match=r"'datasets'.*gpucurate\[hub\]"):
        read(directory)
