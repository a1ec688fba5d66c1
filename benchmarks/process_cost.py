"""What a command costs, its descendants included: wall time, CPU time, peak memory.  Linux only.

CPU time is exact: a process between becomes the parent of every orphan, so that the kernel adds up the times of all
that were waited for.  Memory is the sum of proportional set sizes, looked at every quarter of a second, in which pages
that processes share count once.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # prctl(2)
EVERY_SECONDS = 0.25
ORPHAN_SECONDS = 20.0  # that a descendant may outlive the command


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, seconds, bytes; `load` is the machine's over the last minute, to judge wall times by."""

    wall: float
    cpu: float
    memory: int
    load: float


def measure(command: list[str], env: dict[str, str] | None = None, log: Path | None = None) -> Cost:
    """Run a command to its end, its output into `log`.  Raises CalledProcessError where it fails."""
    between = [sys.executable, __file__, str(log or os.devnull), *command]
    return Cost(**json.loads(subprocess.run(between, env=env, check=True, stdout=subprocess.PIPE).stdout))


def _measure_here(log: str, command: list[str]) -> Cost:
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    begin, peak, done = time.perf_counter(), [0], threading.Event()
    with Path(log).open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        watcher = threading.Thread(target=_watch, args=(peak, done))
        watcher.start()
        code = process.wait()
    wall = time.perf_counter() - begin
    done.set()
    watcher.join()
    _wait_for_orphans()
    if code:
        raise SystemExit(f"{' '.join(command)} failed with {code}; see {log}")
    return Cost(wall, _cpu_of_children(), peak[0], os.getloadavg()[0])


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait_for_orphans() -> None:
    """Raises TimeoutError where one does not end: its time would be missing."""
    patience = time.monotonic() + ORPHAN_SECONDS
    while time.monotonic() < patience:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
        except ChildProcessError:
            return
    raise TimeoutError(f"still running: {sorted(_descendants())}")


def _watch(peak: list[int], done: threading.Event) -> None:
    while not done.wait(EVERY_SECONDS):
        peak[0] = max(peak[0], sum(map(_proportional_size, _descendants())))


def _descendants() -> set[int]:
    """Everything below this process, which adopts what its descendants leave behind."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found, grown = set[int](), {os.getpid()}
    while grown:
        found |= grown
        grown = {child for child, parent in parents.items() if parent in grown}
    return found - {os.getpid()}


def _proportional_size(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    print(json.dumps(asdict(_measure_here(sys.argv[1], sys.argv[2:]))))
