"""Word lists of the user's own: reading them, and what of them can be matched word by word.

A list has one entry a line, in UTF-8: a word or a phrase.  Lines that begin with `#` are comments.  No list comes with
gpucurate: which words are unwanted depends on language, community and purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import InputError
from gpucurate.steps.toxicity.matching import Matcher, has_symbols, make_matcher

EVERY_LANGUAGE = "all"  # key of a list that is for every language
COMMENT = "#"


@dataclass(frozen=True, slots=True)
class WordList:
    """Entries of one file, as written."""

    entries: tuple[str, ...]  # that are made of words
    left_out: tuple[str, ...]  # that hold a symbol no word has, as `a$$`: what is left of them would match too much


def read_list(path: str) -> WordList:
    """Raises InputError for a file that is missing, not UTF-8, or has no entry that can be matched."""
    state = _state(path)
    return _read(path, *state)


def list_digest(path: str) -> str:
    """64 hex digits of the file.  Raises InputError if it is missing."""
    state = _state(path)
    return _digest(path, *state)


def matcher_of(paths: tuple[str, ...]) -> Matcher:
    """One matcher for the entries of all these lists."""
    return _matcher(tuple((path, _digest(path, *_state(path))) for path in paths))


def _state(path: str) -> tuple[int, int]:
    try:
        found = Path(path).stat()
    except OSError as error:
        raise InputError(
            f"the word list {path!r} cannot be read ({error.strerror}). Remedy: name a text file, one word a line"
        ) from error
    return found.st_size, found.st_mtime_ns


@lru_cache(maxsize=256)
def _digest(path: str, size: int, changed: int) -> str:
    return digest_file(path)


@lru_cache(maxsize=256)
def _read(path: str, size: int, changed: int) -> WordList:
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(
            f"the word list {path} is not UTF-8: byte {error.start} cannot be read. Remedy: save it as UTF-8"
        ) from error
    except OSError as error:
        raise InputError(f"the word list {path} cannot be read ({error.strerror}). Remedy: name a text file") from error
    written = [line.strip() for line in lines]
    entries = dict.fromkeys(line for line in written if line and not line.startswith(COMMENT))
    left_out = tuple(entry for entry in entries if has_symbols(entry))
    fit = tuple(entry for entry in entries if not has_symbols(entry))
    if not fit:
        raise InputError(
            f"the word list {path} has no entry that is made of words. Remedy: write one word or phrase a line"
        )
    return WordList(fit, left_out)


@lru_cache(maxsize=64)
def _matcher(lists: tuple[tuple[str, str], ...]) -> Matcher:
    return make_matcher([entry for path, _ in lists for entry in read_list(path).entries])
