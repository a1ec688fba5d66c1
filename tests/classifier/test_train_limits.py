"""What a training refuses, what it survives, and that several processes train as one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from safetensors.numpy import load_file

from gpucurate.classifier.fasttext_settings import FastTextSettings
from gpucurate.classifier.train import TrainSettings, train
from gpucurate.classifier.train.memory import in_halves
from gpucurate.classifier.train.predictors import ThroughModel
from gpucurate.classifier.train.settings import read_settings
from gpucurate.cli.classifier import classifier
from gpucurate.core.errors import DeviceError, InputError, RecipeError, StorageError, UserError
from tests.classifier.test_train import Heard
from tests.classifier.train_models import small_examples, small_model

PROCESSES = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from gpucurate.classifier.train import TrainSettings, train
from tests.classifier.train_models import small_examples
train(small_examples(61), Path(sys.argv[2]), TrainSettings.model_validate_json(sys.argv[1]), device="cpu")
"""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("bert") / "model")


def quick(model: Path, **changes: Any) -> TrainSettings:
    given = {"model": str(model), "encoder": "tuned", "max_tokens": 32, "epochs": 2, "batch": 16, "held_out": 0.2}
    return TrainSettings.model_validate({**given, **changes})


def run(settings: TrainSettings, out: Path, count: int = 40, **more: Any) -> Heard:
    heard = Heard()
    train(small_examples(count), out, settings, **{"device": "cpu", **more}, progress=heard)
    return heard


@pytest.mark.parametrize("encoder", ["tuned", "frozen"])
def test_out_of_memory_halves_what_is_taken_at_once(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: str
) -> None:
    settings = quick(bert, encoder=encoder)
    run(settings, tmp_path / "roomy")
    whole = ThroughModel.__call__

    def cramped(self: ThroughModel, rows: Any) -> Any:
        if len(rows) > 5:
            raise torch.OutOfMemoryError("pretended")
        return whole(self, rows)

    monkeypatch.setattr(ThroughModel, "__call__", cramped)
    heard = run(settings, tmp_path / "cramped")
    if encoder == "tuned":
        assert [line for line in heard.lines if "memory" in line] == [
            "out of memory; going on with 8 at a time",
            "out of memory; going on with 4 at a time",
        ]
    roomy, tight = (load_file(tmp_path / name / "model.safetensors") for name in ("roomy", "cramped"))
    assert all(np.allclose(roomy[name], tight[name], atol=1e-5) for name in roomy)


def test_halving_does_everything_once_and_ends_at_one() -> None:
    seen: list[int] = []

    def work(rows: Any) -> None:
        if len(rows) > 3 or 90 in rows:
            raise torch.OutOfMemoryError("pretended")
        seen.extend(rows)

    assert in_halves(work, np.arange(50), 32, Heard())[1] == 2
    assert seen == list(range(50))
    with pytest.raises(DeviceError, match="one document at a time"):
        in_halves(work, np.array([90]), 32, Heard())


def test_several_processes_train_as_one(bert: Path, tmp_path: Path) -> None:
    """61 examples, so that the last batch of an epoch leaves the second process without a share."""
    settings = quick(bert, held_out=0.2, batch=16, learning_rate=1e-3, long="mean", weights=True)
    run(settings, tmp_path / "one", 61)
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]  # what accelerate calls for GPUs
    (tmp_path / "train.py").write_text(PROCESSES)
    script = [str(tmp_path / "train.py"), settings.model_dump_json(), str(tmp_path / "two")]
    command = [sys.executable, *launch, *script]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("epoch 2.0") == 1
    assert json.loads((tmp_path / "two" / "gpucurate.json").read_bytes())["processes"] == 2
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    assert all(np.allclose(one[name], two[name], atol=1e-5) for name in one)


def test_examples_that_cannot_be_trained_on(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="5 labelled examples, at least 16 needed"):
        run(quick(bert), tmp_path / "new", 5)
    alike = [replace(e, score=3.2) for e in small_examples(40)]
    with pytest.raises(InputError, match="all 40 labels are 3 when rounded"):
        train(alike, tmp_path / "new", quick(bert), device="cpu")
    assert not any(tmp_path.iterdir())


