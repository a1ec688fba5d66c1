"""A judge without a server: the rating a causal language model expects, read from its logits.

The model is shown the rubric and the document, and its answer is begun for it (`Score:`).  The probabilities it then
gives to the six scores, as next token, make the expected rating: a number between 0 and 5, from one forward pass and
without sampling.  How much probability the six scores have together says whether the model understood the question.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.examples import SampledDocument
from gpucurate.classifier.ledger import GivenLabel, Ledger, Work
from gpucurate.classifier.local_judge_model import load_model
from gpucurate.classifier.rubric import SCORES, Rubric
from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import DeviceError, InputError
from gpucurate.run.progress import Progress

SETTINGS_DIGITS = 16
SCORE_DECIMALS = 4  # below are differences that come from kernels and from what shares a batch
DECIMALS = 6  # of probabilities


@dataclass(frozen=True, slots=True)
class Rating:
    """`probabilities` are of the scores 0 to 5 among themselves; `mass` is their share of all tokens."""

    score: float
    probabilities: tuple[float, ...]
    mass: float
    prompt_tokens: int


class LocalJudge:
    """A model and its tokenizer; `batch` prompts at a time, padded on the left."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        rubric: Rubric,
        name: str,
        *,
        identity: str = "",
        max_characters: int = 10_000,
        batch: int = 8,
    ) -> None:
        """`identity` stands for the weights in digests.  Raises InputError if no form of the scores is one token each,
        as expected ratings need."""
        self._model, self._tokenizer, self._rubric = model.eval(), tokenizer, rubric
        self.name, self.batch = name, batch
        self._identity, self._max_characters = identity or name, max_characters
        self._limit = int(getattr(model.config, "max_position_embeddings", None) or 1 << 30)
        self._begun, self._score_tokens = self._scores_as_tokens()
        self._keeps_logits = "logits_to_keep" in inspect.signature(model.forward).parameters

    @classmethod
    def open(cls, path: str, rubric: Rubric, *, device: str = "cpu", dtype: str = "auto", **more: Any) -> LocalJudge:
        """Load from a directory or by name; raises as `load_model` does."""
        loaded = load_model(path, device, dtype)
        return cls(loaded.model, loaded.tokenizer, rubric, loaded.name, identity=loaded.identity, **more)

    def settings_digest(self) -> str:
        """Digest of what shapes ratings beside rubric and batch."""
        shaping = {"logits of": self._identity, "characters": self._max_characters, "dtype": str(self._model.dtype)}
        return digest_settings(shaping)[:SETTINGS_DIGITS]

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """Ratings in the order of the texts; halves `batch` where the GPU's memory does not hold it."""
        prompts = [self._ids(text) for text in texts]
        ratings: dict[int, Rating] = {}
        order = sorted(range(len(texts)), key=lambda n: len(prompts[n]))
        while order:
            rows = order[: self.batch]
            logits = self._logits_or_none([prompts[n] for n in rows])
            if logits is None:
                self.batch = len(rows) // 2
                continue
            for row, of_row in zip(rows, logits, strict=True):
                ratings[row] = _rating(of_row, self._score_tokens, len(prompts[row]))
            del order[: len(rows)]
        return [ratings[row] for row in range(len(texts))]

    def _ids(self, text: str) -> list[int]:
        """Token ids of the prompt with its answer begun, the text cut until they fit the model."""
        shown = text[: self._max_characters]
        while True:
            ids = self._encoded(shown, self._begun)
            if len(ids) <= self._limit:
                return ids
            if not shown:
                raise InputError(
                    f"the rubric alone takes {len(ids)} tokens, the local judge {self.name!r} reads {self._limit}. "
                    "Remedy: a shorter rubric, or a model that reads more"
                )
            shown = shown[: min(len(shown) * self._limit // len(ids), len(shown) - 1)]

    def _encoded(self, text: str, begun: str) -> list[int]:
        prompt = self._rubric.prompt(text)
        if getattr(self._tokenizer, "chat_template", None):
            messages = [{"role": "user", "content": prompt}]
            said = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            return list(self._tokenizer(said + begun, add_special_tokens=False)["input_ids"])
        return list(self._tokenizer(f"{prompt}\n\n{begun}")["input_ids"])

    def _scores_as_tokens(self) -> tuple[str, list[int]]:
        """How the answer is begun, and the token of each score after it: with the space in one or the other."""
        for begun, space in ((self._rubric.answer, " "), (f"{self._rubric.answer} ", ""), (self._rubric.answer, "")):
            before = self._encoded("", begun)
            after = [self._encoded("", f"{begun}{space}{score}") for score in SCORES]
            if all(len(ids) == len(before) + 1 and ids[:-1] == before for ids in after):
                tokens = [ids[-1] for ids in after]
                if len(set(tokens)) == len(tokens):
                    return begun, tokens
        raise InputError(
            f"the local judge {self.name!r} writes the scores 0 to 5 with more than one token, so that its logits give "
            "no expected rating. Remedy: another model, or an endpoint"
        )

    def _logits_or_none(self, prompts: list[list[int]]) -> NDArray[np.float64] | None:
        """None if the GPU's memory does not hold so many; DeviceError if it does not hold one."""
        import torch

        try:
            return self._logits(prompts)
        except torch.OutOfMemoryError as error:
            if len(prompts) == 1:
                raise DeviceError(
                    f"the GPU's memory does not hold one prompt of {len(prompts[0]):,} tokens. "
                    "Remedy: a smaller --max-characters, another --dtype (bfloat16), or a smaller model"
                ) from error
        torch.cuda.empty_cache()  # outside the handler, which keeps the failed tensors alive
        return None

    def _logits(self, prompts: list[list[int]]) -> NDArray[np.float64]:
        """Logits [prompts, vocabulary] of the token after each prompt."""
        import torch

        width = max(map(len, prompts))
        filler = self._tokenizer.pad_token_id or 0  # masked, so any token does
        ids = torch.tensor([[filler] * (width - len(p)) + p for p in prompts], device=self._model.device)
        mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts], device=self._model.device)
        more: dict[str, Any] = {"logits_to_keep": 1} if self._keeps_logits else {}
        if "position_ids" in inspect.signature(self._model.forward).parameters:
            more["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0)
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask, **more).logits[:, -1]
        result: NDArray[np.float64] = logits.double().cpu().numpy()
        return result


