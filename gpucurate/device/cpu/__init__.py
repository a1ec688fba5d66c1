"""The CPU backend: Numba kernels over byte buffers.  It is the definition of every verb."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.text_buffers import TextBuffers
from gpucurate.device.backend import Pairs, ShingleSets, Signatures, Windows
from gpucurate.device.grams import GramHits, GramTable
from gpucurate.device.hash_family import HashFamily


class CpuBackend:
    """Verbs of the device layer on the CPU; stateless, cheap to make, safe to use from several threads."""

    name = "cpu"

    def prepare(self) -> None:
        """See `gpucurate.device.backend.Backend.prepare`."""
        from gpucurate.device.cpu import grams, near_duplicates, windows

        near_duplicates.prepare()
        grams.prepare()
        windows.prepare()

    def text_features(self, texts: TextBuffers, stop_words: tuple[str, ...], grams: bool = True) -> NDArray[np.void]:
        """See `gpucurate.device.backend.Backend.text_features`."""
        from gpucurate.device.cpu.text_features import text_features

        return text_features(texts, stop_words, grams)

    def signatures(self, texts: TextBuffers, shingle: int, hashes: HashFamily) -> Signatures:
        """See `gpucurate.device.backend.Backend.signatures`."""
        from gpucurate.device.cpu.near_duplicates import signatures

        return signatures(texts, shingle, hashes)

    def shingle_sets(self, texts: TextBuffers, shingle: int) -> ShingleSets:
        """See `gpucurate.device.backend.Backend.shingle_sets`."""
        from gpucurate.device.cpu.near_duplicates import shingle_sets

        return shingle_sets(texts, shingle)

    def sampled_windows(self, texts: TextBuffers, window: int, span: int) -> Windows:
        """See `gpucurate.device.backend.Backend.sampled_windows`."""
        from gpucurate.device.cpu.windows import sampled_windows

        return sampled_windows(texts, window, span)

    def band_keys(self, signatures: NDArray[np.uint32], bands: int, rows: int) -> NDArray[np.uint64]:
        """See `gpucurate.device.backend.Backend.band_keys`."""
        from gpucurate.device.cpu.near_duplicates import band_keys

        return band_keys(signatures, bands, rows)

    def group(
        self, keys: NDArray[np.uint64], first: NDArray[np.uint64], second: NDArray[np.uint64], all_pairs: int
    ) -> Pairs:
        """See `gpucurate.device.backend.Backend.group`."""
        from gpucurate.device.cpu.near_duplicates import group

        return group(keys, first, second, all_pairs)

    def shared(self, pairs: Pairs, sets: ShingleSets) -> NDArray[np.int64]:
        """See `gpucurate.device.backend.Backend.shared`."""
        from gpucurate.device.cpu.near_duplicates import shared

        return shared(pairs, sets)

    def components(self, nodes: int, batches: Iterable[Pairs]) -> NDArray[np.int64]:
        """See `gpucurate.device.backend.Backend.components`."""
        from gpucurate.device.cpu.near_duplicates import components

        return components(nodes, batches)

    def gram_hits(self, texts: TextBuffers, table: GramTable) -> GramHits:
        """See `gpucurate.device.backend.Backend.gram_hits`."""
        from gpucurate.device.cpu.grams import gram_hits

        return gram_hits(texts, table)
