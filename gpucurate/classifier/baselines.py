"""What a classifier has to beat: predictors that know nothing of what a text says.

`constant` is the median rating, `length` sees only the number of characters, `log perplexity` only how predictable the
text is.  The latter two are put on the scale of the ratings by least squares on a parabola, so that the same metrics
apply to them; a parabola because a text can be too short and too long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.association import Floats
from gpucurate.classifier.baselines_ngrams import ngram_log_perplexity, train_ngrams
from gpucurate.classifier.examples import HIGHEST, LOWEST, Example

CONSTANT, LENGTH, PERPLEXITY = "constant", "length", "log perplexity"
BASELINES = (CONSTANT, LENGTH, PERPLEXITY)

Feature = Callable[[Sequence[str]], Floats]  # [texts]
LogPerplexity = Feature  # nats a token or character; NaN for a text without any


def baselines(
    train: Sequence[Example], held_out: Sequence[Example], log_perplexity: LogPerplexity | None = None
) -> dict[str, Floats]:
    """Predictions [held out] of each of BASELINES, fitted on `train`.

    Without `log_perplexity` (of a language model) a character n-gram model is trained on every other text of `train`,
    and what it says is fitted on the rest.
    """
    found = {CONSTANT: np.full(len(held_out), weighted_median(*_ratings(train)))}
    fitted: dict[str, tuple[Sequence[Example], Feature]] = {LENGTH: (train, log_length)}
    if log_perplexity is None:
        # a text it was trained on surprises a model less than a new one: the parabola needs texts it has not seen
        by_id = sorted(train, key=lambda e: e.record_id)
        fitted[PERPLEXITY] = (by_id[1::2], _of_ngrams(by_id[::2]))
    else:
        fitted[PERPLEXITY] = (train, log_perplexity)
    for name, (examples, feature) in fitted.items():
        seen, new = (feature([e.text for e in part]) for part in (examples, held_out))
        found[name] = parabola(seen, *_ratings(examples), new)
    return found


def cross_fitted(
    examples: Sequence[Example], fold: NDArray[np.int64], log_perplexity: LogPerplexity | None = None
) -> dict[str, Floats]:
    """Predictions [examples] of each of BASELINES, every fold's fitted on the others."""
    found = {name: np.empty(len(examples)) for name in BASELINES}
    for number in np.unique(fold):
        train, held = ([e for e, f in zip(examples, fold == number, strict=True) if f == side] for side in (0, 1))
        for name, predicted in baselines(train, held, log_perplexity).items():
            found[name][fold == number] = predicted
    return found


def fitted_in_place(
    examples: Sequence[Example], fold: NDArray[np.int64], log_perplexity: LogPerplexity | None = None
) -> dict[str, Floats]:
    """Predictions [examples] of each of BASELINES, fitted on these very examples.

    That favours the baselines by as much as one or three fitted numbers can, and needs no training examples.  Only the
    n-gram model would favour itself by more: it is trained on the other folds.
    """
    perplexity = np.empty(len(examples))
    for number in np.unique(fold):
        train, held = ([e for e, f in zip(examples, fold == number, strict=True) if f == side] for side in (0, 1))
        perplexity[fold == number] = (log_perplexity or _of_ngrams(train))([e.text for e in held])
    rating, weight = _ratings(examples)
    length = log_length([e.text for e in examples])
    return {
        CONSTANT: np.full(len(examples), weighted_median(rating, weight)),
        LENGTH: parabola(length, rating, weight, length),
        PERPLEXITY: parabola(perplexity, rating, weight, perplexity),
    }


def log_length(texts: Sequence[str]) -> Floats:
    """ln(1 + characters)."""
    return np.log1p([float(len(text)) for text in texts])


def parabola(seen: Floats, rating: Floats, weight: Floats, new: Floats) -> Floats:
    """Weighted least squares of `rating` on 1, x and x^2, at `new`, kept on the scale and within what was seen of x.

    A missing feature (NaN) counts as the mean of those seen.
    """
    known = ~np.isnan(seen)
    mean = np.average(seen[known], weights=weight[known]) if known.any() else 0.0
    spread = float(seen[known].std()) if known.any() else 0.0

    def columns(values: Floats) -> Floats:
        filled = np.where(np.isnan(values), mean, values)
        inside = np.clip(filled, seen[known].min(), seen[known].max()) if known.any() else filled
        x = (inside - mean) / (spread or 1.0)
        return np.stack([np.ones_like(x), x, x * x], axis=1)

    root = np.sqrt(weight)
    fitted = np.linalg.lstsq(columns(seen) * root[:, None], rating * root, rcond=None)[0]
    return np.clip(columns(new) @ fitted, LOWEST, HIGHEST)


def weighted_median(values: Floats, weight: Floats) -> float:
    """The least value that half of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) >= weight.sum() / 2
    return float(values[order][reached.argmax()])


def _ratings(examples: Sequence[Example]) -> tuple[Floats, Floats]:
    """Ratings and weights."""
    return np.array([e.score for e in examples], float), np.array([e.weight for e in examples], float)


def _of_ngrams(train: Sequence[Example]) -> LogPerplexity:
    counts = train_ngrams([e.text for e in sorted(train, key=lambda e: e.record_id)])
    return lambda texts: ngram_log_perplexity(counts, texts)
