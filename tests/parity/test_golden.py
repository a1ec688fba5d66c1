"""The golden vectors, on every device there is: what `gpucurate doctor` compares with is what all of them give."""

from __future__ import annotations

import pytest

from gpucurate.device.cpu import CpuBackend
from gpucurate.device.cuda import CudaBackend
from gpucurate.device.cuda.engine import Limits
from gpucurate.device.golden import EXPECTED, golden_texts, golden_values, wrong_verbs
from gpucurate.device.inventory import device_backends, driver
from tests.parity.host_engine import AMPLE, SMALL, HostEngine, Shims


def test_cpu() -> None:
    assert golden_values(CpuBackend()) == dict(EXPECTED)


@pytest.mark.parametrize(("limits", "order"), [(AMPLE, 0), (SMALL, 7919)], ids=str)
def test_cuda_kernels_on_the_host(shims: Shims, limits: Limits, order: int) -> None:
    assert golden_values(CudaBackend(HostEngine(shims, limits, order, 1))) == dict(EXPECTED)


@pytest.mark.gpu
def test_every_device() -> None:
    found = driver()
    if found is None or not found.devices:
        pytest.skip("no CUDA device")
    wrong = [wrong_verbs(backend) for backend in device_backends()]
    assert wrong == [[]] * len(found.devices)


def test_every_verb_has_a_vector_that_says_something() -> None:
    """An input on which a verb gives nothing would find nothing."""
    from gpucurate.device import golden
    from gpucurate.device.backend import Backend

    verbs = {name for name in vars(Backend) if not name.startswith("_")} - {"prepare"}
    assert set(EXPECTED) == verbs
    for call in golden._VERBS.values():
        assert all(any(array.tobytes()) for array in call(CpuBackend()))


def test_the_texts_are_split_over_tasks_and_damaged() -> None:
    texts = golden_texts()
    assert texts.documents == 9
    assert max(texts.offsets[1:] - texts.offsets[:-1]) > 100_000
    with pytest.raises(UnicodeDecodeError):
        texts.data.tobytes().decode()
    assert "not damaged" in golden_texts(damaged=False).data.tobytes().decode()
