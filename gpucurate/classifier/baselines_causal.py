"""Log perplexity by a local causal language model, as a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpucurate.classifier.association import Floats
from gpucurate.classifier.baselines import LogPerplexity
from gpucurate.core.errors import InputError, MissingExtra

TOKENS = 512  # of a text, from its beginning: what the default regressor sees
BATCH = 8


def causal_log_perplexity(model_name: str, device: str = "cpu") -> LogPerplexity:
    """A function that gives the mean of -ln p over the tokens of each text but the first; NaN for fewer than two.

    Raises InputError for a model that cannot be loaded, MissingExtra without torch and transformers.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingExtra("--language-model", error.name or "transformers", "classifier") from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(model_name)
        model: Any = AutoModelForCausalLM.from_pretrained(model_name)
        model.to(device).eval()
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot load the language model {model_name}: {error}. Remedy: give the directory of a causal language "
            "model, or leave --language-model out for character n-grams"
        ) from error

    def surprise(text: str) -> float:
        ids = tokenizer(text, truncation=True, max_length=TOKENS, return_tensors="pt").input_ids.to(device)
        if ids.shape[1] < 2:
            return float("nan")
        with torch.inference_mode():  # one text at a time: a mean that no padding touches
            return float(model(ids, labels=ids).loss)

    def log_perplexity(texts: Sequence[str]) -> Floats:
        return np.array([surprise(text) for text in texts])

    return log_perplexity
