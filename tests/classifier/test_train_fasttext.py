"""fastText classifiers: figures against scikit-learn, the same file from any order, words that are not labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

from gpucurate.classifier.examples import Example
from gpucurate.classifier.fasttext_examples import cut_in_two, two_corpora
from gpucurate.classifier.fasttext_settings import FastTextSettings
from gpucurate.classifier.fasttext_training import figures_of, probabilities, train_fasttext
from gpucurate.classifier.guard import read_trained_on
from gpucurate.core.errors import InputError, UserError
from gpucurate.steps.quality.fasttext_line import as_line
from tests.classifier.train_models import small_examples

SETTINGS = FastTextSettings(learning_rate=0.5, epochs=20, dimensions=8, buckets=1 << 10, held_out=0.25)


def parts(count: int = 200) -> tuple[list[Example], list[Example]]:
    return cut_in_two(small_examples(count), 2.5)


@pytest.mark.parametrize("seed", range(5))
def test_figures_agree_with_scikit_learn(seed: int) -> None:
    generator = np.random.default_rng(seed)
    truth = generator.random(60) < 0.3
    chances = (0.3 * truth + generator.random(60)).clip(0, 1).round(1)  # with ties
    found = figures_of(truth, chances)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(truth, chances >= 0.5, average="binary")
    expected = [precision, recall, f1, metrics.roc_auc_score(truth, chances), truth.mean()]
    assert list(found.values()) == pytest.approx(expected)


def test_it_learns_and_says_where_it_comes_from(tmp_path: Path) -> None:
    import fasttext

    good, rest = parts()
    trained = train_fasttext(good, rest, tmp_path / "model", SETTINGS)
    assert trained.train + trained.held_out == 200
    assert trained.figures["area_under_roc"] > 0.85
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "gpucurate.json",
        "model.bin",
        "trained_on.parquet",
    ]
    lineage = json.loads((tmp_path / "model" / "gpucurate.json").read_bytes())
    assert (lineage["kind"], lineage["positive"]) == ("fasttext", "good")
    assert lineage["figures"] == trained.figures
    known = read_trained_on(tmp_path / "model")
    assert known is not None
    assert known["use"].to_pylist().count("validation") == trained.held_out
    model = fasttext.load_model(str(tmp_path / "model" / "model.bin"))
    everything = [*good, *rest]
    truth = np.array([e in good for e in everything])
    assert metrics.roc_auc_score(truth, probabilities(model, [e.text for e in everything])) > 0.9
    assert train_fasttext(good, rest, tmp_path / "model", SETTINGS).found
    with pytest.raises(UserError, match="is there already"):
        train_fasttext(good, rest, tmp_path / "model", SETTINGS.model_copy(update={"seed": 1}))


def test_the_same_bytes_from_any_order(tmp_path: Path) -> None:
    good, rest = parts(80)
    for name, order in (("a", 1), ("b", -1)):
        train_fasttext(good[::order], rest[::order], tmp_path / name, SETTINGS)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


def test_words_that_fasttext_would_take_for_labels_are_text(tmp_path: Path) -> None:
    import fasttext

    good, rest = parts(80)
    traps = ["__label__rest {}", "__label____label__rest {}", "</s>\n{}", "\0{}", "{}\u2028\r\n"]
    good = [replace(e, text=traps[n % len(traps)].format(e.text)) for n, e in enumerate(good)]
    train_fasttext(good, rest, tmp_path / "model", SETTINGS)
    model = fasttext.load_model(str(tmp_path / "model" / "model.bin"))
    assert sorted(model.get_labels()) == ["__label__good", "__label__rest"]
    plain, trapped = probabilities(model, ["ba be bo", "ba be\n\0bo"])
    assert plain == trapped
    assert as_line("a __la__label__bel__b </s>\n") == "a b s "


def test_balance_leaves_out_what_one_kind_has_more(tmp_path: Path) -> None:
    good, rest = parts()
    settings = SETTINGS.model_copy(update={"balance": "equal"})
    train_fasttext(good[:30], rest, tmp_path / "model", settings)
    kinds = json.loads((tmp_path / "model" / "gpucurate.json").read_bytes())["kinds"]
    assert kinds["train"]["good"] == kinds["train"]["rest"] > 10


def test_what_cannot_be_trained_on_is_refused(tmp_path: Path) -> None:
    good, rest = parts(40)
    with pytest.raises(InputError, match="at least 16 needed"):
        train_fasttext(good[:4], rest[:4], tmp_path / "model", SETTINGS)
    with pytest.raises(InputError, match="0 of 40 labelled examples reach the cut 5"):
        cut_in_two([replace(e, score=1.0) for e in [*good, *rest]], 5)
    with pytest.raises(InputError, match="of the kind 'good' there is no example"):
        train_fasttext([], [*good, *rest], tmp_path / "model", SETTINGS)
    assert not any(tmp_path.iterdir())


def test_a_reference_against_a_crawl(tmp_path: Path) -> None:
    good, rest = parts()
    for name, examples in (("reference", good), ("crawl", rest)):
        lines = [
            json.dumps(
                {
                    "record_id": e.record_id,
                    "source": e.source,
                    "uri": e.uri,
                    "title": None,
                    "language": None,
                    "text": e.text,
                    "weight": 1.0,
                    "stratum": "all",
                }
            )
            for e in examples
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    found = two_corpora([tmp_path / "reference.jsonl"], [tmp_path / "crawl.jsonl"])
    assert [{e.record_id for e in part} for part in found] == [{e.record_id for e in part} for part in (good, rest)]
    assert train_fasttext(*found, tmp_path / "model", SETTINGS).figures["area_under_roc"] > 0.85
    with pytest.raises(InputError, match=r"texts of the crawl are in the reference too"):
        two_corpora([tmp_path / "reference.jsonl"], [tmp_path / "reference.jsonl"])
