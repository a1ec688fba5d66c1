"""Signatures and shingle sets: the kernels, run on the host in any order of threads, against the CPU backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucurate.core.text_buffers import TextBuffers, pack_texts
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.engine import Limits
from gpucurate.device.cuda.shingles import TASK
from gpucurate.device.hash_family import affine32
from tests.parity import documents
from tests.parity.host_engine import AMPLE, HostEngine, Shims

ORDERS = (0, 7919, 1_000_003)
CPU = CpuBackend()


def agree(cuda: CudaBackend, texts: TextBuffers, shingle: int = 5, hashes: int = 112) -> int:
    """Both verbs give the same arrays; how many numbers were compared."""
    family = affine32(hashes, hashes + shingle)
    compared = 0
    for made, expected in (
        (cuda.signatures(texts, shingle, family), CPU.signatures(texts, shingle, family)),
        (cuda.shingle_sets(texts, shingle), CPU.shingle_sets(texts, shingle)),
    ):
        for got, want in zip(made, expected, strict=True):
            np.testing.assert_array_equal(got, want, strict=True)
            compared += want.size
    return compared


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("damage", [False, True])
def test_random_documents(shims: Shims, order: int, damage: bool) -> None:
    engine = HostEngine(shims, order=order)
    texts = documents.packed(order, 1500)
    if damage:
        texts = documents.damaged(texts, order)
    compared = agree(CudaBackend(engine), documents.within(texts, order))
    print(f"{texts.documents} documents, {texts.data.size} bytes, {compared} numbers equal")
    assert compared > 200_000
    assert engine.launches["write_words"] == 2  # both verbs ran their kernels, none fell back to the CPU


@pytest.mark.parametrize("shingle", [1, 2, 3, 7, 13])
def test_shingle_sizes(shims: Shims, shingle: int) -> None:
    assert agree(CudaBackend(HostEngine(shims, order=977)), documents.packed(shingle, 300), shingle=shingle)


@pytest.mark.parametrize("hashes", [1, 7, 64, 117, 260, 700])
def test_numbers_of_hashes(shims: Shims, hashes: int) -> None:
    assert agree(CudaBackend(HostEngine(shims, order=977)), documents.packed(hashes, 200), hashes=hashes)


def counted(words: int) -> str:
    """All words different, so that every task of a document has shingles that no other has."""
    return " ".join(f"w{n * n % 1_000_003}" for n in range(words))


LONG = {
    "a book": counted(150_000),
    "one word of 1 MB": "Q" * 1_000_000,
    "one word of 1 MB beyond ASCII": "é" * 500_000,
    "10 MB of words": "the quick brown fox jumps over " * 330_000,
    "1 MB of CJK": "日本語テキスト" * 48_000,
    "1 MB of spaces": " " * 1_000_000,
    "combining marks": "e" + "\u0301" * 400_000,
}


@pytest.mark.parametrize("name", LONG)
def test_long_documents(shims: Shims, name: str) -> None:
    """They are cut into tasks that meet in one row by atomicMin."""
    texts = pack_texts(["before", LONG[name], "after the long one", LONG[name][::-1]])
    assert agree(CudaBackend(HostEngine(shims, order=1_000_003)), texts)


def test_documents_around_one_task(shims: Shims) -> None:
    texts = pack_texts([counted(4 + n) for n in (0, 1, 2, TASK - 1, TASK, TASK + 1, 2 * TASK, 2 * TASK + 1)])
    for order in ORDERS:
        assert agree(CudaBackend(HostEngine(shims, order=order)), texts)


@pytest.mark.parametrize("texts", [[], [""], ["", "", ""], ["!"], ["a"], ["", "a", ""]], ids=repr)
def test_little_text(shims: Shims, texts: list[str]) -> None:
    agree(CudaBackend(HostEngine(shims)), pack_texts(texts))
    made = CudaBackend(HostEngine(shims)).signatures(pack_texts(texts), 5, affine32(112, 1))
    assert made.rows.shape == (len(texts), 112)
    assert [int(n) for n in made.shingles] == [int("a" in text) for text in texts]


@settings(max_examples=150)
@given(st.lists(st.binary(max_size=200), max_size=6))
def test_any_bytes(shims: Shims, texts: list[bytes]) -> None:
    agree(CudaBackend(HostEngine(shims, order=31)), pack_texts(texts), shingle=2, hashes=16)


PIECES = (
    *(b"a", b"Z", b"0", b" ", b"-", b"abcdefgh", b"abcdefg ", b"       "),
    *(b"\xc3\xa9", b"\xe6\x97\xa5", b"\xf0\x9f\x99\x82", b"\xf0\x92\xb3\x92", b"\xcc\x81"),  # whole characters
    *(b"\xc3", b"\xa9", b"\xe6\x97", b"\xf0", b"\xff", b"\xc1\x81", b"\xed\xa0\x80"),  # cut, overlong, surrogate
)


@settings(max_examples=300)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join), max_size=4))
def test_pieces_of_characters(shims: Shims, texts: list[bytes]) -> None:
    agree(CudaBackend(HostEngine(shims, order=31)), pack_texts(texts), shingle=2, hashes=16)


@pytest.mark.parametrize("memory", [1 << 21, 3 << 21])
@pytest.mark.parametrize("text", [1 << 13, 1 << 30])
def test_batches_do_not_show(shims: Shims, memory: int, text: int) -> None:
    engine = HostEngine(shims, Limits(memory, text), order=7919)
    agree(CudaBackend(engine), documents.packed(5, 1500))
    assert engine.launches["count_words"] > 3


@pytest.mark.parametrize("length", [60, 64, 65, 66, 127, 128, 129, 5000])
@pytest.mark.parametrize("start", [b"", b"a", b"\xc3", b"\xe6\x97", b" "])
def test_runs_of_continuation_bytes(shims: Shims, length: int, start: bytes) -> None:
    """Runs too long to look back over go to the CPU, the others must not."""
    engine = HostEngine(shims)
    texts = pack_texts([b"one two", b"x" * 40 + start + b"\x97" * length + b"a b", b"three"])
    agree(CudaBackend(engine), texts, shingle=1, hashes=8)
    assert engine.launches["count_words"] == 2
    if length > 128:
        assert engine.launches["write_words"] == 0
    if length < 64:
        assert engine.launches["write_words"] == 2


def test_threads_at_once(shims: Shims) -> None:
    """Real threads and real atomics, where threads one after another could hide a race."""
    texts = pack_texts([counted(100_000), *documents.mixed(2, 400)])
    for workers in (0, 4, 4, 4):
        agree(CudaBackend(HostEngine(shims, workers=workers)), texts)


def test_ample_is_one_batch(shims: Shims) -> None:
    engine = HostEngine(shims, AMPLE)
    CudaBackend(engine).signatures(documents.packed(1, 3000), 5, affine32(112, 1))
    assert engine.launches == {"count_words": 1, "write_words": 1, "short_shingles": 1, "signature": 1}
