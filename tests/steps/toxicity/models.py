"""Small classifiers, made up on the spot: a fastText model that learnt its labels, transformers of several heads."""

from __future__ import annotations

import random
from pathlib import Path

from tests.steps.quality.models import tokenizer

INSULTS = ["blockhead", "nitwit", "scoundrel", "dunce"]
THREATS = ["smash", "crush", "burn", "hurt"]
KIND = ["garden", "river", "bread", "window", "music", "letter", "morning", "bridge"]
LABELS = ["toxic", "threat", "insult"]


def write_fasttext(path: Path) -> Path:
    """Three classes, told apart by their words; learnt from 900 lines."""
    import fasttext

    rng = random.Random(0)
    lines = []
    for label, own in (("neutral", KIND), ("insult", INSULTS), ("threat", THREATS)):
        for _ in range(300):
            words = rng.choices(own, k=3) + rng.choices(KIND, k=5)
            lines.append(f"__label__{label} {' '.join(rng.sample(words, len(words)))}")
    rng.shuffle(lines)
    text = path.with_suffix(".txt")
    text.write_text("\n".join(lines) + "\n")
    model = fasttext.train_supervised(str(text), dim=8, thread=1, epoch=15, lr=0.5, bucket=0, verbose=0)
    model.save_model(str(path))
    text.unlink()
    return path


def write_bert(folder: Path, *, labels: list[str] | None = None, problem: str | None = None, spread: float = 3) -> Path:
    """A BERT of two layers with random weights; scores lie around a middle and depend on the text."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(1)
    named = labels or LABELS
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.2,
        problem_type=problem,
        id2label=dict(enumerate(named)),
        label2id={label: n for n, label in enumerate(named)},
    )
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.weight *= spread
        words = tokenizer()("the cell and its energy", return_tensors="pt")
        model.classifier.bias -= model.eval()(**words).logits[0]
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder
