"""`urls`: drops documents by where they come from: blocked domains, blocked URLs, words in the URL.

As the first step of a recipe it spares the sources the extraction of what it will drop.  It brings no list of its own;
the lists are the user's, inline or in files of one entry a line.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field, field_validator

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import RecipeError
from gpucurate.core.reasons import Reason
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.contract import Measurement, UriStep, Verdicts

DOMAIN, URL, WORD, SOFT_WORDS = 1, 2, 3, 4
ORIGIN = "FineWeb (Penedo et al. 2024, section 3.1), after RefinedWeb (Penedo et al. 2023, appendix G.1)"
PARTS = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.\-]*:)?//(?:[^/?#@\\]*@)?(?P<host>\[[^\]/]*\]|[^:/?#\\]*)(?::(?P<port>\d*))?(?P<rest>.*)",
    re.DOTALL,
)
WORDS = re.compile(r"[^\W_]+")
DEFAULT_PORTS = ("", "80", "443")
LISTS = ("domain_files", "url_files", "word_files", "soft_word_files")


class UrlsConfig(StepConfig):
    """Settings of `urls`."""

    judging: ClassVar[frozenset[str]] = frozenset({"soft_limit"})
    domains: tuple[str, ...] = Field((), description="Domains to drop, each with all its subdomains.")
    domain_files: tuple[str, ...] = Field((), description="Files of such domains, one a line, plain or .gz.")
    urls: tuple[str, ...] = Field((), description="Single URLs to drop; scheme and fragment do not matter.")
    url_files: tuple[str, ...] = Field((), description="Files of such URLs.")
    words: tuple[str, ...] = Field((), description="Words of which one in the URL is enough to drop the document.")
    word_files: tuple[str, ...] = Field((), description="Files of such words.")
    soft_words: tuple[str, ...] = Field((), description="Words of which `soft_limit` different ones are needed.")
    soft_word_files: tuple[str, ...] = Field((), description="Files of such words.")
    soft_limit: int = Field(2, ge=1, description="How many different soft words drop a document; 2 as FineWeb.")

    @field_validator("domains", "urls", "words", "soft_words", *LISTS, mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    def measuring(self) -> dict[str, object]:
        """Without the files' places: their digests are among the step's resources."""
        return {key: value for key, value in super().measuring().items() if key not in LISTS}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a URI points to, in one spelling: host in lower case and Punycode, without a default port; `rest` is path
    and query as written.  `host` is empty for what is no URL of a host."""

    host: str
    rest: str

    @property
    def url(self) -> str:
        """The URL without scheme and fragment; a missing path is the root."""
        return self.host + (self.rest if self.rest[:1] == "/" else "/" + self.rest)


