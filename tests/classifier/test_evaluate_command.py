from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gpucurate.classifier.examples import text_digest
from gpucurate.cli.classifier import classifier
from gpucurate.core.errors import InputError, UserError

WORDS = ["lesson", "school", "water", "light", "cell", "buy", "cheap", "click", "offer", "cookie"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of one layer, 16 wide, over a dozen words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("base")
    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(known), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """90 texts of 30 sites; the share of the first five words is the rating."""
    folder, rng = tmp_path_factory.mktemp("labelled"), np.random.default_rng(1)
    samples, labels = [], []
    for number in range(90):
        rating = int(rng.integers(0, 6))
        text = " ".join(WORDS[rng.integers(5) + 5 * (rng.random() * 5 >= rating)] for _ in range(40))
        record = f"{number:032x}"
        samples.append(
            {"record_id": record, "source": "crawl", "uri": f"https://s{number % 30}.org/{number}", "title": None,
             "language": "eng", "text": text, "weight": 1.0, "stratum": "all"}
        )  # fmt: skip
        labels.append(
            {"record_id": record, "score": rating, "judge": "j", "rubric": "ab", "repeat": 0, "answer": "",
             "text_digest": text_digest(text), "tokens": None}
        )  # fmt: skip
    for name, rows in (("sample", samples), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(folder / "sample.jsonl"), "--labels", str(folder / "labels.jsonl")]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(classifier, arguments, catch_exceptions=False)


def part(folder: Path) -> list[str]:
    return [str(folder / "sample.jsonl"), "--labels", str(folder / "labels.jsonl")]


def test_split_train_evaluate(base: Path, labelled: list[str], tmp_path: Path) -> None:
    divided, model, out = tmp_path / "split", str(tmp_path / "model"), tmp_path / "evaluation"
    assert run("split", *labelled, "--held-out", "0.4", "--out", str(divided)).exit_code == 0
    files = [divided / name / file for name in ("train", "held-out") for file in ("sample.jsonl", "labels.jsonl")]
    ids = [[json.loads(line)["record_id"] for line in path.read_text().splitlines()] for path in files]
    assert sorted(ids[0]) == sorted(ids[1])
    assert sorted(ids[2]) == sorted(ids[3])
    assert len(ids[2]) == 36
    assert not {int(i, 16) % 30 for i in ids[0]} & {int(i, 16) % 30 for i in ids[2]}
    settings = ["--set", "encoder=tuned", "--set", "epochs=2", "--set", "max_tokens=48", "--device", "cpu"]
    made = run("train", *part(divided / "train"), "--out", model, "--model", str(base), *settings)
    assert made.exit_code == 0
    shown = run(
        "evaluate", model, *part(divided / "held-out"), "--out", str(out), "--resamples", "100", "--device", "cpu"
    )
    assert shown.exit_code == 0
    assert "Against length" in shown.output
    about = json.loads((out / "evaluation.json").read_text())["about"]
    assert about["guard"].startswith("no example was trained")
    assert about["training"]["judges"] == ["j"]
    with pytest.raises(UserError, match=r"of 54 examples were used to train.*Remedy"):
        run("evaluate", model, *part(divided / "train"), "--out", str(out), "--device", "cpu")


def test_a_fasttext_classifier_is_evaluated_too(labelled: list[str], tmp_path: Path) -> None:
    divided, model, out = tmp_path / "split", str(tmp_path / "model"), tmp_path / "evaluation"
    run("split", *labelled, "--held-out", "0.4", "--out", str(divided))
    settings = ["--set", "buckets=1024", "--set", "dimensions=8", "--set", "learning_rate=1.0", "--set", "epochs=20"]
    assert run("train-fasttext", *part(divided / "train"), "--out", model, *settings).exit_code == 0
    shown = run("evaluate", model, *part(divided / "held-out"), "--out", str(out), "--resamples", "100", "--calibrate")
    assert shown.exit_code == 0
    figures = json.loads((out / "evaluation.json").read_text())["figures"]
    assert figures["model"]["auc 3"]["value"] > 0.9  # words decide these ratings
    with pytest.raises(UserError, match="36 of 36 examples"):
        run("evaluate", model, *part(divided / "held-out"), "--out", str(out))


def test_cross_validate(base: Path, labelled: list[str], tmp_path: Path) -> None:
    settings = ["--set", "encoder=frozen", "--set", "epochs=3", "--set", "max_tokens=48", "--set", "held_out=0"]
    out = str(tmp_path / "cv")
    terms = ["--folds", "3", "--resamples", "100", "--device", "cpu"]
    shown = run("cross-validate", *labelled, "--out", out, "--model", str(base), *settings, *terms)
    assert shown.exit_code == 0
    found = json.loads((tmp_path / "cv" / "evaluation.json").read_text())
    assert found["documents"] == 90
    assert found["about"]["training"]["epochs"] == 3
    assert not (tmp_path / "cv" / "folds").exists()


def test_what_is_missing_is_named(labelled: list[str], tmp_path: Path) -> None:
    assert run("split", labelled[0], "--out", str(tmp_path / "x")).exit_code == 2
    with pytest.raises(InputError, match="Remedy"):
        run("evaluate", str(tmp_path / "no-model"), *labelled, "--out", str(tmp_path / "x"))
    alone = run("evaluate", "m", *labelled, "--train-labels", labelled[2], "--out", str(tmp_path / "x"))
    assert "go together" in alone.output
    hub = run("evaluate", "some/model", *labelled, "--calibrate", "--out", str(tmp_path / "x"))
    assert "'some/model' is none" in hub.output


def test_published_ratings_become_a_sample_and_labels(tmp_path: Path) -> None:
    import runpy

    convert = runpy.run_path(str(Path(__file__).parents[2] / "classifiers/edu/convert.py"))["convert"]
    (tmp_path / "r.csv").write_text('text,score\n"one, two",4\nthree,1\n"one, two",3\n')
    arguments = [str(tmp_path / "r.csv"), "--judge", "j", "--source", "s", "--out", str(tmp_path / "out")]
    assert CliRunner().invoke(convert, arguments, catch_exceptions=False).output.endswith("2 documents, 3 ratings\n")
    from gpucurate.classifier.examples import load_examples

    loaded = load_examples([tmp_path / "out/sample.jsonl"], [tmp_path / "out/labels.jsonl"])
    assert Counter((e.text, e.score, e.labels) for e in loaded) == {("one, two", 3.5, 2): 1, ("three", 1.0, 1): 1}
