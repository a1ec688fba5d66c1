from __future__ import annotations

from gpucurate.core.tally import StepAccount, Tally
from gpucurate.report.funnel import residue
from gpucurate.report.verify import unbalanced
from gpucurate.run.state import RunState


def state(*accounts: StepAccount, counts: dict[str, int] | None = None) -> RunState:
    return RunState("cpu", [], [], {}, {}, None, list(accounts), counts or {})


def test_residue_is_per_million_bytes_of_text() -> None:
    assert residue(state(counts={"text_bytes": 2_000_000, "residue.{{": 3, "pages": 7})) == {"{{": 1.5}
    assert residue(state(counts={"pages": 7})) == {}


def test_a_document_lost_between_steps_or_within_one_is_named() -> None:
    first = StepAccount("read", Tally(3, 30, None), Tally(3, 30, 9))
    lost_between = StepAccount("rules", Tally(2, 20, 6), Tally(2, 20, 6))
    lost_within = StepAccount("rules", Tally(3, 30, 9), Tally(2, 20, 6))
    assert unbalanced(state(first, StepAccount("rules", Tally(3, 30, 9), Tally(3, 30, 9)))) == []
    assert "left step read" in unbalanced(state(first, lost_between))[0]
    assert "does not reconcile" in unbalanced(state(first, lost_within))[0]
