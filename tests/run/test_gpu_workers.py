"""Workers for GPUs beside those for cores, on a machine without GPUs: counted as told, plain workers underneath."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpucurate.core.errors import DeviceError
from gpucurate.device import choice
from gpucurate.run.executors import cluster, executor, gpu_workers
from gpucurate.run.executors.gpu_workers import environment, worker_command
from tests.invariants.test_bad_input import alive, children
from tests.run.dask_processes import die_once, names, nap, until, worker_name


def visible_device(_: object) -> str | None:
    return os.environ.get("CUDA_VISIBLE_DEVICES")


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "resolve", lambda _: "cuda")
    monkeypatch.setattr(choice, "device_count", lambda: 2)
    monkeypatch.setattr(gpu_workers.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,GPU-8a")


@pytest.mark.usefixtures("two_gpus")
def test_each_gpu_has_a_worker_and_each_task_its_place(tmp_path: Path) -> None:
    before = set(children(os.getpid()))  # of other tests in this process
    with executor(inline=False, workers=1, scheduler=None, device="cuda") as execute:
        assert isinstance(execute, cluster.DaskExecutor)
        assert execute.device == "cuda"
        assert names(list(execute.unordered(worker_name, [0], device=True))) <= {"gpu-0", "gpu-1"}  # waits for one
        execute._client.wait_for_workers(3, timeout=60)
        assert names(list(execute.unordered(worker_name, list(range(20)), device=True))) == {"gpu-0", "gpu-1"}
        assert names(list(execute.unordered(worker_name, list(range(20))))) == {"0"}
        seen = {device for _, device in execute.unordered(visible_device, list(range(20)), device=True)}
        assert seen == {"5", "GPU-8a"}
        assert {device for _, device in execute.unordered(visible_device, [0])} == {"5,GPU-8a"}
        crashed = list(execute.unordered(die_once, [str(tmp_path / "marker")], device=True))
        assert names(crashed) <= {"gpu-0", "gpu-1"}
        below = set(children(os.getpid())) - before
        assert sum(map(alive, below)) >= 3
    assert until(lambda: not any(map(alive_worker, below)))


def alive_worker(pid: int) -> bool:
    """Python's resource tracker outlives a cluster; workers must not."""
    return alive(pid) and b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.usefixtures("two_gpus")
def test_a_gpu_worker_that_ended_for_good_is_told_with_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = [sys.executable, "-c", "import sys; print('starting'); sys.exit('no driver here')"]
    monkeypatch.setattr(gpu_workers, "worker_command", lambda *_: failing)
    with (
        executor(inline=False, workers=1, scheduler=None, device="auto") as execute,
        pytest.raises(DeviceError, match=r"GPU 0 ended with exit code 1: no driver here.*--device cpu"),
    ):
        list(execute.unordered(nap, [30.0], device=True))


def test_a_driver_killed_at_once_leaves_no_worker() -> None:
    code = (
        "import time\n"
        "from gpucurate.device import choice\n"
        "from gpucurate.run.executors import executor, gpu_workers\n"
        "from tests.run.dask_processes import worker_name\n"
        "if __name__ == '__main__':\n"
        "    choice.resolve, choice.device_count = lambda _: 'cuda', lambda: 1\n"
        "    gpu_workers.importlib.util.find_spec = lambda _: None\n"
        "    with executor(inline=False, workers=1, scheduler=None, device='cuda') as execute:\n"
        "        print(list(execute.unordered(worker_name, [0], device=True)), flush=True)\n"
        "        time.sleep(100)\n"
    )
    script = [sys.executable, "-c", code]
    with subprocess.Popen(script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline().strip() == b"[(0, 'gpu-0')]"
        below = children(driver.pid)
        assert len(below) >= 3  # a worker for cores, a nanny and its worker for the GPU
        driver.send_signal(signal.SIGKILL)
    assert until(lambda: not any(map(alive, below)))


def test_cuda_without_a_gpu_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "what_is_lacking", lambda: "there is no driver. Remedy: install one")
    with (
        pytest.raises(DeviceError, match="there is no driver"),
        executor(inline=False, workers=1, scheduler=None, device="cuda"),
    ):
        pass


@pytest.mark.parametrize("installed", [True, False])
def test_dask_cuda_starts_the_worker_where_it_is_installed(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    monkeypatch.setattr(
        gpu_workers.importlib.util, "find_spec", lambda name: (installed and name == "dask_cuda") or None
    )
    line = " ".join(worker_command("tcp://h:1", 3))
    assert f"dask{' cuda' if installed else ''} worker tcp://h:1 --nthreads 1 --resources GPU=1 --name gpu-3" in line


@pytest.mark.parametrize(("visible", "expected"), [(None, "1"), ("", "1"), ("4, 7", "7"), ("MIG-a,MIG-b", "MIG-b")])
def test_a_worker_sees_one_of_the_gpus_that_the_driver_sees(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, expected: str
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert environment(1)["CUDA_VISIBLE_DEVICES"] == expected
