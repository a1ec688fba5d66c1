from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpucurate.core.errors import InvariantError
from gpucurate.sources.sandbox import Failure, Sandbox, shared_sandbox

MODULE = "tests.sources.sandbox_functions"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(MODULE, "misfortune", seconds=5.0, memory=2 << 30) as box:
        yield box


@pytest.fixture(scope="module")
def hasty() -> Iterator[Sandbox]:
    with Sandbox(MODULE, "misfortune", seconds=0.2) as box:
        yield box


@pytest.mark.parametrize("payload", [b"", b"x", b"\0" * 70_000, bytes(range(256)) * 100_000])
def test_bytes_come_back_as_they_were(sandbox: Sandbox, payload: bytes) -> None:
    assert sandbox.run(payload) == payload


def test_nothing_and_str(sandbox: Sandbox) -> None:
    assert sandbox.run(b"nothing") is None
    assert sandbox.run(b"str") == "žemė ?".encode()


def test_what_a_function_prints_is_no_answer(sandbox: Sandbox) -> None:
    assert sandbox.run(b"print") == b"print"
    assert sandbox.run(b"next") == b"next"


@pytest.mark.parametrize(
    ("payload", "reason", "detail"),
    [
        (b"raise", "crash", "ValueError: two lines"),
        (b"memory", "crash", "MemoryError"),
        (b"grow", "crash", "MemoryError"),
        (b"recursion", "crash", "RecursionError: maximum recursion depth exceeded"),
        (b"segfault", "crash", "tests.sources.sandbox_functions.misfortune took its process down: SIGSEGV"),
        (b"exit", "crash", "tests.sources.sandbox_functions.misfortune took its process down: exit status 3"),
        (b"hard exit", "crash", "tests.sources.sandbox_functions.misfortune took its process down: exit status 0"),
    ],
)
def test_misfortunes_are_told_and_the_next_record_is_well(
    sandbox: Sandbox, payload: bytes, reason: str, detail: str
) -> None:
    failure = sandbox.run(payload)
    assert isinstance(failure, Failure)
    assert failure.reason == reason
    assert failure.detail.startswith(detail)
    assert "\n" not in failure.detail
    assert sandbox.run(b"the next") == b"the next"


@pytest.mark.parametrize(
    ("payload", "clocks"),
    [
        (b"spin", ["0.2 s of CPU time", "1 s of waiting"]),  # the second on a machine that is very busy
        (b"spin in C", ["0.2 s of CPU time", "1 s of waiting"]),
        (b"sleep", ["1 s of waiting"]),
    ],
)
def test_what_takes_too_long_is_ended(hasty: Sandbox, payload: bytes, clocks: list[str]) -> None:
    failure = hasty.run(payload)
    assert isinstance(failure, Failure)
    assert failure.reason == "timeout"
    assert failure.detail in [f"{MODULE}.misfortune ended after {clock}" for clock in clocks]
    assert hasty.run(b"the next") == b"the next"


def test_an_exception_costs_no_new_child(sandbox: Sandbox) -> None:
    before = sandbox.run(b"pid")
    sandbox.run(b"raise")
    assert sandbox.run(b"pid") == before


def test_a_limit_counts_for_each_record_anew() -> None:
    with Sandbox(MODULE, "misfortune", seconds=0.2) as box:
        before = box.run(b"pid")
        for _ in range(8):
            box.run(b"busy")
        assert box.run(b"pid") == before


def test_a_child_killed_while_idle_costs_one_record(sandbox: Sandbox) -> None:
    pid = sandbox.run(b"pid")
    assert isinstance(pid, bytes)
    os.kill(int(pid), signal.SIGKILL)
    assert sandbox.run(bytes(1 << 20)) == Failure(
        "crash", "tests.sources.sandbox_functions.misfortune took its process down: SIGKILL"
    )
    assert sandbox.run(b"well") == b"well"


def test_an_interrupted_call_leaves_no_answer_behind(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(pipe: object) -> tuple[bytes, bytes]:
        raise KeyboardInterrupt

    assert sandbox.run(b"before") == b"before"
    with monkeypatch.context() as patch:
        patch.setattr("gpucurate.sources.sandbox._receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            sandbox.run(b"interrupted")
    assert sandbox.run(b"after") == b"after"


def test_threads_take_turns(sandbox: Sandbox) -> None:
    payloads = [bytes([i]) * (10_000 * i) for i in range(64)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(sandbox.run, payloads)) == payloads


@pytest.mark.parametrize(("module", "function"), [("no_such_module", "f"), (MODULE, "no_such_function")])
def test_what_cannot_be_imported_is_no_record_s_fault(module: str, function: str) -> None:
    with Sandbox(module, function, 1.0) as box, pytest.raises(InvariantError, match=f"{module}.{function}"):
        box.run(b"x")


def test_closing_ends_the_child_and_running_again_starts_one() -> None:
    box = Sandbox(MODULE, "misfortune", 1.0)
    first = box.run(b"pid")
    box.close()
    assert isinstance(first, bytes)
    assert not alive(int(first))
    assert box.run(b"pid") != first
    assert box.starts == 2
    box.close()


def test_a_forgotten_sandbox_ends_its_child() -> None:
    box = Sandbox(MODULE, "misfortune", 1.0)
    pid = box.run(b"pid")
    del box
    assert isinstance(pid, bytes)
    assert not alive(int(pid))


@pytest.mark.parametrize("last", ["pid", "spin"])
def test_a_child_ends_when_its_parent_is_killed(last: str, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    code = (
        f"from gpucurate.sources.sandbox import Sandbox\nbox = Sandbox({MODULE!r}, 'misfortune', 1.0)\n"
        f"open({str(told)!r}, 'wb').write(box.run(b'pid'))\nprint(flush=True)\nbox.run({last.encode()!r})\ninput()"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.kill()
    pid = int(told.read_text())
    end = time.monotonic() + 10
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert not alive(pid)


def test_equal_settings_share_a_sandbox() -> None:
    assert shared_sandbox(MODULE, "misfortune", 3.0) is shared_sandbox(MODULE, "misfortune", 3.0)
    assert shared_sandbox(MODULE, "misfortune", 3.0) is not shared_sandbox(MODULE, "misfortune", 4.0)


def test_failures_travel_between_processes() -> None:
    failure = Failure("timeout", "detail")
    assert pickle.loads(pickle.dumps(failure)) == failure


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