def test_models_that_cannot_be_trained(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    with pytest.raises(UserError, match=r"takes 64 tokens, asked for 500. Remedy: max_tokens=64"):
        run(quick(bert, max_tokens=500), tmp_path / "new")
    three = AutoModelForSequenceClassification.from_pretrained(bert, num_labels=3)
    three.save_pretrained(tmp_path / "three")
    tokenizer = AutoTokenizer.from_pretrained(bert)
    tokenizer.save_pretrained(tmp_path / "three")
    with pytest.raises(UserError, match="a head of another size"):
        run(quick(tmp_path / "three"), tmp_path / "new")
    (tmp_path / "three" / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(InputError, match="cannot be loaded"):
        run(quick(tmp_path / "three"), tmp_path / "new")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is no classifier"):
        run(quick(tmp_path / "empty"), tmp_path / "new")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match=r"the classifier './nowhere' is not a directory"):
        run(TrainSettings(model="./nowhere"), tmp_path / "new")


def test_machines_that_are_not_there(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(DeviceError, match="device 'cuda' was asked for, but"):
        run(quick(bert), tmp_path / "new", device="cuda")
    with pytest.raises(UserError, match="fp16 needs a GPU"):
        run(quick(bert, precision="fp16"), tmp_path / "new")


def test_bf16_on_a_cpu_trains_too(bert: Path, tmp_path: Path) -> None:
    run(quick(bert, precision="bf16"), tmp_path / "new")
    assert load_file(tmp_path / "new" / "model.safetensors")["classifier.weight"].dtype == np.float32


def test_a_loss_that_is_no_number_ends_the_training(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Remedy: a lower learning_rate"):
        run(quick(bert, learning_rate=1e30, epochs=5), tmp_path / "new")


def test_other_settings_do_not_go_on_with_an_unfinished_training(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(small_examples(40), tmp_path / "new", quick(bert), device="cpu", progress=Heard(stop_after=3))
    with pytest.raises(UserError, match="holds an unfinished training with other settings"):
        run(quick(bert, seed=1), tmp_path / "new")
    (tmp_path / "new.training" / "checkpoint.pt").write_bytes(b"damaged")
    with pytest.raises(StorageError, match="Remedy: delete"):
        run(quick(bert), tmp_path / "new")
    (tmp_path / "new.training" / "checkpoint.pt").unlink()
    run(quick(bert), tmp_path / "new")
    with pytest.raises(UserError, match="is there already and was not made from these examples"):
        run(quick(bert, seed=1), tmp_path / "new")


def test_settings_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("encoder: tuned\nbatch: 64\n")
    settings = read_settings(TrainSettings, tmp_path / "s.yaml", ["batch=16", "weights=true"])
    assert (settings.encoder, settings.batch, settings.weights, settings.rate) == ("tuned", 16, True, 3e-5)
    assert read_settings(TrainSettings, None).model == "Snowflake/snowflake-arctic-embed-m"
    for text, said in (
        ("epoch: 3", "unknown key; did you mean 'epochs'?"),
        ("encoder: freezed", "did you mean 'frozen'?"),
        ("- 1", "must be a mapping"),
        ("a: [", "not valid YAML"),
    ):
        (tmp_path / "s.yaml").write_text(text)
        with pytest.raises(RecipeError) as mistake:
            read_settings(TrainSettings, tmp_path / "s.yaml")
        assert said in str(mistake.value)
    with pytest.raises(RecipeError, match="cannot read settings"):
        read_settings(TrainSettings, tmp_path / "nowhere.yaml")


def test_the_settings_that_are_shipped() -> None:
    folder = Path(__file__).parents[2] / "classifiers" / "edu"
    assert read_settings(TrainSettings, folder / "train.yaml").encoder == "frozen"
    assert read_settings(TrainSettings, folder / "train-few.yaml").balance == "classes"
    assert read_settings(FastTextSettings, folder / "fasttext.yaml").balance == "equal"


def called(*arguments: object) -> Result:
    return CliRunner().invoke(classifier, [str(each) for each in arguments])


def test_the_commands(bert: Path, tmp_path: Path) -> None:
    examples = small_examples(60)
    documents = [
        {"record_id": e.record_id, "source": "small", "uri": e.uri, "title": None, "language": "en"}
        | {"text": e.text, "weight": 1.0, "stratum": "all"}
        for e in examples
    ]
    labels = [
        {"record_id": e.record_id, "score": e.score, "judge": "judge", "rubric": "ab", "repeat": 0}
        | {"answer": "5", "text_digest": e.text_digest, "tokens": None}
        for e in examples
    ]
    for name, rows in (("sample", documents), ("labels", labels)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = (tmp_path / "sample.jsonl", "--labels", tmp_path / "labels.jsonl")
    (tmp_path / "exam.jsonl").write_text("questions")
    command = ("train", *given, "--out", tmp_path / "model", "--model", bert, "--device", "cpu")
    more = ("--set", "max_tokens=32", "--set", "epochs=1", "--benchmark", tmp_path / "exam.jsonl")
    assert "54 examples, 6 held out" in called(*command, *more).stdout
    lineage = json.loads((tmp_path / "model" / "gpucurate.json").read_bytes())
    assert [entry["name"] for entry in lineage["benchmarks"]] == ["exam.jsonl"]

    cheap = ("train-fasttext", *given, "--out", tmp_path / "cheap", "--set", "buckets=1024")
    assert "area under roc" in called(*cheap, "--set", "cut=2.5", "--set", "held_out=0.3").stdout
    unlabelled = called("train", tmp_path / "sample.jsonl", "--out", tmp_path / "other")
    assert "needs at least one SAMPLE and one --labels" in unlabelled.stderr
    mistaken = called(*command, "--set", "lerning_rate=1").exception
    assert isinstance(mistaken, RecipeError)
    assert "did you mean 'learning_rate'?" in str(mistaken)
