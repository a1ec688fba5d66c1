"""Reading fastText's format: what a written model says, and every way a file can be wrong."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import numpy as np
import pytest

from gpucurate.core.errors import RecipeError
from gpucurate.steps.language import identifier
from gpucurate.steps.language.model_file import ModelFile, read_model

ARGUMENTS = {
    "dim": 2, "ws": 5, "epoch": 1, "min_count": 1, "neg": 5, "word_ngrams": 1, "loss": 1, "kind": 3, "buckets": 4,
    "minn": 2, "maxn": 3, "update_rate": 100,
}  # fmt: skip


def written(pruned: dict[int, int] | None = None, quantised: bool = False, **changes: int) -> bytes:
    """A model of the words `</s>` and `de`, the labels `en` and `de`, four buckets, two dimensions."""
    arguments = ARGUMENTS | changes
    parts = [struct.pack("<2i", changes.get("magic", 793_712_314), changes.get("version", 12))]
    parts.append(struct.pack("<12id", *(arguments[name] for name in ARGUMENTS), 1e-4))
    parts.append(struct.pack("<3i2q", 4, 2, 2, 100, -1 if pruned is None else len(pruned)))
    for name, count, kind in ((b"</s>", 9, 0), (b"de", 5, 0), (b"__label__en", 7, 1), (b"__label__de", 3, 1)):
        parts.append(name + b"\0" + struct.pack("<qb", count, kind))
    parts += [struct.pack("<2i", *pair) for pair in (pruned or {}).items()]
    rows = 2 + (min(arguments["buckets"], 4) if pruned is None else len(pruned))
    parts.append(struct.pack("<?", quantised))
    if quantised:
        centroids = np.arange(512, dtype="<f4")
        parts.append(struct.pack("<?2qi", True, rows, 2, 2 * rows) + bytes(range(2 * rows)))
        parts.append(struct.pack("<4i", 2, 2, 1, 1) + centroids.tobytes())
        parts.append(bytes([3] * rows) + struct.pack("<4i", 1, 1, 1, 1) + (centroids[:256] / 2).tobytes())
    else:
        parts.append(struct.pack("<2q", rows, 2) + np.arange(2 * rows, dtype="<f4").tobytes())
    parts.append(struct.pack("<?2q", False, 2, 2) + np.array([1, 2, 3, 4], "<f4").tobytes())
    return b"".join(parts)


def read(data: bytes, tmp_path: Path) -> ModelFile:
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    return read_model(path)


def test_a_plain_model(tmp_path: Path) -> None:
    model = read(written(), tmp_path)
    assert (model.minn, model.maxn, model.hierarchical) == (2, 3, True)
    assert (model.words, model.labels, model.label_counts.tolist()) == ([b"</s>", b"de"], ["en", "de"], [7, 3])
    assert model.bucket_rows.tolist() == [2, 3, 4, 5]
    assert model.rows.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    assert model.output.tolist() == [[1, 2], [3, 4]]
    assert model.rows.flags.aligned


def test_a_pruned_and_quantised_model(tmp_path: Path) -> None:
    model = read(written({3: 0, 1: 1}, quantised=True, loss=3), tmp_path)
    assert model.bucket_rows.tolist() == [-1, 3, -1, 2]
    assert not model.hierarchical
    # codes 0..7, two a row; the second part's centroids begin at 256; every length is 3 / 2
    assert model.rows.tolist() == [[0, 385.5], [3, 388.5], [6, 391.5], [9, 394.5]]


def test_n_grams_all_pruned_or_never_made(tmp_path: Path) -> None:
    assert read(written({}), tmp_path).bucket_rows.tolist() == [-1] * 4
    assert read(written(maxn=0, minn=0, buckets=0), tmp_path).bucket_rows.tolist() == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"magic": 1}, "does not begin"),
        ({"version": 11}, "version 12"),
        ({"kind": 1}, "not a classifier"),
        ({"loss": 2}, "softmax"),
        ({"loss": 4}, "softmax"),
        ({"word_ngrams": 2}, "2 words"),
        ({"dim": 3}, "do not fit"),
        ({"buckets": 0}, "buckets"),
        ({"buckets": 2_000_000_000}, "buckets"),
    ],
)
def test_models_that_are_refused(changes: dict[str, int], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read(written(**changes), tmp_path)


def test_damage(tmp_path: Path) -> None:
    plain, pruned = written(), written({3: 0, 1: 1})
    table = pruned.index(struct.pack("<4i", 3, 0, 1, 1))
    damages = {
        "do not fit": plain + b"\0",
        "fewer vectors": pruned[: table + 4] + struct.pack("<i", 7) + pruned[table + 8 :],
        "pruned n-grams": pruned[:table] + struct.pack("<i", 4) + pruned[table + 4 :],
        "finite": plain[:-4] + struct.pack("<f", float("nan")),
        "dictionary": plain.replace(b"__label__en\0", b"__label__\0en"),
    }
    for message, data in damages.items():
        with pytest.raises(ValueError, match=message):
            read(data, tmp_path)


def test_every_truncation_is_a_clear_error(tmp_path: Path) -> None:
    for whole in (written(), written({3: 0}, quantised=True)):
        for size in [*range(300), *range(300, len(whole), 97)]:
            with pytest.raises(ValueError, match=r"^it "):
                read(whole[: min(size, len(whole) - 1)], tmp_path)


def test_random_damage_is_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(5)
    wholes = (written(), written({3: 0}, quantised=True), written(loss=3))
    refused = 0
    for number in range(1000):
        data = bytearray(wholes[number % 3])
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(min(len(data), 260))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        try:
            model = read(bytes(data), tmp_path)
        except ValueError as error:
            assert str(error).startswith("it")  # noqa: PT017
            refused += 1
            continue
        assert model.bucket_rows.max(initial=-1) < len(model.rows)
        assert len(model.words) <= len(model.rows)
        assert len(model.labels) == len(model.output) == len(model.label_counts)
    assert 300 < refused < 1000


def test_the_error_names_file_and_remedy(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.ftz"
    wrong.write_bytes(b"not a model" * 10)
    with pytest.raises(RecipeError, match=r"wrong\.ftz.*does not begin.*Remedy: pip install"):
        identifier.load_model(wrong)
    other = tmp_path / "other.ftz"
    other.write_bytes(written().replace(b"__label__en", b"__label__qq"))
    with pytest.raises(RecipeError, match=r"other\.ftz' is not lid\.176: it has the label 'qq'"):
        identifier.load_model(other)
    with pytest.raises(RecipeError, match="cannot be used"):
        identifier.load_model(tmp_path)
