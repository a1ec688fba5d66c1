"""An OpenAI-compatible endpoint: one chat completion at a time, asked again while the trouble may pass.

Three kinds of trouble: what may pass (no connection, too slow, 408, 409, 429, 5xx, an answer that is no completion) is
waited out; what concerns one request (400, 413, 422) is `Refused`; what will not change by asking (401, 403, 404, no
credit) is a UserError, since every further request would meet it too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from gpucurate.classifier.endpoint_pacing import ATTEMPTS, LONGEST_ASKED, Pacing, asked_to_wait
from gpucurate.core.errors import InputError, MissingExtra, UserError

Messages = Sequence[Mapping[str, str]]
PUBLIC = "https://api.openai.com/v1"  # where the client goes if nothing else is said
PASSING = (408, 409, 429)
ABOUT_THIS_REQUEST = (400, 413, 422)
NO_CREDIT = "insufficient_quota"  # a 429 that waiting does not mend


class Refused(Exception):
    """The server will not answer this request, whatever it thinks of others; the message is the server's."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said."""

    text: str  # empty where it said nothing
    finish: str  # `stop`; `length` if it was cut off; ...
    tokens: dict[str, int] | None  # `prompt` and `completion`


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where and how to ask; `parameters` go into every request (null takes one out)."""

    base_url: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    timeout: float = 120.0  # seconds for one answer
    rate: float | None = None  # requests a minute
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Endpoint:
    """Use as an asynchronous context; `retries` counts the requests that had to be sent again."""

    def __init__(self, settings: EndpointSettings, pacing: Pacing | None = None) -> None:
        """Raises UserError if there is no key for the public endpoint, MissingExtra without the package `openai`."""
        try:
            import openai
        except ModuleNotFoundError as error:
            raise MissingExtra("labelling through an endpoint", "openai", "classifier") from error
        self._openai = openai
        self._pacing = pacing or Pacing(settings.rate)
        self._parameters = settings.parameters
        self._key = os.environ.get(settings.key_variable, "").strip()
        self.url = settings.base_url or os.environ.get("OPENAI_BASE_URL") or PUBLIC
        self.retries = 0
        if not self._key and self.url.rstrip("/") == PUBLIC:
            raise UserError(
                f"{self.url} needs a key, and the variable {settings.key_variable} is not set. "
                "Remedy: set it, or name another endpoint with --base-url"
            )
        if not self._key.isascii() or not self._key.isprintable():
            raise UserError(
                f"the key in {settings.key_variable} holds characters that no header can. Remedy: correct it"
            )
        if not re.match(r"https?://[^/\s]", self.url):
            raise UserError(f"the base URL {self.url!r} is none. Remedy: write https://host/v1")
        self._client = openai.AsyncOpenAI(
            api_key=self._key or "none",  # servers of one's own need none, the client wants some
            base_url=self.url,
            timeout=settings.timeout,
            max_retries=0,  # retries are ours, so that they are counted and paced together
        )

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._client.close()

    async def ask(self, model: str, messages: Messages) -> Answer:
        """One answer.  Raises Refused, UserError, or InputError if the endpoint did not answer many times in a row."""
        request = {"model": model, "messages": list(messages), **self._parameters}
        body = {name: value for name, value in request.items() if value is not None}
        trouble = ""
        for attempt in range(ATTEMPTS):
            await self._pacing.turn()
            asked = None
            try:
                response = await self._client.post("/chat/completions", body=body, cast_to=object)
                answer = _answer(response)
                if answer is not None:
                    return answer
                trouble = f"it sent no chat completion: {str(response)[:200]!r}"
            except self._openai.APIStatusError as error:
                trouble = self._said(error)
                self._give_up(error, trouble)
                asked = asked_to_wait(error.response.headers)
                if asked is not None and asked > LONGEST_ASKED:
                    raise InputError(
                        f"{self.url} wants to be left alone for {asked:.0f} seconds ({trouble}). "
                        "Remedy: run the same command again then; it resumes"
                    ) from error
            except self._openai.APIConnectionError as error:  # timeouts too
                trouble = self._hidden(f"{error} {error.__cause__ or ''}".strip())
            except ValueError as error:  # the client leaves JSON and text that it cannot read to its caller
                trouble = f"its answer is no JSON ({error})"
            if attempt + 1 < ATTEMPTS:
                self.retries += 1
                await self._pacing.wait(attempt, asked)
        raise InputError(
            f"{self.url} gave no answer {ATTEMPTS} times in a row; the last time: {trouble}. "
            "Remedy: see to the endpoint and run the same command again; labels given so far are kept"
        )

    def _give_up(self, error: Any, said: str) -> None:
        """Raise what no further attempt would change."""
        status = error.status_code
        if status in ABOUT_THIS_REQUEST:
            raise Refused(said) from error
        if status == 429 and error.code == NO_CREDIT:
            raise UserError(
                f"{self.url}: no credit left ({said}). Remedy: add some; the same command resumes"
            ) from error
        if status in PASSING or status >= 500:
            return
        remedies = {
            401: "set the variable with the key (--key-variable) to one that this endpoint knows",
            403: "use a key that may use this model, or another model",
            404: "correct --base-url (it ends in /v1 with most servers) or --model",
        }
        remedy = remedies.get(status, "correct the request's settings")
        raise UserError(f"{self.url} refuses: {said}. Remedy: {remedy}") from error

    def _said(self, error: Any) -> str:
        body = error.body if isinstance(error.body, Mapping) else {}
        return self._hidden(f"{error.status_code} {body.get('message') or error.message}"[:400])

    def _hidden(self, text: str) -> str:
        """A message without the key, should a server echo it."""
        return text.replace(self._key, "…") if self._key else text


def _answer(response: object) -> Answer | None:
    """The first choice of a completion; None if it is none."""
    if not isinstance(response, Mapping):
        return None
    try:
        choice = response["choices"][0]
        text = choice["message"].get("content") or ""
        finish = choice.get("finish_reason") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    usage = response.get("usage")
    tokens = None
    if isinstance(usage, Mapping):
        prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(prompt, int) and isinstance(completion, int):
            tokens = {"prompt": prompt, "completion": completion}
    return Answer(str(text), str(finish), tokens)
