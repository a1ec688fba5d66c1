from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from gpucurate.classifier.examples import SampledDocument
from gpucurate.classifier.json_lines import as_line
from gpucurate.classifier.local_judge import LocalJudge
from gpucurate.classifier.rubric import Rubric, load_rubric
from gpucurate.cli.classifier.label import label_command
from gpucurate.core.errors import DeviceError, InputError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

RUBRIC = Rubric("short", 1, "Score:", "again", "Rate this page: ", " Is it good?", "d" * 64)
TEXTS = ["Water boils.", "Plants turn light into sugar, and this is how they do it.", "", "buy now buy now"]


def byte_tokenizer() -> Any:
    """One token a byte, made here: no download."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={sign: n for n, sign in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer)  # it has no pad token


def small_model(kind: str = "llama", positions: int = 512) -> Any:
    """A causal model with random weights."""
    torch.manual_seed(0)
    if kind == "llama":
        config = transformers.LlamaConfig(
            vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            max_position_embeddings=positions, initializer_range=0.3,
        )  # fmt: skip
    else:
        config = transformers.GPT2Config(
            vocab_size=256, n_embd=32, n_layer=2, n_head=4, n_positions=positions, initializer_range=0.3,
            bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
    return transformers.AutoModelForCausalLM.from_config(config)


def expected_by_hand(model: Any, tokenizer: Any, text: str) -> tuple[float, float]:
    """The definition: softmax over everything, one prompt at a time, without padding."""
    ids = tokenizer(f"{RUBRIC.prompt(text)}\n\nScore: ")["input_ids"]
    with torch.inference_mode():
        probabilities = model(torch.tensor([ids])).logits[0, -1].double().softmax(0)
    of_scores = np.array([float(probabilities[tokenizer.convert_tokens_to_ids(str(n))]) for n in range(6)])
    return float(of_scores @ np.arange(6) / of_scores.sum()), float(of_scores.sum())


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_the_rating_is_the_expected_one_whatever_shares_the_batch(kind: str) -> None:
    model, tokenizer = small_model(kind), byte_tokenizer()
    one = LocalJudge(model, tokenizer, RUBRIC, "small", batch=1).rate(TEXTS)
    together = LocalJudge(model, tokenizer, RUBRIC, "small", batch=3).rate(TEXTS)
    for text, alone, batched in zip(TEXTS, one, together, strict=True):
        score, mass = expected_by_hand(model, tokenizer, text)
        assert alone.score == pytest.approx(score, abs=2e-4)
        assert alone.mass == pytest.approx(mass, abs=2e-6)
        assert sum(alone.probabilities) == pytest.approx(1, abs=1e-5)
        assert batched.score == pytest.approx(alone.score, abs=2e-4)
        assert alone.prompt_tokens == len(tokenizer(f"{RUBRIC.prompt(text)}\n\nScore: ")["input_ids"])
    assert len({rating.score for rating in one}) > 1


def test_long_texts_are_cut_to_what_the_model_reads() -> None:
    model, tokenizer = small_model(positions=120), byte_tokenizer()
    judge = LocalJudge(model, tokenizer, RUBRIC, "small")
    ((rating),) = judge.rate(["word " * 1000])
    assert 100 < rating.prompt_tokens <= 120
    with pytest.raises(InputError, match=r"the rubric alone takes \d+ tokens"):
        LocalJudge(small_model(positions=20), tokenizer, RUBRIC, "small").rate(["a"])


def test_a_batch_that_does_not_fit_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = LocalJudge(small_model(), byte_tokenizer(), RUBRIC, "small", batch=4)
    wanted = [rating.score for rating in judge.rate(TEXTS)]
    rate, room = judge._logits, 1

    def out_of_memory(prompts: list[list[int]]) -> Any:
        if len(prompts) > room:
            raise torch.OutOfMemoryError("no room")
        return rate(prompts)

    monkeypatch.setattr(judge, "_logits", out_of_memory)
    assert [rating.score for rating in judge.rate(TEXTS)] == pytest.approx(wanted, abs=2e-4)
    assert judge.batch == 1
    room = 0
    with pytest.raises(DeviceError, match="does not hold one prompt"):
        judge.rate(TEXTS)


def test_a_chat_template_is_used() -> None:
    tokenizer = byte_tokenizer()
    tokenizer.chat_template = "<{{ messages[0]['content'] }}>{% if add_generation_prompt %}[{% endif %}"
    judge = LocalJudge(small_model(), tokenizer, RUBRIC, "small")
    ((rating),) = judge.rate(["abc"])
    assert rating.prompt_tokens == len(f"<{RUBRIC.prompt('abc')}>[Score: ")


def test_scores_of_several_tokens_are_refused() -> None:
    tokenizer = byte_tokenizer()
    rubric = Rubric("odd", 1, "Score:", "again", "", "", "d" * 64)

    class NoDigits:
        chat_template = None

        def __call__(self, text: str) -> dict[str, list[int]]:
            return tokenizer(text.replace("5", "five"))  # type: ignore[no-any-return]

    with pytest.raises(InputError, match="more than one token"):
        LocalJudge(small_model(), NoDigits(), rubric, "small")


def test_the_command_labels_without_a_server_and_resumes(tmp_path: Path) -> None:
    folder = tmp_path / "judge-of-mine"
    small_model(positions=6000).save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    sample, labels = tmp_path / "sample.jsonl", tmp_path / "labels.jsonl"
    rows = [SampledDocument(f"{n:032x}", "web", "u", None, None, text, 1.0, "all") for n, text in enumerate(TEXTS)]
    sample.write_bytes(b"".join(as_line(asdict(row)) for row in rows))
    asked = [str(sample), "--labels", str(labels), "--local", str(folder)]
    first = CliRunner().invoke(label_command, asked, catch_exceptions=False)
    whole = labels.read_text()
    given = [json.loads(line) for line in whole.splitlines()]
    assert first.exit_code == 0
    assert "judge-of-mine: 4 labelled; the six scores had" in first.stderr
    assert [row["record_id"] for row in given] == [row.record_id for row in rows]
    assert {row["judge"] for row in given} == {"judge-of-mine"}
    assert {row["rubric"] for row in given} == {load_rubric().digest}
    answer = json.loads(given[0]["answer"])
    assert given[0]["score"] == pytest.approx(np.dot(answer["probabilities"], range(6)), abs=1e-4)
    assert str(tmp_path) not in whole
    labels.write_text("".join(line + "\n" for line in whole.splitlines()[:2]))
    assert CliRunner().invoke(label_command, asked, catch_exceptions=False).exit_code == 0
    assert [json.loads(line)["record_id"] for line in labels.read_text().splitlines()] == [r.record_id for r in rows]
    torch.manual_seed(5)
    transformers.AutoModelForCausalLM.from_config(small_model(positions=6000).config).save_pretrained(folder)
    result = CliRunner().invoke(label_command, asked)
    assert "other settings" in str(result.exception)  # other weights under the same name


def test_what_cannot_be_loaded_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="cannot load the local judge"):
        LocalJudge.open(str(tmp_path), RUBRIC)
    if not torch.cuda.is_available():
        with pytest.raises(DeviceError, match="Remedy: --device cpu"):
            LocalJudge.open(str(tmp_path), RUBRIC, device="cuda")
    small_model().save_pretrained(tmp_path)
    byte_tokenizer().save_pretrained(tmp_path)
    with pytest.raises(DeviceError, match="--device gpu: Expected one of cpu"):
        LocalJudge.open(str(tmp_path), RUBRIC, device="gpu")
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-500])
    with pytest.raises(InputError, match="cannot load the local judge"):
        LocalJudge.open(str(tmp_path), RUBRIC)


def test_a_head_that_shares_the_embedding_is_there(tmp_path: Path) -> None:
    model, tokenizer = small_model("gpt2"), byte_tokenizer()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded = LocalJudge.open(str(tmp_path), RUBRIC).rate(TEXTS)
    assert loaded == LocalJudge(model, tokenizer, RUBRIC, "small").rate(TEXTS)


def test_an_encoder_is_no_judge(tmp_path: Path) -> None:
    config = transformers.BertConfig(
        vocab_size=256, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    byte_tokenizer().save_pretrained(tmp_path)
    with pytest.raises(InputError, match="lacks weights"):
        LocalJudge.open(str(tmp_path), RUBRIC)


def test_ratings_that_are_no_numbers_are_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    model = small_model(positions=6000)
    with torch.no_grad():
        model.lm_head.weight.fill_(float("nan"))
    model.save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    sample = tmp_path / "sample.jsonl"
    sample.write_bytes(as_line(asdict(SampledDocument("0" * 32, "web", "u", None, None, "text", 1.0, "all"))))
    asked = [str(sample), "--labels", str(tmp_path / "labels.jsonl"), "--local", str(folder)]
    result = CliRunner().invoke(label_command, asked)
    assert isinstance(result.exception, InputError)
    assert f"gave no number for document {'0' * 32}" in str(result.exception)
    assert (tmp_path / "labels.jsonl").read_text() == ""
