"""The verbs of the device layer on a GPU: planning, fallback to the CPU, and one message where the device fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.errors import DeviceError
from gpucurate.core.text_buffers import TextBuffers
from gpucurate.device.backend import Pairs, ShingleSets, Signatures, Windows
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import components as union
from gpucurate.device.cuda import grams, grouping, minhash, verification, windows
from gpucurate.device.cuda import shingle_sets as distinct
from gpucurate.device.cuda.bands import band_keys
from gpucurate.device.cuda.engine import Engine
from gpucurate.device.cuda.parquet import slice_of, text_columns
from gpucurate.device.cuda.plan import Batch, text_batches
from gpucurate.device.cuda.words import DeviceTexts, upload_texts
from gpucurate.device.grams import GramHits, GramTable
from gpucurate.device.hash_family import HashFamily

Result = TypeVar("Result")


class CudaBackend:
    """Verbs on the current CUDA device of this process; cheap to make, the device is opened by the first verb.

    One verb runs at a time, so that threads together hold no more than the planned memory.  Any verb on the device
    raises DeviceError if the device fails or is full.
    """

    name = "cuda"

    def __init__(self, engine: Engine | None = None) -> None:
        """`engine` is for tests; CuPy's is made otherwise."""
        self._engine = engine
        self._lock = threading.RLock()  # re-entered where `components` reads pairs that another verb makes
        self._cpu = CpuBackend()

    def __reduce__(self) -> tuple[type[CudaBackend], tuple[()]]:  # another process opens its own device
        return CudaBackend, ()

    def prepare(self) -> None:
        """See `gpucurate.device.backend.Backend.prepare`.  Prepares the CPU's part; opens no device.

        The process that prepares is the driver of a run, which needs none; a device's first launches compile the rest.
        """
        self._cpu.prepare()

    def text_features(self, texts: TextBuffers, stop_words: tuple[str, ...], grams: bool = True) -> NDArray[np.void]:
        """See `gpucurate.device.backend.Backend.text_features`.  Runs on the CPU.

        It is one pass of a few branches a byte with hash tables in cache, and needs no exchange between documents;
        its text is at hand on the CPU that reads and extracts it, and would cross to the device for this alone.
        """
        return self._cpu.text_features(texts, stop_words, grams)

    def signatures(self, texts: TextBuffers, shingle: int, hashes: HashFamily) -> Signatures:
        """See `gpucurate.device.backend.Backend.signatures`."""
        with self._device() as engine:
            parts = _on_host_texts(
                engine,
                texts,
                (minhash.PER_BYTE, minhash.per_document(hashes.a.shape[0])),
                lambda batch: minhash.signatures(engine, batch, shingle, hashes),
                lambda batch: self._cpu.signatures(batch, shingle, hashes),
            )
            return _joined_signatures(list(parts), hashes)

    def signatures_of_parquet(self, path: str, column: str, shingle: int, hashes: HashFamily) -> Signatures:
        """`signatures` of a string column of a local Parquet file that the device itself decodes.

        Raises MissingExtra without pylibcudf, ValueError if the column has nulls.
        """
        with self._device() as engine:
            costs = minhash.PER_BYTE, minhash.per_document(hashes.a.shape[0])
            parts: list[Signatures] = []
            for texts in text_columns(engine, path, column):
                offsets = engine.download(texts.offsets)
                for batch in text_batches(offsets, *costs, engine.limits):
                    part = slice_of(engine, texts, batch)
                    made = minhash.signatures(engine, part, shingle, hashes) if batch.fits else None
                    if made is None:
                        host = TextBuffers(engine.download(part.data), engine.download(part.offsets))
                        made = self._cpu.signatures(host, shingle, hashes)
                    parts.append(made)
            return _joined_signatures(parts, hashes)

    def shingle_sets(self, texts: TextBuffers, shingle: int) -> ShingleSets:
        """See `gpucurate.device.backend.Backend.shingle_sets`."""
        with self._device() as engine:
            parts = _on_host_texts(
                engine,
                texts,
                (distinct.PER_BYTE, distinct.PER_DOCUMENT),
                lambda batch: distinct.shingle_sets(engine, batch, shingle),
                lambda batch: self._cpu.shingle_sets(batch, shingle),
            )
            return _joined_sets(list(parts))

    def sampled_windows(self, texts: TextBuffers, window: int, span: int) -> Windows:
        """See `gpucurate.device.backend.Backend.sampled_windows`."""
        with self._device() as engine:
            parts = _on_host_texts(
                engine,
                texts,
                (windows.PER_BYTE, windows.PER_DOCUMENT),
                lambda batch: windows.sampled_windows(engine, batch, window, span),
                lambda batch: self._cpu.sampled_windows(batch, window, span),
            )
            return _joined_windows(list(parts))

    def band_keys(self, signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
        """See `gpucurate.device.backend.Backend.band_keys`."""
        with self._device() as engine:
            return band_keys(engine, signatures, bands, rows)

    def group(
        self, keys: NDArray[np.uint64], first: NDArray[np.uint64], second: NDArray[np.uint64], all_pairs: int
    ) -> Pairs:
        """See `gpucurate.device.backend.Backend.group`."""
        with self._device() as engine:
            if not grouping.fits(engine, keys.shape[0]):
                return self._cpu.group(keys, first, second, all_pairs)
            return grouping.group(engine, keys, first, second, all_pairs)

    def shared(self, pairs: Pairs, sets: ShingleSets) -> NDArray[np.int64]:
        """See `gpucurate.device.backend.Backend.shared`."""
        with self._device() as engine:
            if not verification.fits(engine, sets):
                return self._cpu.shared(pairs, sets)
            return verification.shared(engine, pairs, sets)

    def components(self, nodes: int, batches: Iterable[Pairs]) -> NDArray[np.int64]:
        """See `gpucurate.device.backend.Backend.components`."""
        with self._device() as engine:
            if not union.fits(engine, nodes):
                return self._cpu.components(nodes, batches)
            return union.components(engine, nodes, batches)

    def gram_hits(self, texts: TextBuffers, table: GramTable) -> GramHits:
        """See `gpucurate.device.backend.Backend.gram_hits`."""
        if not len(table.hashes):
            return self._cpu.gram_hits(texts, table)
        with self._device() as engine:
            if not grams.fits(engine, table):
                return self._cpu.gram_hits(texts, table)
            uploaded = grams.upload_table(engine, table)
            limits = grams.limits_beside(engine, table)
            parts: list[tuple[int, GramHits]] = []
            for batch in text_batches(texts.offsets, grams.PER_BYTE, grams.PER_DOCUMENT, limits):
                part = _documents(texts, batch)
                made = grams.gram_hits(engine, upload_texts(engine, part), uploaded) if batch.fits else None
                parts.append((batch.first, self._cpu.gram_hits(part, table) if made is None else made))
            return grams.joined(parts)

    @contextmanager
    def _device(self) -> Iterator[Engine]:
        with self._lock:
            if self._engine is None:
                from gpucurate.device.cuda.cupy_engine import CupyEngine

                self._engine = CupyEngine()
            engine = self._engine
            try:
                yield engine
            except engine.failures as failure:
                raise DeviceError(
                    f"the CUDA device failed: {type(failure).__name__}: {failure}. "
                    "Remedy: make sure that no other process fills its memory, or --device cpu"
                ) from failure


def _on_host_texts(
    engine: Engine,
    texts: TextBuffers,
    costs: tuple[int, int],
    on_device: Callable[[DeviceTexts], Result | None],
    on_cpu: Callable[[TextBuffers], Result],
) -> Iterator[Result]:
    """The results of batches that fit the device; a batch that the device declines is done by the CPU."""
    for batch in text_batches(texts.offsets, *costs, engine.limits):
        part = _documents(texts, batch)
        made = on_device(upload_texts(engine, part)) if batch.fits else None
        yield on_cpu(part) if made is None else made


def _documents(texts: TextBuffers, batch: Batch) -> TextBuffers:
    return TextBuffers(texts.data, texts.offsets[batch.first : batch.last + 1])


def _joined_signatures(parts: list[Signatures], hashes: HashFamily) -> Signatures:
    if len(parts) == 1:
        return parts[0]
    empty = Signatures(np.zeros((0, hashes.a.shape[0]), np.uint32), np.zeros(0, np.int64))
    rows, shingles = zip(*(parts or [empty]), strict=True)
    return Signatures(np.concatenate(rows), np.concatenate(shingles))


def _joined_sets(parts: list[ShingleSets]) -> ShingleSets:
    if len(parts) == 1:
        return parts[0]
    sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)])
    hashes = np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in parts)])
    return ShingleSets(np.cumsum(sizes), hashes)


def _joined_windows(parts: list[Windows]) -> Windows:
    if len(parts) == 1:
        return parts[0]
    sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)])
    positions = np.concatenate([np.zeros(0, np.int64), *(part.positions for part in parts)])
    hashes = np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in parts)])
    return Windows(np.cumsum(sizes), positions, hashes)
