"""Products of fixed-point vectors: on a GPU the same numbers as on a CPU, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from gpucurate.steps.semantic_duplicates.centres import find_centres
from gpucurate.steps.semantic_duplicates.choice import decide
from gpucurate.steps.semantic_duplicates.fixed_point import Products, to_fixed

torch = pytest.importorskip("torch")


def test_as_on_a_cpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    rng = np.random.default_rng(0)
    made = rng.normal(size=(20, 384))[rng.integers(20, size=5000)] + rng.normal(scale=0.3, size=(5000, 384))
    vectors = to_fixed(made / np.linalg.norm(made, axis=1, keepdims=True))
    cpu, gpu = Products("cpu"), Products("cuda")
    assert (gpu.cosines(vectors[:300], vectors) == cpu.cosines(vectors[:300], vectors)).all()
    centres = find_centres(vectors, 70, 20, cpu)
    assert (find_centres(vectors, 70, 20, gpu) == centres).all()
    assert (gpu.nearest(vectors, centres) == cpu.nearest(vectors, centres)).all()
    for one, other in zip(decide(vectors, 0.9, cpu), decide(vectors, 0.9, gpu), strict=True):
        assert (one == other).all()
