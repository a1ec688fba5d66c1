"""The step with a real model: vectors against the model called by hand, any partition, wordings and topics."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from gpucurate.core.errors import InputError, UserError
from gpucurate.device import pick
from gpucurate.steps.comparison import RATING
from gpucurate.steps.semantic_duplicates import SemanticDuplicates
from gpucurate.steps.semantic_duplicates.config import SemanticDuplicatesConfig
from gpucurate.steps.semantic_duplicates.encoder import open_encoder
from gpucurate.steps.semantic_duplicates.fixed_point import from_column
from gpucurate.steps.semantic_duplicates.sentence_model import read_sentence_model
from tests.steps.near_duplicates.corpora import table
from tests.steps.quality.models import minilm, tokenizer, write_regressor
from tests.steps.stages import MemoryStages, answers

from .oracle import by_hand

torch = pytest.importorskip("torch")

WORDINGS = [
    ("The cat sat on the mat near the window.", "Near the window, the cat was sitting on the mat."),
    (
        "Photosynthesis turns sunlight into sugar in plants.",
        "In plants, sunlight is turned into sugar by photosynthesis.",
    ),
    (
        "The central bank raised interest rates on Tuesday.",
        "On Tuesday, interest rates were raised by the central bank.",
    ),
    ("He repaired the old bicycle in the garage.", "The old bicycle was repaired by him in the garage."),
    ("The train to Berlin was delayed by heavy snow.", "Heavy snow delayed the train to Berlin."),
]
TOPICS = [
    "A recipe for bread needs flour, water, salt and yeast.",
    "The parliament passed a law about fishing quotas.",
    "Her violin was built in Cremona three hundred years ago.",
    "Neutrons have no electric charge.",
    "Wolves returned to the forest after a century.",
]


def make(**settings: object) -> SemanticDuplicates:
    given = {"model": str(minilm()), **settings}
    return SemanticDuplicates(SemanticDuplicatesConfig.model_validate(given), pick("cpu"))


def in_parts(documents: pa.Table, cuts: Sequence[int]) -> MemoryStages:
    edges = [0, *cuts, documents.num_rows]
    return MemoryStages([documents.slice(low, high - low) for low, high in itertools.pairwise(edges)])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with random weights and no sentence-transformers files: quick, and vectors lie close to each other."""
    return write_regressor(tmp_path_factory.mktemp("small"), head=False)


def generated(count: int = 150) -> pa.Table:
    rng = np.random.default_rng(0)
    words = np.array(sorted(word for word in tokenizer().get_vocab() if word.isalpha()))
    texts: list[str] = []
    for number in range(count):
        if number % 3 == 2:
            old = texts[rng.integers(len(texts))].split()
            old[rng.integers(len(old))] = rng.choice(words)
            texts.append(" ".join(old))
        else:
            texts.append(" ".join(rng.choice(words, rng.integers(2, 30))))
    texts[7] = texts[70] = texts[100]
    texts[20], texts[90] = "", " \n"
    return table(texts)


