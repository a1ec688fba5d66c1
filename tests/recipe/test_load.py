from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

import pytest
from pydantic import Field

from gpucurate.core.errors import RecipeError
from gpucurate.recipe.json_schema import recipe_schema
from gpucurate.recipe.load import load_recipe, parse_recipe
from gpucurate.recipe.model import Block, SourceConfig, StepConfig
from gpucurate.recipe.recipe import Vocabulary


class Lines(SourceConfig):
    text_field: str = Field("text", description="Where the text is.")


class Inner(Block):
    min_words: int = Field(50, ge=0, description="Fewest words.")


class Rules(StepConfig):
    judging: ClassVar[frozenset[str]] = frozenset({"threshold"})
    threshold: float = Field(0.65, ge=0, le=1, description="Least score.")
    cut: float | None = None
    form: Literal["NFC", "NFKC"] = "NFC"
    gopher: Inner | None = None


class Tokens(Block):
    tokenizer: str = "tiktoken:gpt2"


class Shards(Block):
    length: int = 1024


WORDS = Vocabulary({"jsonl": Lines}, {"rules": Rules, "language": StepConfig}, Tokens, Shards)


def recipe(**changes: object) -> dict[str, object]:
    return {"name": "r", "sources": [{"name": "web", "jsonl": {"path": "a.jsonl"}}], **changes}


def test_defaults_are_spelled_out_and_round_trip() -> None:
    parsed = parse_recipe(recipe(steps=["language", {"rules": {"gopher": {}}}, {"rules": None}], tokens={}), WORDS)
    assert [s.label for s in parsed.steps] == ["language", "rules", "rules.2"]
    assert parsed.shards is None
    assert parsed.sources[0].config.path == ("a.jsonl",)
    assert parse_recipe(parsed.as_data(), WORDS) == parsed


def test_judging_fields_stay_out_of_the_measuring_settings() -> None:
    step = parse_recipe(recipe(steps=[{"rules": {"threshold": 0.9}}]), WORDS).steps[0]
    assert "threshold" not in step.config.measuring()
    assert step.config.measuring()["form"] == "NFC"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": [{"ruls": {}}]}, "steps.0.ruls: no such step; did you mean 'rules'?"),
        ({"steps": [{"rules": {"treshold": 1}}]}, "steps.0.rules.treshold: unknown key; did you mean 'threshold'?"),
        (
            {"steps": [{"rules": {"gopher": {"min_word": 1}}}]},
            "steps.0.rules.gopher.min_word: unknown key; did you mean 'min_words'?",
        ),
        (
            {"steps": [{"rules": {"threshold": 2}}]},
            "steps.0.rules.threshold: Input should be less than or equal to 1; found 2 (Least score.)",
        ),
        (
            {"steps": [{"rules": {"cut": float("nan")}}]},
            "steps.0.rules.cut: Input should be a finite number; found nan",
        ),
        ({"steps": [{"rules": {"form": "NFKD"}}]}, "steps.0.rules.form: no such choice 'NFKD'; did you mean 'NFKC'?"),
        ({"steps": [{"rules": {}, "language": {}}]}, "steps.0: expected one step"),
        ({"steps": [{"rules": [1]}]}, "steps.0.rules: expected a mapping"),
        ({"steps": {}}, "steps: expected a list"),
        ({"sources": []}, "sources: expected a list"),
        ({"sources": [{"name": "web"}]}, "sources.0: expected exactly one kind of source"),
        ({"sources": [{"json": {"path": "x"}}]}, "sources.0.json: no such source; did you mean 'jsonl'?"),
        ({"sources": [{"jsonl": {}}]}, "sources.0.jsonl.path: required and missing"),
        ({"sources": [{"name": "a/b", "jsonl": {"path": "x"}}]}, "sources.0.name: expected letters"),
        ({"sources": [{"jsonl": {"path": "x"}}, {"jsonl": {"path": "y"}}]}, "sources.1.name: 'jsonl' is already"),
        ({"stepz": []}, "stepz: unknown key; did you mean 'steps'?"),
        ({"name": ""}, "name: expected"),
    ],
)
def test_a_mistake_names_key_expectation_and_nearest_word(changes: dict[str, object], said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        parse_recipe(recipe(**changes), WORDS)
    assert said in str(caught.value)


def test_overrides_reach_lists_and_make_blocks(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("sources: [{jsonl: {path: a}}]\nsteps: [rules]\n")
    parsed = load_recipe(
        path, WORDS, ["steps.0.rules.gopher.min_words=7", "sources.0.jsonl.path=[b, c]", "tokens={}", "shards.length=8"]
    )
    assert parsed.name == "mine"
    assert parsed.sources[0].config.path == ("b", "c")
    assert parsed.as_data()["shards"] == {"length": 8}
    assert isinstance(parsed.steps[0].config, Rules)
    assert parsed.steps[0].config.gopher == Inner(min_words=7)


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("steps", "expected key.path=value"),
        ("steps.5.rules=1", "expected a number from 0 to 0 where '5' stands (0 rules)"),
        ("steps.first=1", "where 'first' stands"),
        ("name.x=1", "name is a value, not a mapping"),
        ("steps.0=[", "not valid YAML"),
    ],
)
def test_bad_overrides(tmp_path: Path, override: str, said: str) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("name: r\nsources: [{jsonl: {path: a}}]\nsteps: [rules]\n")
    with pytest.raises(RecipeError) as caught:
        load_recipe(path, WORDS, [override])
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"a: [", "not valid YAML"), (b"- 1", "must be a mapping"), (b"\xff", "not UTF-8"), (None, "cannot read recipe")],
)
def test_unreadable_recipes(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "r.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecipeError, match=said):
        load_recipe(path, WORDS)


def test_schema_knows_every_word_and_forbids_others() -> None:
    schema = recipe_schema(WORDS)
    assert schema["additionalProperties"] is False
    assert {"Lines", "Rules", "Inner", "Tokens", "Shards"} <= set(schema["$defs"])
    steps = schema["properties"]["steps"]["items"]["anyOf"]
    assert steps[-1] == {"enum": ["rules", "language"]}
