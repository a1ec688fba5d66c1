from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpucurate.classifier.association import Floats
from gpucurate.classifier.baselines import BASELINES
from gpucurate.classifier.evaluate import Terms, cross_validate, evaluate_model
from gpucurate.classifier.evaluate_conclusions import better, conclusions, too_small
from gpucurate.classifier.evaluate_figures import CALIBRATED, MAIN, MODEL, Evaluation, evaluate
from gpucurate.classifier.evaluate_slices import length_class, slices
from gpucurate.classifier.examples import Example, text_digest
from gpucurate.classifier.guard import trained_on_table, write_trained_on
from gpucurate.core.errors import InputError, UserError

TERMS = Terms(resamples=100)


def examples(count: int, seed: int = 1, worst: int = 0) -> list[Example]:
    """Texts of which only the word `lesson` decides the rating; lengths are drawn apart from it."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        rating = int(rng.integers(worst, 6))
        words = [f"w{rng.integers(10_000)}" for _ in range(rng.integers(30, 300))] + ["lesson"] * rating
        text = " ".join(words)
        host, language = f"site{number % max(count // 3, 1)}.org", ("eng", "dan", None)[number % 3]
        uri = f"https://{host}/{seed}/{number}"
        made.append(
            Example(f"{seed:08x}{number:024x}", text, float(rating), 1.0 + number % 2, "crawl", uri, host, language,
                    text_digest(text), ("judge",), ("rubric",))
        )  # fmt: skip
    return made


def reader(texts: Sequence[str]) -> Floats:
    """A scorer that reads: nearly right."""
    return np.array([0.2 + 0.9 * text.count("lesson") for text in texts])


def by_length(texts: Sequence[str]) -> Floats:
    """A useless one."""
    return np.array([min(5.0, len(text) / 400) for text in texts])


def evaluation(score: Floats, of: list[Example]) -> Evaluation:
    baselines = {"length": by_length([e.text for e in of])}
    return evaluate(of, score, baselines, np.arange(len(of)) // 2, np.arange(len(of)) % 5, 200)


def test_a_scorer_that_reads_beats_length_and_a_longest_first_does_not() -> None:
    of = examples(150)
    texts = [e.text for e in of]
    found = evaluation(reader(texts), of)
    assert found.groups == 75
    assert all(better(metric, found.differences["length"][metric]) for metric in ("mae", "spearman", "kappa", "auc 3"))
    useless = evaluation(by_length(texts), of)
    assert {better(m, useless.differences["length"][m]) for m in ("mae", "spearman", "kappa", f"f1 {MAIN.name}")} == {
        None
    }
    assert found.figures[CALIBRATED]["mae"].value < found.figures[MODEL]["mae"].value
    assert not any(c.too_small for c in conclusions(found) if c.text.startswith("Against length"))
    assert all(c.too_small for c in conclusions(useless) if c.text.startswith("Against length"))


def test_counts_add_up() -> None:
    of = examples(90)
    found = evaluation(reader([e.text for e in of]), of)
    assert sum(count.documents for count in found.rated.values()) == 90
    assert all(found.wanted[r].documents + found.below[r].documents == 90 for r in found.wanted)
    assert np.sum(found.confusion) == pytest.approx(sum(e.weight for e in of))
    assert sum(each.documents for each in found.calibration) == 90
    for kind, named in found.slices.items():
        assert sum(each.documents for each in named.values()) == 90, kind
    assert set(found.slices["language"]) == {"eng", "dan", "unknown"}


def test_what_is_too_small_is_said() -> None:
    few = examples(30)
    found = evaluation(reader([e.text for e in few]), few)
    assert found.groups < 20
    assert all(c.too_small for c in conclusions(found))
    one_sided = examples(120, worst=3)
    found = evaluation(reader([e.text for e in one_sided]), one_sided)
    small = [c.text for c in conclusions(found) if c.too_small]
    assert any(text.startswith("Rated ≥ 3: 120 documents in 60 groups, below: 0 in 0.") for text in small)
    assert too_small("f1 3@2.5", found.figures[MODEL]["f1 3@2.5"], found)  # 1.0, and means nothing
    assert not too_small("mae", found.figures[MODEL]["mae"], found)


def test_slices_name_the_largest_and_put_the_rest_together() -> None:
    of = [replace(e, host=f"h{min(n, 20)}.org") for n, e in enumerate(examples(60))]
    hosts = slices(of)["host"]
    assert next(iter(hosts)) == "h20.org"
    assert len(hosts) == 9
    assert hosts["others"].sum() == 60 - 40 - 7
    assert [length_class(n) for n in (0, 499, 500, 8000)] == [
        "0–499 characters", "0–499 characters", "500–1,999 characters", "8,000+ characters"
    ]  # fmt: skip


def test_an_evaluation_leaves_figures_scores_plots_and_card(tmp_path: Path) -> None:
    of, model = examples(80), tmp_path / "model"
    model.mkdir()
    write_trained_on(model, [trained_on_table(examples(40, seed=2), "train")])
    (model / "gpucurate.json").write_text(json.dumps({"examples": {"digest": "d1"}, "base": {"name": "mini"}}))
    out = tmp_path / "out"
    evaluate_model(model, reader, of, out, TERMS, name="m")
    written = json.loads((out / "evaluation.json").read_text())
    assert set(written["figures"]) == {MODEL, CALIBRATED, *BASELINES}
    assert written["figures"]["constant"]["spearman"]["value"] is None
    rows = [json.loads(line) for line in (out / "scores.jsonl").read_text().splitlines()]
    assert [(row["record_id"], row["rating"]) for row in rows] == [(e.record_id, e.score) for e in of]
    assert [row["model"] for row in rows] == reader([e.text for e in of]).tolist()
    card = (out / "model-card.md").read_text()
    for words in (
        "# m",
        "judge",
        "`rubric`",
        "d1",
        "## Too small to conclude",
        "## Limits",
        written["about"]["examples_digest"],
    ):
        assert words in card
    for name in ("predictors", "cuts", "confusion", "calibration", "slices"):
        assert f"![{name}]({name}.png)" in card
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in (out / f"{name}.svg").read_bytes()
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    evaluate_model(model, reader, of, out, TERMS, name="m")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_examples_of_the_training_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    of = examples(40)
    write_trained_on(tmp_path, [trained_on_table(of[:3], "train")])
    with pytest.raises(UserError, match=r"3 of 40 examples .*Remedy"):
        evaluate_model(tmp_path, reader, of, tmp_path / "out", TERMS)
    assert not (tmp_path / "out").exists()


def test_calibrated_on_means_not_evaluated_on(tmp_path: Path) -> None:
    model, of = tmp_path / "model", examples(60)
    model.mkdir()
    evaluate_model(model, reader, of, tmp_path / "out", TERMS, calibrate=True)
    assert json.loads((model / "gpucurate.json").read_text())["calibration"]["examples"] == 60
    with pytest.raises(UserError, match="60 of 60 examples"):
        evaluate_model(model, reader, of, tmp_path / "again", TERMS)
    evaluate_model(model, reader, examples(60, seed=3), tmp_path / "again", TERMS)


def test_cross_validation_scores_each_example_by_a_model_without_its_site(tmp_path: Path) -> None:
    of = examples(60)
    host_of = {e.text: e.host for e in of}
    seen: list[int] = []

    def train(number: int, trained: Sequence[Example]) -> object:
        known = {e.host for e in trained}

        def score(texts: Sequence[str]) -> Floats:
            assert not known & {host_of[text] for text in texts}
            seen.extend([number] * len(texts))
            return reader(texts)

        return score

    found = cross_validate(train, of, tmp_path, TERMS, {"model": "m"})  # type: ignore[arg-type]
    assert len(seen) == 60
    assert set(seen) == set(range(5))
    assert found.figures[MODEL]["spearman"].value > 0.99
    assert "cross-validation" in (tmp_path / "model-card.md").read_text().lower()


def test_a_handful_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="12 labelled examples"):
        evaluate_model(tmp_path, reader, examples(12), tmp_path / "out", TERMS)