@pytest.mark.parametrize("keep", ["farthest", "nearest", "first_id", "longest", "quality"])
def test_any_partition_and_the_oracle(small: Path, keep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same vectors, clusters and choice, to the bit, however the documents are cut into parts and ranges."""
    monkeypatch.setattr("gpucurate.steps.semantic_duplicates.step.ROWS_PER_RANGE", 40)
    documents = generated()
    documents = documents.append_column(RATING, pa.array(np.arange(documents.num_rows) % 7, pa.float64()))
    step = make(model=str(small), keep=keep, threshold=0.97, max_tokens=16)
    stages = in_parts(documents, [])
    whole = answers(step, stages)
    for cuts in ([50, 50, 120], [1, 2, 149]) if keep == "farthest" else ([70],):
        assert answers(step, in_parts(documents, cuts)).equals(whole)
    vectors = from_column(stages.tables["vectors-0"]["vector"])
    seen = stages.tables["vectors-0"]["row"].to_pylist()
    assert sorted({*range(150)} - {*seen}) == [20, 90]
    assert whole["cluster"].null_count == 2
    shown = whole.take(pa.array(seen))
    ids = [documents["record_id"][row].as_py() for row in seen]
    cosine = shown["centre_cosine"].to_pylist()
    sizes = documents["text_bytes"].to_pylist()
    ranks: dict[str, list[Any]] = {
        "farthest": cosine,
        "nearest": [-each for each in cosine],
        "first_id": [0] * len(ids),
        "longest": [-sizes[row] for row in seen],
        "quality": [-(row % 7) for row in seen],
    }
    clusters = shown["cluster"].to_pylist()
    wanted = by_hand(vectors, clusters, ids, ranks[keep], 0.97)
    found = dict(zip(ids, shown["duplicate_of"].to_pylist(), strict=True))
    assert {a: b for a, b in found.items() if b is not None} == wanted
    assert len(wanted) > 10
    assert len(set(clusters)) > 5
    stands_for = dict(zip(ids, shown["stands_for"].to_pylist(), strict=True))
    assert sum(stands_for.values()) == len(ids)
    assert all((stands_for[each] == 0) == (each in wanted) for each in ids)
    verdicts = step.judge(documents.drop_columns(["text"]), whole)
    assert verdicts.sum() == len(wanted)
    assert verdicts[[20, 90]].tolist() == [0, 0]


def test_vectors_as_the_model_gives_them() -> None:
    """Mean over tokens by hand, in one padded batch, as sentence-transformers does."""
    from transformers import AutoModel

    texts = [text for pair in WORDINGS for text in pair] + ["word " * 400]
    step = make(long="truncate")
    found = open_encoder(step.config, "cpu").embed(texts, str)
    given = tokenizer()(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")
    with torch.inference_mode():
        hidden = AutoModel.from_pretrained(str(minilm())).eval()(**given).last_hidden_state
    mask = given["attention_mask"].unsqueeze(-1)
    wanted = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1).numpy()
    np.testing.assert_allclose(found, wanted, atol=2e-6)
    alone = np.concatenate([open_encoder(step.config, "cpu").embed([text], str) for text in texts])
    assert (alone == found).all()
    first = open_encoder(make(pooling="cls", long="truncate").config, "cpu").embed(texts, str)
    np.testing.assert_allclose(first, torch.nn.functional.normalize(hidden[:, 0], dim=1).numpy(), atol=2e-6)


def test_the_whole_of_a_long_document_counts() -> None:
    text = "The cat sat on the mat. " * 20
    settings = {"max_tokens": 32}
    mean = open_encoder(make(**settings).config, "cpu").embed([text, text + "Banks raise interest rates. " * 40], str)
    beginning = open_encoder(make(long="truncate", **settings).config, "cpu")
    cut = beginning.embed([text, text + "Banks raise interest rates. " * 40], str)
    assert cut[0] @ cut[1] == pytest.approx(1)
    assert mean[0] @ mean[1] < 0.9


def test_two_wordings_are_found_and_topics_kept() -> None:
    documents = table([text for pair in WORDINGS for text in pair] + TOPICS)
    said = answers(make(threshold=0.85, clusters=1), in_parts(documents, [4]))
    ids = documents["record_id"].to_pylist()
    for n in range(len(WORDINGS)):
        both = said["duplicate_of"].to_pylist()[2 * n : 2 * n + 2]
        assert both in ([ids[2 * n + 1], None], [None, ids[2 * n]])
    assert said["duplicate_of"].to_pylist()[2 * len(WORDINGS) :] == [None] * len(TOPICS)


def test_no_documents_and_blank_ones(small: Path) -> None:
    for texts in ([" ", ""], ["one"]):
        said = answers(make(model=str(small)), in_parts(table(texts), [1]))
        assert said["duplicate_of"].null_count == len(texts)


def test_what_shapes_a_vector_is_in_the_key(small: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(small, moved)
    one, other = make(model=str(small)), make(model=str(moved))
    assert one.resources() == other.resources()
    assert one.config.measuring() == other.config.measuring()
    assert make(model=str(small), pooling="cls").resources() != one.resources()
    assert make(model=str(small), prefix="passage: ").config.embedding() != one.config.embedding()
    assert make(model=str(small), threshold=0.5, seed=3).config.embedding() == one.config.embedding()
    assert make(keep="quality").wants_rating
    assert not one.wants_rating


def test_what_the_models_files_say(tmp_path: Path) -> None:
    found = read_sentence_model(str(minilm()), "auto", None)
    assert (found.pooling, found.max_tokens, found.lower_case) == ("mean", 256, False)
    shutil.copytree(minilm(), tmp_path / "m")
    pooling = tmp_path / "m" / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}))
    assert read_sentence_model(str(tmp_path / "m"), "auto", 128).pooling == "cls"
    pooling.write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(InputError, match="asks for pooling_mode_max_tokens; only mean or cls"):
        read_sentence_model(str(tmp_path / "m"), "auto", None)
    assert read_sentence_model(str(tmp_path / "m"), "mean", None).pooling == "mean"
    pooling.write_text("{")
    with pytest.raises(InputError, match="is damaged"):
        read_sentence_model(str(tmp_path / "m"), "auto", None)
    modules = tmp_path / "m" / "modules.json"
    modules.write_text(json.dumps([{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]))
    with pytest.raises(InputError, match="names a layer 'Dense'"):
        read_sentence_model(str(tmp_path / "m"), "auto", None)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is no embedding model"):
        make(model=str(tmp_path / "empty")).resources()


def test_models_that_do_not_fit(small: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="takes at most 512 tokens, 600 were asked for"):
        make(model=str(small), max_tokens=600).warm()
    broken = tmp_path / "broken"
    shutil.copytree(small, broken)
    (broken / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be loaded"):
        make(model=str(broken)).warm()
    make(model=str(small)).warm()
    with pytest.raises(ValidationError, match="less than or equal to 1"):
        make(threshold=1.5)
