"""What labelling costs: an estimate before, the server's own count during and after."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BYTES_A_TOKEN = 4  # OpenAI's rule of thumb for English; other scripts take up to about twice the tokens
ANSWER_TOKENS = 120  # expected of an answer: the 60 words that our rubric allows, and some
A_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Money a million tokens, in whatever currency; None where the user gave none."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Money for so many tokens; None without prices."""
        if self.prompt is None or self.completion is None:
            return None
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / A_MILLION


@dataclass(frozen=True, slots=True)
class Estimate:
    """Before anything is asked.  `most` counts every answer as long as allowed; answers asked for again come on top."""

    requests: int
    prompt_tokens: int
    completion_tokens: int
    most_completion_tokens: int

    def line(self, prices: Prices) -> str:
        """For people."""
        said = (
            f"{self.requests:,} requests, about {self.prompt_tokens:,} prompt tokens ({BYTES_A_TOKEN} bytes each) and "
            f"{self.completion_tokens:,} answer tokens (at most {self.most_completion_tokens:,})"
        )
        about = prices.cost(self.prompt_tokens, self.completion_tokens)
        most = prices.cost(self.prompt_tokens, self.most_completion_tokens)
        if about is None or most is None:
            return f"{said}; no prices given"
        return f"{said}; cost about {about:,.2f}, with the longest answers {most:,.2f}"


def estimate(prompts: Iterable[str], longest_answer: int) -> Estimate:
    """Estimate for these prompts."""
    sizes = [-(-len(prompt.encode()) // BYTES_A_TOKEN) for prompt in prompts]
    expected = min(ANSWER_TOKENS, longest_answer)
    return Estimate(len(sizes), sum(sizes), expected * len(sizes), longest_answer * len(sizes))


@dataclass(slots=True)
class Counts:
    """What has come of the work so far."""

    wanted: int
    labelled: int = 0
    unusable: int = 0  # answers that gave no score
    failed: int = 0  # documents given up
    requests: int = 0  # answered ones
    uncounted: int = 0  # of them, how many came without the server's count of tokens
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def answered(self, tokens: dict[str, int] | None) -> None:
        """Count an answer."""
        self.requests += 1
        if tokens is None:
            self.uncounted += 1
        else:
            self.prompt_tokens += tokens["prompt"]
            self.completion_tokens += tokens["completion"]

    def line(self, prices: Prices, retries: int = 0) -> str:
        """For people."""
        said = (
            f"{self.labelled:,} of {self.wanted:,} labelled, {self.unusable:,} unusable answers, {self.failed:,} failed"
        )
        if retries:
            said += f", {retries:,} requests sent again"
        if self.requests > self.uncounted:
            said += f", {self.prompt_tokens:,} + {self.completion_tokens:,} tokens"
        cost = prices.cost(self.prompt_tokens, self.completion_tokens)
        if cost is not None and self.requests > self.uncounted:
            said += f", cost {cost:,.2f}"
        return said + (f" ({self.uncounted:,} answers came without a count)" if self.uncounted else "")
