"""Documents that are likely to be read differently by two programs."""

from __future__ import annotations

import random

import numpy as np

from gpucurate.core.text_buffers import TextBuffers, pack_texts, read_only

ALPHABETS = (
    "abcXYZ 019 .,-  \n",
    "éÉßçñÜ aZ .",
    "日本語テキスト。 abc",
    "ЖжЩщ Ёё, αΩς",
    "🙂🚀 a𒳒b \u2003\u00a0—“”",
    "İıẞǅ\u0301 e\u0301",
    "\0\x7f\t xyz",
    "©a®b ภาษาไทย",
)
LENGTHS = (0, 1, 2, 5, 7, 8, 9, 30, 63, 64, 65, 200, 1500)  # around the 8 bytes and the 64 that kernels read at a time
ASTRAL = ["a\U0001efffb", "a\U0001f000b", "a\U00020000b"]  # from U+1F000 on each is a word of its own
FIXED = [*ASTRAL, "", "a", " ", "Hello", "!!!", "word " * 4, "x" * 300, "", "e\u0301" * 100, "one two three four five"]


def mixed(seed: int, count: int) -> list[str]:
    """`count` random texts over one to three alphabets, and the fixed ones, in random order; the last is empty."""
    draw = random.Random(seed)
    texts = list(FIXED)
    for _ in range(count):
        alphabet = "".join(draw.sample(ALPHABETS, draw.randint(1, 3)))
        texts.append("".join(draw.choices(alphabet, k=draw.choice(LENGTHS))))
    draw.shuffle(texts)
    return [*texts, ""]


def damaged(texts: TextBuffers, seed: int, every: int = 40) -> TextBuffers:
    """One byte in `every` replaced by any other: lone, missing and surplus continuation bytes, overlong forms."""
    draw = np.random.default_rng(seed)
    data = np.array(texts.data)
    places = draw.integers(0, data.size, data.size // every)
    data[places] = draw.integers(0, 256, places.size)
    return TextBuffers(read_only(data), texts.offsets)


def within(texts: TextBuffers, seed: int) -> TextBuffers:
    """The same texts as a slice of a larger column: text before the first offset and behind the last."""
    around = np.frombuffer(random.Random(seed).randbytes(37), np.uint8)
    data = np.concatenate((around, texts.data, around))
    return TextBuffers(read_only(data), read_only(texts.offsets + around.size))


def packed(seed: int, count: int) -> TextBuffers:
    return pack_texts(mixed(seed, count))
