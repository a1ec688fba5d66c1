"""The audit says what happened: counted by hand on a corpus made for it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from gpucurate.core.errors import StorageError, UserError
from gpucurate.report.duplicates import Audit, audit, print_audit
from gpucurate.report.duplicates.audit import _tenths
from gpucurate.run.state import open_finished
from tests.cli.test_commands import call
from tests.steps.near_duplicates.corpora import words
from tests.steps.near_duplicates.runs import curate


def texts() -> list[str]:
    """A chain whose middle goes, five equal ones, a pair that is refused, ten of their own."""
    rng = random.Random(8)
    a = words(rng, 120)
    b = [*a[:-10], *words(rng, 10)]
    c = [*words(rng, 10), *b[10:]]
    equal = words(rng, 90)
    left = words(rng, 100)
    right = [*left[:70], *words(rng, 30)]
    own = [words(rng, 60) for _ in range(10)]
    longest = [*a, a[0]]
    return [" ".join(each) for each in (longest, b, c, *[equal] * 5, left, right, *own)]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = {"bands": 40, "rows": 4, "keep": "longest"}
    return curate("u", tmp_path_factory.mktemp("audited"), texts(), ["normalize", {"near_duplicates": settings}])


def audited(out: Path, count: int = 5) -> Audit:
    return audit(*open_finished(out), count)


def test_counts(finished: Path) -> None:
    found = audited(finished)
    assert (found.clusters, found.members, found.removed, found.removed_for_indexed) == (2, 8, 5, 0)
    assert found.kept_apart == 1  # the end of the chain
    assert found.sizes == [(3, 1), (5, 1)]
    assert found.verified == 12  # all ten pairs of the five, two of the chain
    assert found.compared == sum(found.similarities) == found.verified + len(audited(finished, 100).refused)


def test_a_similarity_on_an_edge_belongs_to_the_upper_tenth() -> None:
    assert _tenths(np.array([n / 10 for n in range(11)])) == [1] * 9 + [2]


def test_lost_answers_are_named(tmp_path: Path) -> None:
    out = curate("u", tmp_path, texts(), ["near_duplicates"])
    next(out.glob("parts/*/near_duplicates@*")).unlink()
    with pytest.raises(StorageError, match=r"has lost .* run the same recipe again"):
        audited(out)


def test_pairs_to_read(finished: Path) -> None:
    found = audited(finished)
    assert [pair.cluster_size for pair in found.largest] == [5, 3]
    assert found.largest[0].similarity == 1
    assert found.largest[0].first.text == found.largest[0].second.text
    assert {pair.second.uri for pair in found.apart} == {"u/2"}
    assert found.apart[0].first.uri == "u/0"
    assert {found.refused[0].first.uri, found.refused[0].second.uri} == {"u/0", "u/2"}
    values = [pair.similarity or 0 for pair in found.refused]
    assert all(value < 0.8 for value in values)
    assert values == sorted(values, reverse=True)


def test_for_people(finished: Path) -> None:
    console = Console(record=True, width=200)
    print_audit(audited(finished), console, 60)
    said = console.export_text()
    assert "2 clusters with 8 documents: 5 removed" in said
    assert "1 kept beside their representative" in said
    assert "Refused by verification" in said
    assert "[-" in said  # differences show without colours, as in a pipe
    assert "{+" in said


def test_the_command(finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "duplicates", finished, "--json", "--count", 1) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["removed"] == 5
    assert len(found["largest"]) == 1
    assert call(monkeypatch, "duplicates", finished, "--count", 0) == 0
    assert "candidate pairs compared" in capsys.readouterr().out


def test_a_recipe_without_the_step(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no step near_duplicates"):
        audited(curate("u", tmp_path, texts(), ["normalize"]))


def test_the_curve(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "curve", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert round(found["recall"], 3) == 0.924
    assert found["suggestions"]
    assert call(monkeypatch, "curve", "--bands", 8, "--rows", 14, "--budget", 1) == 0
    said = capsys.readouterr().out
    assert "at the threshold 0.8: 30.22% of pairs are found" in said
    assert "no bands and rows reach" in said
