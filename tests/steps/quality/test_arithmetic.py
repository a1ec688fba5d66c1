"""Integers against sums written out, batches and windows against their definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.steps.quality.batches import by_length
from gpucurate.steps.quality.windows import cut

from .models import TEXTS, tokenizer

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("rows", [1, 7, 256, 600])
@pytest.mark.parametrize("bias", [True, False])
def test_int8_is_the_sum_of_rounded_products(rows: int, bias: bool) -> None:
    from gpucurate.steps.quality.int8 import Int8Linear

    torch.manual_seed(rows)
    linear = torch.nn.Linear(48, 24, bias=bias)
    given_rows = torch.randn(rows, 48)
    given_rows[0] = 0
    weight, x = linear.weight.detach().numpy().astype(np.float64), given_rows.numpy().astype(np.float64)
    weight_scale = np.abs(weight).max(1) / 127
    scale = np.maximum(np.abs(x).max(1), 1e-9) / 127
    exact = np.rint(x / scale[:, None]) @ np.rint(weight / weight_scale[:, None]).T * scale[:, None] * weight_scale
    exact += linear.bias.detach().numpy() if bias else 0
    with torch.inference_mode():
        found = Int8Linear(linear)(given_rows.reshape(1, rows, 48)).numpy()[0]
        near = linear(given_rows).numpy()
    one_step = float((scale[:, None] * weight_scale * 127).max())  # a value that lies on the edge rounds either way
    np.testing.assert_allclose(found, exact, atol=one_step)
    assert np.abs(found - exact).mean() < one_step / 20
    assert np.abs(found - near).max() < 0.05


@given(st.lists(st.integers(1, 64), max_size=80), st.integers(1, 300))
def test_batches_hold_everything_once_within_the_budget(lengths: list[int], budget: int) -> None:
    sizes = np.array(lengths, np.int64)
    batches = list(by_length(sizes, budget))
    assert sorted(n for batch in batches for n in batch.tolist()) == list(range(len(lengths)))
    assert all(len(batch) * sizes[batch].max() <= max(budget, sizes[batch].max()) for batch in batches)
    longest = [int(sizes[batch].max()) for batch in batches]
    assert longest == sorted(longest, reverse=True)


@pytest.mark.parametrize("max_tokens", [8, 64, 512])
def test_leading_characters_give_the_same_windows_as_the_whole_text(max_tokens: int) -> None:
    """Words longer than any token, white space without end, no space at all."""
    words = tokenizer()
    texts = [*TEXTS, "word " * 5000, ("y" * 300 + " ") * 100, " " * 40_000 + "late words " * 50, "-" * 30_000]
    found = cut(words, texts, max_tokens, "truncate", 8)
    wanted = words(texts, truncation=True, max_length=max_tokens)["input_ids"]
    assert found.owner.tolist() == list(range(len(texts)))
    assert [found.ids[a:b].tolist() for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)] == wanted


def test_padding() -> None:
    windows = cut(tokenizer(), ["one two three", "one", "four five six"], 16, "truncate", 8)
    ids, mask = windows.padded(np.array([0, 1]), 0)
    assert mask is not None
    assert mask.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]
    assert ids[1, 3:].tolist() == [0, 0]
    assert windows.padded(np.array([0, 2]), 0)[1] is None


def test_an_unpadded_bert_is_the_module(regressor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fp32 in the place of integers, against one window at a time; then integers come near."""
    from transformers import AutoModelForSequenceClassification

    from gpucurate.steps.quality import int8_bert

    model = AutoModelForSequenceClassification.from_pretrained(str(regressor)).eval()
    rng = np.random.default_rng(0)
    lengths = np.array([300, 300, 40, 7, 7, 7, 2, 1])
    windows = [rng.integers(0, 30_000, length) for length in lengths]
    with torch.inference_mode():
        exact = [model(input_ids=torch.from_numpy(each)[None]).logits.item() for each in windows]
    in_integers = int8_bert.Int8Bert(model)(np.concatenate(windows), lengths)
    monkeypatch.setattr(int8_bert, "Int8Linear", lambda linear: linear)
    np.testing.assert_allclose(int8_bert.Int8Bert(model)(np.concatenate(windows), lengths), exact, atol=5e-6)
    assert 1e-4 < np.abs(in_integers - exact).max() < 0.1 * np.ptp(exact)


def test_only_plain_berts_go_without_padding(regressor: Path) -> None:
    from transformers import AutoModelForSequenceClassification, RobertaConfig, RobertaForSequenceClassification

    from gpucurate.steps.quality.int8_bert import fits

    model = AutoModelForSequenceClassification.from_pretrained(str(regressor))
    assert fits(model)
    model.config.hidden_act = "relu"
    assert not fits(model)
    small = RobertaConfig(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
    assert not fits(RobertaForSequenceClassification(small))


def test_only_scores_go_without_the_module(regressor: Path) -> None:
    """Steps that read other heads run the module themselves."""
    from gpucurate.steps.quality.loading import load

    scoring, labelling = (load(regressor, "int8", "cpu", 64, head) for head in ("score", "labels"))
    assert scoring.model is None
    assert scoring.unpadded is not None
    assert labelling.model is not None
    assert labelling.unpadded is None
