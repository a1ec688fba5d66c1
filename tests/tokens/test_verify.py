from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from gpucurate.core.digests import digest_file
from gpucurate.core.text_buffers import Offsets
from gpucurate.tokens.description import Description, read_description
from gpucurate.tokens.engines import Ids
from gpucurate.tokens.tokenizer import Tokenizer
from gpucurate.tokens.verify import verify_shards
from tests.tokens.small_corpus import ByteEngine, Corpus, corpus, documents

TEXTS = [["alpha beta", "", "gamma", "δ" * 9], ["epsilon zeta eta", "θ", "iota"], ["kappa lambda " * 4 + "tail"]]
LAYOUTS = [
    {"remainder": "drop"},
    {"remainder": "pad"},
    {"remainder": "carry"},
    {"format": "stream"},
    {"remainder": "drop", "length": 60, "size": 61},
]


@pytest.fixture
def small(bytewise: Tokenizer, tmp_path: Path) -> Corpus:
    return corpus(bytewise, TEXTS, tmp_path / "tokens")


@pytest.fixture
def shards(small: Corpus, tmp_path: Path) -> Path:
    small.make(tmp_path / "shards", length=5, size=14, remainder="carry", shuffle=False)
    return tmp_path / "shards"


def problems(directory: Path, small: Corpus) -> list[str]:
    return verify_shards(directory, small.parts, small.tokenizer)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_was_made_is_right(layout: dict[str, object], small: Corpus, tmp_path: Path) -> None:
    small.make(tmp_path / "shards", **{"length": 5, "size": 14, **layout})
    assert problems(tmp_path / "shards", small) == []
    backwards = [part.take(list(range(len(part)))[::-1]) for part in small.parts[::-1]]
    assert verify_shards(tmp_path / "shards", backwards, small.tokenizer) == []


@pytest.mark.parametrize(
    "name", ["shard-00000.npy", "shard-00007.npy", "index.parquet", "remainder.arrow", "shards.json"]
)
def test_any_flipped_byte_is_found(name: str, shards: Path, small: Corpus) -> None:
    path = shards / name
    content = path.read_bytes()
    chance = random.Random(0)
    places = {0, len(content) - 1, *chance.sample(range(len(content)), min(60, len(content)))}
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << chance.randrange(8)
        path.write_bytes(flipped)
        assert any(name in problem for problem in problems(shards, small)), f"byte {place} of {name}"
    path.write_bytes(content)
    assert problems(shards, small) == []


@pytest.mark.parametrize("cut", [0, 10, -1])
def test_cut_and_missing_files_are_found(cut: int, shards: Path, small: Corpus) -> None:
    for path in sorted(shards.iterdir()):
        content = path.read_bytes()
        path.write_bytes(content[:cut])
        assert any(path.name in problem for problem in problems(shards, small))
        path.unlink()
        assert any(path.name in problem for problem in problems(shards, small))
        path.write_bytes(content)


def test_a_shard_too_many_is_found(shards: Path, small: Corpus) -> None:
    (shards / "shard-00099.npy").write_bytes(b"")
    assert problems(shards, small) == [f"{shards / 'shard-00099.npy'}: a shard that shards.json does not know"]


def reseal(directory: Path, **changes: object) -> None:
    """Make digests fit what is there, so that only the meaning is wrong."""
    content = read_description(directory)
    shards = [shard.model_copy(update={"digest": digest_file(directory / shard.file)}) for shard in content.shards]
    index = content.index.model_copy(
        update={
            "digest": digest_file(directory / "index.parquet"),
            "rows": pq.read_metadata(directory / "index.parquet").num_rows,
        }
    )
    changed: Description = content.model_copy(update={"shards": tuple(shards), "index": index, **changes})
    (directory / "shards.json").write_bytes(changed.to_bytes())


def change_token(directory: Path, place: int, token: Callable[[int], int]) -> None:
    array = np.load(directory / "shard-00000.npy")
    array.flat[place] = token(int(array.flat[place]))
    np.save(directory / "shard-00000.npy", array)
    reseal(directory)


