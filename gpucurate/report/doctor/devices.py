"""The devices: whether there is a usable GPU, and whether CPU and GPUs compute what they must."""

from __future__ import annotations

from collections.abc import Iterator

from gpucurate.core.errors import DeviceError
from gpucurate.device.backend import Backend
from gpucurate.device.choice import what_is_lacking
from gpucurate.device.cpu import CpuBackend
from gpucurate.device.golden import EXPECTED, wrong_verbs
from gpucurate.device.inventory import Driver, device_backends
from gpucurate.report.doctor.check import GIB, Check, State, told


def device_checks(device: str, driver: Driver | None) -> Iterator[Check]:
    """Golden vectors on the CPU and, unless `device` is `cpu`, on every GPU; with `cuda` a GPU must be there."""
    yield _golden("golden cpu", CpuBackend())
    if device == "cpu":
        return
    lacking = what_is_lacking()
    if lacking is not None:
        yield told("gpu", State.FAILED if device == "cuda" else State.ABSENT, lacking)
        return
    if driver is not None:
        found = "; ".join(
            f"{d.name}, {d.memory / GIB:.0f} GiB, sm_{d.capability.replace('.', '')}" for d in driver.devices
        )
        yield Check("gpu", State.OK, f"driver for CUDA {driver.cuda}: {found}")
    for number, backend in enumerate(device_backends()):
        yield _golden(f"golden gpu {number}", backend)


def _golden(name: str, backend: Backend) -> Check:
    try:
        wrong = wrong_verbs(backend)
    except DeviceError as error:
        return told(name, State.FAILED, error, "--device cpu")
    if wrong:
        said = f"wrong results of {', '.join(wrong)}"
        remedy = (
            "do not run here; compare the versions above with a machine that is healthy, then its memory and driver"
        )
        return Check(name, State.FAILED, said, remedy)
    return Check(name, State.OK, f"{len(EXPECTED)} verbs give what they must")
