"""tiktoken: the reference engine of the vocabularies it names.

Its regex engine overflows on about a million blanks in a row; texts with such runs are cut by the `regex` package with
the same pattern, which agrees with it on every code point (tests/oracles), and the pieces go to tiktoken's merges.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from gpucurate.core.text_buffers import Offsets, text_array
from gpucurate.tokens.engines import Ids, join
from gpucurate.tokens.vocabularies import NamedVocabulary, Ranks

BLANKS = 50_000  # characters; a run twice as long, a tenth of fancy-regex's stack of 1,000,000 entries, is always seen
BATCH = 1024  # texts held as Python strings at a time
DECODE_BLOCK = 1 << 18  # tokens; bounds the index arrays of decoding to a few MB


class TiktokenEngine:
    """Encodes through `tiktoken.Encoding`, decodes by a table of token bytes."""

    name = "tiktoken"

    def __init__(self, vocabulary: NamedVocabulary, ranks: Ranks, blanks: int = BLANKS) -> None:
        import regex
        import tiktoken

        special = dict(vocabulary.special)
        self._encoding = tiktoken.Encoding(
            vocabulary.name, pat_str=vocabulary.pattern, mergeable_ranks=ranks, special_tokens=special
        )
        self._pieces = regex.compile(vocabulary.pattern)
        self._blanks = blanks
        tokens = {**{rank: token for token, rank in ranks.items()}, **{i: s.encode() for s, i in special.items()}}
        self._starts, self._bytes = _table(tokens)

    def encode(self, texts: pa.Array) -> tuple[Ids, Offsets]:
        """See `Engine.encode`."""
        return join(list(self._each(texts)))

    def _each(self, texts: pa.Array) -> Iterator[Ids]:
        for begin in range(0, len(texts), BATCH):
            for text in texts.slice(begin, BATCH).to_pylist():
                if self._has_long_run(text):
                    yield self._by_pieces(text)
                else:
                    # Faster than encode_ordinary and the same ids: with nothing allowed, nothing is special.
                    yield self._encoding.encode_to_numpy(text, disallowed_special=())

    def _has_long_run(self, text: str) -> bool:
        """True if one of the blocks that divide the text is blank, as one is in every run of two blocks."""
        last = len(text) - self._blanks
        return any(text[i : i + self._blanks].isspace() for i in range(0, last + 1, self._blanks))

    def _by_pieces(self, text: str) -> Ids:
        pieces = (match.group() for match in self._pieces.finditer(text))
        return np.fromiter((i for piece in pieces for i in self._encoding._encode_single_piece(piece)), np.uint32)

    def decode(self, tokens: Ids, offsets: Offsets) -> pa.Array:
        """See `Decoder.decode`.  Ids without a token (holes below the special ones) give no bytes."""
        lengths = np.diff(self._starts)
        ends = np.concatenate([[0], np.cumsum(lengths[tokens])])
        data = np.empty(ends[-1], np.uint8)
        for begin in range(0, len(tokens), DECODE_BLOCK):
            block = tokens[begin : begin + DECODE_BLOCK]
            first, last = ends[begin], ends[begin + len(block)]
            shift = self._starts[block] - ends[begin : begin + len(block)]
            data[first:last] = self._bytes[np.repeat(shift, lengths[block]) + np.arange(first, last)]
        return text_array(data, ends[offsets]).view(pa.large_binary())


def _table(tokens: dict[int, bytes]) -> tuple[Offsets, np.ndarray[tuple[int], np.dtype[np.uint8]]]:
    """Bytes of all tokens in the order of ids, and where each begins (int64 [ids + 1])."""
    ordered = [tokens.get(i, b"") for i in range(max(tokens) + 1)]
    starts = np.zeros(len(ordered) + 1, np.int64)
    np.cumsum([len(token) for token in ordered], out=starts[1:])
    return starts, np.frombuffer(b"".join(ordered), np.uint8)
