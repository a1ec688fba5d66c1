"""Models and vocabularies that recipes may name: found on this machine, readable, and the ones that were published."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gpucurate.core.errors import InputError, RecipeError
from gpucurate.report.doctor.check import Check, State, told
from gpucurate.steps.language.identifier import MODEL_VARIABLE, file_digest, load_model, model_path
from gpucurate.tokens.vocabularies import VOCABULARIES, load_ranks


def model_checks() -> Iterator[Check]:
    """Fails for a model that is there and damaged, or that the environment names in vain."""
    yield _language_model()
    for name, vocabulary in VOCABULARIES.items():
        try:
            ranks = load_ranks(vocabulary)
        except InputError as error:
            yield told(f"tiktoken:{name}", State.ABSENT, error)
        else:
            yield Check(f"tiktoken:{name}", State.OK, f"{len(ranks):,} tokens, the published vocabulary")


def _language_model() -> Check:
    try:
        path = model_path(None)
    except RecipeError as error:
        state = State.FAILED if os.environ.get(MODEL_VARIABLE) else State.ABSENT
        return told("lid.176", state, error, f"correct the variable {MODEL_VARIABLE}")
    try:
        model = load_model(path)
    except RecipeError as error:
        return told("lid.176", State.FAILED, error)
    return Check("lid.176", State.OK, f"{len(model.labels)} languages, {path} ({file_digest(path)[:16]})")
