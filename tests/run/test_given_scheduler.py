from __future__ import annotations

import importlib.metadata
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpucurate.core.errors import DeviceError, UserError
from gpucurate.device.choice import device_count
from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.executors import executor, given
from gpucurate.run.executors.cluster import DaskExecutor
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import read_state
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.store.directory import OutputDirectory
from tests.invariants.corpus import digests, recipe, write_corpus
from tests.run.dask_processes import Processes, dask_processes, names, worker_name


@pytest.fixture(scope="module")
def plain() -> Iterator[Processes]:
    with dask_processes({"one": "", "two": ""}) as processes:
        yield processes


@pytest.fixture(scope="module")
def mixed() -> Iterator[Processes]:
    with dask_processes({"core": "CPU=1", "card": "GPU=1"}) as processes:
        yield processes


def given_names(processes: Processes, device: str, on_device: bool) -> set[str]:
    with executor(inline=False, workers=None, scheduler=processes.address, device=device) as execute:
        return names(list(execute.unordered(worker_name, list(range(12)), on_device)))


def test_no_scheduler_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "CONNECT_SECONDS", 1.0)
    with (
        pytest.raises(UserError, match="no Dask scheduler answers at tcp://"),
        executor(inline=False, workers=None, scheduler="tcp://127.0.0.1:9"),
    ):
        pass


def test_a_finished_run_stays_finished_when_no_scheduler_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "CONNECT_SECONDS", 1.0)
    write_corpus(tmp_path / "corpus")
    parsed = parse_recipe(recipe(tmp_path / "corpus" / "*.jsonl"), VOCABULARY)
    done = run(parsed, tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    with pytest.raises(UserError, match="no Dask scheduler answers"):
        run(parsed, tmp_path / "out", Cluster(scheduler="tcp://127.0.0.1:9"), "cpu", PlainProgress())
    assert read_state(OutputDirectory(tmp_path / "out")) == done


def test_something_else_listens_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "CONNECT_SECONDS", 1.0)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with (
            pytest.raises(UserError, match=f"no Dask scheduler answers at {address}: silence"),
            executor(inline=False, workers=None, scheduler=address),
        ):
            pass


def test_a_worker_is_no_scheduler(plain: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "CONNECT_SECONDS", 3.0)
    with executor(inline=False, workers=None, scheduler=plain.address) as execute:
        assert isinstance(execute, DaskExecutor)
        worker = next(iter(execute.workers()))
    with (
        pytest.raises(UserError, match=f"no Dask scheduler answers at {worker}"),
        executor(inline=False, workers=None, scheduler=worker),
    ):
        pass


def test_a_scheduler_needs_a_port() -> None:
    with pytest.raises(UserError, match="with a port"), executor(inline=False, workers=None, scheduler="10.0.0.1"):
        pass


