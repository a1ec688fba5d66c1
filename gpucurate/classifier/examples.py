"""Examples: sampled documents joined with their labels, checked before anything is trained or judged on them.

A label counts only for the very text it was given for, a document has one label from each judge and repeat, and
whatever contradicts that is an error that names file and line; nothing is skipped and nothing is averaged away.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpucurate.classifier.json_lines import read_objects
from gpucurate.core.digests import digest16, digest_settings
from gpucurate.core.errors import InputError
from gpucurate.core.surrogates import repair_surrogates
from gpucurate.steps.urls import place_of

LOWEST, HIGHEST = 0.0, 5.0  # the additive scale of FineWeb-Edu (Penedo et al. 2024, section 4)
RECORD_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Example:
    """A document and what its judges said."""

    record_id: str  # 32 hex digits
    text: str
    score: float  # mean over judges and repeats, 0 to 5
    weight: float  # how many documents of the corpus it stands for
    source: str
    uri: str
    host: str  # without port and `www.`; empty where the URI is no URL
    language: str | None
    text_digest: str  # 32 hex digits of BLAKE3 over the text
    judges: tuple[str, ...] = ()  # sorted names
    rubrics: tuple[str, ...] = ()  # sorted digests
    labels: int = 1  # how many the score is the mean of


@dataclass(frozen=True, slots=True)
class SampledDocument:
    """A line of a sample."""

    record_id: str
    source: str
    uri: str
    title: str | None
    language: str | None
    text: str
    weight: float
    stratum: str

    @property
    def text_digest(self) -> str:
        """32 hex digits of BLAKE3 over the text."""
        return text_digest(self.text)


@dataclass(frozen=True, slots=True)
class Label:
    """A line of a labels file, as far as training and agreement look at it."""

    record_id: str
    score: float
    judge: str
    rubric: str
    repeat: int
    text_digest: str


def text_digest(text: str) -> str:
    """32 hex digits of BLAKE3 over a text in UTF-8."""
    return digest16(text.encode()).hex()


def host_of(uri: str) -> str:
    """Host of a URL, without port and leading `www.`; empty for what is no URL of a host."""
    return re.sub(r":\d+\Z", "", place_of(uri).host).removeprefix("www.")


def load_examples(samples: Sequence[Path], labels: Sequence[Path]) -> list[Example]:
    """Sampled documents that have labels, in the order of their ids.

    Raises InputError naming file, line and remedy for what is no JSON or lacks a field, a score that is no number of
    the scale, a label without a document or for another text, a second label of one judge and repeat, and a document
    sampled twice with another text or weight.
    """
    documents = read_samples(samples)
    by_document: dict[str, list[Label]] = {}
    for place, label in read_labels(labels):
        document = documents.get(label.record_id)
        if document is None:
            raise InputError(
                f"{place}: no sample holds a document {label.record_id}. "
                "Remedy: give the sample that was labelled too, or take the line out"
            )
        if label.text_digest != document.text_digest:
            raise InputError(
                f"{place}: the label was given for another text of document {label.record_id} than the sample's. "
                "Remedy: give the sample that was labelled, or label this one"
            )
        by_document.setdefault(label.record_id, []).append(label)
    if not by_document:
        names = ", ".join(map(str, labels)) or "none given"
        raise InputError(f"no labels in the files of labels ({names}). Remedy: gpucurate classifier label")
    return [_example(documents[record_id], by_document[record_id]) for record_id in sorted(by_document)]


def examples_digest(examples: Iterable[Example]) -> str:
    """64 hex digits over ids, texts, scores and weights, whatever the order."""
    return digest_settings(sorted([e.record_id, e.text_digest, e.score, e.weight] for e in examples))


def read_samples(paths: Sequence[Path]) -> dict[str, SampledDocument]:
    """Sampled documents by id, in the order of the files.  Raises InputError as `load_examples` does."""
    documents: dict[str, SampledDocument] = {}
    for path in paths:
        for place, row in read_objects(path):
            document = _document(place, row)
            known = documents.setdefault(document.record_id, document)
            if known.text != document.text:
                raise InputError(
                    f"{place}: document {document.record_id} is there twice with different texts. "
                    "Remedy: give samples of one state of the corpus"
                )
            if known.weight != document.weight:
                raise InputError(
                    f"{place}: document {document.record_id} is there twice with the weights {known.weight} and "
                    f"{document.weight}; weights of two draws do not add up. Remedy: give one sample, or draw a larger"
                )
    if not documents:
        names = ", ".join(map(str, paths)) or "none given"
        raise InputError(f"no documents in the files of samples ({names}). Remedy: gpucurate classifier sample")
    return documents


def read_labels(paths: Sequence[Path]) -> Iterator[tuple[str, Label]]:
    """Labels with their places.  Raises InputError for a malformed one and for a second of one judge and repeat."""
    seen: dict[tuple[str, str, int], str] = {}
    for path in paths:
        for place, row in read_objects(path):
            label = _label(place, row)
            identity = (label.record_id, label.judge, label.repeat)
            if identity in seen:
                raise InputError(
                    f"{place}: judge {label.judge!r} has labelled document {label.record_id} (repeat {label.repeat}) "
                    f"already, at {seen[identity]}. Remedy: take one of the two lines out, or give each file once"
                )
            seen[identity] = place
            yield place, label


def _example(document: SampledDocument, labels: list[Label]) -> Example:
    return Example(
        record_id=document.record_id,
        text=document.text,
        score=math.fsum(label.score for label in labels) / len(labels),  # exact, so the order of files is no matter
        weight=document.weight,
        source=document.source,
        uri=document.uri,
        host=host_of(document.uri),
        language=document.language,
        text_digest=document.text_digest,
        judges=tuple(sorted({label.judge for label in labels})),
        rubrics=tuple(sorted({label.rubric for label in labels})),
        labels=len(labels),
    )


def _document(place: str, row: Mapping[str, Any]) -> SampledDocument:
    weight = _number(place, row, "weight")
    if not weight > 0 or math.isinf(weight):
        raise InputError(f"{place}: a weight of {weight}. Remedy: write how many documents it stands for, 1 or more")
    return SampledDocument(
        record_id=_record_id(place, row),
        source=_word(place, row, "source"),
        uri=_word(place, row, "uri"),
        title=_word(place, row, "title") if row.get("title") is not None else None,
        language=_word(place, row, "language") if row.get("language") is not None else None,
        text=_word(place, row, "text"),
        weight=weight,
        stratum=_word(place, row, "stratum"),
    )


def _label(place: str, row: Mapping[str, Any]) -> Label:
    score = _number(place, row, "score")
    if not LOWEST <= score <= HIGHEST:  # refuses NaN too
        raise InputError(
            f"{place}: the score {score} is not on the scale from {LOWEST:g} to {HIGHEST:g}. "
            "Remedy: correct it, or take the line out"
        )
    repeat = row.get("repeat")
    if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 0:
        raise InputError(f"{place}: `repeat` is {repeat!r}. Remedy: write a number from 0")
    return Label(
        record_id=_record_id(place, row),
        score=score,
        judge=_word(place, row, "judge"),
        rubric=_word(place, row, "rubric"),
        repeat=repeat,
        text_digest=_word(place, row, "text_digest"),
    )


def _record_id(place: str, row: Mapping[str, Any]) -> str:
    value = _word(place, row, "record_id")
    if not RECORD_ID.fullmatch(value):
        raise InputError(f"{place}: `record_id` is {value!r}. Remedy: write 32 hexadecimal digits in lower case")
    return value


def _word(place: str, row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str):
        raise InputError(f"{place}: `{field}` is {value!r}. Remedy: write a text there")
    if repair_surrogates(value) != value:
        raise InputError(f"{place}: `{field}` holds half a UTF-16 pair, which is no character. Remedy: take it out")
    return value


def _number(place: str, row: Mapping[str, Any], field: str) -> float:
    value = row.get(field)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InputError(f"{place}: `{field}` is {value!r}. Remedy: write a number there")
    return float(value)
