"""The Dockerfile, the compose file and the scripts, as far as they can be held to something without an engine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from distributed.cli import dask_scheduler, dask_worker

from gpucurate.run.executors.resources import CPU, GPU

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def instructions() -> list[tuple[str, str]]:
    """Word and rest of every instruction, comments gone and continued lines joined."""
    text = re.sub(r"^#.*\n", "", (DOCKER / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = (line.strip() for line in re.sub(r"\\\n\s*", " ", text).splitlines())
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line)]


def stages() -> dict[str, list[tuple[str, str]]]:
    """Instructions of each stage by its name, FROM first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for word, rest in instructions():
        if word == "FROM":
            current = found[rest.split(" AS ")[1]] = []
        if found:
            current.append((word, rest))
    return found


def test_targets() -> None:
    assert list(stages()) == ["cpu-base", "cuda-base", "cpu", "cuda"]
    for target in ("cpu", "cuda"):
        assert stages()[target][0] == ("FROM", f"{target}-base AS {target}")


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_an_image_runs_as_nobody_special_and_checks_itself(target: str) -> None:
    stage = stages()[target]
    words = [word for word, _ in stage]
    users = [rest for word, rest in stage if word == "USER"]
    assert len(users) == 1
    assert int(users[0]) >= 1000, "numeric, so that Kubernetes can see that it is not root"
    assert "RUN" not in words[words.index("USER") :], "nothing is installed by that user"
    (health,) = (rest for word, rest in stage if word == "HEALTHCHECK")
    assert health.endswith('CMD ["gpucurate", "doctor"]')
    (environment,) = (rest for word, rest in stage if word == "ENV")
    assert "GPUCURATE_LOCK=/opt/gpucurate/share/gpucurate.lock" in environment
    assert ("ENTRYPOINT", '["gpucurate"]') in stage


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_an_image_is_made_by_the_steps_that_are_checked(target: str) -> None:
    """Every RUN is a step of install.sh, seldom changed ones first; sources are mounted and not copied."""
    runs = [rest for word, rest in stages()[target] if word == "RUN"]
    steps = [run.split("/src/docker/install.sh ")[1].split()[0] for run in runs]
    assert steps == ["dependencies", "models", "package", "user"]
    assert f"install.sh dependencies {target} " in runs[0]
    assert all("--mount=type=bind" in run for run in runs)
    assert not {"COPY", "ADD"} & {word for word, _ in instructions()}


def test_nothing_is_fetched_but_packages() -> None:
    scripts = "".join(rest for _, rest in instructions()) + (DOCKER / "install.sh").read_text()
    assert not re.search(r"\b(curl|wget|git clone|https?://)", scripts)
    installs = re.findall(r"pip install .*", scripts)
    assert len(installs) == 2
    assert all("--no-deps" in install and "--no-build-isolation" in install for install in installs)
    assert "--require-hashes" in installs[0], "everything from an index"
    assert '"$here/.."' in installs[1], "and gpucurate itself from its sources"


def test_base_images_are_named_by_a_version() -> None:
    defaults = dict(rest.split("=", 1) for word, rest in instructions() if word == "ARG" and "BASE" in rest)
    assert set(defaults) == {"CPU_BASE", "CUDA_BASE"}
    assert defaults["CPU_BASE"].startswith("python:3.12-slim")
    assert re.fullmatch(r"nvidia/cuda:13\.\d+\.\d+-base-ubuntu24\.04", defaults["CUDA_BASE"])


def test_the_build_context_holds_what_the_build_needs() -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {"docker", "gpucurate", "pyproject.toml", "README.md", "LICENSE"} == let_in
    assert all((ROOT / name).exists() for name in let_in)


@pytest.mark.parametrize(
    ("script", "arguments", "said"),
    [
        ("install.sh", ["dependencies", "tpu", "/nowhere"], "unknown target tpu; expected cpu or cuda"),
        ("install.sh", ["models", "some", "/nowhere"], "expected baked or none"),
        ("install.sh", ["everything"], "unknown step everything"),
        ("install.sh", [], "unknown step"),
        ("lock.sh", ["--chek"], "unknown argument --chek"),
    ],
)
def test_scripts_refuse_what_they_do_not_know(script: str, arguments: list[str], said: str) -> None:
    done = subprocess.run([str(DOCKER / script), *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr


def test_models_may_be_left_out(tmp_path: Path) -> None:
    subprocess.run([str(DOCKER / "install.sh"), "models", "none", str(tmp_path / "nowhere")], check=True)


def test_services() -> None:
    assert set(SERVICES) == {"scheduler", "cpu-worker", "gpu-worker", "run"}
    assert SERVICES["gpu-worker"]["profiles"] == ["gpu"]
    assert SERVICES["run"]["profiles"] == ["run"], "not started with the cluster"
    for name, service in SERVICES.items():
        target = "cuda" if name == "gpu-worker" else "cpu"
        assert service["image"] == f"gpucurate:{target}"
        assert service["build"] == {"context": "..", "dockerfile": "docker/Dockerfile", "target": target}
        mounts = [volume.rsplit(":/", 1)[1] for volume in service["volumes"] if not volume.endswith(":ro")]
        assert mounts == ["data", "cache"], "all of them see the output directory under one path"
    (device,) = SERVICES["gpu-worker"]["deploy"]["resources"]["reservations"]["devices"]
    assert device == {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}
    assert not any(port.split(":")[-1] == "8786" for s in SERVICES.values() for port in s.get("ports", []))


def test_commands_of_the_cluster_are_ones_that_dask_knows() -> None:
    """Parsed by Dask's own command line; dask-cuda's is not installed here, its options are named like Dask's."""
    dask_scheduler.main.make_context("scheduler", SERVICES["scheduler"]["entrypoint"][2:])
    dask, worker, *options = SERVICES["cpu-worker"]["entrypoint"]
    assert (dask, worker) == ("dask", "worker")
    parsed = dask_worker.main.make_context("worker", options).params
    assert parsed["scheduler"] == "tcp://scheduler:8786"
    assert (parsed["n_workers"], parsed["nthreads"], parsed["resources"]) == ("-1", 1, f"{CPU}=1")
    dask, cuda, worker, *options = SERVICES["gpu-worker"]["entrypoint"]
    assert (dask, cuda, worker) == ("dask", "cuda", "worker")
    parsed = dask_worker.main.make_context("worker", options).params
    assert (parsed["nthreads"], parsed["resources"], parsed["memory_limit"]) == (1, f"{GPU}=1", "0")
