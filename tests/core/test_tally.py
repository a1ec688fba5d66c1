from __future__ import annotations

import pytest

from gpucurate.core.errors import InvariantError
from gpucurate.core.tally import Edited, StepAccount, Tally


def account(**changes: object) -> StepAccount:
    whole: dict[str, object] = {
        "name": "rules",
        "entered": Tally(10, 1000, 300),
        "kept": Tally(6, 500, 180),
        "dropped": {"gopher.short": Tally(3, 300, 90)},
        "quarantined": {"rules.odd": Tally(1, 150, 30)},
        "edited": Edited(2, 60, 10),
    }
    return StepAccount(**{**whole, **changes})  # type: ignore[arg-type]


def test_a_balanced_account_passes() -> None:
    account().check()


@pytest.mark.parametrize(
    ("changes", "unit"),
    [
        ({"kept": Tally(7, 500, 180)}, "documents"),
        ({"kept": Tally(6, 501, 180)}, "bytes"),
        ({"edited": Edited(2, 60, 11)}, "bytes"),
        ({"kept": Tally(6, 500, 181)}, "tokens"),
        ({"dropped": {}}, "documents"),
    ],
)
def test_anything_lost_is_an_error_that_names_step_and_unit(changes: dict[str, object], unit: str) -> None:
    with pytest.raises(InvariantError, match=rf"'rules'.*{unit}"):
        account(**changes).check()


def test_uncounted_tokens_do_not_hide_lost_documents() -> None:
    account(entered=Tally(10, 1000, None)).check()
    with pytest.raises(InvariantError, match="documents"):
        account(entered=Tally(11, 1000, None)).check()


def test_accounts_add_up_by_reason() -> None:
    total = account() + account(dropped={"gopher.long": Tally(3, 300, 90)})
    assert total.entered == Tally(20, 2000, 600)
    assert dict(total.dropped) == {"gopher.long": Tally(3, 300, 90), "gopher.short": Tally(3, 300, 90)}
    total.check()
    with pytest.raises(InvariantError, match="two steps"):
        account() + account(name="language")