class Urls(UriStep[UrlsConfig]):
    """Measures what of the lists a URI meets; judges by the number of soft words."""

    name = "urls"
    version = 1
    config_type = UrlsConfig
    reasons = (
        Reason("urls.domain", "the domain, or one above it, is blocked", ORIGIN),
        Reason("urls.url", "the URL is blocked", ORIGIN),
        Reason("urls.word", "the URL contains a blocked word", ORIGIN),
        Reason("urls.soft_words", "the URL contains several words that together block it", ORIGIN),
    )

    def resources(self) -> Mapping[str, str]:
        """Digests of the list files, by kind and order.  Raises RecipeError for a file that is not there."""
        return {
            f"{kind}.{number}": digest_file(_existing(path))
            for kind in LISTS
            for number, path in enumerate(getattr(self.config, kind))
        }

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals: `urls_domain` and `urls_url` (bool), `urls_words` and `urls_soft_words` (int32, how many different
        words of the lists are in the URL)."""
        columns = list(zip(*map(self._signals, documents["uri"].to_pylist()), strict=True)) or [()] * 4
        kinds = {"domain": pa.bool_(), "url": pa.bool_(), "words": pa.int32(), "soft_words": pa.int32()}
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds.values(), strict=True)]
        return Measurement(pa.table(arrays, names=[f"urls_{kind}" for kind in kinds]))

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """The domain, then the URL, then a word, then several soft words."""
        flags = [
            np.asarray(signals["urls_domain"]),
            np.asarray(signals["urls_url"]),
            np.asarray(signals["urls_words"]) > 0,
            np.asarray(signals["urls_soft_words"]) >= self.config.soft_limit,
        ]
        return np.select(flags, [DOMAIN, URL, WORD, SOFT_WORDS], 0).astype(np.int16)

    def blocks(self, uri: str) -> bool:
        """True if `judge` will drop a document with this URI."""
        domain, url, words, soft_words = self._signals(uri)
        return domain or url or words > 0 or soft_words >= self.config.soft_limit

    def warm(self) -> None:
        """Read the lists."""
        _ = self._domains, self._urls, self._words, self._soft_words

    def _signals(self, uri: str) -> tuple[bool, bool, int, int]:
        place = place_of(uri)
        words = set(WORDS.findall(uri.lower())) if self._words or self._soft_words else set()
        return (
            bool(self._domains) and any(domain in self._domains for domain in _upwards(place.host)),
            bool(self._urls) and place.url in self._urls,
            len(words & self._words),
            len(words & self._soft_words),
        )

    @cached_property
    def _domains(self) -> frozenset[str]:
        entries = _entries(self.config.domains, self.config.domain_files)
        return frozenset(map(_domain, entries))

    @cached_property
    def _urls(self) -> frozenset[str]:
        entries = _entries(self.config.urls, self.config.url_files)
        return frozenset(place_of(entry if "//" in entry else f"//{entry}").url for entry in entries)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word.lower() for word in _entries(self.config.words, self.config.word_files))

    @cached_property
    def _soft_words(self) -> frozenset[str]:
        return frozenset(word.lower() for word in _entries(self.config.soft_words, self.config.soft_word_files))


def place_of(uri: str) -> Place:
    """Host and rest of a URI; never raises, whatever the URI."""
    found = PARTS.match(uri.strip())
    if found is None:
        return Place("", uri)
    host = _punycode(found["host"].rstrip(".").lower())
    port = found["port"] or ""
    return Place(host if port in DEFAULT_PORTS else f"{host}:{port}", found["rest"].partition("#")[0])


def _domain(entry: str) -> str:
    place = place_of(entry if "//" in entry else f"//{entry}")
    domain = re.sub(r":\d+\Z", "", place.host).removeprefix("*.").lstrip(".")
    if not domain or place.rest not in ("", "/") or any(sign.isspace() for sign in entry):
        raise RecipeError(f"step 'urls': {entry!r} in a list of domains is no domain. Remedy: one domain an entry")
    return domain


def _punycode(host: str) -> str:
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host  # no name that could be looked up; it still equals itself


def _upwards(host: str) -> Iterator[str]:
    """`a.b.example`, `b.example`, `example`; the port of the host is left out."""
    domain = host if host.endswith("]") else re.sub(r":\d+\Z", "", host)
    while domain:
        yield domain
        domain = "" if domain.startswith("[") else domain.partition(".")[2]


def _entries(inline: tuple[str, ...], files: tuple[str, ...]) -> Iterator[str]:
    """List entries; empty lines and lines that begin with `#` are none."""
    for entry in inline:
        if entry.strip():
            yield entry.strip()
    for path in files:
        for line in _lines(_existing(path)):
            entry = line.strip()
            if entry and not entry.startswith("#"):
                yield entry


def _existing(path: str) -> Path:
    if not Path(path).is_file():
        raise RecipeError(f"step 'urls': no such list file: {path}. Remedy: correct the path, or take it out")
    return Path(path)


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as stored:
        packed = stored.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path, "rt", encoding="utf-8-sig") if packed else path.open(encoding="utf-8-sig") as lines:
            yield from lines
    except (EOFError, OSError, zlib.error, UnicodeDecodeError) as error:
        raise RecipeError(f"step 'urls': list file {path} cannot be read: {error}") from error