def separator_place(directory: Path) -> int:
    return int(np.flatnonzero(np.load(directory / "shard-00000.npy").reshape(-1) == 256)[0])


def test_an_id_outside_the_vocabulary(shards: Path, small: Corpus) -> None:
    change_token(shards, 3, lambda _: 257)
    assert any("shard-00000.npy: token 3 is id 257, the vocabulary has 257" in p for p in problems(shards, small))


def test_another_token(shards: Path, small: Corpus) -> None:
    place = 0 if separator_place(shards) else 1
    change_token(shards, place, lambda token: token ^ 1)
    (problem,) = problems(shards, small)
    assert "its tokens are not those of its text" in problem
    assert problem.startswith("shard 0, token")


def test_a_separator_inside_a_document(shards: Path, small: Corpus) -> None:
    change_token(shards, separator_place(shards) + 1, lambda _: 256)
    assert problems(shards, small) == ["shard-00000.npy: 1 separators stand inside documents"]


def test_a_separator_that_is_none(shards: Path, small: Corpus) -> None:
    place = separator_place(shards)
    change_token(shards, place, lambda _: 65)
    assert problems(shards, small) == [
        f"shard-00000.npy: token {place} belongs to no document and is no separator (1 such)"
    ]


@pytest.mark.parametrize(
    ("column", "row", "change", "says"),
    [
        ("start", 1, 1, "does not follow"),
        ("start", 1, -1, "does not follow"),
        ("start", 0, -1, "lies outside its shard"),
        ("length", 0, 1, "does not follow"),
        ("length", 0, -1, "does not follow"),
        ("length", 0, 100, "lies outside its shard"),
        ("offset", 1, 1, "does not follow"),
        ("shard", 2, 50, "there is no such shard"),
        ("shard", 2, -50, "there is no such shard"),
        ("shard", 0, 1, "does not follow"),
    ],
)
def test_a_wrong_index(column: str, row: int, change: int, says: str, shards: Path, small: Corpus) -> None:
    table = pq.read_table(shards / "index.parquet")
    values = table[column].to_numpy().copy()
    values[row] += change
    position = table.schema.get_field_index(column)
    changed = table.set_column(position, table.schema.field(column), pa.array(values))
    pq.write_table(changed, shards / "index.parquet")
    reseal(shards)
    assert any("index.parquet" in problem and says in problem for problem in problems(shards, small))


def test_rows_of_the_index_left_out(shards: Path, small: Corpus) -> None:
    table = pq.read_table(shards / "index.parquet")
    for kept in (table.slice(1), table.slice(0, len(table) - 1), table.slice(0, 0)):
        pq.write_table(kept, shards / "index.parquet")
        reseal(shards)
        assert any("index.parquet" in problem for problem in problems(shards, small))


def test_two_documents_exchanged(shards: Path, small: Corpus) -> None:
    table = pq.read_table(shards / "index.parquet")
    ids = table["record_id"].to_pylist()
    swapped = [{ids[0]: ids[-1], ids[-1]: ids[0]}.get(i, i) for i in ids]
    pq.write_table(
        table.set_column(0, table.schema.field(0), pa.array(swapped, pa.binary(16))), shards / "index.parquet"
    )
    reseal(shards)
    found = problems(shards, small)
    assert len(found) == 2
    assert all("its tokens are not those of its text" in problem for problem in found)


def test_documents_missing_on_either_side(shards: Path, small: Corpus) -> None:
    more = [*small.parts, documents(["one more", ""])]
    (problem,) = verify_shards(shards, more, small.tokenizer)
    assert problem == f"document {more[-1]['record_id'][0].as_py().hex()}: survived, but is in no shard"
    (problem,) = verify_shards(shards, [small.parts[0], small.parts[1]], small.tokenizer)
    assert "in the shards, but not among the surviving documents" in problem
    twice = [*small.parts, small.parts[0]]
    assert len(verify_shards(shards, twice, small.tokenizer)) == 3


