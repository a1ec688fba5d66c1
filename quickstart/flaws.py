"""Texts with one flaw each, under the reason code that must find it; everything else about them is sound.

Each is built from good prose, so that no rule takes it before its own does.  The order of judging is Gopher's
repetition, Gopher's quality, C4, FineWeb, and within each the order of this table.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from articles import Author

LONG_WORDS = (
    "international administrators responsible contributions mathematical approximations unquestionable considerations "
    "environmental classifications comprehensive documentation agricultural communities professional photographers "
    "extraordinary accomplishments interdisciplinary representatives experimental observations architectural "
    "recommendations transcontinental transportation psychological understanding philosophical interpretations "
    "archaeological investigations incompatible instruments geographical disadvantages mountainous municipalities"
)
STOP_WORDS = frozenset({"the", "be", "to", "of", "and", "that", "have", "with"})  # Gopher, appendix A.1.1


def same_paragraphs(author: Author) -> str:
    """All paragraphs twice."""
    return "\n\n".join([*(paragraphs := author.article().paragraphs), *paragraphs])


def same_long_paragraph(author: Author) -> str:
    """One paragraph in nine is a copy, but it is much longer than the others."""
    long = " ".join(author.sentences(8))
    return "\n\n".join([long, *author.sentences(7), long])


def same_lines(author: Author) -> str:
    """One paragraph; every second line of it is the same."""
    first, *others = author.sentences(12)
    return "\n".join(line for other in others for line in (other, first))


def same_long_line(author: Author) -> str:
    """One paragraph; one line in nine is a copy, but it is much longer than the others."""
    long = " ".join(author.sentences(8))
    return "\n".join([long, *author.sentences(7), long])


def refrain_of_two(author: Author) -> str:
    """Two words come back after every four others."""
    return _with_refrain(author, "wonderful lighthouses", 6)


def refrain_of_three(author: Author) -> str:
    """Three words come back, in which no two weigh enough."""
    return _with_refrain(author, "beautiful wonderful lighthouses", 15)


def refrain_of_four(author: Author) -> str:
    """Four words come back, in which no three weigh enough."""
    return _with_refrain(author, "remarkable beautiful wonderful lighthouses", 24)


def retold(author: Author) -> str:
    """All sentences twice, in another order."""
    sentences = author.sentences(14)
    return " ".join([*sentences, *author.dice(sentences[0]).shuffled(sentences)])


def too_short(author: Author) -> str:
    """Fewer than 50 words."""
    return " ".join(sorted(author.sentences(6), key=len)[2:4])


def long_words(author: Author) -> str:
    """Words of more than ten letters on average."""
    dice, lines = author.dice(author.sentences(1)[0]), []
    for _ in range(8):
        words = dice.shuffled(LONG_WORDS.split())
        lines.append(f"The {' '.join(words[:7])} of the {' '.join(words[7:14])}.")
    return " ".join(lines)


def hash_signs(author: Author) -> str:
    """A hash sign before every third word."""
    words = " ".join(author.sentences(12)).split()
    return " ".join(f"#{word}" if n % 3 == 0 else word for n, word in enumerate(words))


def ellipses(author: Author) -> str:
    """An ellipsis after every fourth word."""
    words = " ".join(author.sentences(12)).split()
    return " ".join(f"{word} …" if n % 4 == 0 else word for n, word in enumerate(words))


def bullets(author: Author) -> str:
    """Nothing but a list."""
    return "\n".join(f"- {sentence}" for sentence in author.sentences(20))


def unfinished_lines(author: Author) -> str:
    """Every second line ends in an ellipsis."""
    return "\n".join(s[:-1] + "…" if n % 2 else s for n, s in enumerate(author.sentences(16)))


def figures(author: Author) -> str:
    """As many numbers as words."""
    dice = author.dice(author.sentences(1)[0])
    return "\n".join(f"{s} {' '.join(str(dice.number(10, 99_999)) for _ in range(18))}" for s in author.sentences(12))


def no_stop_words(author: Author) -> str:
    """Telegrams: the words that every English text has are missing."""
    words = " ".join(author.sentences(14)).split()
    return " ".join(word for word in words if word.lower().strip(',."') not in STOP_WORDS)


def lorem_ipsum(author: Author) -> str:
    """A page with a paragraph that nobody wrote yet."""
    return author.article().with_ending("Lorem ipsum dolor sit amet stands here until the text is written.").text


def curly_bracket(author: Author) -> str:
    """A page with a line of code."""
    return author.article().with_ending("while (lamp.burns()) { lamp.turn(1); }").text


def few_sentences(author: Author) -> str:
    """Two sentences that do not end."""
    parts = [sentence.rstrip('."').replace('"', "") for sentence in author.sentences(12)]
    return f"{', and '.join(parts[:6])}. {', but '.join(parts[6:])}."


def headlines(author: Author) -> str:
    """Hardly a line ends as sentences do."""
    return "\n".join(s if n % 12 == 0 else s.rstrip('."') for n, s in enumerate(author.sentences(24)))


def short_lines(author: Author) -> str:
    """Broken into lines of three or four words."""
    lines = []
    for words in (sentence.split() for sentence in author.sentences(16)):
        count = max(1, len(words) // 3)
        ends = [len(words) * n // count for n in range(count + 1)]
        lines += [" ".join(words[start:stop]) for start, stop in itertools.pairwise(ends)]
    return "\n".join(lines)


def printed_twice(author: Author) -> str:
    """One line of a long text is a copy: too little for Gopher's rules, enough for FineWeb's."""
    line = author.sentences(1)[0]
    return f"{line}\n\n{author.article().text}\n\n{line}"


def scattered(author: Author) -> str:
    """Three words a line, an empty line after each, and a full stop at every sixth only: it would be a word more."""
    words = author.dice(author.sentences(1)[0]).shuffled(LONG_WORDS.split())
    pairs = zip(words[::2], words[1::2], strict=True)
    lines = [line for a, b in pairs for line in (f"with {a} {b}", f"all of {a}")]
    return "\n\n".join(f"{line}." if n % 6 == 0 else line for n, line in enumerate(lines))


FLAWS: dict[str, Callable[[Author], str]] = {
    "gopher.duplicate_paragraphs": same_paragraphs,
    "gopher.duplicate_paragraph_chars": same_long_paragraph,
    "gopher.duplicate_lines": same_lines,
    "gopher.duplicate_line_chars": same_long_line,
    "gopher.top_2_gram": refrain_of_two,
    "gopher.top_3_gram": refrain_of_three,
    "gopher.top_4_gram": refrain_of_four,
    "gopher.duplicate_5_gram": retold,
    "gopher.short": too_short,
    "gopher.word_length": long_words,
    "gopher.hash_ratio": hash_signs,
    "gopher.ellipsis_ratio": ellipses,
    "gopher.bullet_lines": bullets,
    "gopher.ellipsis_lines": unfinished_lines,
    "gopher.letter_words": figures,
    "gopher.stop_words": no_stop_words,
    "c4.lorem_ipsum": lorem_ipsum,
    "c4.curly_bracket": curly_bracket,
    "c4.few_sentences": few_sentences,
    "fineweb.terminal_lines": headlines,
    "fineweb.short_lines": short_lines,
    "fineweb.duplicate_line_chars": printed_twice,
    "fineweb.newlines": scattered,
}


def _with_refrain(author: Author, phrase: str, distance: int) -> str:
    words = " ".join(author.sentences(24)).split()
    return " ".join(f"{word} {phrase}" if n % distance == 0 else word for n, word in enumerate(words))
