"""The rubric: a file with the judge's instructions, which a user can replace; its digest goes with every label.

A rubric begins with a YAML block between lines of `---` (`name`, `version`, `answer`, `reminder`) and goes on with the
prompt, in which `{text}` stands where the document goes.  An answer counts only if it ends as the rubric asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from blake3 import blake3

from gpucurate.core.errors import UserError

PLACE = "{text}"
EDUCATIONAL = Path(__file__).parent / "rubrics" / "educational.md"
SCORES = range(6)
DECORATION = r"[\s*_`\"']*"  # markup that models put around an answer
FIELDS = {"name": str, "version": int, "answer": str, "reminder": str}


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric as read; `digest` is BLAKE3 over the file's bytes."""

    name: str
    version: int
    answer: str  # what stands before the score, on the last line of an answer
    reminder: str  # said to a judge that answered otherwise
    before: str  # the prompt, up to the text
    after: str
    digest: str

    def prompt(self, text: str) -> str:
        """What the judge is asked about a text."""
        return self.before + text + self.after

    def score(self, answer: str) -> int | None:
        """The score an answer gives; None unless its last line gives one and no other line another."""
        word = re.escape(self.answer)
        pattern = re.compile(rf"{DECORATION}{word}{DECORATION}([0-5])(?:\s*/\s*5)?{DECORATION}\.?{DECORATION}", re.I)
        lines = [line for line in answer.splitlines() if line.strip()]
        found = [pattern.fullmatch(line) for line in lines]
        if not found or found[-1] is None:
            return None
        scores = {int(match[1]) for match in found if match}
        return scores.pop() if len(scores) == 1 else None


def load_rubric(path: str | Path | None = None) -> Rubric:
    """Read a rubric, the project's own by default; raises UserError naming what is missing in it."""
    place = Path(path) if path is not None else EDUCATIONAL
    try:
        content = place.read_bytes()
        text = content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the rubric {place}: {error}. Remedy: name a text file in UTF-8") from error
    found = re.fullmatch(r"---\r?\n(.*?)\r?\n---\r?\n(.*)", text, re.DOTALL)
    if found is None:
        raise UserError(
            f"the rubric {place} does not begin with a block between two lines of ---. "
            f"Remedy: begin it with {', '.join(FIELDS)}, as {EDUCATIONAL} does"
        )
    try:
        head = yaml.safe_load(found[1])
    except yaml.YAMLError as error:
        raise UserError(f"the head of the rubric {place} is no YAML: {error}. Remedy: correct it") from error
    for name, kind in FIELDS.items():
        value = head.get(name) if isinstance(head, dict) else None
        if not isinstance(value, kind) or not str(value).strip():
            raise UserError(f"the rubric {place}: `{name}` is {value!r}. Remedy: write a {kind.__name__} in its head")
    prompt = found[2].strip()
    if prompt.count(PLACE) != 1:
        raise UserError(
            f"the rubric {place} holds {PLACE} {prompt.count(PLACE)} times. "
            "Remedy: write it once, where the document goes"
        )
    before, _, after = prompt.partition(PLACE)
    return Rubric(
        head["name"],
        head["version"],
        head["answer"].strip(),
        head["reminder"].strip(),
        before,
        after,
        blake3(content).hexdigest(),
    )
