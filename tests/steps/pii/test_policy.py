"""What replaces a finding: placeholders, surrogates, digests; and that every edit can be undone from its spans."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from blake3 import blake3
from pydantic import ValidationError

from gpucurate.steps.pii.classes import PATTERNS, PiiClass
from gpucurate.steps.pii.config import SURROGATES, PiiConfig, Policy
from gpucurate.steps.pii.finder import Finder
from gpucurate.steps.pii.keys import Key
from gpucurate.steps.pii.policy import apply, placeholder, with_digests
from gpucurate.steps.pii.surrogates import normalised, surrogate
from tests.steps.pii.findings import column
from tests.steps.pii.test_finder import FINDS, SURVIVORS

KEY = Key(b"a secret of the tests")
TEXTS = [around.format(value) for _, value, around in FINDS] + SURVIVORS


def scrubbed(texts: list[str], policy: Policy, key: Key = KEY) -> tuple[list[str], pa.Table]:
    """New texts and spans; classes without surrogates are redacted."""
    policies = {
        kind: Policy.REDACT if policy is Policy.SURROGATE and kind not in SURROGATES else policy for kind in PATTERNS
    }
    config = PiiConfig(policies=policies, spare_reserved=False)
    edit = apply(column(*texts), Finder(config).find(column(*texts)), config, key)
    new = [old if new is None else new for old, new in zip(texts, edit.text.to_pylist(), strict=True)]
    return new, edit.spans


def test_redaction_names_the_class_and_leaves_the_rest() -> None:
    new, spans = scrubbed(TEXTS, Policy.REDACT)
    for (kind, _, around), text in zip(FINDS, new, strict=False):
        assert text == around.format(f"[{kind.upper()}]")
    assert new[len(FINDS) :] == SURVIVORS
    assert spans["kind"].to_pylist() == [f"pii.{kind}" for kind, _, _ in FINDS]
    for policy in (Policy.KEEP, Policy.QUARANTINE):
        assert scrubbed(TEXTS, policy)[0] == TEXTS
        assert scrubbed(TEXTS, policy)[1].num_rows == 0


@pytest.mark.parametrize("policy", [Policy.REDACT, Policy.SURROGATE, Policy.DROP])
def test_every_edit_is_reversible_from_its_spans(policy: Policy) -> None:
    joined = [" | ".join(pair) for pair in pairwise(TEXTS)] + ["👩 a@example.com,b@example.com日", "no", ""]
    new, spans = scrubbed(joined, policy)
    for row, (old, text) in enumerate(zip(joined, new, strict=True)):
        original, rest = old.encode(), text.encode()
        for span in spans.filter(pa.compute.equal(spans["row"], row)).to_pylist():
            put = span["replacement"].encode()
            at = span["start"]  # what stands before is original again
            assert rest[at : at + len(put)] == put
            rest = rest[:at] + original[at : span["end"]] + rest[at + len(put) :]
        assert blake3(rest).digest() == blake3(original).digest()


def test_surrogates_are_stable_reserved_and_laid_out_alike() -> None:
    new, _ = scrubbed(TEXTS, Policy.SURROGATE)
    alone = [scrubbed([text], Policy.SURROGATE)[0][0] for text in TEXTS[:12]]
    assert new[:12] == alone  # nothing of the neighbours
    twice, _ = scrubbed([f"x {text}\n{text}" for text in TEXTS[:12]], Policy.SURROGATE)
    for (_, _, around), text, single in zip(FINDS, twice, alone, strict=False):
        if not around.startswith(("Office", "Desk", "tel", "mailto")):
            assert text == f"x {single}\n{single}"
    assert Finder(PiiConfig()).find(column(*new)).num_rows == 0  # scrubbing again changes nothing
    assert scrubbed(TEXTS, Policy.SURROGATE, Key(b"other"))[0] != new

    def fake(kind: PiiClass, value: str) -> str:
        return surrogate(kind, value.encode(), KEY)

    assert (
        fake(PiiClass.EMAIL, "A@Example.com") == fake(PiiClass.EMAIL, "a@example.com") != fake(PiiClass.EMAIL, "b@x.y")
    )
    same = [fake(PiiClass.PHONE, v)[-2:] for v in ("+1 201-555-0123", "(201) 555-0123", "2015550123")]
    assert len(set(same)) == 1
    card = fake(PiiClass.CREDIT_CARD, "4111-1111 1111-1111")
    assert (card[:4], card[4], card[9], len(card)) == ("9999", "-", " ", 19)
    iban = fake(PiiClass.IBAN, "GB82 WEST 1234 5698 7654 32")
    assert iban.startswith("XX")
    assert [len(group) for group in iban.split()] == [4, 4, 4, 4, 4, 2]
    assert fake(PiiClass.IP_ADDRESS, "2001:DB8::1") == fake(PiiClass.IP_ADDRESS, "2001:db8:0::1")
    assert fake(PiiClass.MAC_ADDRESS, "a4:00:5e:00:53:af").startswith("00:00:5e:00:53:")
    assert fake(PiiClass.US_SSN, "512-34-5678").startswith("000-")
    assert normalised(PiiClass.API_KEY, b"Ab-c") == b"Ab-c"


def test_what_would_be_owned_by_somebody_is_refused() -> None:
    for kind in set(PiiClass) - set(SURROGATES):
        with pytest.raises(ValidationError, match="Remedy"):
            PiiConfig.model_validate({"policies": {kind: "surrogate"}, "ner": "gliner", "ner_model": "m"})
    assert placeholder(PiiClass.CREDIT_CARD) == "[CREDIT_CARD]"


def test_digests_are_keyed_and_restricted_rows_belong_to_findings() -> None:
    texts = column("é a@example.com x", "y A@EXAMPLE.com", "é a@example.com x", "none")
    config = PiiConfig(spare_reserved=False)
    findings = Finder(config).find(texts)
    table, restricted = with_digests(texts, findings, KEY)
    value, context = table["value_digest"].to_pylist(), table["context_digest"].to_pylist()
    assert value[0] == value[1] == value[2]
    assert context[0] == context[2] != context[1]
    other = with_digests(texts, findings, Key(None))[0]["value_digest"].to_pylist()
    assert value[0] != other[0]
    assert blake3(b"a@example.com").digest(length=16) not in value + other
    assert restricted.select(["match", "before", "after"]).slice(0, 1).to_pylist() == [
        {"match": "a@example.com", "before": "é ", "after": " x"}
    ]
    assert restricted.select(["row", "start", "end"]).equals(findings.select(["row", "start", "end"]))
    empty, none = with_digests(column(""), Finder(config).find(column("")), KEY)
    assert (empty.num_rows, none.num_rows) == (0, 0)
    assert empty.schema == table.schema
