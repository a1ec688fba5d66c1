"""Agreement with datatrove given the same words: at least 99.5 % of documents in each rule set (real data)."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device import pick
from gpucurate.steps.normalize.changes import normalize_texts
from gpucurate.steps.rules import Rules, RulesConfig
from tests.oracles.datatrove_rules import SETS, our_words, verdicts


def test_the_same_documents_are_kept(real_data: Path) -> None:
    pytest.importorskip("datatrove", reason="datatrove is not installed: pip install 'datatrove[processing]' spacy")
    with zipfile.ZipFile(real_data / "books" / "webtext.zip") as books:
        whole = [books.read(name).decode("latin-1") for name in books.namelist() if name.endswith(".txt")]
    pieces = [text[at : at + 2_000] for text in whole for at in range(0, min(len(text), 120_000), 2_000)]
    edits = normalize_texts(pack_texts(pieces), "NFC", True, True).edit.text.to_pylist()
    texts = [old if new is None else new for old, new in zip(pieces, edits, strict=True)]
    documents = pa.table({"text": pa.array(texts, pa.large_string())})
    signals = Rules(RulesConfig.model_validate({name: {} for name in SETS}), pick("cpu")).measure(documents).signals
    with our_words():
        peer = verdicts(texts)
    for name in SETS:
        step = Rules(RulesConfig.model_validate({name: {}}), pick("cpu"))
        dropped = step.judge(documents, signals) > 0
        # FineWeb's rules see what C4 left, so only the documents that C4 keeps are comparable
        rows = [k for k, row in enumerate(peer) if name != "fineweb" or row["c4"] is None]
        same = sum(dropped[k] == (peer[k][name] is not None) for k in rows)
        assert same >= 0.995 * len(rows) > 100, name
