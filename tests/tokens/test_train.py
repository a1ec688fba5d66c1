from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from gpucurate.core.errors import InputError
from gpucurate.tokens.config import TrainConfig
from gpucurate.tokens.train import END_OF_TEXT, train_tokenizer

TEXTS = [
    f"the {a}er and the {a}est {b} of <|endoftext|>" for a in ("low", "new", "wid") for b in ("días", "中文", "x y")
]
AGAIN = """
import sys
from gpucurate.tokens.config import TrainConfig
from gpucurate.tokens.train import train_tokenizer
sys.stdout.buffer.write(train_tokenizer(%r, TrainConfig(vocab_size=290)))
"""


def test_the_same_texts_give_the_same_file_in_another_process() -> None:
    here = train_tokenizer(TEXTS, TrainConfig(vocab_size=290))
    there = subprocess.run([sys.executable, "-c", AGAIN % (TEXTS,)], check=True, capture_output=True).stdout
    assert here == there


def test_the_vocabulary_has_all_bytes_merges_and_the_end_last() -> None:
    content = json.loads(train_tokenizer(TEXTS, TrainConfig(vocab_size=290)))
    vocabulary = content["model"]["vocab"]
    assert len(vocabulary) == 289
    assert content["added_tokens"][0]["content"] == END_OF_TEXT
    assert content["added_tokens"][0]["id"] == 289
    assert "Ġthe" in vocabulary
    assert END_OF_TEXT not in vocabulary


def test_few_texts_give_fewer_ids() -> None:
    content = json.loads(train_tokenizer(["ab ab"], TrainConfig(vocab_size=1000)))
    assert len(content["model"]["vocab"]) < 300


def test_texts_beyond_the_limit_are_not_read() -> None:
    read: list[str] = []

    def supply() -> Iterator[str]:
        for text in TEXTS:
            read.append(text)
            yield text

    first_two = sum(len(text.encode()) for text in TEXTS[:2])
    limited = train_tokenizer(supply(), TrainConfig(vocab_size=290, max_bytes=first_two))
    assert len(read) == 2
    assert limited == train_tokenizer(TEXTS[:2], TrainConfig(vocab_size=290))


@pytest.mark.parametrize("texts", [[], ["", ""]])
def test_no_text_is_an_error_with_a_remedy(texts: list[str]) -> None:
    with pytest.raises(InputError, match="no document with text is left"):
        train_tokenizer(texts, TrainConfig(vocab_size=300))
