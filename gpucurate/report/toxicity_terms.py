"""A file of terms by group: what counts as a mention of a dialect, a community, a subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from gpucurate.core.errors import InputError, UserError
from gpucurate.steps.toxicity.matching import Matcher, has_symbols, make_matcher

EXPECTED = "expected a mapping of groups to lists of words or phrases, such as {dialect: [finna, y'all]}"


@dataclass(frozen=True, slots=True)
class Terms:
    """One matcher a group, and how many terms it has."""

    groups: Mapping[str, Matcher]
    counts: Mapping[str, int]


def read_terms(path: str) -> Terms:
    """YAML or JSON.  Raises InputError for a file that cannot be read, UserError for one that says something else."""
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the file of terms {path} cannot be read ({error}). Remedy: name a YAML file") from error
    except yaml.YAMLError as error:
        said = str(error).replace("\n", " ")
        raise UserError(f"{path} is no YAML ({said}); {EXPECTED}") from error
    if not isinstance(content, dict) or not content:
        raise UserError(f"{path}: {EXPECTED}")
    groups: dict[str, list[str]] = {}
    for name, terms in content.items():
        if not isinstance(terms, list) or not terms or not all(isinstance(term, str) for term in terms):
            raise UserError(f"{path}: group {name!r} is no list of words; {EXPECTED}. Quote words such as 'no' or '1'")
        for term in terms:
            if has_symbols(term):
                raise UserError(f"{path}: group {name!r} has the term {term!r}, which is not made of words")
        groups[str(name)] = list(dict.fromkeys(terms))
    return Terms({name: make_matcher(terms) for name, terms in groups.items()}, {n: len(t) for n, t in groups.items()})
