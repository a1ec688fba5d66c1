"""What a corpus is protected from: a small benchmark with its registry, and a list of unwanted words; all made up."""

from __future__ import annotations

import json

from blake3 import blake3

QUESTIONS = (
    "A ferry carries 14 carts on each trip and makes 9 trips a day. How many carts does it carry in 5 days?",
    "Which of these floats on water: a granite block, a cork, an iron nail, or a lead weight?",
    "Write a function that returns the middle word of a sentence with an odd number of words.",
    "If every lamplighter lights 36 lamps an hour, how long do 4 of them need for 432 lamps?",
    "A mill grinds 7 sacks before noon and twice as many after it. How many sacks does it grind in a week?",
    "What happens to the shadow of a sundial between morning and noon?",
)
UNWANTED = ("blatherskite", "muckspout", "lubberwort")  # insults of the seventeenth century
FILE = "questions.jsonl"


def benchmark() -> bytes:
    """The questions, one JSON object a line."""
    lines = [{"id": number, "question": question} for number, question in enumerate(QUESTIONS)]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def registry() -> bytes:
    """The benchmark's registry file, frozen."""
    return f"""# The questions that must not reach the shards; docs/decontaminate.md has the format.
name: quickstart
version: the pool's own
files:
  - path: {FILE}
    digest: {blake3(benchmark()).hexdigest()}
items:
  - [question]
""".encode()


def unwanted_words() -> bytes:
    """A word a line."""
    return "".join(f"{word}\n" for word in UNWANTED).encode()
