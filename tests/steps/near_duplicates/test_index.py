"""A new dump against an older corpus, of which only the index is left."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from gpucurate.core.errors import InputError, RecipeError, UserError
from gpucurate.recipe.load import parse_recipe
from gpucurate.run.vocabulary import VOCABULARY

from . import runs
from .corpora import edited, words
from .runs import index

Old = tuple[Path, list[list[str]]]  # folder of the indexes, words of the older corpus


def curate(name: str, root: Path, texts: list[str], **settings: object) -> Path:
    return runs.curate(name, root, texts, [{"near_duplicates": settings}])


def fates(out: Path) -> dict[str, str | None]:
    tables = [pq.read_table(path) for path in out.glob("parts/*/decisions@*")]
    return {row["uri"]: row["reason"] for table in tables for row in table.to_pylist()}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Old:
    """An older corpus of which only the indexes are left, and its words."""
    root = tmp_path_factory.mktemp("old")
    rng = random.Random(6)
    base = [words(rng, 150) for _ in range(60)]
    out = curate("old", root, [" ".join(each) for each in [*base, edited(rng, base[0], 2)]])
    assert index(out, root / "index") == 60
    assert index(out, root / "signatures", exact=False) == 60
    shutil.rmtree(out)
    (root / "old.jsonl").unlink()
    return root, base


@pytest.mark.parametrize(("folder", "verify"), [("index", "jaccard"), ("signatures", "signature")])
def test_documents_like_indexed_ones_go_and_name_them(old: Old, tmp_path: Path, folder: str, verify: str) -> None:
    root, base = old
    rng = random.Random(7)
    fresh = [words(rng, 150) for _ in range(20)]
    like_old = [edited(rng, each, 1) for each in base[:30]]
    texts = [" ".join(each) for each in [*fresh, *like_old, fresh[0]]]
    out = curate("new", tmp_path, texts, against=str(root / folder), verify=verify)
    found = fates(out)
    assert sum(reason == "near_duplicates.indexed" for reason in found.values()) == 30
    assert sum(reason == "near_duplicates.copy" for reason in found.values()) == 1
    assert all(found[f"new/{n}"] == "near_duplicates.indexed" for n in range(20, 50))
    known = ipc.open_file(root / folder / "documents-00000.arrow").read_all()
    uri_of = dict(zip(known["record_id"].to_pylist(), known["uri"].to_pylist(), strict=True))
    said = pq.read_table(next(out.glob("parts/*/near_duplicates@*"))).to_pylist()
    for number, row in enumerate(said[20:50]):
        assert row["indexed"]
        assert uri_of[row["duplicate_of"]] in {f"old/{number}", *(["old/60"] if number == 0 else [])}
        assert row["cluster_size"] >= 2


@pytest.mark.parametrize("settings", [{"bands": 13}, {"rows": 7}, {"shingle": 4}, {"scope": "source"}])
def test_other_settings_are_refused(old: Old, tmp_path: Path, settings: dict[str, object]) -> None:
    with pytest.raises(UserError, match="was built with"):
        curate("new", tmp_path, ["text"], against=[str(old[0] / "index")], **settings)


def test_signatures_alone_cannot_be_compared_exactly(old: Old, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="signatures only"):
        curate("new", tmp_path, ["text"], against=str(old[0] / "signatures"))


def test_what_is_no_index(old: Old, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "new.jsonl"):
        with pytest.raises(InputError, match=r"holds no index\.json"):
            curate("new", tmp_path, ["text"], against=str(path))
    shutil.copytree(old[0] / "index", tmp_path / "damaged")
    (tmp_path / "damaged" / "bands-00000.arrow").unlink()
    with pytest.raises(InputError, match=r"bands-00000\.arrow is missing"):
        curate("new", tmp_path, ["text"], against=str(tmp_path / "damaged"))
    (tmp_path / "damaged" / "index.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        curate("new", tmp_path, ["text"], against=str(tmp_path / "damaged"))


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"format": 0, "settings": {}}, UserError, "has format 0"),
        ({"chunks": ["x"]}, InputError, "damaged"),
        ({"chunks": [7]}, InputError, "has 60 documents, index.json says 7"),
    ],
)
def test_marks_that_do_not_fit_the_files(
    old: Old, tmp_path: Path, change: dict[str, object], error: type[Exception], said: str
) -> None:
    shutil.copytree(old[0] / "index", tmp_path / "changed")
    mark = tmp_path / "changed" / "index.json"
    mark.write_text(json.dumps(json.loads(mark.read_bytes()) | change))
    with pytest.raises(error, match=said):
        curate("new", tmp_path, ["some text"], against=str(tmp_path / "changed"))


def test_an_index_that_was_not_finished_is_written_again(tmp_path: Path) -> None:
    out = curate("one", tmp_path, ["some text", "another text"])
    assert index(out, tmp_path / "whole") == 2
    shutil.copytree(tmp_path / "whole", tmp_path / "left")
    (tmp_path / "left" / "index.json").unlink()
    (tmp_path / "left" / "sets-00000.arrow").unlink()
    (tmp_path / "left" / "bands-00007.arrow").write_bytes(b"of another run")
    for name in ("sets-00000.arrow", "index.json"):
        (tmp_path / "left" / f".tmp-1-a-{name}").touch()
    assert index(out, tmp_path / "left") == 2
    whole, left = ({p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("whole", "left"))
    assert whole == left
    with pytest.raises(UserError, match="not empty"):
        index(out, tmp_path / "left")


def test_an_index_is_not_written_over_anything(tmp_path: Path) -> None:
    out = curate("one", tmp_path, ["some text"])
    (tmp_path / "folder").mkdir()
    for name in ("bands-00000.arrow", ".tmp-1-a-bands-00000.arrow", "file"):
        (tmp_path / "folder" / name).touch()
    for path in (tmp_path / "folder", tmp_path / "folder" / "file"):
        with pytest.raises(UserError, match="not empty"):
            index(out, path)
    assert len(list((tmp_path / "folder").iterdir())) == 3


def test_an_index_that_is_named_twice_is_refused(old: Old, tmp_path: Path) -> None:
    shutil.copytree(old[0] / "index", tmp_path / "copy")
    with pytest.raises(UserError, match="are the same index"):
        curate("new", tmp_path, ["text"], against=[str(old[0] / "index"), str(tmp_path / "copy")])


@pytest.mark.parametrize("value", ["", [""], 3, [3], {"a": 1}, None])
def test_what_names_no_folder(tmp_path: Path, value: object) -> None:
    with pytest.raises(RecipeError, match="expected the folder of an index"):
        parse_recipe(runs.recipe("new", tmp_path, [{"near_duplicates": {"against": value}}]), VOCABULARY)


def test_indexes_of_runs_without_documents(tmp_path: Path) -> None:
    """No record at all, and a document without words; neither index keeps anything from staying."""
    for name, texts in (("none", []), ("wordless", ["!"])):
        assert index(curate(name, tmp_path, texts), tmp_path / f"{name}-index") == len(texts)
    indexes = [str(tmp_path / "none-index"), str(tmp_path / "wordless-index")]
    found = fates(curate("new", tmp_path, ["a b c", "a b c", "!"], against=indexes))
    assert found["new/2"] is None
    assert {found["new/0"], found["new/1"]} == {None, "near_duplicates.copy"}
