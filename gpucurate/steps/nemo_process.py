"""A pipeline of NeMo Curator in a subprocess with a Ray cluster of its own, none of which outlives the call.

Shared by the steps that have an `engine: nemo`; knows no pipeline.

Ray starts its processes in sessions of their own, so neither a signal to a process group nor the death of the pipeline
ends them.  They are known by a variable that all of them inherit.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from gpucurate.core.errors import DeviceError

MARK = "GPUCURATE_NEMO_JOB"
SECONDS_TO_STOP = 30  # Ray drains a node for as long; RayClient.stop waits 5 seconds, then kills
SECONDS_BETWEEN_LOOKS = 0.05
LINES_SHOWN = 20


class Job(Protocol):
    """What is known of a job here: where its files are."""

    @property
    def folder(self) -> Path:
        """Everything of the job; its processes are known by this path."""

    @property
    def description(self) -> Path:
        """The argument of the subprocess."""

    @property
    def log(self) -> Path:
        """Where its output goes."""

    @property
    def finished(self) -> Path:
        """Written last, by the subprocess."""


def run(command: Sequence[str], job: Job) -> None:
    """Run `command` with the job's description as its last argument until it ends; its output goes to `job.log`.

    The subprocess has a pipe for standard input, and has to stop when that is closed: the kernel closes it even if this
    process is killed.  Raises DeviceError with the end of the log if it fails or does not finish the job.
    """
    mark = f"{MARK}={job.folder}"
    kill_marked(mark)  # if this process was killed together with the pipeline, its Ray is still there
    with job.log.open("wb") as log:
        process = subprocess.Popen(
            [*command, str(job.description)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=_environment(job),
            start_new_session=True,  # Ctrl-C stops this process, which stops that one: one way to end, not two at once
        )
        try:
            process.wait()
        finally:
            _stop(process)
            kill_marked(mark)
    if process.returncode != 0:
        raise DeviceError(f"NeMo Curator failed with exit code {process.returncode}. {_end_of(job.log)}")
    if not job.finished.exists():
        raise DeviceError(f"NeMo Curator ended without {job.finished}. {_end_of(job.log)}")


def end_with_parent() -> None:
    """For the subprocess: end through SystemExit, on SIGTERM and when the process that started it closes its input."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def kill_marked(mark: str) -> None:
    """Kill every process of this machine that has the entry `mark` in its environment, except this one.

    Raises DeviceError if one does not end (as when its GPU hangs).
    """
    deadline = time.monotonic() + SECONDS_TO_STOP
    while found := [pid for pid in _processes_with(mark) if pid != os.getpid()]:
        if time.monotonic() > deadline:
            raise DeviceError(f"processes {found} of a NeMo Curator run cannot be killed. Remedy: check nvidia-smi")
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(SECONDS_BETWEEN_LOOKS)


def _wait_for_parent() -> None:
    os.read(sys.stdin.fileno(), 1)  # not sys.stdin.read, whose lock would be held when the interpreter ends
    os.kill(os.getpid(), signal.SIGTERM)


def _environment(job: Job) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"},  # a cluster of its own
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),  # calls `ray`
        "RAY_AUTH_MODE": "token",  # without a token anyone who reaches the machine could run code in the cluster
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "NEMO_CURATOR_SLURM_ARRAY_ENABLED": "0",  # in a Slurm array job it would take its share of the files only
        "PYTHONUNBUFFERED": "1",
        MARK: str(job.folder),
    }


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _processes_with(mark: str) -> list[int]:
    entry = os.fsencode(mark)
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if entry in environment.read_bytes().split(b"\0"):
                found.append(int(environment.parent.name))
        except (PermissionError, FileNotFoundError, ProcessLookupError):  # another user's, or gone by now
            continue
    return found


def _end_of(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-LINES_SHOWN:]
    return f"Its log {log} ends:\n" + "\n".join(f"  {line}" for line in lines)
