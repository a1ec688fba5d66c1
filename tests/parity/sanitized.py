"""Every verb under AddressSanitizer and UBSan: no kernel touches a byte outside its arrays.

Run by test_bounds.py in a process of its own, into which the sanitizer is preloaded; ends in 0 if nothing was found.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.engine import Limits
from gpucurate.device.grams import gram_table
from gpucurate.device.hash_family import affine32
from tests.parity import documents
from tests.parity.host_engine import AMPLE, HostEngine, Shims

FLAGS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def main(folder: Path, broken: bool) -> None:
    """`broken` lets a kernel read beyond an array on purpose, to show that it would be found."""
    shims = Shims(folder, FLAGS)
    for seed, limits in enumerate((AMPLE, Limits(4 << 20, 1 << 13))):
        cuda = CudaBackend(HostEngine(shims, limits, order=977))
        texts = documents.damaged(documents.packed(seed, 300), seed)
        made = cuda.signatures(texts, 5, affine32(117, seed))
        keys = cuda.band_keys(made.rows[:, : 116 if broken else 117], 9, 13)
        cuda.signatures(pack_texts(["one two three " * 9000]), 3, affine32(112, 1))
        sets = cuda.shingle_sets(texts, 3)
        cuda.sampled_windows(texts, 3, 4)
        order = np.arange(keys.shape[1], dtype=np.uint64)
        pairs = cuda.group(np.ascontiguousarray(keys[0]), order, order, 4)
        cuda.shared(pairs, sets)
        cuda.gram_hits(texts, gram_table({3: sets.hashes, 1: cuda.shingle_sets(texts, 1).hashes[::5]}))
        cuda.components(texts.documents, [pairs])


if __name__ == "__main__":
    main(Path(sys.argv[1]), broken=sys.argv[2:] == ["broken"])
    print("nothing found")
