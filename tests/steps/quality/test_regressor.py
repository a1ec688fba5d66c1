"""Scores against transformers' own pipeline and against windows scored one by one; models that cannot score."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpucurate.core.errors import DeviceError, InputError, UserError
from gpucurate.steps.quality.regressor import Regressor

from .models import TEXTS, minilm, tokenizer, write_regressor

torch = pytest.importorskip("torch")


def by_pipeline(folder: Path, texts: list[str], max_tokens: int) -> NDArray[np.float64]:
    from transformers import pipeline

    classify = pipeline("text-classification", str(folder), function_to_apply="none", device="cpu")
    found = classify(texts, truncation=True, max_length=max_tokens, batch_size=4)
    return np.array([each["score"] for each in found])


@pytest.mark.parametrize("max_tokens", [512, 16])
def test_as_the_pipeline_of_transformers(regressor: Path, max_tokens: int) -> None:
    texts = [*TEXTS, "long words and short ones " * 40_000]  # a megabyte
    wanted = by_pipeline(regressor, texts, max_tokens)
    found = Regressor.open(str(regressor), max_tokens=max_tokens, batch_tokens=600).scores(texts)
    assert found.dtype == np.float64
    assert np.ptp(wanted) > 0.5
    np.testing.assert_allclose(found, wanted, atol=2e-6)


@pytest.mark.parametrize("max_windows", [100, 3])
def test_mean_over_windows(regressor: Path, max_windows: int) -> None:
    opened = Regressor.open(str(regressor), max_tokens=20, long="mean", max_windows=max_windows)
    tokens = tokenizer()
    wanted = []
    for text in TEXTS:
        ids = tokens(text, add_special_tokens=False, verbose=False)["input_ids"]
        windows = [ids[n : n + 18] for n in range(0, max(1, len(ids)), 18)]
        chosen = sorted({round(n) for n in np.linspace(0, len(windows) - 1, min(len(windows), max_windows))})
        scores = []
        for n in chosen:
            given = torch.tensor([[tokens.cls_token_id, *windows[n], tokens.sep_token_id]])
            with torch.inference_mode():
                scores.append(opened.loaded.model(input_ids=given).logits.item())
        wanted.append(np.mean(scores))
    np.testing.assert_allclose(opened.scores(TEXTS), wanted, atol=2e-6)


@pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
def test_what_shares_a_batch_hardly_matters(regressor: Path, precision: str) -> None:
    opened = Regressor.open(str(regressor), dtype=precision, batch_tokens=300)
    order = random.Random(0).sample(range(len(TEXTS)), len(TEXTS))
    shuffled = opened.scores([TEXTS[n] for n in order])
    once = opened.scores(TEXTS)
    np.testing.assert_allclose(shuffled, once[order], atol=2e-2 if precision == "bf16" else 2e-6)


def test_lower_precision_ranks_alike(regressor: Path) -> None:
    from scipy.stats import spearmanr

    rng = random.Random(1)
    vocabulary = [word for word in tokenizer().get_vocab() if word.isalpha()]
    texts = [" ".join(rng.choices(sorted(vocabulary), k=rng.randint(5, 60))) for _ in range(200)]
    exact = Regressor.open(str(regressor)).scores(texts)
    for precision, least in (("bf16", 0.999), ("int8", 0.99)):
        found = Regressor.open(str(regressor), dtype=precision).scores(texts)
        assert spearmanr(exact, found).statistic >= least
        assert not np.array_equal(exact, found)


def test_tokens_are_counted(regressor: Path) -> None:
    scored = Regressor.open(str(regressor), max_tokens=32).score(["", "one two", "word " * 100])
    assert scored.tokens.tolist() == [2, 4, 32]


def test_no_texts(regressor: Path) -> None:
    assert Regressor.open(str(regressor)).scores([]).shape == (0,)


def too_much(windows: int) -> Any:
    forward = Regressor._forward

    def run(self: Regressor, given: Any, batch: NDArray[np.int64]) -> NDArray[np.float64]:
        if len(batch) > windows:
            raise torch.OutOfMemoryError("no memory")
        return forward(self, given, batch)

    return run


def test_too_little_memory_halves_the_batch(regressor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Regressor.open(str(regressor)).scores(TEXTS)
    opened = Regressor.open(str(regressor), batch_tokens=1 << 17)
    monkeypatch.setattr(Regressor, "_forward", too_much(2))
    np.testing.assert_allclose(opened.scores(TEXTS), wanted, atol=2e-6)
    assert opened.batch_tokens < 1 << 17
    told = opened.told()
    assert told
    assert all("out of memory" in line for line in told)
    assert opened.told() == []


def test_too_little_memory_for_one_window(regressor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Regressor.open(str(regressor))
    monkeypatch.setattr(Regressor, "_forward", too_much(0))
    with pytest.raises(DeviceError, match="too little memory for one window of 3 tokens"):
        opened.scores(["a"])


def test_no_number_names_the_texts(regressor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = Regressor._forward

    def poisoned(self: Regressor, given: Any, batch: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.where(given.owner[batch] == 3, np.nan, forward(self, given, batch))

    monkeypatch.setattr(Regressor, "_forward", poisoned)
    with pytest.raises(InputError, match=r"gave no number .* for 1 of \d+ texts of a batch: page 3\. Remedy"):
        Regressor.open(str(regressor)).score(TEXTS, lambda n: f"page {n}")


def test_an_embedding_model_has_no_head() -> None:
    with pytest.raises(InputError, match=r"no head to score with: its weights lack classifier"):
        Regressor.open(str(minilm()))


def test_three_outputs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a head of 3 outputs, a score needs exactly one"):
        Regressor.open(str(write_regressor(tmp_path, outputs=3)))


def test_no_padding_token(regressor: Path, tmp_path: Path) -> None:
    shutil.copytree(regressor, tmp_path, dirs_exist_ok=True)
    without = tokenizer()
    without.pad_token = None
    without.save_pretrained(tmp_path)
    with pytest.raises(InputError, match="has no padding token"):
        Regressor.open(str(tmp_path))


def test_more_tokens_than_the_model_takes(regressor: Path) -> None:
    with pytest.raises(UserError, match="takes at most 512 tokens, 513 were asked for"):
        Regressor.open(str(regressor), max_tokens=513)


@pytest.mark.parametrize("damage", ["cut", "gone", "config"])
def test_damaged_models(regressor: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(regressor, tmp_path, dirs_exist_ok=True)
    if damage == "gone":
        (tmp_path / "model.safetensors").unlink()
    elif damage == "cut":
        (tmp_path / "model.safetensors").write_bytes((tmp_path / "model.safetensors").read_bytes()[:1000])
    else:
        (tmp_path / "config.json").write_text("{")
    with pytest.raises(InputError, match=r"no weights|cannot be loaded"):
        Regressor.open(str(tmp_path))


@pytest.mark.parametrize("name", ["/no/such/place", "no/such/place", "./none"])
def test_no_such_directory(name: str) -> None:
    with pytest.raises(InputError, match="is not a directory"):
        Regressor.open(name)


def test_a_name_that_is_not_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(InputError, match=r"neither a directory nor in the Hugging Face cache.*HF_HUB_OFFLINE"):
        Regressor.open("nobody/has-this-model")


def test_a_fasttext_directory_is_no_regressor(fasttext_model: Path) -> None:
    with pytest.raises(InputError, match="is a fastText classifier"):
        Regressor.open(str(fasttext_model))


def test_cuda_without_a_gpu(regressor: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(DeviceError, match="device 'cuda' was asked for"):
        Regressor.open(str(regressor), device="cuda")
    assert Regressor.open(str(regressor), device="auto").loaded.device.type == "cpu"


@pytest.mark.parametrize(("precision", "said"), [("fp16", "needs a GPU"), ("fp8", "is none of")])
def test_precisions_that_do_not_fit(regressor: Path, precision: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Regressor.open(str(regressor), dtype=precision)


def test_threads_are_as_they_were(regressor: Path) -> None:
    before = torch.get_num_threads()
    Regressor.open(str(regressor), threads=1).scores(["a text"])
    assert torch.get_num_threads() == before
