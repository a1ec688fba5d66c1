"""Memory and disk: what is free, and whether it is enough to work with."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from gpucurate.report.doctor.check import GIB, Check, State

# A worker holds one part (64 MB raw) in several forms, compiled kernels and its libraries (docs/container.md: figures).
WORKER_MEMORY = 1 * GIB
LEAST_DISK = 1 * GIB  # one part of every step, its drafts, and room for a shard
MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")  # version 2; inside a container it is the container's own
NO_LIMIT = "max"  # what memory.max says then


def memory_check() -> Check:
    """Fails where not even one worker fits into what is free; tells how many do."""
    free = free_memory()
    if free is None:
        return Check("memory", State.ABSENT, f"neither {MEMINFO} nor {CGROUP} tells what is free")
    cores = len(os.sched_getaffinity(0))
    fitting = free // WORKER_MEMORY
    said = f"{free / GIB:.1f} GiB free for {cores} cores"
    if fitting < 1:
        return Check("memory", State.FAILED, said, "free 1 GiB, or raise the container's limit")
    if fitting < cores:
        return Check("memory", State.OK, f"{said}, enough for --workers {fitting}")
    return Check("memory", State.OK, f"{said}, enough for a worker a core")


def free_memory() -> int | None:
    """Bytes this process and its workers may still take: the machine's, or what the container's limit leaves."""
    known = [each for each in (_of_machine(), _of_container()) if each is not None]
    return min(known, default=None)


def disk_check(out: Path) -> Check:
    """Fails where `out` cannot be written or has too little space.  A directory not made yet is asked by its parent."""
    place = out.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        return Check("disk", State.FAILED, f"{place} is a file; expected a directory", "choose another --out")
    try:
        with tempfile.TemporaryFile(dir=place):
            free = shutil.disk_usage(place).free
    except OSError as error:
        remedy = "make it writable (in a container: mount it for the user that runs), or choose another --out"
        return Check("disk", State.FAILED, f"{place} cannot be written: {error.strerror or error}", remedy)
    said = f"{free / GIB:.1f} GiB free at {place}"
    if free < LEAST_DISK:
        return Check("disk", State.FAILED, said, f"free {LEAST_DISK // GIB} GiB, or choose another --out")
    return Check("disk", State.OK, said)


def _of_machine() -> int | None:
    try:
        lines = MEMINFO.read_text().splitlines()
    except OSError:  # not Linux
        return None
    found = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return next((int(kibibytes) * 1024 for kibibytes in found), None)


def _of_container() -> int | None:
    """What the limit leaves, counting the cache of files as free (it is given back); None without a limit."""
    try:
        limit = (CGROUP / "memory.max").read_text().strip()
        used = int((CGROUP / "memory.current").read_text())
        statistics = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
    except OSError:  # no cgroup, or its root, which has no limit
        return None
    if limit == NO_LIMIT:
        return None
    return max(0, int(limit) - used + int(statistics.get("inactive_file", 0)))
