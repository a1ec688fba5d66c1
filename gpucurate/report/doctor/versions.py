"""Installed versions against a lock file, such as the one an image was made from."""

from __future__ import annotations

import os
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gpucurate.report.doctor.check import Check, State

LOCK_VARIABLE = "GPUCURATE_LOCK"
PIN = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)\s*(?P<marker>;[^\\]*)?")
SHOWN = 5  # differences that a message names


def lock_check(chosen: Path | None) -> Check:
    """Compares with the lock file `chosen`, else the one that the variable GPUCURATE_LOCK names."""
    named = chosen or os.environ.get(LOCK_VARIABLE)
    if not named:
        said = f"no lock file to compare with; name one with --lock or {LOCK_VARIABLE}"
        return Check("lock", State.ABSENT, said)
    try:
        pins = read_pins(Path(named).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        return Check("lock", State.FAILED, f"{named} cannot be read: {error}", "name a lock file that is there")
    if not pins:
        said = f"{named} pins nothing (no line name==version)"
        return Check("lock", State.FAILED, said, "name a lock file, made by docker/lock.sh or pip freeze")
    differences = [line for name, pin in pins.items() if (line := _difference(name, *pin))]
    if differences:
        more = f" and {len(differences) - SHOWN} more" if len(differences) > SHOWN else ""
        return Check(
            "lock",
            State.FAILED,
            f"{len(differences)} of {len(pins)} packages differ from {named}: {', '.join(differences[:SHOWN])}{more}",
            f"pip install --no-deps -r {named}, or build the image again",
        )
    return Check("lock", State.OK, f"all {len(pins)} packages as {named} says")


def read_pins(lock: str) -> dict[str, tuple[str, bool]]:
    """Version of each package, and whether it must be there: a line with a marker speaks of some machines only."""
    lines = (PIN.match(line) for line in lock.splitlines())
    return {pin["name"]: (pin["version"], pin["marker"] is None) for pin in lines if pin}


def _difference(name: str, wanted: str, needed: bool) -> str | None:
    try:
        found = version(name)
    except PackageNotFoundError:
        return f"{name} is missing" if needed else None
    return None if found == wanted else f"{name} {found} instead of {wanted}"
