"""Labelling: have judges rate the documents of a sample, each once for every judge and repeat.

What the ledger holds is done.  An answer without a score is counted, kept, and asked for again with the rubric's
reminder; after so many attempts the document is recorded as failed.  No score is ever guessed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field

from gpucurate.classifier.endpoint import Answer, Endpoint, EndpointSettings, Refused
from gpucurate.classifier.endpoint_pacing import Pacing
from gpucurate.classifier.examples import SampledDocument
from gpucurate.classifier.label_cost import Counts, Prices
from gpucurate.classifier.ledger import GivenLabel, Ledger, UnusableAnswer, Work
from gpucurate.classifier.rubric import Rubric
from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import UserError
from gpucurate.run.progress import QUIET_SECONDS, Progress

SETTINGS_DIGITS = 16  # hexadecimal, of the digest of a judge's settings
REFUSALS = 5  # so many refused requests before the first answer: it is not the documents


@dataclass(frozen=True, slots=True)
class Judging:
    """How a model behind an endpoint is asked."""

    model: str
    judge: str  # the name that labels carry
    rubric: Rubric
    temperature: float | None = 0.0
    max_tokens: int = 400  # of an answer
    max_characters: int = 10_000  # of a document; the rest is not shown
    attempts: int = 3  # for an answer with a score
    concurrency: int = 16
    endpoint: EndpointSettings = field(default_factory=EndpointSettings)

    def parameters(self) -> dict[str, object]:
        """What goes into every request beside model and messages."""
        return {"temperature": self.temperature, "max_tokens": self.max_tokens, **self.endpoint.parameters}

    def digest(self) -> str:
        """Digest of what shapes answers beside the rubric; the place of the endpoint does not."""
        shaping = {"model": self.model, "parameters": self.parameters(), "characters": self.max_characters}
        return digest_settings(shaping)[:SETTINGS_DIGITS]

    def prompt(self, document: SampledDocument) -> str:
        """What is asked about a document."""
        return self.rubric.prompt(document.text[: self.max_characters])


def label(
    judging: Judging,
    documents: Mapping[str, SampledDocument],
    work: list[Work],
    ledger: Ledger,
    prices: Prices,
    progress: Progress,
    pacing: Pacing | None = None,
) -> Counts:
    """Do the work that is missing; returns the counts.  Raises UserError and InputError as `Endpoint` does, with all
    labels given until then in the ledger."""
    return asyncio.run(_Labelling(judging, documents, ledger, prices, progress).go(work, pacing))


class _Labelling:
    def __init__(
        self,
        judging: Judging,
        documents: Mapping[str, SampledDocument],
        ledger: Ledger,
        prices: Prices,
        progress: Progress,
    ) -> None:
        self.judging, self.documents, self.ledger = judging, documents, ledger
        self.prices, self.progress = prices, progress
        self.counts = Counts(0)
        self.known = any(judge == judging.judge for _, judge, _ in ledger.labels)
        self.refused: list[UnusableAnswer] = []  # held back until an answer shows that it is the document
        self.said = time.monotonic()

    async def go(self, work: list[Work], pacing: Pacing | None) -> Counts:
        self.counts.wanted = len(work)
        waiting = iter(work)
        settings = EndpointSettings(
            self.judging.endpoint.base_url,
            self.judging.endpoint.key_variable,
            self.judging.endpoint.timeout,
            self.judging.endpoint.rate,
            self.judging.parameters(),
        )
        async with Endpoint(settings, pacing) as endpoint:
            with self.progress.stage(f"label: {self.judging.judge}", len(work)) as stage:

                async def worker() -> None:
                    for each in waiting:
                        await self._rate(endpoint, each)
                        stage.advance(1)
                        self._say(endpoint)

                await _all([worker() for _ in range(min(self.judging.concurrency, len(work)))])
            self._settle_refusals(final=True)
            self.progress.say(f"{self.judging.judge}: {self.counts.line(self.prices, endpoint.retries)}")
        return self.counts

    async def _rate(self, endpoint: Endpoint, work: Work) -> None:
        """One document by one repeat: a label, or a failure."""
        rubric, last = self.judging.rubric, self.judging.attempts
        messages = [{"role": "user", "content": self.judging.prompt(self.documents[work[0]])}]
        for attempt in range(1, last + 1):
            try:
                answer = await endpoint.ask(self.judging.model, messages)
            except Refused as refusal:
                self._refuse(work, attempt, str(refusal))
                return
            self.counts.answered(answer.tokens)
            self._settle_refusals()
            score = None if answer.finish == "length" else rubric.score(answer.text)
            if score is not None:
                self._label(work, answer, score)
                return
            self.counts.unusable += 1
            self._unusable(work, attempt, _why(answer), answer.text, answer.tokens, attempt == last)
            if answer.text.strip():
                messages = [
                    messages[0],
                    {"role": "assistant", "content": answer.text},
                    {"role": "user", "content": rubric.reminder},
                ]
        self.counts.failed += 1

    def _label(self, work: Work, answer: Answer, score: int) -> None:
        record_id, judge, repeat = work
        digest = self.documents[record_id].text_digest
        rubric, settings = self.judging.rubric.digest, self.judging.digest()
        self.ledger.add(
            GivenLabel(record_id, score, judge, rubric, repeat, answer.text, digest, answer.tokens, settings)
        )
        self.counts.labelled += 1

    def _unusable(
        self, work: Work, attempt: int, why: str, answer: str, tokens: dict[str, int] | None, failed: bool
    ) -> None:
        self.ledger.add_unusable(self._line(work, attempt, why, answer, tokens, failed))

    def _line(
        self, work: Work, attempt: int, why: str, answer: str, tokens: dict[str, int] | None, failed: bool
    ) -> UnusableAnswer:
        record_id, judge, repeat = work
        digest = self.documents[record_id].text_digest
        return UnusableAnswer(
            record_id, judge, self.judging.rubric.digest, repeat, digest, attempt, why, answer, tokens, failed
        )

    def _refuse(self, work: Work, attempt: int, said: str) -> None:
        self.refused.append(self._line(work, attempt, "refused", said, None, True))
        self._settle_refusals()

    def _settle_refusals(self, final: bool = False) -> None:
        """Record refusals once this judge has answered at all; without any answer they are the request's fault."""
        if self.counts.requests or self.known:
            for line in self.refused:
                self.ledger.add_unusable(line)
                self.counts.failed += 1
            self.refused.clear()
        elif len(self.refused) >= REFUSALS or (final and self.refused):
            raise UserError(
                f"the endpoint refused every request; the last: {self.refused[-1].answer}. "
                "Remedy: correct the model or the request's settings; nothing was recorded"
            )

    def _say(self, endpoint: Endpoint) -> None:
        now = time.monotonic()
        if now - self.said >= QUIET_SECONDS:
            self.said = now
            self.progress.say(f"{self.judging.judge}: {self.counts.line(self.prices, endpoint.retries)}")


def _why(answer: Answer) -> str:
    if answer.finish == "length":
        return "cut off"
    return "no score" if answer.text.strip() else "empty"


async def _all(workers: list[Coroutine[None, None, None]]) -> None:
    """Run until all end, or one fails; then stop the others and raise its error."""
    tasks = [asyncio.ensure_future(worker) for worker in workers]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
