"""Training a regressor: it learns, it is repeatable to the byte, it goes on where it was killed."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from gpucurate.classifier.guard import refuse_known
from gpucurate.classifier.train import TrainSettings, train
from gpucurate.classifier.train.base import open_base
from gpucurate.classifier.train.machine import find_machine
from gpucurate.classifier.train.predictors import head_suffices
from gpucurate.classifier.train.windows import DocumentWindows
from gpucurate.core.errors import UserError
from gpucurate.steps.quality.regressor import Regressor
from tests.classifier.train_models import english_examples, mini_lm, small_examples, small_model

PLAIN = """
import json, sys
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
directory, texts = sys.argv[1], json.load(sys.stdin)
tokenizer = AutoTokenizer.from_pretrained(directory)
model = AutoModelForSequenceClassification.from_pretrained(directory)
assert model.config.problem_type == "regression"
with torch.no_grad():
    inputs = [tokenizer(text, truncation=True, max_length=512, return_tensors="pt") for text in texts]
    print(json.dumps([model(**each).logits.item() for each in inputs]))
assert not any(name.startswith("gpucurate") for name in sys.modules)
"""
KILLED = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from gpucurate.classifier.train import TrainSettings, train
from tests.classifier.train_models import small_examples
settings = TrainSettings.model_validate_json(sys.argv[1])
train(small_examples(60), Path(sys.argv[2]), settings, device="cpu")
"""