def test_a_changed_text(shards: Path, small: Corpus) -> None:
    part = small.parts[0]
    changed = part.set_column(1, "text", pa.array(["alpha beto", "", "gamma", "δ" * 9], pa.large_string()))
    (problem,) = verify_shards(shards, [changed, *small.parts[1:]], small.tokenizer)
    assert "from token 9 on (10 tokens in the shards, 10 in the text)" in problem


def test_the_cut_end_of_a_dropped_remainder_is_compared(small: Corpus, tmp_path: Path) -> None:
    content = small.make(tmp_path / "s", length=70, size=71, shuffle=False)
    assert content.account["dropped"] > 0
    last = small.parts[2]
    whole = last["text"][0].as_py()
    for text, right in ((whole, True), (whole + "!", False), (whole.replace("kappa", "Kappa", 1), False)):
        changed = last.set_column(1, "text", pa.array([text], pa.large_string()))
        assert (verify_shards(tmp_path / "s", [*small.parts[:2], changed], small.tokenizer) == []) is right


def test_equal_record_ids(bytewise: Tokenizer, tmp_path: Path) -> None:
    """A page captured twice with the same bytes has one record id and two places."""
    small = corpus(bytewise, [["same", "same", "other"], ["same"]], tmp_path / "tokens")
    one = small.parts[0]["record_id"][0].as_py()
    for number, table in enumerate(small.parts):
        ids = pa.array(
            [one if t == "same" else i for i, t in zip(*table.to_pydict().values(), strict=True)], pa.binary(16)
        )
        small.parts[number] = table.set_column(0, "record_id", ids)
    ids = pa.chunked_array([column for part in small.parts for column in part["record_id"].chunks])
    twice = Corpus(
        bytewise, small.parts, small.token_files, small.index.set_column(0, small.index.schema.field(0), ids)
    )
    twice.make(tmp_path / "shards", length=2, size=6)
    assert problems(tmp_path / "shards", twice) == []
    assert verify_shards(tmp_path / "shards", twice.parts[:1], bytewise) != []
    assert verify_shards(tmp_path / "shards", [*twice.parts, twice.parts[1]], bytewise) != []


class LowerCase(ByteEngine):
    """A vocabulary that does not give texts back as they were."""

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        return super().encode(pc.utf8_lower(texts))


def test_a_vocabulary_that_normalises(bytewise: Tokenizer, tmp_path: Path) -> None:
    lower = replace(bytewise, engine=LowerCase())
    small = corpus(lower, [["ONE Two", "three"]], tmp_path / "tokens")
    small.make(tmp_path / "shards", length=2, size=6)
    assert problems(tmp_path / "shards", small) == []


def test_another_tokenizer(shards: Path, small: Corpus) -> None:
    other = replace(small.tokenizer, vocabulary_digest="1" * 64)
    (problem,) = verify_shards(shards, small.parts, other)
    assert "made by tokenizer" in problem


@pytest.mark.parametrize(
    "changes", [{"capacity": 7}, {"tokens": 1}, {"account": {}}, {"separator": 255}, {"dtype": "<u4"}]
)
def test_a_description_that_contradicts_itself(changes: dict[str, object], shards: Path, small: Corpus) -> None:
    reseal(shards, **changes)
    assert any(problem.startswith("shards.json") for problem in problems(shards, small))


def test_an_account_that_contradicts_the_index(shards: Path, small: Corpus) -> None:
    account = json.loads((shards / "shards.json").read_text())["account"]
    account |= {"documents": account["documents"] - 1, "separators": account["separators"] - 1}
    account |= {"document_tokens": account["document_tokens"] + 1}
    reseal(shards, account=account)
    assert any("the account has" in problem for problem in problems(shards, small))


def test_the_list_of_problems_ends(small: Corpus, bytewise: Tokenizer, tmp_path: Path) -> None:
    many = corpus(bytewise, [[f"text {i}" for i in range(120)]], tmp_path / "many")
    many.make(tmp_path / "shards", length=5, size=1200)
    found = verify_shards(tmp_path / "shards", [], bytewise)
    assert len(found) == 101
    assert found[-1].startswith("... and more")
