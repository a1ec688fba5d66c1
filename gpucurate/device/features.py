"""What `text_features` says of a document: one row of integers, from which every quality rule is a ratio.

Counts only: a threshold or a ratio here would have to be measured again when a user changes it.  The words behind the
counts are defined in docs/rules.md.
"""

from __future__ import annotations

import numpy as np

GOPHER_STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")  # Gopher, appendix A.1.1
SHORT_LINE_CHARS = 30  # FineWeb's filter `short lines`, section 3.6: a line of at most so many characters
REPETITION_BYTES = 2 << 20  # repetition is counted over so many leading bytes: bounds memory at about 120 MB a thread
TOP_GRAMS = (2, 3, 4)  # Gopher, table A1: characters in the most frequent n-gram
DUPLICATE_GRAMS = (5, 6, 7, 8, 9, 10)  # Gopher, table A1: characters in repeated n-grams

TEXT_FEATURES = np.dtype(
    [
        (name, np.int64)
        for name in (
            # characters, of the whole document
            "chars",  # code points
            "letters",  # code points of general category L
            "symbols",  # neither letter, mark, number nor space
            "newlines",  # U+000A
            "hashes",  # `#`
            "ellipses",  # `...` (without overlap) and U+2026
            # words, of the whole document
            "words",  # everything the splitter gives, punctuation included
            "text_words",  # words with a letter, mark or number
            "text_word_chars",  # code points in those
            "letter_words",  # words with a letter
            "stop_words",  # how many different stop words occur, as written (case matters)
            # lines end at U+000A only; a last line without one counts, an empty last line does not
            "lines",  # blank ones included
            "text_lines",  # lines that are not blank
            "bullet_lines",  # whose first character after spaces is `-` or U+2022
            "ellipsis_lines",  # whose end before spaces is `...` or U+2026
            "terminal_lines",  # whose last character before spaces ends a sentence (Unicode Sentence_Terminal)
            "short_lines",  # lines with text of at most SHORT_LINE_CHARS code points
            # repetition, over the first REPETITION_BYTES
            "repetition_chars",  # code points looked at: the denominator of what follows
            "repetition_newlines",
            "repetition_lines",  # lines with text
            "duplicate_lines",  # equal, byte for byte, to an earlier line
            "duplicate_line_chars",
            "paragraphs",  # runs of lines with text
            "duplicate_paragraphs",
            "duplicate_paragraph_chars",
            *(f"top_{n}_gram_chars" for n in TOP_GRAMS),  # occurrences x length of the most frequent, spaces included
            *(f"duplicate_{n}_gram_chars" for n in DUPLICATE_GRAMS),  # in words of n-grams seen before, no overlap
        )
    ]
)
