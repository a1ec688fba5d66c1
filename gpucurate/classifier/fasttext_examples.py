"""What a fastText classifier learns from: labels cut in two, or a reference corpus against a crawl (GPT-3, DCLM)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpucurate.classifier.examples import HIGHEST, LOWEST, Example, SampledDocument, host_of, read_samples
from gpucurate.core.errors import InputError


def cut_in_two(examples: Sequence[Example], cut: float) -> tuple[list[Example], list[Example]]:
    """(good, rest): scores from `cut` on, and those below.  Raises InputError if one is empty."""
    good = [e for e in examples if e.score >= cut]
    rest = [e for e in examples if e.score < cut]
    if not good or not rest:
        raise InputError(
            f"{len(good):,} of {len(examples):,} labelled examples reach the cut {cut:g}, so there is nothing to tell "
            "apart. Remedy: another cut, or labels of better and worse documents"
        )
    return good, rest


def two_corpora(reference: Sequence[Path], crawl: Sequence[Path]) -> tuple[list[Example], list[Example]]:
    """(good, rest) from samples in JSON Lines.

    Raises InputError as `read_samples` does, and for texts that are in both, which teach nothing but contradiction.
    """
    good = [_example(document, HIGHEST) for document in read_samples(reference).values()]
    rest = [_example(document, LOWEST) for document in read_samples(crawl).values()]
    known = {e.text_digest: e.record_id for e in good}
    both = [e.record_id for e in rest if e.text_digest in known]
    if both:
        raise InputError(
            f"{len(both):,} texts of the crawl are in the reference too ({', '.join(both[:3])}"
            f"{' …' if len(both) > 3 else ''}). Remedy: take them out of one of the two"
        )
    return good, rest


def _example(document: SampledDocument, score: float) -> Example:
    return Example(
        record_id=document.record_id,
        text=document.text,
        score=score,
        weight=document.weight,
        source=document.source,
        uri=document.uri,
        host=host_of(document.uri),
        language=document.language,
        text_digest=document.text_digest,
        labels=0,
    )
