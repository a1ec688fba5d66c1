"""Whom `toxicity` removes, against counting by hand and SciPy's interval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucurate.cli.toxicity import toxicity_command
from gpucurate.core.errors import GpucurateError, InputError, UserError
from gpucurate.recipe.load import parse_recipe
from gpucurate.report.toxicity import toll
from gpucurate.report.toxicity_terms import read_terms
from gpucurate.run.driver import Cluster, run
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import open_finished
from gpucurate.run.vocabulary import VOCABULARY

TERMS = {"dialect": ["finna", "Y’all"], "hobby": ["model trains", "chess"], "nobody": ["xyzzy"]}


def texts() -> list[str]:
    """Of forty, ten speak dialect, and those swear more often; every seventh is long."""
    made = []
    for n in range(40):
        text = f"document number {n} is about the weather and chess" if n % 4 == 1 else f"document {n} on trains"
        text += ", and y'all know we finna go" * (n % 4 == 0)
        text += " zounds" * (n % 5 == 0 or n % 8 == 0)
        made.append(text + " and so on" * (100 if n % 7 == 0 else 0))
    return made


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    (folder / "list.txt").write_text("zounds\n")
    rows = [{"url": f"https://h{n % 3}.example/{n}", "text": text} for n, text in enumerate(texts())]
    for name, some in (("web", rows[:25]), ("wiki", rows[25:])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    sources = [{"name": name, "jsonl": {"path": str(folder / f"{name}.jsonl")}} for name in ("web", "wiki")]
    steps = [{"toxicity": {"words": {"lists": {"all": str(folder / "list.txt")}, "most": 0}}}]
    parsed = parse_recipe({"name": "r", "sources": sources, "steps": steps}, VOCABULARY)
    run(parsed, folder / "out", Cluster(inline=True), "cpu", PlainProgress())
    (folder / "terms.yaml").write_text(json.dumps(TERMS))
    return folder / "out"


def by_hand() -> dict[tuple[str, str], list[bool]]:
    """Whether each document of a slice or group is removed."""
    found: dict[tuple[str, str], list[bool]] = {("all", "all"): []}
    for n, text in enumerate(texts()):
        names = [("all", "all"), ("source", "web" if n < 25 else "wiki"), ("host", f"h{n % 3}.example")]
        names.append(("length", "from 1,000 bytes" if n % 7 == 0 else "from 0 bytes"))
        if len(text) >= 100 and n % 7:
            names[-1] = ("length", "from 100 bytes")
        names += [("group", "dialect")] * (n % 4 == 0) + [("group", "hobby")] * (n % 4 == 1)
        for name in names:
            found.setdefault(name, []).append("zounds" in text)
    return found


def test_as_counted_by_hand(out: Path) -> None:
    from scipy.stats import binomtest

    wanted = by_hand()
    data = toll(*open_finished(out), None, read_terms(str(out.parent / "terms.yaml"))).data()
    rows = {("all", "all"): data["all"]}
    rows |= {(each["by"], each["value"]): each for each in data["slices"]}
    rows |= {("group", each["group"]): each for each in data["groups"]}
    empty = rows.pop(("group", "nobody"))
    assert (empty["documents"], empty["share"], empty["ratio"], empty["by_length"]) == (0, None, None, None)
    assert set(rows) == set(wanted)
    for name, row in rows.items():
        removed = wanted[name]
        assert (row["documents"], row["removed"]) == (len(removed), sum(removed))
        assert row["reasons"] == {"toxicity.score": 0, "toxicity.words": sum(removed)}
        interval = binomtest(sum(removed), len(removed)).proportion_ci(method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-6)
    dialect = rows["group", "dialect"]
    assert dialect["ratio"] == pytest.approx(dialect["share"] / data["all"]["share"])
    assert dialect["ratio"] > 1.5
    rates = {name: sum(row) / len(row) for (by, name), row in wanted.items() if by == "length"}
    lengths = [
        "from 1,000 bytes" if n % 7 == 0 else "from 100 bytes" if len(text) >= 100 else "from 0 bytes"
        for n, text in enumerate(texts())
        if n % 4 == 0
    ]
    assert dialect["by_length"] == pytest.approx(sum(rates[each] for each in lengths) / len(lengths))
    assert dialect["terms"] == 2


def test_the_command(out: Path) -> None:
    terms = str(out.parent / "terms.yaml")
    told = CliRunner().invoke(toxicity_command, [str(out), "--terms", terms, "--json"])
    assert told.exit_code == 0, told.output
    assert [each["group"] for each in json.loads(told.stdout)["groups"]] == list(TERMS)
    shown = CliRunner().invoke(toxicity_command, [str(out), "--terms", terms])
    assert shown.exit_code == 0
    for text in ("all documents", "host h0.example", "source web", "dialect", "× all"):
        assert text in shown.stdout
    alone = CliRunner().invoke(toxicity_command, [str(out)])
    assert "groups of terms" not in alone.stdout


def test_no_such_step(out: Path) -> None:
    with pytest.raises(UserError, match=r"no step 'toxicity\.2' of that kind; it has toxicity"):
        toll(*open_finished(out), "toxicity.2", None)


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (None, InputError, "cannot be read"),
        ("[a, b]", UserError, "expected a mapping of groups"),
        ("{", UserError, "is no YAML"),
        ("dialect: finna", UserError, "group 'dialect' is no list of words"),
        ("dialect: [no, finna]", UserError, "Quote words such as 'no'"),
        ("dialect: [a$$]", UserError, "'a\\$\\$', which is not made of words"),
    ],
)
def test_terms_that_do_not_fit(tmp_path: Path, content: str | None, error: type[GpucurateError], said: str) -> None:
    path = tmp_path / "terms.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(error, match=said):
        read_terms(str(path))
