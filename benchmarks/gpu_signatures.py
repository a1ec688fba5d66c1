"""MinHash signatures on a GPU: each kernel against the best the device could do, the whole against one CPU core.

    python benchmarks/gpu_signatures.py [--megabytes 500] [--words 400] [--hashes 112] [--rounds 5]

Needs a CUDA device and CuPy; the Parquet row also needs pylibcudf.  Documents are made up: words of a vocabulary of
50,000 by Zipf's law.  Times are medians over rounds; kernels are timed by CUDA events, the whole verbs by the clock.

The floors: text and words once over the memory bus, and for the minima one multiplication a hash and shingle, of which
a processor of sm_80 to sm_120 starts 64 a clock (CUDA C++ Programming Guide, arithmetic instructions).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gpucurate.core.text_buffers import TextBuffers, pack_texts, text_array
from gpucurate.device.choice import what_is_lacking
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.cupy_engine import CupyEngine
from gpucurate.device.cuda.minhash import signatures
from gpucurate.device.cuda.words import upload_texts
from gpucurate.device.hash_family import affine32

MULTIPLICATIONS = 64  # 32-bit multiply-adds a clock and processor
SHINGLE, SEED = 5, 1
ROW_GROUP = 50_000


class Machine(NamedTuple):
    """`bandwidth` in bytes a second, `multiplications` a second."""

    name: str
    bandwidth: float
    multiplications: float


def machine(cupy: Any) -> Machine:
    device = cupy.cuda.Device()
    told = device.attributes
    bandwidth = 2 * told["MemoryClockRate"] * 1e3 * told["GlobalMemoryBusWidth"] / 8
    multiplications = MULTIPLICATIONS * told["MultiProcessorCount"] * told["ClockRate"] * 1e3
    name = cupy.cuda.runtime.getDeviceProperties(device.id)["name"].decode()
    return Machine(name, bandwidth, multiplications)


def corpus(megabytes: int, words: int) -> TextBuffers:
    """A few thousand made-up documents, repeated up to the size asked for."""
    draw = np.random.default_rng(SEED)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkqjxz", np.uint8)
    vocabulary = np.array([bytes(draw.choice(letters, 2 + draw.poisson(3.5))).decode() for _ in range(50_000)], object)
    share = 1 / np.arange(1, vocabulary.size + 1)
    texts = [
        " ".join(vocabulary[draw.choice(vocabulary.size, 1 + draw.poisson(words), p=share / share.sum())])
        for _ in range(3000)
    ]
    size = sum(map(len, texts))
    return pack_texts(texts * max(1, megabytes * 1_000_000 // size))


def median(rounds: int, call: Callable[[], object]) -> float:
    call()
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


class Timed(CupyEngine):
    """Adds up what each kernel takes."""

    def __init__(self) -> None:
        super().__init__()
        self.spent: dict[str, float] = {}

    def launch(self, kernel: Any, threads: int, *arguments: Any) -> None:
        begin, end = self.xp.cuda.Event(), self.xp.cuda.Event()
        begin.record()
        super().launch(kernel, threads, *arguments)
        end.record()
        end.synchronize()
        seconds = self.xp.cuda.get_elapsed_time(begin, end) / 1e3
        self.spent[kernel.name] = self.spent.get(kernel.name, 0.0) + seconds


def kernel_table(engine: Timed, texts: TextBuffers, hashes: int, rounds: int, at_best: Machine) -> None:
    """Kernels on text that is on the device already, as many documents as one batch takes."""
    most = min(engine.limits.text, engine.limits.memory // 16)
    last = int(np.searchsorted(texts.offsets, texts.offsets[0] + most, side="right")) - 1
    batch = upload_texts(engine, TextBuffers(texts.data, texts.offsets[: last + 1]))
    family = affine32(hashes, SEED)
    rows: dict[str, list[float]] = {}
    shingles = 0
    for _ in range(rounds + 1):
        engine.spent.clear()
        made = signatures(engine, batch, SHINGLE, family)
        assert made is not None
        shingles = int(made.shingles.sum())
        for name, seconds in engine.spent.items():
            rows.setdefault(name, []).append(seconds)
    words = shingles + (SHINGLE - 1) * last
    floors = {
        "count_words": batch.size / at_best.bandwidth,
        "write_words": (batch.size + 8 * words) / at_best.bandwidth,
        "short_shingles": (8 * words + 4 * shingles) / at_best.bandwidth,
        "signature": shingles * hashes / at_best.multiplications,
    }
    print(
        "| kernel | GB/s of text | seconds a TB | floor | share of the floor |", "|---|---:|---:|---:|---:|", sep="\n"
    )
    scale = 1e12 / batch.size
    for name, floor in floors.items():
        taken = statistics.median(rows[name][1:])  # the first round compiles
        cells = f"{batch.size / taken / 1e9:.0f} | {taken * scale:.2f} | {floor * scale:.2f} | {floor / taken:.0%}"
        print(f"| {name} | {cells} |")


def whole_table(texts: TextBuffers, hashes: int, rounds: int) -> None:
    family, cuda, cpu = affine32(hashes, SEED), CudaBackend(), CpuBackend()
    size, documents = int(texts.offsets[-1]), texts.documents
    few = TextBuffers(texts.data, texts.offsets[: min(documents, 3000) + 1])
    ways: dict[str, tuple[TextBuffers, Callable[[], Any]]] = {
        "CPU, one core": (few, lambda: cpu.signatures(few, SHINGLE, family)),
        "GPU, from host memory": (texts, lambda: cuda.signatures(texts, SHINGLE, family)),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "texts.parquet")
        try:
            import pylibcudf  # noqa: F401
        except ImportError:
            print("pylibcudf is not installed: no row for Parquet")
        else:
            column = text_array(texts.data[:size], texts.offsets)
            pq.write_table(pa.table({"text": column}), path, compression="zstd", row_group_size=ROW_GROUP)
            ways["GPU, from Parquet (zstd)"] = texts, lambda: cuda.signatures_of_parquet(path, "text", SHINGLE, family)
        print("\n| way | MB/s | documents/s |", "|---|---:|---:|", sep="\n")
        for name, (given, call) in ways.items():
            taken = median(rounds, call)
            size = int(given.offsets[-1])
            print(f"| {name} | {size / taken / 1e6:,.0f} | {given.documents / taken:,.0f} |")
        expected = cpu.signatures(few, SHINGLE, family).rows
        for name, (_, call) in ways.items():
            assert (call().rows[: few.documents] == expected).all(), name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--words", type=int, default=400, help="a document, on average")
    parser.add_argument("--hashes", type=int, default=112)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    lacking = what_is_lacking()
    if lacking is not None:
        parser.exit(3, f"no usable CUDA device: {lacking}\n")
    import cupy

    at_best = machine(cupy)
    texts = corpus(chosen.megabytes, chosen.words)
    size = int(texts.offsets[-1]) / texts.documents
    print(
        f"{at_best.name}: {at_best.bandwidth / 1e12:.2f} TB/s, {at_best.multiplications / 1e12:.1f} T multiply-adds/s"
    )
    print(f"{texts.documents:,} documents of {size:,.0f} bytes, {chosen.hashes} hashes\n")
    kernel_table(Timed(), texts, chosen.hashes, chosen.rounds, at_best)
    whole_table(texts, chosen.hashes, chosen.rounds)


if __name__ == "__main__":
    main()
