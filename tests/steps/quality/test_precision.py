"""Precisions against fp32 with a trained model on real pages: ranks and whole scores that a corpus is cut by."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gpucurate.classifier.examples import Example, text_digest
from gpucurate.classifier.train import TrainSettings, train
from gpucurate.core.digests import digest16
from gpucurate.steps.quality.regressor import Regressor

from .models import minilm

pytest.importorskip("torch")

PAGES = "quality/danish-edu/danish_filtered_labelled_data.json"  # 755 different texts, rated by Gemini
COUNT, TOKENS = 320, 32  # few tokens, that the test takes seconds; docs/quality.md has 256


def pages(folder: Path) -> list[Example]:
    """The first different texts with their rating."""
    rated = {row["text"]: float(row["educational_score"]) for row in json.loads((folder / PAGES).read_bytes())}
    texts = [text for text in rated if text.strip()][:COUNT]
    return [
        Example(
            digest16(t.encode()).hex(), t, rated[t], 1.0, "s", f"http://{n}.test/", f"{n}.test", None, text_digest(t)
        )
        for n, t in enumerate(texts)
    ]


def test_bf16_ranks_as_fp32_and_int8_nearly(real_data: Path, tmp_path: Path) -> None:
    from scipy.stats import spearmanr

    examples = pages(real_data)
    texts = [each.text for each in examples]
    settings = TrainSettings(model=str(minilm()), max_tokens=TOKENS, held_out=0, epochs=2)
    train(examples, tmp_path / "model", settings, device="cpu")
    scores = {
        name: Regressor.open(str(tmp_path / "model"), dtype=name, max_tokens=TOKENS, threads=1).scores(texts)
        for name in ("fp32", "bf16", "int8")
    }
    exact = scores.pop("fp32")
    assert len(exact) == COUNT
    assert exact.std() > 0.1
    alike = {name: float(spearmanr(exact, found).statistic) for name, found in scores.items()}
    whole = {name: float((np.rint(exact) == np.rint(found)).mean()) for name, found in scores.items()}
    assert alike["bf16"] >= 0.999
    assert alike["int8"] >= 0.99
    assert min(whole.values()) >= 0.97
