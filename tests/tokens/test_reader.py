from __future__ import annotations

import json
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import gpucurate
from gpucurate.core.errors import InputError, UserError
from gpucurate.tokens import reader
from gpucurate.tokens.reader import Shards, open_shards
from gpucurate.tokens.tokenizer import Tokenizer
from tests.tokens.small_corpus import Corpus, corpus

TEXTS = [["alpha beta", "", "gamma", "δ" * 9], ["epsilon zeta eta", "θ", "iota"], ["kappa lambda " * 4]]
LENGTH = 5
Make = Callable[..., tuple[Corpus, Shards]]


@pytest.fixture
def make(bytewise: Tokenizer, tmp_path: Path) -> Make:
    def build(**config: object) -> tuple[Corpus, Shards]:
        small = corpus(bytewise, TEXTS, tmp_path / "tokens")
        small.make(tmp_path / "run" / "shards", **{"length": LENGTH, "size": 14, **config})
        return small, open_shards(tmp_path / "run")

    return build


def owners(small: Corpus, **config: object) -> list[tuple[bytes | None, int, int]]:
    """Brute force: the whole stream as (document or None, token within it, id)."""
    plan = small.plan(**{"length": LENGTH, "size": 14, **config})
    tokens = small.tokens()
    return list(
        chain.from_iterable(
            [*((i, n, token) for n, token in enumerate(tokens[i])), (None, 0, 256)] for i in plan.record_ids.to_pylist()
        )
    )


@pytest.mark.parametrize("layout", [{}, {"format": "stream"}, {"format": "stream", "size": 3}, {"remainder": "pad"}])
def test_rows_against_brute_force(layout: dict[str, object], make: Make) -> None:
    small, shards = make(**layout)
    stream = owners(small, **layout)
    if layout.get("remainder") == "pad":
        stream += [(None, 0, 256)] * shards.description.account["padding"]
    step = LENGTH + (layout.get("format") != "stream")
    rows = [stream[a : a + LENGTH + 1] for a in range(0, len(stream) - LENGTH, step)]
    assert len(shards) == len(rows) > 10
    for i, row in enumerate(rows):
        x, y = shards[i]
        ids = [token for _, _, token in row]
        assert (x.tolist(), y.tolist(), shards.row(i).tolist()) == (ids[:-1], ids[1:], ids)
        assert not x.flags.writeable
        expected = [(d, n) for d, n, _ in row]
        found: list[tuple[bytes | None, int]] = [(None, 0)] * (LENGTH + 1)
        for document, start, length, offset in zip(*shards.boundaries(i), strict=True):
            found[start : start + length] = [(document, offset + n) for n in range(length)]
        assert found == expected


def test_rows_are_views_of_the_files(make: Make) -> None:
    _, shards = make()
    x, y = shards[0]
    assert np.shares_memory(x, y)
    assert np.shares_memory(x, shards.row(0))
    assert isinstance(x, np.ndarray)
    assert not isinstance(x, np.memmap)


def test_indices(make: Make) -> None:
    _, shards = make()
    count = len(shards)
    assert shards[-1][0].tolist() == shards[count - 1][0].tolist()
    assert shards[np.int64(1)][0].tolist() == shards[1][0].tolist()
    for wrong in (count, -count - 1):
        with pytest.raises(IndexError, match=f"row {wrong} of {count}"):
            shards[wrong]
    with pytest.raises(TypeError):
        shards["1"]  # type: ignore[index]
    with pytest.raises(TypeError):
        shards[0:2]  # type: ignore[index]
    assert len([row for row in shards]) == count  # noqa: C416 - by __getitem__, until IndexError


def rows_of(batches: object) -> list[tuple[int, ...]]:
    return [tuple(x.tolist()) for x, _ in batches]  # type: ignore[attr-defined]


def test_epochs_show_every_row_once_in_an_order_of_their_own(make: Make) -> None:
    _, shards = make()
    everything = rows_of(shards)
    first, again, second = (rows_of(shards.epoch(seed)) for seed in (1, 1, 2))
    assert first == again != second
    assert sorted(first) == sorted(second) == sorted(everything)


