"""Labels, trees and folds of the main-content model, each against a slower or simpler way to say the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpucurate.classifier.main_content import folds
from gpucurate.classifier.main_content.examples import Example
from gpucurate.classifier.main_content.labels import shares
from gpucurate.classifier.main_content.pages import Page, distinct, read_folder, read_gold, read_phrases
from gpucurate.classifier.main_content.settings import MainContentSettings
from gpucurate.classifier.main_content.shingles import f1, precision_recall, words
from gpucurate.classifier.main_content.training import train
from gpucurate.core.errors import InputError
from gpucurate.sources.html.blocks import FEATURES, Trees

pytestmark = pytest.mark.xdist_group("html")  # one process compiles the kernels, not both


def test_shingles_count_as_the_benchmark_says() -> None:
    assert precision_recall("a b c d e", "a b c d x") == (0.5, 0.5)
    assert precision_recall("a b c d", "a b c d e") == (0.5, 1.0)
    assert precision_recall("", "") == (1.0, pytest.approx(float("nan"), nan_ok=True))
    assert np.isnan(precision_recall("a", "")[0])
    assert precision_recall("a", "")[1] == 0
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)
    assert f1(float("nan"), 0.0) == 0
    assert words("Ein Satz, 日本語 x1") == ["Ein", "Satz", "日", "本", "語", "x1"]


def test_blocks_are_found_in_a_text_as_far_as_they_lie_in_it() -> None:
    text = "One two three four five six.\nShort line\nAnd then more words follow here."
    blocks = ["One two three four five six.", "Short line", "Short", "One two three four nine ten", "", "Menu"]
    assert shares(blocks, text).tolist() == pytest.approx([1, 1, 0, 1 / 3, 0, 0])
    around = ["Menu", "x y", "Menu", "Home", "One two three four five six.", "Short line"]
    assert shares(["Short line", *around], text).tolist() == [0, 0, 0, 0, 0, 1, 1]  # the one beside what is kept


def examples() -> list[Example]:
    random = np.random.default_rng(0)
    made = []
    for k in range(20):
        matrix = random.normal(size=(60, FEATURES)).astype(np.float32)
        label = (matrix[:, 3] + 0.3 * matrix[:, 7] > 0).astype(np.float32)
        made.append(Example(Page("silver", f"site{k}", f"<p>{k}"), matrix, label, np.ones(60, np.float32)))
    return made


def test_trees_say_what_lightgbm_says_and_training_again_gives_the_same_arrays() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    from gpucurate.classifier.main_content.training import _parameters

    settings = MainContentSettings(rounds=12, bags=2, least_rows=5)
    some = examples()
    forest = train(some, settings, 0.5)
    again = train(some[::-1], settings, 0.5)  # the order in which pages come is of no account
    for one, other in zip(forest, again, strict=True):
        np.testing.assert_array_equal(one, other)
    rows = sorted(some, key=lambda example: example.page.key)
    matrix, label = (np.concatenate([getattr(e, name) for e in rows]) for name in ("matrix", "label"))
    raw = [
        lightgbm.train(_parameters(settings, bag), lightgbm.Dataset(matrix, label), settings.rounds).predict(
            matrix, raw_score=True
        )
        for bag in range(2)
    ]
    expected = 1 / (1 + np.exp(-np.mean(raw, 0)))
    np.testing.assert_allclose(Trees(forest).probabilities(matrix, np.inf), expected, atol=1e-5)
    assert ((expected > 0.5) == label).mean() > 0.9
    other_seed = train(some, settings.model_copy(update={"seed": 1}), 0.5)
    assert not np.array_equal(other_seed.threshold, forest.threshold)


def test_folds_keep_sites_together_and_figures_count_sites() -> None:
    settings = MainContentSettings()
    assert {folds.fold_of(f"site{k}", settings) for k in range(100)} == set(range(settings.folds))
    long = " ".join(f"word{k}" for k in range(400))
    gold = Page("gold", "a", "<p>x", f"<p>{long}</p>")
    pages = [gold, Page("phrases", "b", "<p>y", None, ("yes", "no"), ("bad",))]
    half = " ".join(long.split()[:200])
    figures = folds.gold_figures(folds.gold_pages(pages), {gold.key: half}, 10)
    assert figures["P"].value == 1
    assert figures["R"].value == pytest.approx(197 / 397)
    drawn = {pages[1].key: "yes, bad"}
    assert {name: figure.value for name, figure in folds.phrase_figures(pages, drawn, 10).items()} == pytest.approx(
        {"F1": 0.5, "P": 0.5, "R": 0.5}
    )


def test_pages_are_read_once_each_and_the_best_labelled_wins(tmp_path: Path) -> None:
    body = "<html lang=de><p>" + "Wort " * 60
    for name in ("news-1", "news-2"):
        (tmp_path / "gold" / name).mkdir(parents=True)
        (tmp_path / "gold" / name / "source.html").write_text(f"{body}{name}")
        (tmp_path / "gold" / name / "expected.html").write_text("<p>Wort</p>")
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / "a.html").write_text(f"{body}a")
    (tmp_path / "evaldata.json").write_text(
        '{"https://www.a.de/x": {"file": "a.html", "with": ["Wort"], "without": []},'
        ' "https://b.de/": {"file": "b.html", "with": [], "without": []}}'
    )
    silver = list(read_folder(tmp_path / "gold", 1))
    assert [page.kind for page in silver] == ["silver", "silver"]  # one of each folder, stubs are left out
    pages = distinct(iter([*silver, *read_gold(tmp_path / "gold"), *read_phrases(tmp_path)]))
    assert sorted((page.kind, page.site, page.language) for page in pages) == [
        ("gold", "news", "de"),
        ("gold", "news", "de"),
        ("phrases", "a.de", "de"),
    ]
    with pytest.raises(InputError, match="no page to learn from"):
        distinct(iter([]))
