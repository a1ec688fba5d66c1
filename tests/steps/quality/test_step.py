"""The step `quality`: signals, combinations, cascades, judging, and what its task key covers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from gpucurate.core.errors import InputError
from gpucurate.device import pick
from gpucurate.steps.quality import Quality, QualityConfig
from gpucurate.steps.quality.combination import edges_of, quantiles_content, rank
from gpucurate.steps.quality.fasttext_classifier import FastTextClassifier
from gpucurate.steps.quality.model_directory import classifier_digest
from gpucurate.steps.quality.pareto import pareto_keep
from gpucurate.steps.quality.regressor import Regressor

from .models import TEXTS, documents, write_fasttext, write_regressor

pytest.importorskip("torch")
BLANK = [not text.strip() for text in TEXTS]


def make(classifiers: object, **settings: object) -> Quality:
    return Quality(QualityConfig.model_validate({"classifiers": classifiers, **settings}), pick("cpu"))


def column(signals: pa.Table, name: str) -> np.ndarray[Any, Any]:
    """float64, NaN for null."""
    return signals[name].to_numpy().astype(np.float64)


def test_scores_of_one_classifier(regressor: Path) -> None:
    signals = make({"edu": str(regressor)}).measure(documents()).signals
    wanted = Regressor.open(str(regressor)).scores(TEXTS).round(4)
    wanted[BLANK] = np.nan
    assert signals.column_names == ["score", "int_score", "score_edu", "scored_tokens"]
    assert signals["score"].type == pa.float32()
    np.testing.assert_allclose(column(signals, "score"), wanted, atol=1.1e-4)
    assert signals["score_edu"].equals(signals["score"])
    rounded = [None if np.isnan(s) else min(5, max(0, round(float(s)))) for s in column(signals, "score")]
    assert signals["int_score"].to_pylist() == rounded
    assert signals["scored_tokens"].to_pylist()[:3] == [11, 0, 0]


def test_fasttext_scores_five_times_its_probability(fasttext_model: Path) -> None:
    import fasttext

    texts = ["the cell and its energy", "buy now\ncheap sale", "unheard of"]
    model = fasttext.load_model(str(fasttext_model / "model.bin"))
    wanted = []
    for text in texts:
        labels, chances = model.predict(text.replace("\n", " "), k=2)
        wanted.append(5 * dict(zip(labels, chances, strict=True))["__label__good"])
    signals = make({"cheap": str(fasttext_model)}).measure(documents(texts)).signals
    np.testing.assert_allclose(column(signals, "score"), wanted, atol=1.1e-4)
    assert wanted[0] > 3 > 2 > wanted[1]


@pytest.mark.parametrize(("how", "function"), [("mean", np.mean), ("max", np.max)])
def test_several_classifiers(regressor: Path, other_regressor: Path, how: str, function: Any) -> None:
    classifiers = {"a": str(regressor), "b": {"model": str(other_regressor)}}
    signals = make(classifiers, combine=how).measure(documents()).signals
    both = [column(signals, "score_a"), column(signals, "score_b")]
    assert not np.allclose(both[0], both[1], equal_nan=True)
    np.testing.assert_allclose(column(signals, "score"), function(both, axis=0), atol=1.1e-4)


def test_ranks(regressor: Path, other_regressor: Path, tmp_path: Path) -> None:
    """By brute force: how many of the nineteen edges a score reaches; the best rank counts."""
    rng = np.random.default_rng(0)
    classifiers, edges = {}, {}
    for name, folder in (("a", regressor), ("b", other_regressor)):
        edges[name] = edges_of(rng.normal(2.5, 1, 500))
        path = tmp_path / f"{name}.json"
        path.write_bytes(quantiles_content(edges[name], 500, classifier_digest(folder)))
        classifiers[name] = {"model": str(folder), "quantiles": str(path)}
    signals = make(classifiers, combine="rank").measure(documents()).signals
    assert signals.column_names == ["score", "score_a", "score_b", "scored_tokens"]
    for row in signals.to_pylist():
        if row["score"] is not None:
            assert row["score"] == max(sum(float(row[f"score_{n}"]) >= e for e in edges[n]) for n in ("a", "b"))


def test_shares_are_equal_and_at_least_twenty_scores_are_needed() -> None:
    scores = np.random.default_rng(1).permutation(1000).astype(np.float64)
    assert np.bincount(rank(scores, edges_of(scores)).astype(int)).tolist() == [50] * 20
    with pytest.raises(ValueError, match="at least as many scores, found 19"):
        edges_of(scores[:19])


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "is not there"), (b"{", "is no quantiles file"), (b'{"edges": [1], "classifier": "x"}', "19 ascending")],
)
def test_quantiles_that_do_not_fit(regressor: Path, tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "q.json"
    if content is not None:
        path.write_bytes(content)
    step = make({"a": {"model": str(regressor), "quantiles": str(path)}}, combine="rank")
    with pytest.raises(InputError, match=f"{said}.*Remedy"):
        step.resources()
    path.write_bytes(quantiles_content(np.arange(19.0), 100, "of another"))
    with pytest.raises(InputError, match="written for another classifier"):
        step.resources()


def test_a_cascade_asks_only_near_the_cut(regressor: Path, fasttext_model: Path) -> None:
    texts = [" ".join(["cell"] * n + ["buy"] * (6 - n)) for n in range(7)]
    first = column(make({"cheap": str(fasttext_model)}).measure(documents(texts)).signals, "score")
    assert (np.diff(first) > 0).all()
    low, high = float(first[2]), float(first[4])
    cascade = {"first": "cheap", "low": low, "high": high}
    both = {"edu": str(regressor), "cheap": str(fasttext_model)}
    signals = make(both, cascade=cascade).measure(documents([*texts, ""])).signals
    alone = column(make({"edu": str(regressor)}).measure(documents(texts)).signals, "score")
    near = [False, False, True, True, True, False, False]
    np.testing.assert_array_equal(np.isnan(column(signals, "score_edu"))[:7], np.logical_not(near))
    np.testing.assert_array_equal(column(signals, "score_cheap")[:7], first)
    np.testing.assert_allclose(column(signals, "score")[:7], np.where(near, alone, first), atol=1.1e-4)
    assert signals["score"].to_pylist()[7] is None


def test_judging(regressor: Path) -> None:
    table = documents()
    signals = make({"edu": str(regressor)}).measure(table).signals
    score = column(signals, "score")
    cut = float(np.nanmedian(score))
    wanted = np.where(BLANK, 1, np.where(score < cut, 2, 0))
    meta = table.drop_columns(["text"])
    assert make({"edu": str(regressor)}, cut=cut).judge(meta, signals).tolist() == wanted.tolist()
    assert set(wanted) == {0, 1, 2}
    assert not make({"edu": str(regressor)}).judge(meta, signals).any()
    kept = pareto_keep(np.nan_to_num(score).clip(0, 5) / 5, table["record_id"].combine_chunks(), 1.5, 7)
    drawn = make({"edu": str(regressor)}, pareto=1.5, seed=7).judge(meta, signals)
    assert drawn.tolist() == np.where(BLANK, 1, np.where(kept, 0, 3)).tolist()


def test_deciding_measures_nothing_again(regressor: Path) -> None:
    one, other = make({"edu": str(regressor)}), make({"edu": str(regressor)}, cut=3, on="survivors")
    assert one.config.measuring() == other.config.measuring()
    assert one.config.on == "survivors"
    for changed in ({"max_tokens": 64}, {"long": "mean"}, {"precision": "bf16"}):
        assert make({"edu": {"model": str(regressor), **changed}}).config.measuring() != one.config.measuring()


def test_the_key_knows_the_weights_not_their_place(regressor: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(regressor, moved)
    one, other = make({"edu": str(regressor)}), make({"edu": str(moved)})
    assert one.resources() == other.resources()
    assert one.config.measuring() == other.config.measuring()
    (moved / "gpucurate.json").write_text("{}")
    (moved / "README.md").write_text("a card")
    assert one.resources() == other.resources()
    scores = other.measure(documents()).signals["score"]
    shutil.rmtree(moved)
    write_regressor(moved, seed=5)
    assert one.resources() != other.resources()
    assert not scores.equals(other.measure(documents()).signals["score"])


def calibrated(folder: Path, source: Path, score: list[float], rating: list[float]) -> Path:
    """A copy of a model with a map saved beside it."""
    shutil.copytree(source, folder)
    (folder / "gpucurate.json").write_text(json.dumps({"calibration": {"score": score, "rating": rating}}))
    return folder


def test_saved_calibrations_shape_the_score_and_its_key(regressor: Path, other_regressor: Path, tmp_path: Path) -> None:
    knots = [0.0, 2.4, 2.6, 5.0], [0.5, 1.0, 4.0, 4.5]
    mapped = calibrated(tmp_path / "m", regressor, *knots)
    plain, made = make({"edu": str(regressor)}), make({"edu": str(mapped)})
    without = make({"edu": {"model": str(mapped), "calibrated": False}})
    raw, found = plain.measure(documents()).signals, made.measure(documents()).signals
    assert without.measure(documents()).signals.equals(raw)
    assert found["score_edu"].equals(raw["score_edu"])
    wanted = np.interp(column(raw, "score_edu"), *knots)
    np.testing.assert_allclose(column(found, "score"), wanted, atol=1e-4)
    assert found["int_score"].to_pylist() == [None if np.isnan(w) else round(w) for w in wanted]
    assert np.nanmax(np.abs(wanted - column(raw, "score_edu"))) > 0.5
    # The key knows the map, and nothing of a map that is not applied or not there.
    assert made.resources() != plain.resources() == without.resources()
    assert made.config.measuring() == without.config.measuring() == plain.config.measuring()
    other = calibrated(tmp_path / "n", regressor, [0.0, 5.0], [0.0, 4.0])
    assert make({"edu": str(other)}).resources() != made.resources()
    # Side by side: each its own map, or none.
    both = make({"a": str(mapped), "b": str(other_regressor)}, combine="max").measure(documents()).signals
    higher = np.maximum(wanted, column(both, "score_b"))
    np.testing.assert_allclose(column(both, "score"), higher, atol=1e-4)


def test_a_cascade_begins_with_calibrated_scores(regressor: Path, fasttext_model: Path, tmp_path: Path) -> None:
    cheap = tmp_path / "cheap"
    shutil.copytree(fasttext_model, cheap)
    told = json.loads((cheap / "gpucurate.json").read_bytes())
    told["calibration"] = {"score": [0.0, 5.0], "rating": [2.0, 3.0]}
    (cheap / "gpucurate.json").write_text(json.dumps(told))
    classifiers = {"cheap": str(cheap), "edu": str(regressor)}
    texts = ["cell energy light proof", "buy now cheap sale"]
    near = make(classifiers, cascade={"first": "cheap", "low": 2, "high": 3}).measure(documents(texts)).signals
    far = make(classifiers, cascade={"first": "cheap", "low": 3.1, "high": 4}).measure(documents(texts)).signals
    assert near["score_edu"].null_count == 0
    assert far["score_edu"].null_count == 2
    np.testing.assert_allclose(column(far, "score"), 2 + column(far, "score_cheap") / 5, atol=1e-4)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"score": [1.0]}, "cannot be read"),
        ({"score": [1.0, 2.0], "rating": [1.0]}, "2 scores for 1 ratings"),
        ({"score": [2.0, 1.0], "rating": [1.0, 2.0]}, "no ascending numbers"),
        ({"score": [], "rating": []}, "no ascending numbers"),
        ({"score": ["x"], "rating": [1.0]}, "is damaged"),
    ],
)
def test_damaged_calibrations(regressor: Path, tmp_path: Path, entry: dict[str, Any], said: str) -> None:
    folder = tmp_path / "m"
    shutil.copytree(regressor, folder)
    (folder / "gpucurate.json").write_text(json.dumps({"calibration": entry}))
    with pytest.raises(InputError, match=f"{said}.*Remedy: .*calibrated: false"):
        make({"edu": str(folder)}).resources()
    make({"edu": {"model": str(folder), "calibrated": False}}).resources()


def test_no_number_names_the_documents(regressor: Path, tmp_path: Path) -> None:
    broken = write_regressor(tmp_path / "broken", spread=float("nan"))
    with pytest.raises(InputError, match=r"gave no number .*http://x/0, http://x/3"):
        make({"edu": str(broken)}).measure(documents(TEXTS[:4]))


def test_a_fasttext_model_without_its_label(tmp_path: Path) -> None:
    folder = write_fasttext(tmp_path / "m", positive="useful")
    with pytest.raises(InputError, match=r"no label '__label__useful'; it has __label__"):
        FastTextClassifier.open(folder)
    (folder / "model.bin").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"model\.bin cannot be read"):
        FastTextClassifier.open(folder)
    with pytest.raises(InputError, match="is no classifier"):
        classifier_digest(tmp_path)


def test_precision_of_a_gpu_does_not_keep_the_driver_from_looking(regressor: Path) -> None:
    make({"edu": {"model": str(regressor), "precision": "fp16"}}).warm()


def test_remarks(regressor: Path, fasttext_model: Path) -> None:
    assert "every document stays" in make({"edu": str(regressor)}).remarks()[0]
    assert "outside the scale, 0 to 5" in make({"edu": str(regressor)}, cut=7).remarks()[0]
    cascade = {"first": "c", "low": 1, "high": 2}
    both = {"edu": str(regressor), "c": str(fasttext_model)}
    assert "c decides alone" in make(both, cascade=cascade, cut=3).remarks()[0]
    assert make(both, cascade=cascade, cut=1.5).remarks() == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "classifiers"),
        ({"classifiers": {}}, "a mapping of names to models"),
        ({"classifiers": {"My Model": "m"}}, "small letters"),
        ({"classifiers": {"a": ""}}, "at least 1 character"),
        ({"classifiers": {"a": "m"}, "cut": 3, "pareto": 9}, "give one of them"),
        ({"classifiers": {"a": "m"}, "cascade": {"first": "b", "low": 1, "high": 2}}, "no classifier 'b'"),
        ({"classifiers": {"a": "m"}, "cascade": {"first": "a", "low": 1, "high": 2}}, "no second classifier"),
        ({"classifiers": {"a": "m", "b": "m"}, "cascade": {"first": "a", "low": 2, "high": 2}}, "must lie below"),
    ],
)
def test_settings_that_do_not_fit(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        QualityConfig.model_validate(settings)
