"""Training a byte-level BPE vocabulary on a corpus, for offline work and for languages that others serve badly.

Bytes are the alphabet, so that any text can be encoded and comes back as it was; GPT-2's pattern cuts it into pieces.
The same texts in the same order give the same file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpucurate.core.errors import InputError
from gpucurate.tokens.config import TrainConfig

END_OF_TEXT = "<|endoftext|>"


def train_tokenizer(texts: Iterable[str], config: TrainConfig) -> bytes:
    """Content of a tokenizer.json with at most `config.vocab_size` ids, fewer where the texts give fewer merges.

    The last id is `<|endoftext|>`.  Texts beyond the first `config.max_bytes` bytes are not read.  Memory grows with
    the number of different words.  Raises InputError if there is no text.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocab_size - 1,
        min_frequency=config.min_frequency,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    supply = _Supply(texts, config.max_bytes)
    tokenizer.train_from_iterator(iter(supply), trainer)
    if not supply.bytes:
        raise InputError(
            "tokens.train: no document with text is left to train on. Remedy: see the funnel for the step that "
            "drops them all, or name a finished tokenizer with tokens.tokenizer"
        )
    tokenizer.add_special_tokens([END_OF_TEXT])
    content: str = tokenizer.to_str()
    return content.encode()


class _Supply:
    """Texts up to a number of bytes; the one that crosses the limit is the last."""

    def __init__(self, texts: Iterable[str], limit: int) -> None:
        self._texts = texts
        self._limit = limit
        self.bytes = 0

    def __iter__(self) -> Iterator[str]:
        for text in self._texts:
            yield text
            self.bytes += len(text.encode())
            if self.bytes >= self._limit:
                return
