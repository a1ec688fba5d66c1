"""Texts and models that nobody would choose, from training to evaluation and labelling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gpucurate.classifier.baselines import baselines
from gpucurate.classifier.evaluate_scorer import model_scorer
from gpucurate.classifier.examples import Example, SampledDocument, text_digest
from gpucurate.classifier.fasttext_examples import cut_in_two
from gpucurate.classifier.fasttext_settings import FastTextSettings
from gpucurate.classifier.fasttext_training import train_fasttext
from gpucurate.classifier.guard import read_lineage
from gpucurate.classifier.json_lines import as_line
from gpucurate.classifier.train import TrainSettings, train
from gpucurate.cli.root import root
from gpucurate.core.errors import DeviceError, GpucurateError, InputError, UserError
from tests.classifier.endpoint_server import chat_server
from tests.classifier.train_models import example, small_examples, small_model
from tests.steps.quality.models import write_regressor

torch = pytest.importorskip("torch")
ODD = {
    "empty": "",
    "blank": " \n\t ",
    "a megabyte": "bada gebo dida " * 70_000,
    "one long word": "x" * 1_000_000,
    "Danish": "Hunden løb gennem skoven, og ingen så den siden. " * 3,
    "Chinese": "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？",
    "emoji and zero bytes": "\U0001f600 \u200b \u0000 e\u0301",
}


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("bert") / "model")


@pytest.fixture(scope="module")
def odd() -> list[Example]:
    """Odd texts among plain ones."""
    given = [example(f"https://odd{n}.test/", text, n % 6) for n, text in enumerate(ODD.values())]
    return [*small_examples(40), *given]


@pytest.mark.parametrize("long", ["truncate", "mean"])
def test_odd_texts_train_and_score(bert: Path, odd: list[Example], tmp_path: Path, long: str) -> None:
    settings = TrainSettings.model_validate(
        {"model": str(bert), "encoder": "tuned", "epochs": 1, "max_tokens": 32, "max_windows": 3, "long": long}
    )
    assert train(odd, tmp_path / "model", settings, device="cpu").train > 40
    score = model_scorer(tmp_path / "model", read_lineage(tmp_path / "model"), "cpu")
    scores = score([e.text for e in odd])
    assert np.isfinite(scores).all()
    assert np.abs(scores - [score([e.text])[0] for e in odd]).max() < 1e-4  # whatever shares the batch


def test_odd_texts_and_fasttext(odd: list[Example], tmp_path: Path) -> None:
    settings = FastTextSettings.model_validate({"buckets": 1024, "dimensions": 4, "epochs": 2})
    train_fasttext(*cut_in_two(odd, settings.cut), tmp_path / "model", settings)
    scores = model_scorer(tmp_path / "model", {}, "cpu")([e.text for e in odd])
    assert ((scores >= 0) & (scores <= 5)).all()


def test_labels_of_one_site_can_be_trained_on_when_told_so(bert: Path, tmp_path: Path) -> None:
    one = [replace(e, host="wiki.test") for e in small_examples(60)]
    cheap = {"buckets": 1024, "dimensions": 4, "epochs": 2, "cut": 2.5}
    regressor = {"model": str(bert), "max_tokens": 32, "epochs": 1}
    for one_site in (False, True):
        fast = FastTextSettings.model_validate({**cheap, "one_site": one_site})
        settings = TrainSettings.model_validate({**regressor, "one_site": one_site})
        if not one_site:
            with pytest.raises(InputError, match="--set one_site=true"):
                train_fasttext(*cut_in_two(one, 2.5), tmp_path / "fast", fast)
            with pytest.raises(InputError, match="--set one_site=true"):
                train(one, tmp_path / "model", settings, device="cpu")
        else:
            assert train_fasttext(*cut_in_two(one, 2.5), tmp_path / "fast", fast).held_out == 6
            assert train(one, tmp_path / "model", settings, device="cpu").held_out == 6


def test_odd_texts_have_baselines(odd: list[Example]) -> None:
    for scores in baselines(odd[:20], odd).values():
        assert np.isfinite(scores).all()


def test_odd_texts_are_labelled_once(tmp_path: Path) -> None:
    documents = [
        SampledDocument(f"{n:032x}", "web", "u", None, None, f"document-{n} {text}", 1.0, "all")
        for n, text in enumerate(ODD.values())
    ]
    sample, labels = tmp_path / "sample.jsonl", tmp_path / "labels.jsonl"
    sample.write_bytes(b"".join(as_line(asdict(document)) for document in documents))
    with chat_server() as site:
        asked = ["classifier", "label", str(sample), "--labels", str(labels), "--model", "m", "--yes"]
        told = CliRunner().invoke(root, [*asked, "--base-url", site.url], catch_exceptions=False)
        longest = max(len(body["messages"][0]["content"]) for _, body, _, _ in site.requests)
    assert told.exit_code == 0
    rows = [json.loads(line) for line in labels.read_text().splitlines()]
    assert {row["record_id"]: row["text_digest"] for row in rows} == {
        document.record_id: text_digest(document.text) for document in documents
    }
    assert len(rows) == len(ODD)
    assert 10_000 < longest < 20_000


def evaluate(model: Path, labelled: Path, *options: str) -> GpucurateError:
    """What `evaluate` refuses a model with."""
    files = [str(labelled / "sample.jsonl"), "--labels", str(labelled / "labels.jsonl")]
    asked = ["classifier", "evaluate", str(model), *files, "--out", str(labelled / "evaluation"), "--resamples", "100"]
    told = CliRunner().invoke(root, [*asked, *options])
    assert isinstance(told.exception, GpucurateError), told.output
    assert not (labelled / "evaluation").exists()
    return told.exception


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labelled")
    samples, labels = [], []
    for e in small_examples(40):
        samples.append(SampledDocument(e.record_id, e.source, e.uri, None, "en", e.text, 1.0, "all"))
        label = {"record_id": e.record_id, "score": round(e.score), "judge": "j", "rubric": "r", "repeat": 0}
        labels.append({**label, "answer": "", "text_digest": e.text_digest, "tokens": None})
    (folder / "sample.jsonl").write_bytes(b"".join(as_line(asdict(sample)) for sample in samples))
    (folder / "labels.jsonl").write_bytes(b"".join(as_line(label) for label in labels))
    return folder


def test_models_that_cannot_be_evaluated_are_refused_with_the_reason(labelled: Path, tmp_path: Path) -> None:
    headless, three = write_regressor(tmp_path / "headless", head=False), write_regressor(tmp_path / "three", outputs=3)
    for model, said in ((headless, "head"), (three, "3")):
        error = evaluate(model, labelled, "--device", "cpu")
        assert isinstance(error, UserError | InputError)
        assert said in str(error)
        assert "Remedy: " in str(error)
    broken = write_regressor(tmp_path / "broken")
    from safetensors.torch import load_file, save_file

    weights = load_file(broken / "model.safetensors")
    weights["classifier.bias"].fill_(float("nan"))
    save_file(weights, broken / "model.safetensors", {"format": "pt"})
    assert "Remedy: " in str(evaluate(broken, labelled, "--device", "cpu"))


def test_no_gpu_where_one_was_asked_for(labelled: Path, bert: Path, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    model = write_regressor(tmp_path / "model")
    assert isinstance(evaluate(model, labelled, "--device", "cuda"), DeviceError)
    files = [str(labelled / "sample.jsonl"), "--labels", str(labelled / "labels.jsonl"), "--out", str(tmp_path / "cv")]
    asked = ["classifier", "cross-validate", *files, "--model", str(bert), "--set", "max_tokens=32", "--device", "cuda"]
    told = CliRunner().invoke(root, asked)
    assert isinstance(told.exception, DeviceError)
    assert "Remedy: " in str(told.exception)


def test_a_tokenizer_without_padding_cannot_be_trained(bert: Path, tmp_path: Path) -> None:
    from transformers import AutoModel, AutoTokenizer

    AutoModel.from_pretrained(bert).save_pretrained(tmp_path / "base")
    tokenizer = AutoTokenizer.from_pretrained(bert)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path / "base")
    settings = TrainSettings.model_validate({"model": str(tmp_path / "base"), "max_tokens": 32})
    with pytest.raises(UserError, match=r"has no padding token\. Remedy"):
        train(small_examples(40), tmp_path / "new", settings, device="cpu")
    assert not (tmp_path / "new").exists()