def test_a_run_on_workers_that_announce_nothing(plain: Processes, tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    parsed = parse_recipe(recipe(tmp_path / "corpus" / "*.jsonl"), VOCABULARY)
    run(parsed, tmp_path / "inline", Cluster(inline=True), "cpu", PlainProgress())
    run(parsed, tmp_path / "remote", Cluster(scheduler=plain.address), "cpu", PlainProgress())
    assert digests(tmp_path / "remote") == digests(tmp_path / "inline")
    assert not list((tmp_path / "remote").rglob(".tmp-*"))


def test_only_tasks_for_the_device_meet_it_and_a_gpu_worker_without_a_gpu_says_so(
    mixed: Processes, tmp_path: Path
) -> None:
    if device_count():
        pytest.skip("this machine has a GPU, so the worker that announces one has it")
    write_corpus(tmp_path / "corpus")
    parsed = parse_recipe(recipe(tmp_path / "corpus" / "*.jsonl"), VOCABULARY)
    with pytest.raises(DeviceError, match=r"'cuda' was asked for, but .* --device cpu"):
        run(parsed, tmp_path / "out", Cluster(scheduler=mixed.address), "cuda", PlainProgress())
    assert list(tmp_path.glob("out/parts/*/exact_duplicates@*"))  # everything before the first stage on the device
    assert not list(tmp_path.glob("out/parts/*/near_duplicates.signatures@*"))
    state = run(parsed, tmp_path / "out", Cluster(scheduler=mixed.address), "cpu", PlainProgress())
    assert state.device == "cpu"
    run(parsed, tmp_path / "inline", Cluster(inline=True), "cpu", PlainProgress())
    assert digests(tmp_path / "out") == digests(tmp_path / "inline")


def test_workers_that_announce_nothing_do_everything(plain: Processes) -> None:
    assert given_names(plain, "auto", False) == {"one", "two"}
    assert given_names(plain, "auto", True) == {"one", "two"}


@pytest.mark.parametrize(
    ("device", "on_device", "where"),
    [
        ("cuda", True, "card"),
        ("cuda", False, "core"),
        ("auto", True, "card"),
        ("auto", False, "core"),
        ("cpu", True, "core"),
    ],
)
def test_tasks_run_where_their_resource_is(mixed: Processes, device: str, on_device: bool, where: str) -> None:
    assert given_names(mixed, device, on_device) == {where}


def test_cuda_without_a_gpu_worker_shows_what_to_start(plain: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "JOIN_SECONDS", 0.0)
    with pytest.raises(UserError, match=f"GPU.*`dask cuda worker {plain.address} --resources GPU=1`"):
        given_names(plain, "cuda", True)


def test_a_scheduler_without_workers_shows_what_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "JOIN_SECONDS", 0.0)
    with dask_processes({}) as processes, pytest.raises(UserError, match=r"has no workers.*`dask worker tcp://"):
        given_names(processes, "auto", False)


def test_a_worker_of_another_version(tmp_path: Path) -> None:
    (tmp_path / "gpucurate-9.8.7.dist-info").mkdir()
    (tmp_path / "gpucurate-9.8.7.dist-info" / "METADATA").write_text("Name: gpucurate\nVersion: 9.8.7\n")
    with dask_processes({}) as processes:
        processes.start("old", environment={"PYTHONPATH": str(tmp_path)})
        with pytest.raises(UserError, match=r"the worker tcp://\S+ has 9\.8\.7\. Remedy: install the same version"):
            given_names(processes, "auto", False)


class Answering:
    """A client whose workers and scheduler answer as told."""

    def __init__(self, workers: dict[str, Any], scheduler: Any = None) -> None:
        self.workers, self.scheduler = workers, scheduler

    def run(self, *_: object, on_error: str) -> dict[str, Any]:
        assert on_error == "return"
        return self.workers

    def run_on_scheduler(self, *_: object) -> Any:
        if isinstance(self.scheduler, Exception):
            raise self.scheduler
        return self.scheduler


def test_processes_that_lack_the_package() -> None:
    ours, lacking = importlib.metadata.version("gpucurate"), importlib.metadata.PackageNotFoundError("gpucurate")
    given._same_version(Answering({"tcp://a:1": ours}, ours), "tcp://s:1")
    with pytest.raises(UserError, match="the worker tcp://b:1 has none"):
        given._same_version(Answering({"tcp://a:1": ours, "tcp://b:1": lacking}, ours), "tcp://s:1")
    with pytest.raises(UserError, match="the scheduler has none"):
        given._same_version(Answering({"tcp://a:1": ours}, lacking), "tcp://s:1")


def test_workers_that_do_not_see_the_output_directory(tmp_path: Path) -> None:
    seen = {f"tcp://{n}:1": n < 2 for n in range(9)}
    with pytest.raises(
        UserError, match=r"is not seen by the worker tcp://2:1, .* and 4 more\. Remedy: choose an --out"
    ):
        given._same_directory(Answering(seen), tmp_path)
    with pytest.raises(UserError, match="not seen by the worker tcp://x:1"):
        given._same_directory(Answering({"tcp://x:1": PermissionError(13, "denied")}), tmp_path)
    given._same_directory(Answering({"tcp://x:1": True}), tmp_path)
    assert not list(tmp_path.iterdir())
