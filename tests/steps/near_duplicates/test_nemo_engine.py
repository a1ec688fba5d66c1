"""`engine: nemo` in the step: another program proposes, verification and choice stay ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from gpucurate.core.errors import MissingExtra, UserError
from gpucurate.device import pick
from gpucurate.steps.near_duplicates import NearDuplicates, nemo
from gpucurate.steps.near_duplicates.config import NearDuplicatesConfig, Verify
from tests.steps.stages import MemoryStages, answers

from .corpora import table
from .nemo_cases import stand_in

TEXTS = ["One Two Three", "one two three", "something else", "", "four five", "ONE TWO THREE", "Four Five", ""]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder for the files, and the program that stands in for NeMo: it groups texts equal but for case."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(nemo, "require_nemo", lambda: "1.4.0")
    monkeypatch.setattr(nemo, "COMMAND", stand_in("well"))
    return tmp_path


@pytest.mark.parametrize("verify", list(Verify))
def test_groups_become_verified_removals(work: Path, verify: Verify) -> None:
    documents = table(TEXTS)
    stages = MemoryStages([documents.slice(0, 3), documents.slice(3)])
    config = NearDuplicatesConfig(engine="nemo", verify=verify)
    said = answers(NearDuplicates(config, pick("cpu")), stages)
    ids = documents["record_id"].to_pylist()
    gone = [n for n, other in enumerate(said["duplicate_of"].to_pylist()) if other is not None]
    first, second = min(ids[n] for n in (0, 1, 5)), min(ids[n] for n in (4, 6))
    assert gone == [n for n in (0, 1, 4, 5, 6) if ids[n] not in (first, second)]
    assert ("signatures" in stages.made) == (verify is Verify.SIGNATURE)
    assert not list(work.glob("gpucurate-nemo/*"))


@pytest.mark.parametrize("verify", [Verify.JACCARD, Verify.SIGNATURE])
def test_documents_without_words_match_nothing_though_nemo_says_so(work: Path, verify: Verify) -> None:
    config = NearDuplicatesConfig(engine="nemo", verify=verify)
    said = answers(NearDuplicates(config, pick("cpu")), MemoryStages([table(["!!! — …", "!!! — …", "one", "one"])]))
    assert said["duplicate_of"].is_valid().to_pylist()[:2] == [False, False]
    assert said["duplicate_of"].null_count == 3


def test_no_duplicates_and_no_documents(work: Path) -> None:
    for texts in (["one two", "three four"], [], ["alone"]):
        said = answers(NearDuplicates(NearDuplicatesConfig(engine="nemo"), pick("cpu")), MemoryStages([table(texts)]))
        assert said["duplicate_of"].null_count == len(texts)


def test_without_nemo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises((MissingExtra, UserError), match="nemo"):
        answers(NearDuplicates(NearDuplicatesConfig(engine="nemo"), pick("cpu")), MemoryStages([table(TEXTS)]))


def test_what_nemo_cannot_do_is_refused_in_the_recipe() -> None:
    for settings in ({"against": "index"}, {"scope": "source"}):
        with pytest.raises(ValidationError, match="engine: nemo"):
            NearDuplicatesConfig.model_validate({"engine": "nemo", **settings})
