"""The step: signals, verdicts, tables, and what it says about its settings."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pydantic import ValidationError

from gpucurate.core.errors import MissingExtra, RecipeError
from gpucurate.core.reasons import Verdict
from gpucurate.device import pick
from gpucurate.steps.pii import Pii, PiiConfig
from gpucurate.steps.pii.classes import PiiClass
from gpucurate.steps.pii.finder import Finder
from gpucurate.steps.pii.keys import VARIABLE
from gpucurate.steps.pii.named_entities import WINDOW, Entity, windows
from gpucurate.steps.pii.policy import apply
from tests.steps.pii.findings import column

TEXTS = [
    "Write to a@example.com or b@example.com.",
    "a@example.com",
    "  a@example.com, (202) 555-0123!",
    "Nothing here, 1999.",
    "",
    "日本 a@example.com",
]


def step(**settings: object) -> Pii:
    return Pii(PiiConfig.model_validate({"spare_reserved": False, **settings}), pick("cpu"))


def verdicts(pii: Pii) -> list[str]:
    documents = pa.table({"text": column(*TEXTS)})
    judged = pii.judge(documents.drop_columns("text"), pii.measure(documents).signals)
    return ["" if number == 0 else pii.reasons[number - 1].code for number in judged]


def test_signals_tables_and_emptied_documents() -> None:
    pii = step()
    measured = pii.measure(pa.table({"text": column(*TEXTS)}))
    assert measured.signals["pii_email"].to_pylist() == [2, 1, 1, 0, 0, 1]
    assert measured.signals["pii_phone"].to_pylist() == [0, 0, 1, 0, 0, 0]
    assert measured.signals["pii_emptied"].to_pylist() == [False, True, True, False, False, False]
    edit = measured.edit
    assert edit is not None
    assert edit.findings is not None
    assert edit.restricted is not None
    assert edit.text.to_pylist()[:3] == ["Write to [EMAIL] or [EMAIL].", "[EMAIL]", "  [EMAIL], [PHONE]!"]
    assert edit.text.to_pylist()[3:] == [None, None, "日本 [EMAIL]"]
    assert edit.findings.num_rows == edit.restricted.num_rows == edit.spans.num_rows == 6
    assert edit.findings.column_names[:3] == ["row", "start", "end"]
    assert verdicts(pii) == ["", "pii.emptied", "pii.emptied", "", "", ""]
    none = pii.measure(pa.table({"text": column()}))
    assert (none.signals.num_rows, none.signals.schema) == (0, measured.signals.schema)


def test_policies_and_counts_decide() -> None:
    mail = {"email": "drop", "phone": "keep"}
    assert verdicts(step(policies=mail)) == ["pii.too_many"] * 3 + ["", "", "pii.too_many"]
    assert verdicts(step(policies=mail, drop_above=1)) == ["pii.too_many", "pii.emptied", "", "", "", ""]
    aside = {"email": "keep", "phone": "quarantine"}
    assert verdicts(step(policies=aside)) == ["", "", "pii.quarantined", "", "", ""]
    assert Pii.reasons[0].verdict is Verdict.QUARANTINE
    limited = step(policies={"email": "redact"}, max_findings=1)
    assert verdicts(limited) == ["pii.too_many", "pii.emptied", "", "", "", ""]
    assert verdicts(step(policies={"email": "keep"}, max_findings=0)) == [""] * 6
    assert PiiConfig(max_findings=1).measuring() == PiiConfig(drop_above=3).measuring()


def test_the_key_of_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    public = step()
    assert "public default" in public.remarks()[0]
    public_key = public.resources()["key"]
    monkeypatch.setenv(VARIABLE, "secret")
    kept = step()
    assert kept.remarks() == []
    secret = kept.resources()["key"]
    (tmp_path / "key").write_text("secret\n")
    monkeypatch.delenv(VARIABLE)
    filed = step(key_file=str(tmp_path / "key"))
    assert filed.resources()["key"] == secret != public_key
    assert {"phonenumbers", "python-stdnum"} < set(filed.resources())
    (tmp_path / "key").write_text(" \n")
    for name in ("key", "nowhere"):
        with pytest.raises(RecipeError, match="key_file"):
            step(key_file=str(tmp_path / name)).resources()


def test_a_missing_package_is_named_and_not_missed_where_it_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("phonenumbers", "stdnum", "stdnum.us", "stdnum.us.itin", "gliner", "presidio_analyzer"):
        monkeypatch.setitem(sys.modules, package, None)
    for kind, package in (("phone", "phonenumbers"), ("national_id", "python-stdnum")):
        with pytest.raises(MissingExtra, match=package) as raised:
            step(policies={kind: "redact"}).resources()
        assert "gpucurate[pii]" in str(raised.value)
    without = {"email": "redact", "credit_card": "redact", "us_ssn": "redact"}
    assert verdicts(step(policies=without))[1] == "pii.emptied"
    for model in ("gliner", "presidio"):
        named = Finder(PiiConfig(policies={"person": "redact"}, ner=model, ner_model="m"))
        with pytest.raises(MissingExtra, match=r"pii-names"):
            named.find(column("a"))


class Capitals:
    """Stands in for a model: two capitalised words are a person, `Street` and a number before it an address."""

    def __init__(self) -> None:
        self.longest = 0

    def __call__(self, text: str) -> list[Entity]:
        self.longest = max(self.longest, len(text))
        found = [
            Entity(text.index(name), text.index(name) + 8, PiiClass.PERSON, 0.8)
            for name in ("Änne Ott",)
            if name in text
        ]
        place = text.find("7 Elm Street")
        return found + ([Entity(place, place + 12, PiiClass.STREET_ADDRESS, 0.6)] if place >= 0 else [])


def test_names_come_from_a_model_in_windows() -> None:
    """With a stand-in for the model; the adapters of GLiNER and Presidio themselves are not run here."""
    config = PiiConfig(
        policies={"person": "redact", "street_address": "redact", "email": "redact"},
        ner="gliner",
        ner_model="stand-in",
        spare_reserved=False,
    )
    model = Capitals()
    finder = Finder(config, model)
    texts = column("日本 Änne Ott, 7 Elm Street, a@example.com", "word. " * 3_000 + "Änne Ott", "none")
    findings = finder.find(texts)
    edit = apply(texts, findings, config, step()._key)
    assert edit.text.to_pylist() == [
        "日本 [PERSON], [STREET_ADDRESS], [EMAIL]",
        "word. " * 3_000 + "[PERSON]",
        None,
    ]
    assert set(findings["detector"].to_pylist()) == {"person.gliner", "street_address.gliner", "email"}
    assert model.longest <= WINDOW
    for text in ("", "a", "x" * 4_000, "ab. " * 2_000, "\n" * 3_001):
        assert "".join(windows(text)) == text
        assert max(map(len, windows(text)), default=0) <= WINDOW
    assert Finder(config.model_copy(update={"min_score": 0.7}), Capitals()).find(texts)["class"].to_pylist() == [
        "person",
        "email",
        "person",
    ]
    for settings in (
        {"policies": {"person": "redact"}},
        {"policies": {"email": "redact"}, "ner": "gliner"},
        {"policies": {"street_address": "redact"}, "ner": "presidio", "ner_model": "m"},
    ):
        with pytest.raises(ValidationError, match="Remedy"):
            PiiConfig.model_validate(settings)


def test_warm_compiles() -> None:
    step().warm()
    step(policies={"email": "keep"}).warm()