@pytest.mark.parametrize("world", [1, 2, 3, 5])
def test_ranks_share_an_epoch(world: int, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    _, shards = make()
    monkeypatch.setattr(reader, "EPOCH_BLOCK", 2)
    ranks = [rows_of(shards.epoch(4, rank, world)) for rank in range(world)]
    assert {len(rank) for rank in ranks} == {len(shards) // world}
    whole = rows_of(shards.epoch(4))
    interleaved = list(chain.from_iterable(zip(*ranks, strict=True)))
    assert interleaved == whole[: len(interleaved)]
    assert len(whole) - len(interleaved) < world
    assert rows_of(shards.epoch(4, 0, world, skip=1)) == ranks[0][1:]
    assert rows_of(shards.epoch(4, 0, world, skip=1000)) == []


@pytest.mark.parametrize("share", [(2, 2, 0), (-1, 2, 0), (0, 0, 0), (0, 1, -1)])
def test_no_such_share(share: tuple[int, int, int], make: Make) -> None:
    _, shards = make()
    with pytest.raises(UserError, match="no such share"):
        shards.epoch(0, *share)


def test_pickles_and_forks(make: Make) -> None:
    _, shards = make()
    before = rows_of(shards)
    shards.boundaries(0)
    copy = pickle.loads(pickle.dumps(shards))
    assert rows_of(copy) == before
    assert len(pickle.dumps(shards)) < 10_000
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(rows_of, (shards,)) == before


def test_few_indexes_are_kept(make: Make) -> None:
    _, shards = make(size=6)
    for i in [*range(len(shards)), 0]:
        shards.boundaries(i)
    assert len(shards._indexes) <= reader.INDEXES_KEPT < len(shards)


def test_the_public_name_and_both_directories(make: Make, tmp_path: Path) -> None:
    make()
    assert len(gpucurate.open_shards(str(tmp_path / "run"))) == len(gpucurate.open_shards(str(tmp_path / "run/shards")))
    assert "rows of 5 + 1, uint16" in repr(gpucurate.open_shards(str(tmp_path / "run")))


def test_reading_loads_no_framework(make: Make, tmp_path: Path) -> None:
    make()
    code = (
        "import sys, gpucurate; s = gpucurate.open_shards(sys.argv[1]); next(s.epoch(0)); s.boundaries(0); "
        "print(sorted({'torch', 'dask', 'numba', 'tiktoken', 'tokenizers', 'awkward'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path / "run")], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_where_there_are_no_shards(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a directory"):
        open_shards(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds no finished shards .*Remedy"):
        open_shards(tmp_path)


def test_damage_is_named(make: Make, tmp_path: Path) -> None:
    _, shards = make()
    first = shards.directory / shards.description.shards[0].file
    content = first.read_bytes()
    for damaged in (b"", content[:60], content[:-3], b"x" + content[1:]):
        first.write_bytes(damaged)
        with pytest.raises(InputError, match=r"shard-00000\.npy cannot be read.*Remedy"):
            pickle.loads(pickle.dumps(shards))[0]
    np.save(first, np.zeros((1, 6), np.uint32))
    with pytest.raises(InputError, match=r"holds uint32 of shape \(1, 6\)"):
        pickle.loads(pickle.dumps(shards))[0]
    first.unlink()
    with pytest.raises(InputError, match=r"shard-00000\.npy cannot be read"):
        pickle.loads(pickle.dumps(shards))[0]
    (shards.directory / "index.parquet").write_bytes(b"")
    with pytest.raises(InputError, match=r"index\.parquet cannot be read"):
        shards.boundaries(0)


@pytest.mark.parametrize("change", [{"rows": 1}, {"version": 2}, {"shards": None}, {"more": 1}])
def test_a_changed_description_is_damaged(change: dict[str, object], make: Make) -> None:
    _, shards = make()
    path = shards.directory / "shards.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=r"shards\.json (is damaged|cannot be read)"):
        open_shards(shards.directory)
    for content in (b"", b"[]", b"{}", b"\xff"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"shards\.json cannot be read"):
            open_shards(shards.directory)


def test_no_rows(bytewise: Tokenizer, tmp_path: Path) -> None:
    corpus(bytewise, [["short"]], tmp_path / "tokens").make(tmp_path / "shards", length=50)
    shards = open_shards(tmp_path)
    assert len(shards) == 0
    assert list(shards.epoch(0)) == []
    with pytest.raises(IndexError):
        shards[0]
