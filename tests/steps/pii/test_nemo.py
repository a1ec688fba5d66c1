"""`engine: nemo` without NeMo Curator: the files that pass between the two, and what is not believed."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from gpucurate.core.errors import DeviceError, MissingExtra
from gpucurate.device import pick
from gpucurate.steps.pii import Pii, PiiConfig
from gpucurate.steps.pii import nemo as package
from gpucurate.steps.pii.finder import FINDINGS, Finder
from gpucurate.steps.pii.nemo import find_in_job, job

pytest.importorskip("phonenumbers")
CONFIG = PiiConfig.model_validate({"policies": {"email": "redact", "phone": "surrogate", "ip_address": "keep"}})
TEXTS = pa.chunked_array(
    [
        [f"😀 n{n}\x00é\u0301: a{n}@mail-host.de, +1 425 882 90{n:02d}" for n in range(20)],
        ["", "nothing", "the server at 8.8.4.4 is slow, " * 10],
    ],
    pa.large_string(),
)


def stand_in(behaviour: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("nemo_stand_in.py")), behaviour]


def test_findings_are_the_finders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "FILE_BYTES", 150)
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "left.parquet").write_text("by a call that was killed")
    found = find_in_job(TEXTS, CONFIG, tmp_path, stand_in("works"))
    assert found.equals(Finder(CONFIG).find(TEXTS))
    assert found.num_rows == 50
    assert not (tmp_path / "job").exists()
    assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_texts_go_into_files_of_some_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "FILE_BYTES", 150)
    made = job.prepare(TEXTS, CONFIG, tmp_path)
    tables = [pa.parquet.read_table(path) for path in sorted(made.texts.glob("*.parquet"))]
    whole = pa.concat_tables(tables)
    assert whole["text"].to_pylist() == TEXTS.to_pylist()
    assert whole["document"].to_pylist() == list(range(23))
    assert len(tables) == 8  # three texts of about 45 bytes each, the long one alone
    assert PiiConfig.model_validate_json(made.description.read_text()) == CONFIG


def test_nothing_to_do_starts_nothing(tmp_path: Path) -> None:
    found = find_in_job(TEXTS.slice(0, 0), CONFIG, tmp_path, ["/no/such/program"])
    assert found.schema == FINDINGS
    assert found.num_rows == 0


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("loses", "gave document .* back 0 times"),
        ("doubles", "gave document 0 of a part back 2 times"),
        ("fails", "exit code 1.*(?s:.)*no room for the object store"),
    ],
)
def test_what_comes_back_is_not_taken_on_trust(
    tmp_path: Path, behaviour: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "FILE_BYTES", 150)
    with pytest.raises(DeviceError, match=message):
        find_in_job(TEXTS, CONFIG, tmp_path, stand_in(behaviour))
    assert (tmp_path / "job" / "pipeline.log").exists()


def test_one_call_at_a_time_uses_a_folder(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with job.waiting_for(tmp_path):
            order.append("second")

    with job.waiting_for(tmp_path):
        other = threading.Thread(target=second)
        other.start()
        other.join(0.2)
        order.append("first")
    other.join(30)
    assert order == ["first", "second"]


def test_the_step_hands_over_and_applies_policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = pa.table({"text": TEXTS})
    native = Pii(CONFIG, pick("cpu")).measure(documents)
    monkeypatch.setattr(package, "COMMAND", stand_in("works"))
    monkeypatch.setattr(package, "NEEDED", ())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    step = Pii(CONFIG.model_copy(update={"engine": "nemo"}), pick("cpu"))
    step.warm()
    assert not list(tmp_path.iterdir())
    measured = step.measure(documents)
    assert [each.name for each in tmp_path.iterdir()] == ["gpucurate-nemo-pii"]
    assert measured.signals == native.signals
    assert measured.edit is not None
    assert native.edit is not None
    assert (measured.edit.text, measured.edit.spans) == (native.edit.text, native.edit.spans)
    assert (measured.edit.findings, measured.edit.restricted) == (native.edit.findings, native.edit.restricted)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "NEEDED", ("no_such_package",))
    with pytest.raises(MissingExtra, match=r"'no_such_package'.*gpucurate\[nemo\]"):
        package.find_by_nemo(TEXTS, CONFIG)
    with pytest.raises(MissingExtra, match="no_such_package"):  # before anything is read
        Pii(CONFIG.model_copy(update={"engine": "nemo"}), pick("cpu")).warm()
