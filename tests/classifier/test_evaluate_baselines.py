from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gpucurate.classifier.baselines import (
    BASELINES,
    CONSTANT,
    LENGTH,
    PERPLEXITY,
    baselines,
    cross_fitted,
    fitted_in_place,
    parabola,
    weighted_median,
)
from gpucurate.classifier.baselines_causal import causal_log_perplexity
from gpucurate.classifier.baselines_ngrams import CODE_POINTS, ORDER, ngram_log_perplexity, train_ngrams
from gpucurate.classifier.examples import Example, text_digest
from gpucurate.core.errors import InputError

TRAINED = ["the cat sat on the mat", "the dog sat", "æøå 東京", ""]


def example(number: int, text: str, score: float) -> Example:
    return Example(f"{number:032x}", text, score, 1.0, "s", "", "", None, text_digest(text))


def witten_bell(text: str) -> float:
    """The same model, by dictionaries and recursion."""
    grams: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(ORDER)]
    for trained in TRAINED:
        padded = [""] * (ORDER - 1) + list(trained)
        for end in range(ORDER - 1, len(padded)):
            for order in range(ORDER):
                grams[order][tuple(padded[end - order : end + 1])] += 1

    def chance(context: tuple[str, ...], letter: str) -> float:
        lower = chance(context[1:], letter) if context else 1 / CODE_POINTS
        followers = {gram[-1]: n for gram, n in grams[len(context)].items() if gram[:-1] == context}
        if not followers:
            return lower
        return (followers.get(letter, 0) + len(followers) * lower) / (sum(followers.values()) + len(followers))

    padded = [""] * (ORDER - 1) + list(text)
    places = range(ORDER - 1, len(padded))
    return -sum(math.log(chance(tuple(padded[at - ORDER + 1 : at]), padded[at])) for at in places) / len(places)


def test_ngrams_are_witten_and_bells() -> None:
    counts = train_ngrams(TRAINED)
    texts = ["the mat sat", "zzz", "東京 cat", "t"]
    assert ngram_log_perplexity(counts, texts) == pytest.approx([witten_bell(text) for text in texts])
    assert np.isnan(ngram_log_perplexity(counts, [""])).all()
    assert ngram_log_perplexity(train_ngrams([]), ["ab"]) == pytest.approx(math.log(CODE_POINTS))


def test_a_language_seen_is_likelier_than_another() -> None:
    counts = train_ngrams(["the cat sat on the mat and the dog sat on the cat " * 20])
    seen, other = ngram_log_perplexity(counts, ["the dog and the cat", "hunden spiste katten"])
    assert seen < 1 < other


def test_baselines_see_length_and_only_that() -> None:
    lengths = np.random.default_rng(1).integers(1, 400, 200)
    examples = [example(i, "ab" * n, min(5.0, math.log1p(2 * n) / 2)) for i, n in enumerate(lengths.tolist())]
    found = baselines(examples[:150], examples[150:])
    truth = np.array([e.score for e in examples[150:]])
    assert tuple(found) == BASELINES
    assert found[LENGTH] == pytest.approx(truth, abs=0.05)
    assert set(found[CONSTANT]) == {np.quantile([e.score for e in examples[:150]], 0.5, method="inverted_cdf")}


def test_perplexity_is_seen_where_it_decides() -> None:
    rng = np.random.default_rng(2)
    examples = []
    for number in range(200):
        odd = rng.random()
        words = ["".join(rng.choice(list("abcdefgh"), 4)) if rng.random() < odd else "word" for _ in range(80)]
        examples.append(example(number, " ".join(words), 5 * odd))
    truth = np.array([e.score for e in examples])
    for found, at in (
        (baselines(examples[:120], examples[120:])[PERPLEXITY], slice(120, 200)),
        (cross_fitted(examples, np.arange(200) % 4)[PERPLEXITY], slice(None)),
        (fitted_in_place(examples, np.arange(200) % 4)[PERPLEXITY], slice(None)),
    ):
        assert np.abs(found - truth[at]).mean() < 0.5
        assert np.corrcoef(found, truth[at])[0, 1] > 0.95


def test_cross_fitting_shows_no_example_its_own_fold() -> None:
    examples = [example(i, "word " * (i + 1), float(i % 4)) for i in range(40)]
    fold = np.arange(40) % 4
    found = cross_fitted(examples, fold)
    for number in range(4):
        train = [e for e, f in zip(examples, fold, strict=True) if f != number]
        alone = baselines(train, [e for e, f in zip(examples, fold, strict=True) if f == number])
        for name in BASELINES:
            assert found[name][fold == number].tolist() == alone[name].tolist()


def test_a_parabola_keeps_within_what_was_seen_and_bears_what_is_missing() -> None:
    x = np.array([0.0, 1, 2, 3, np.nan])
    rating = np.array([1.0, 2, 3, 4, 2.5])
    found = parabola(x, rating, np.ones(5), np.array([-100, 1.5, 100, np.nan]))
    assert found == pytest.approx([1, 2.5, 4, 2.5])
    assert parabola(np.full(3, np.nan), rating[:3], np.ones(3), x) == pytest.approx(2)
    assert parabola(np.ones(3), rating[:3], np.ones(3), x) == pytest.approx(2)


def test_weighted_median() -> None:
    assert weighted_median(np.array([5.0, 1, 3]), np.array([1.0, 1, 1])) == 3
    assert weighted_median(np.array([5.0, 1, 3]), np.array([9.0, 1, 1])) == 5


def test_a_causal_model_gives_its_own_loss(tmp_path: Path) -> None:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = {word: n for n, word in enumerate(["<unk>", "the", "cat", "sat", "on", "mat"])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>").save_pretrained(tmp_path)
    torch.manual_seed(1)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=6, n_positions=512, n_embd=8, n_layer=1, n_head=2))
    model.save_pretrained(tmp_path)
    found = causal_log_perplexity(str(tmp_path))(["the cat sat", "the", ""])
    logits = model.eval()(torch.tensor([[1, 2, 3]])).logits[0].log_softmax(-1)
    assert found[0] == pytest.approx(-(logits[0, 2] + logits[1, 3]).item() / 2, rel=1e-5)
    assert np.isnan(found[1:]).all()
    examples = [example(i, "the cat sat on the mat " * (1 + i % 3), float(i % 3)) for i in range(12)]
    assert PERPLEXITY in baselines(examples[:8], examples[8:], causal_log_perplexity(str(tmp_path)))


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing-here.*Remedy"):
        causal_log_perplexity(str(tmp_path / "nothing-here"))
