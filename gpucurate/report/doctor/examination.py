"""The whole examination, its form for machines and its form for people."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from gpucurate import __version__
from gpucurate.device.inventory import Driver, driver
from gpucurate.report.doctor.check import Check, State
from gpucurate.report.doctor.devices import device_checks
from gpucurate.report.doctor.extras import extra_checks, start_imports
from gpucurate.report.doctor.machine import disk_check, memory_check
from gpucurate.report.doctor.models import model_checks
from gpucurate.report.doctor.versions import lock_check
from gpucurate.run.entries import environment, environment_digest

SIGNS = {State.OK: "✓", State.ABSENT: "–", State.FAILED: "✗"}
NAME_WIDTH = 24


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found."""

    driver: Driver | None
    checks: tuple[Check, ...]

    def failed(self) -> list[str]:
        """Names of the checks that failed; none on a healthy machine."""
        return [check.name for check in self.checks if check.state == State.FAILED]

    def data(self) -> dict[str, object]:
        """The stable machine-readable form."""
        return {
            "gpucurate": __version__,
            "healthy": not self.failed(),
            "environment": {"digest": environment_digest(), "versions": environment()},
            "driver": None
            if self.driver is None
            else {"cuda": self.driver.cuda, "devices": [each._asdict() for each in self.driver.devices]},
            "checks": [asdict(check) for check in self.checks],
        }

    def lines(self) -> Iterator[str]:
        """A line a check, for people."""
        yield f"gpucurate {__version__}, Python {platform.python_version()}, environment {environment_digest()}"
        for check in self.checks:
            remedy = f". Remedy: {check.remedy}" if check.remedy else ""
            yield f"{SIGNS[check.state]} {check.name:{NAME_WIDTH}} {check.said}{remedy}"


def examine(*, out: Path, lock: Path | None, device: str) -> Examination:
    """Look at everything; `out` is where a run would write, `device` is `auto`, `cpu` or `cuda` (a GPU must be there).

    Takes a few seconds, and on the first call of a new installation a minute more, since kernels are compiled.
    """
    imports = start_imports()
    found = driver()
    devices = tuple(device_checks(device, found))
    models = tuple(model_checks())
    extras = tuple(extra_checks(imports))
    return Examination(found, (memory_check(), disk_check(out), lock_check(lock), *extras, *models, *devices))
