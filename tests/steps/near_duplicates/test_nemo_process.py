"""The subprocess: its failures are told, and no process outlives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.steps import nemo_process as process
from gpucurate.steps.near_duplicates.nemo import find_groups
from gpucurate.steps.near_duplicates.nemo.job import prepare
from tests.steps.near_duplicates.nemo_cases import SETTINGS, stand_in, tables


def test_a_failure_shows_the_end_of_the_log_and_where_it_is(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"exit code 1\. Its log .*workflow\.log ends:") as failure:
        find_groups(tables(["same", "Same"]), SETTINGS, tmp_path, stand_in("fails"))
    assert "out of memory on GPU 0" in str(failure.value)
    assert "line 99" in str(failure.value)
    assert "line 10\n" not in str(failure.value)
    assert "line 10\n" in next(tmp_path.glob("*/workflow.log")).read_text()


def test_ending_without_a_result_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"ended without .*finished\.json"):
        find_groups(tables(["same", "Same"]), SETTINGS, tmp_path, stand_in("forgets"))


def test_the_environment_of_the_subprocess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    code = "import os, json; print(json.dumps(dict(os.environ)))"
    made = prepare(tables(["a", "b"]), SETTINGS, tmp_path)
    with pytest.raises(DeviceError, match="ended without"):
        process.run([sys.executable, "-c", code], made)
    seen = json.loads(made.log.read_text())
    assert "RAY_ADDRESS" not in seen
    assert (seen["RAY_USAGE_STATS_ENABLED"], seen["RAY_AUTH_MODE"]) == ("0", "token")
    assert len(bytes.fromhex(seen["RAY_AUTH_TOKEN"])) == 32
    assert seen["NEMO_CURATOR_SLURM_ARRAY_ENABLED"] == "0"
    assert seen["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended but was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


CALLER = """
import sys
from pathlib import Path
from tests.steps.near_duplicates.nemo_cases import SETTINGS, stand_in, tables
from gpucurate.steps.near_duplicates.nemo import find_groups
find_groups(tables(["same", "Same"]), SETTINGS, Path(sys.argv[1]), stand_in("hangs", *sys.argv[2:]))
"""
linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc")


def caller(work: Path, *options: str) -> tuple[subprocess.Popen[bytes], int]:
    """A process that waits for a workflow that hangs, and the process that the workflow has started."""
    root = Path(__file__).parents[3]
    started = subprocess.Popen([sys.executable, "-c", CALLER, str(work), *options], cwd=root)
    wait_until((work / "left.pid").exists)
    left = int((work / "left.pid").read_text())
    assert alive(left)
    return started, left


@linux
def test_an_interrupted_call_leaves_no_process(tmp_path: Path) -> None:
    started, left = caller(tmp_path)
    started.send_signal(signal.SIGINT)
    started.wait(60)
    assert started.returncode != 0
    assert not alive(left)


@linux
def test_a_killed_call_ends_the_workflow_and_the_next_one_the_rest(tmp_path: Path) -> None:
    started, left = caller(tmp_path)
    mark = f"{process.MARK}={prepare(tables(['same', 'Same']), SETTINGS, tmp_path).folder}"
    workflow = [pid for pid in process._processes_with(mark) if pid != left]
    assert len(workflow) == 1
    started.kill()
    started.wait()
    wait_until(lambda: not alive(workflow[0]))  # its standard input has ended
    assert alive(left)
    assert find_groups(tables(["same", "Same"]), SETTINGS, tmp_path, stand_in("0")).tolist() == [0, 0]
    wait_until(lambda: not alive(left))


@linux
def test_a_workflow_that_does_not_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS_TO_STOP", 0.1)
    made = prepare(tables(["same", "Same"]), SETTINGS, tmp_path)
    waits = iter([KeyboardInterrupt])
    wait = subprocess.Popen.wait

    def interrupted(self: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        wait_until((tmp_path / "left.pid").exists)
        for error in waits:
            raise error
        return wait(self, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        process.run(stand_in("hangs", "--deaf"), made)
    assert not alive(int((tmp_path / "left.pid").read_text()))
