"""Every recipe in configs/ is what the schema says, and runs as it stands on inputs of its kind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from gpucurate.recipe.json_schema import recipe_schema
from gpucurate.recipe.load import load_recipe
from gpucurate.report.funnel import funnel_data
from gpucurate.report.verify import verify
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import VOCABULARY

REPOSITORY = Path(__file__).parents[1]
CONFIGS = sorted((REPOSITORY / "configs").glob("*.yaml"))
INPUTS = {  # what of the quickstart's pool each recipe is given
    "simplewiki": ("wikipedia", "wiki/*.xml.bz2"),
    "commoncrawl-warc": ("warc", "crawl/*.warc.gz"),
    "commoncrawl-wet": ("wet", "crawl/*.warc.wet.gz"),
    "jsonl": ("jsonl", "documents/*.jsonl"),
}

LIFE_CYCLE = {
    "edu-classifier",
    "fineweb-edu",
}  # run with a classifier of their own: tests/classifier/test_life_cycle.py


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool") / "quickstart-pool"
    subprocess.run(
        [sys.executable, str(REPOSITORY / "quickstart/pool.py"), str(folder)], check=True, capture_output=True
    )
    return folder


def test_every_recipe_is_run_somewhere() -> None:
    assert {path.stem for path in CONFIGS} == {*INPUTS, *LIFE_CYCLE, "quickstart"}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_recipes_fit_the_schema_and_their_spelled_out_form_does_too(path: Path) -> None:
    schema = recipe_schema(VOCABULARY)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(path.read_text()), schema)
    jsonschema.validate(load_recipe(path, VOCABULARY).as_data(), schema)


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_recipes_run_as_they_stand(name: str, pool: Path, tmp_path: Path) -> None:
    kind, pattern = INPUTS[name]
    override = f"sources.0.{kind}.path={pool / pattern}"
    recipe = load_recipe(REPOSITORY / "configs" / f"{name}.yaml", VOCABULARY, [override])
    run(recipe, tmp_path / "out", Cluster(inline=True), "cpu", PlainProgress())
    context, state = open_finished(tmp_path / "out")
    funnel = funnel_data(context.directory)
    assert 0 < funnel["steps"][-1]["kept"]["documents"] < funnel["steps"][0]["in"]["documents"]
    assert funnel["shards"]["rows"] > 0
    assert verify(context, state) == []