def label_locally(
    judge: LocalJudge,
    rubric: Rubric,
    documents: Mapping[str, SampledDocument],
    work: list[Work],
    ledger: Ledger,
    progress: Progress,
    batches: int = 16,
) -> float:
    """Rate what is missing, a few batches between two writes; returns the mean probability that scores had at all.

    Raises InputError naming the document for a rating that is no number.
    """
    masses: list[float] = []
    step = batches * judge.batch
    with progress.stage(f"label: {judge.name}", len(work)) as stage:
        for begin in range(0, len(work), step):
            some, before = work[begin : begin + step], judge.batch
            ratings = judge.rate([documents[record_id].text for record_id, _, _ in some])
            if judge.batch < before:
                progress.say(f"out of GPU memory: {judge.batch} prompts at a time from here on, not {before}")
            for (record_id, name, repeat), rating in zip(some, ratings, strict=True):
                if not np.isfinite(rating.score):
                    raise InputError(
                        f"the local judge {judge.name!r} gave no number for document {record_id}. "
                        "Remedy: another --dtype (float32), or another model"
                    )
                answer = json.dumps({"probabilities": rating.probabilities, "mass": rating.mass})
                tokens = {"prompt": rating.prompt_tokens, "completion": 0}
                digest, settings = documents[record_id].text_digest, judge.settings_digest()
                ledger.add(
                    GivenLabel(record_id, rating.score, name, rubric.digest, repeat, answer, digest, tokens, settings)
                )
                masses.append(rating.mass)
                stage.advance(1)
    return float(np.mean(masses)) if masses else float("nan")


def _rating(logits: NDArray[np.float64], tokens: list[int], prompt_tokens: int) -> Rating:
    """Expected score under the softmax over the score tokens."""
    high = logits.max()
    exponentials = np.exp(logits - high)
    of_scores = exponentials[tokens]
    probabilities = np.exp(logits[tokens] - logits[tokens].max())
    probabilities /= probabilities.sum()
    return Rating(
        round(float(probabilities @ np.array(SCORES, np.float64)), SCORE_DECIMALS),
        tuple(round(float(p), DECIMALS) for p in probabilities),
        round(float(of_scores.sum() / exponentials.sum()), DECIMALS),
        prompt_tokens,
    )
