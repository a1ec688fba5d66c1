"""Samples for review and the precision that follows, against formulas by hand and the test that Wilson inverts."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.core.errors import UserError
from gpucurate.report.pii.audit import Audit, Finding, Stratum
from gpucurate.report.pii.precision import estimate
from gpucurate.report.pii.review import allocate, draw, read_review, write_review
from gpucurate.report.pii.wilson import Z, wilson
from tests.cli.test_commands import call
from tests.report.pii.test_audit import finished  # noqa: F401

MAIL, PLAIN, NEAR = Stratum("email", "email", 1), Stratum("phone", "phone", 1), Stratum("phone", "phone.context", 2)
sizes = st.dictionaries(st.sampled_from([Stratum(k, d, 1) for k in "abc" for d in "xyz"]), st.integers(1, 40))


@given(sizes, st.integers(0, 200))
def test_shares(found: dict[Stratum, int], count: int) -> None:
    shares = allocate(found, count)
    assert sum(shares.values()) == min(count, sum(found.values()))
    assert all(0 <= shares[s] <= found[s] for s in found)
    classes: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for stratum in found:
        classes[stratum.kind] += shares[stratum]
        whole[stratum.kind] += found[stratum]
    open_ones = [classes[kind] for kind in whole if classes[kind] < whole[kind]]
    assert all(classes[kind] <= min(open_ones, default=classes[kind]) + 1 for kind in whole)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_shares_that_the_sample_does_not_refute(seen: tuple[int, int]) -> None:
    right, items = seen
    share = wilson(right / items, items)
    assert 0 <= share.low <= share.value <= share.high <= 1
    for bound in (share.low, share.high):
        if 1e-9 < bound < 1 - 1e-9:
            assert abs(share.value - bound) / sqrt(bound * (1 - bound) / items) == pytest.approx(Z, rel=1e-6)
    assert wilson(1, 10).high == 1.0
    assert wilson(0, 10).low == 0.0


def audit_of(sizes: dict[Stratum, int]) -> Audit:
    """Findings with ids `0-0`, `0-1`, ... by stratum."""
    found = Audit("pii", 10, 1000, Counter(sizes))
    for number, (stratum, size) in enumerate(sizes.items()):
        some = [Finding(f"{number}-{n}", stratum, 0.5, 'm, "q"\n', "b ", " =a") for n in range(size)]
        found.drawn[stratum] = [(bytes([n, number]), each) for n, each in enumerate(some)]
        found.located |= {each.id: stratum for each in some}
    return found


def test_strata_count_by_their_size() -> None:
    found = audit_of({MAIL: 50, PLAIN: 90, NEAR: 10})
    review = (
        {f"1-{n}": "right" for n in range(8)} | {"1-8": "wrong", "1-9": "unsure"} | {"2-0": "wrong", "2-1": "wrong"}
    )
    rows = {row.name: row for row in estimate(found, review)}
    assert list(rows) == ["all", "phone", "phone/phone", "phone/phone.context", "email"]
    phone = rows["phone"]
    assert phone.share.value == pytest.approx(0.9 * 8 / 9)
    assert phone.share == wilson(phone.share.value, 1 / (0.9**2 / 9 + 0.1**2 / 2))
    assert (phone.right, phone.wrong, phone.unsure, phone.unreviewed) == (8, 3, 1, 0)
    assert rows["phone/phone"].share == wilson(8 / 9, 9)
    assert rows["email"].data()["precision"] is None
    assert rows["email"].unreviewed == rows["all"].unreviewed == 50
    assert rows["all"].share == phone.share  # nothing is claimed of the class that nobody judged


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_file_comes_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"review{suffix}"
    found = audit_of({MAIL: 5, PLAIN: 9, NEAR: 1})
    findings = draw(found, 7)
    assert Counter(each.stratum for each in findings) == {MAIL: 3, PLAIN: 3, NEAR: 1}
    write_review(path, findings)
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline=""))) if suffix == ".csv" else parsed(text)
    assert [row["match"] for row in rows] == ['m, "q"\n'] * 7
    with pytest.raises(UserError, match=r"has no verdicts\. Remedy"):
        read_review(path)
    with pytest.raises(UserError, match="may hold verdicts"):
        write_review(path, findings)
    for row, verdict in zip(rows, ["Yes", "n", "?", " right "], strict=False):
        row["verdict"] = verdict
    path.write_text(lines(rows, suffix))
    assert list(read_review(path).values()) == ["right", "wrong", "unsure", "right"]


def parsed(text: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in text.splitlines()]


def lines(rows: list[dict[str, str]], suffix: str) -> str:
    if suffix == ".jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return "\ufeff" + text.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,verdict\na,maybe\n", "row 1 has the verdict 'maybe'"),
        ("id,verdict\na,y\na,y\n", "row 2 repeats the id a"),
        ("id,said\na,y\n", "row 1 has no 'verdict'"),
        (None, "cannot be read"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "r.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=message):
        read_review(path)
    (tmp_path / "r.jsonl").write_text("[1]\n")
    with pytest.raises(UserError, match="row 1 has no 'id'"):
        read_review(tmp_path / "r.jsonl")


def test_a_review_of_another_run_is_refused() -> None:
    with pytest.raises(UserError, match="9-9 is not of this run"):
        estimate(audit_of({MAIL: 1}), {"9-9": "right"})


def test_by_command(
    finished: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "review.csv"

    def said(*options: object, code: int = 0) -> str:
        capsys.readouterr()
        assert call(monkeypatch, "pii", "audit", finished, *options) == code
        return capsys.readouterr().out

    said("--sample", 5, code=2)
    said("--sample", 5, "--to", path, "--counts", code=2)
    said("--sample", 5, "--to", path)
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert Counter(row["class"] for row in rows) == {"email": 3, "phone": 1, "ip_address": 1}
    for row in rows:
        row["verdict"] = "wrong" if row["class"] == "phone" else "right"
    path.write_text(lines(rows, ".csv"))
    precision = json.loads(said("--reviewed", path, "--json"))["precision"]
    assert {row["name"]: row["precision"] for row in precision} == {
        "all": pytest.approx(0.9),
        "email": 1.0,
        "phone": 0.0,
        "ip_address": 1.0,
    }
    assert "0.900" in said("--reviewed", path)