class Heard:
    """A progress that remembers, and may stop the training after so many tasks of a stage."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.lines: list[str] = []
        self.left = stop_after

    def say(self, line: str) -> None:
        self.lines.append(line)

    @contextlib.contextmanager
    def stage(self, name: str, tasks: int) -> Iterator[Heard]:
        yield self

    def advance(self, documents: int) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Several threads over matrices of width 16 only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("bert") / "model")


def tuned(model: Path, **changes: object) -> TrainSettings:
    """Settings for a quick training of all weights."""
    given = {"model": str(model), "encoder": "tuned", "max_tokens": 32, "epochs": 4, "batch": 8, "learning_rate": 3e-3}
    return TrainSettings.model_validate({**given, "held_out": 0.2, **changes})


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_mini_lm_with_a_new_head_learns_and_plain_transformers_agrees(tmp_path: Path) -> None:
    examples = english_examples(40)
    settings = TrainSettings(model=str(mini_lm()), epochs=8, batch=8, learning_rate=3e-3, held_out=0.25)
    heard = Heard()
    trained = train(examples, tmp_path / "model", settings, device="cpu", progress=heard)
    assert "was made to give the mean over all tokens" in heard.lines[0]
    assert trained.train + trained.held_out == 40
    assert min(look["held_out"] for look in trained.looks) < 0.3 * np.var([e.score for e in examples])

    texts = [e.text for e in examples[:8]] + ["", "word " * 2000]
    ours = Regressor.open(str(tmp_path / "model")).scores(texts)
    command = [sys.executable, "-c", PLAIN, str(tmp_path / "model")]
    theirs = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True, cwd=tmp_path)
    assert np.abs(ours - json.loads(theirs.stdout)).max() < 1e-4

    lineage = json.loads((tmp_path / "model" / "gpucurate.json").read_bytes())
    assert lineage["kind"] == "regressor"
    assert lineage["judges"] == ["judge"]
    assert lineage["rounded_scores"] == {"0": 10, "1": 10, "2": 0, "3": 0, "4": 10, "5": 10}
    with pytest.raises(UserError, match="40 of 40 examples were used to train"):
        refuse_known("model", tmp_path / "model", examples)
    encoder = {n: v for n, v in load_file(mini_lm() / "model.safetensors").items() if n.startswith("encoder.")}
    saved = load_file(tmp_path / "model" / "model.safetensors")
    assert all((saved[f"bert.{name}"] == value).all() for name, value in encoder.items())


def test_all_weights_learn_what_the_head_alone_cannot_see(bert: Path, tmp_path: Path) -> None:
    examples = small_examples(120)
    trained = train(examples, tmp_path / "model", tuned(bert, epochs=15, patience=15), device="cpu", progress=Heard())
    best = min(look["held_out"] for look in trained.looks)
    assert best < 0.5 * np.var([e.score for e in examples])
    held = [look["held_out"] for look in trained.looks]
    assert json.loads((tmp_path / "model" / "gpucurate.json").read_bytes())["looks"][int(np.argmin(held))][
        "held_out"
    ] == pytest.approx(best)


@pytest.mark.parametrize("dropout", [False, True])
def test_the_best_look_is_what_is_saved_and_patience_ends_the_training(
    bert: Path, tmp_path: Path, dropout: bool
) -> None:
    examples = small_examples(60)
    settings = tuned(bert, learning_rate=0.05, epochs=20, patience=2, weights=True, dropout=dropout)
    trained = train(examples, tmp_path / "model", settings, device="cpu", progress=Heard())
    held = [look["held_out"] for look in trained.looks]
    assert len(held) < 20
    assert len(held) - 1 - int(np.argmin(held)) == 2
    from gpucurate.classifier.split import split

    _, out = split(examples, 0.2, 0)
    found = Regressor.open(str(tmp_path / "model"), max_tokens=32).scores([e.text for e in out])
    weights = np.array([e.weight for e in out])
    error = np.average((found - [e.score for e in out]) ** 2, weights=weights)
    assert error == pytest.approx(min(held), rel=1e-4)


@pytest.mark.parametrize("encoder", ["frozen", "tuned"])
def test_interrupted_anywhere_gives_the_same_bytes(bert: Path, tmp_path: Path, encoder: str) -> None:
    settings = tuned(bert, encoder=encoder, balance="classes", dropout=True, checkpoint_every=2, long="mean")
    examples = small_examples(60, words=40)
    train(examples, tmp_path / "whole" / "model", settings, device="cpu", progress=Heard())
    for stop in (5, 8, 4):
        with pytest.raises(KeyboardInterrupt):
            train(examples, tmp_path / "parts" / "model", settings, device="cpu", progress=Heard(stop_after=stop))
        assert not (tmp_path / "parts" / "model").exists()
    heard = Heard()
    train(examples, tmp_path / "parts" / "model", settings, device="cpu", progress=heard)
    assert any(line.startswith("goes on after update") for line in heard.lines)
    assert content(tmp_path / "parts" / "model") == content(tmp_path / "whole" / "model")
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["model"]
    again = train(examples, tmp_path / "parts" / "model", settings, device="cpu", progress=Heard())
    assert again.found


def test_killed_and_resumed_gives_the_same_bytes(bert: Path, tmp_path: Path) -> None:
    settings = tuned(bert, epochs=10, patience=10)
    train(small_examples(60), tmp_path / "whole" / "model", settings, device="cpu", progress=Heard())
    command = [sys.executable, "-c", KILLED, settings.model_dump_json(), str(tmp_path / "killed" / "model")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if line.startswith("epoch 3.0"):
                running.kill()
        assert running.wait() == -signal.SIGKILL
    assert not (tmp_path / "killed" / "model").exists()
    heard = Heard()
    train(small_examples(60), tmp_path / "killed" / "model", settings, device="cpu", progress=heard)
    assert heard.lines[0].startswith("goes on after update")
    assert content(tmp_path / "killed" / "model") == content(tmp_path / "whole" / "model")


@pytest.mark.parametrize(("kind", "suffices"), [("bert", True), ("roberta", True), ("distilbert", False)])
def test_a_frozen_encoder_stays_as_it_was(tmp_path: Path, kind: str, suffices: bool) -> None:
    model = small_model(tmp_path / "base", kind)
    base = open_base(str(model), 32, seed=0)
    windows = DocumentWindows.of(base.tokenizer, [e.text for e in small_examples(5)], 32, "truncate", 1)
    assert head_suffices(base, windows, find_machine("cpu", "fp32")) == suffices
    before = {n: p.detach().clone() for n, p in base.encoder.named_parameters() if not n.startswith("pooler")}
    heard = Heard()
    settings = tuned(model, encoder="frozen", epochs=1, dropout=True)
    train(small_examples(40), tmp_path / "new", settings, device="cpu", progress=heard)
    assert any("the encoder runs in every epoch" in line for line in heard.lines) != suffices
    after = dict(open_base(str(tmp_path / "new"), 32, seed=1).encoder.named_parameters())
    assert all(torch.equal(after[name], value) for name, value in before.items())


@pytest.mark.parametrize("long", ["truncate", "mean"])
def test_training_sees_the_scores_that_scoring_gives(bert: Path, tmp_path: Path, long: str) -> None:
    """The loss before the first update is that of the model as it stands, which scoring must find too."""
    examples = small_examples(40, words=70)
    looks = {}
    for encoder in ("frozen", "tuned"):
        settings = tuned(bert, encoder=encoder, long=long, epochs=1, batch=40, held_out=0.0, learning_rate=1e-30)
        out = tmp_path / encoder
        looks[encoder] = train(examples, out, settings, device="cpu", progress=Heard()).looks[0]["loss"]
    found = Regressor.open(str(tmp_path / "tuned"), max_tokens=32, long=long).scores([e.text for e in examples])
    loss = np.mean((found - [e.score for e in examples]) ** 2)
    assert looks["frozen"] == pytest.approx(loss, rel=1e-5)
    assert looks["tuned"] == pytest.approx(loss, rel=1e-5)


def test_trainings_on_parts_of_a_pool_share_features(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, cache = small_examples(60), tmp_path / "features"
    settings = tuned(bert, encoder="frozen", epochs=1)
    first = train(pool[:40], tmp_path / "a", settings, device="cpu", progress=Heard(), pool=pool, cache=cache)
    made = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    train(pool[20:], tmp_path / "b", settings, device="cpu", progress=Heard(), pool=pool, cache=cache)
    assert {path: path.stat().st_mtime_ns for path in cache.iterdir()} == made
    alone = train(pool[:40], tmp_path / "c", settings, device="cpu", progress=Heard())
    assert alone.looks[0]["loss"] == pytest.approx(first.looks[0]["loss"], rel=1e-5)
