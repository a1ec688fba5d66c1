"""`normalize`: one spelling for equal text, before anything is counted or compared.

Invisible controls go, Unicode is brought to NFC (or NFKC), runs of blanks become one space, lines are stripped, and
three or more line ends become two.  Words are never changed: no case folding, no quotes, no spelling.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from gpucurate.core.reasons import Reason
from gpucurate.core.text_buffers import pack_texts, text_buffers
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.contract import Measurement, RecordStep, Verdicts
from gpucurate.steps.normalize.changes import normalize_texts

__all__ = ["Normalize", "NormalizeConfig"]


class NormalizeConfig(StepConfig):
    """Settings of `normalize`."""

    form: Literal["NFC", "NFKC"] = Field(
        "NFC",
        description="Unicode normalisation form. NFC keeps what a reader sees; NFKC also replaces compatibility "
        "characters (ligatures, full-width letters, superscripts) and so changes some meanings.",
    )
    byte_order_marks: bool = Field(True, description="Remove U+FEFF wherever it stands.")
    zero_width: bool = Field(
        True,
        description="Remove soft hyphens, zero-width spaces and word joiners (U+00AD, U+200B, U+2060). The joiners "
        "U+200C and U+200D always stay: Persian, Indic scripts and emoji need them.",
    )


class Normalize(RecordStep[NormalizeConfig]):
    """Measures the length of the normalised text and edits where it differs.

    The result is the same on every Python: characters that Unicode 14.0 (Python 3.11) assigns never change their
    normal form (Unicode Standard Annex 15, section 3); one assigned later can depend on the interpreter.
    """

    name = "normalize"
    version = 1
    config_type = NormalizeConfig
    reasons = (Reason("normalize.empty", "nothing is left but white space and control characters"),)

    def measure(self, documents: pa.Table) -> Measurement:
        """Signal `normalized_bytes` (int64); one span of kind `normalize` in every document that changes."""
        config = self.config
        result = normalize_texts(
            text_buffers(documents["text"]), config.form, config.byte_order_marks, config.zero_width
        )
        return Measurement(pa.table({"normalized_bytes": pa.array(result.bytes)}), result.edit)

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Empty documents go."""
        return np.asarray(signals["normalized_bytes"].to_numpy() == 0, np.int16)

    def warm(self) -> None:
        """Compile the kernels on a text that needs everything."""
        normalize_texts(pack_texts([" e\u0301\r\n\n\nx", "clean"]), "NFC", True, True)
