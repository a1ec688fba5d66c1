from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from gpucurate.classifier.agreement import agreement
from gpucurate.classifier.agreement_ratings import AnnotatorFormat, read_ratings
from gpucurate.classifier.agreement_statistics import confusion, interval_alpha, kappa, spearman
from gpucurate.classifier.association import crossed, mid_ranks, nearest_class, quadratic_kappa
from gpucurate.cli.classifier.agreement import agreement_command
from gpucurate.core.errors import InputError

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60)


@given(PAIRS)
def test_kappa_and_confusion_are_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs).T
    counts = confusion(first, second, 6)
    assert (counts == confusion_matrix(first, second, labels=range(6))).all()
    (found,) = quadratic_kappa(crossed(first, second, 6, np.ones((1, len(first)))))
    if len(set(first)) == len(set(second)) == 1 and first[0] == second[0]:
        assert np.isnan(found)
        assert np.isnan(kappa(first, second, 6).value)
    else:
        assert found == pytest.approx(cohen_kappa_score(first, second, labels=range(6), weights="quadratic"))


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 5)), min_size=2, max_size=40))
def test_spearman_is_scipys(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    assert mid_ranks(first, np.ones((1, len(first))))[0] + 0.5 == pytest.approx(rankdata(first))
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert spearman(first, second) is None
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            assert spearman(first, second) == pytest.approx(spearmanr(first, second).statistic, abs=1e-9)


def test_alpha_is_the_published_one() -> None:
    """The reliability data of Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section D."""
    gap = None
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, gap, gap, gap],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, gap, 3],
        [gap, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, gap],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, gap],
    ]
    units = [[float(value) for value in unit if value is not None] for unit in zip(*observers, strict=True)]
    assert interval_alpha(units) == pytest.approx(0.849, abs=5e-4)
    assert interval_alpha([[1.0, 1.0], [1.0, 1.0]]) is None
    assert interval_alpha([[1.0], [2.0]]) is None


def test_intervals_cover_as_they_say() -> None:
    chance = np.random.default_rng(1)
    truth = np.clip(np.round(chance.normal(2.5, 1.5, 200_000)), 0, 5).astype(np.int64)
    other = np.clip(truth + chance.integers(-1, 2, len(truth)), 0, 5)
    (true,) = quadratic_kappa(crossed(truth, other, 6, np.ones((1, len(truth)))))
    covered = 0
    for begin in range(0, 60 * 150, 150):
        found = kappa(truth[begin : begin + 150], other[begin : begin + 150], 6)
        covered += found.low <= true <= found.high
    assert covered >= 50  # of 60, of which 57 are expected


def test_raters_are_judges_repeats_and_files(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    row = {"rubric": "r", "answer": "", "text_digest": "d", "tokens": None}
    given = [("a", 0, [1, 2, 3]), ("a", 1, [1, 2, 4]), ("b", 0, [1, 2.4, 3])]
    labels.write_text(
        "".join(
            json.dumps({**row, "record_id": f"{n:032x}", "judge": judge, "repeat": repeat, "score": score}) + "\n"
            for judge, repeat, scores in given
            for n, score in enumerate(scores)
        )
    )
    person = tmp_path / "person.json"
    person.write_text(json.dumps([{"id": f"{n:032x}", "score": s} for n, s in enumerate([0, 2, 3, 5])]))
    ratings, _ = read_ratings([labels, person], AnnotatorFormat())
    found = agreement(ratings, 6)
    assert found.raters == {"a#0": 3, "a#1": 3, "b#0": 3, "person": 4}
    assert len(found.pairs) == 6
    by_names = {(pair.first, pair.second): pair for pair in found.pairs}
    assert by_names["a#0", "b#0"].kappa == 1.0
    assert by_names["a#0", "a#1"].same == pytest.approx(2 / 3)
    assert by_names["a#0", "person"].difference == pytest.approx(-1 / 3)
    assert by_names["a#0", "a#1"].confusion[3][4] == 1


def test_halves_go_up() -> None:
    assert nearest_class(np.array([0.49, 0.5, 1.5, 2.5, 5.0])).tolist() == [0, 1, 2, 3, 5]


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ([{"id": 1}], [], "no field 'score' (there are id)"),
        ([{"id": 1, "score": 6}], [], "item 1: 6 is no number from 0 to 5"),
        ([{"id": 1, "score": "Good"}], [], "--levels"),
        ([{"id": 1, "score": "Good"}], ["--levels", "None,Basic"], "none of the levels None, Basic"),
        ([{"id": 1, "score": 2}, {"id": 1, "score": 2}], [], "item 2: '1' is rated a second time"),
        ([{"id": 9, "score": 2}], [], "rated the same document"),
        ([3], [], "item 1: no JSON object"),
    ],
)
def test_mistakes_are_said(tmp_path: Path, rows: list[object], options: list[str], said: str) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.json"
    level = "Basic" if options else 1
    good.write_text(json.dumps({"id": 1, "score": level}) + "\n")
    bad.write_text(json.dumps(rows))
    result = CliRunner().invoke(agreement_command, [str(good), str(bad), *options])
    assert isinstance(result.exception, InputError)
    assert said in str(result.exception)


def test_annotators_of_real_pages(real_data: Path) -> None:
    """Three people on 100 Danish pages; kappas by scikit-learn on the same numbers."""
    files = [real_data / "quality" / "danish-edu" / f"annotations_{n}.json" for n in (1, 2, 3)]
    levels = ["None", "Minimal", "Basic", "Good", "Excellent"]
    problem = "❗ Problematic Content ❗"
    asked = [*map(str, files), "--score", "our_label", "--levels", ",".join(levels), "--skip", problem]
    result = CliRunner().invoke(agreement_command, [*asked, "--json"], catch_exceptions=False)
    found = json.loads(result.stdout)
    rows = [{row["id"]: row["our_label"] for row in json.loads(file.read_text())} for file in files]
    for pair, (first, second) in zip(found["pairs"], [(0, 1), (0, 2), (1, 2)], strict=True):
        common = [i for i in rows[first] if problem not in (rows[first][i], rows[second][i])]
        scores = [[levels.index(rows[n][i]) for i in common] for n in (first, second)]
        assert pair["documents"] == len(common)
        assert pair["kappa"] == pytest.approx(cohen_kappa_score(*scores, weights="quadratic"))
        assert pair["spearman"] == pytest.approx(spearmanr(*scores).statistic)
    assert sum(found["skipped"].values()) == 1
    shown = CliRunner().invoke(agreement_command, asked, catch_exceptions=False).stdout
    assert "annotations_1" in shown
    assert f"{found['mean_kappa']:.3f}" in shown
