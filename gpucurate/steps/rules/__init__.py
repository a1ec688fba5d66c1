"""`rules`: published rule sets over one pass of counts: Gopher quality and repetition, C4, FineWeb, and a lesson's.

One file a rule set: its settings, its reasons, its flags.  Everything is measured for every document whatever is
judged, so that the funnel can be asked what another threshold or another set would do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field, field_validator, model_validator

from gpucurate.core.digests import digest_settings
from gpucurate.core.reasons import Reason
from gpucurate.core.text_buffers import pack_texts, text_buffers
from gpucurate.device.cpu.text_features.characters import is_one_word
from gpucurate.device.features import GOPHER_STOP_WORDS, TEXT_FEATURES
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.contract import Measurement, RecordStep, Verdicts
from gpucurate.steps.rules.c4 import C4, read_bad_words, walk
from gpucurate.steps.rules.fineweb import EDITED, MEASURED, FineWeb
from gpucurate.steps.rules.gopher_quality import GopherQuality
from gpucurate.steps.rules.gopher_repetition import GopherRepetition
from gpucurate.steps.rules.lesson import Lesson
from gpucurate.steps.rules.sets import RULE_SETS
from gpucurate.steps.rules.signals import Flags

__all__ = ["Rules", "RulesConfig"]


class RulesConfig(StepConfig):
    """Settings of `rules`: a set that is named is judged, with `{}` for its published thresholds."""

    judging: ClassVar[frozenset[str]] = frozenset(RULE_SETS)
    gopher_repetition: GopherRepetition | None = Field(None, description="Repetition, Gopher A.1.1.")
    gopher_quality: GopherQuality | None = Field(None, description="Quality, Gopher A.1.1.")
    c4: C4 | None = Field(None, description="Pages and lines, C4; named, it also removes lines from the text.")
    fineweb: FineWeb | None = Field(None, description="FineWeb's own rules, on what C4 left of the text.")
    lesson: Lesson | None = Field(None, description="A small set to teach with.")
    stop_words: tuple[str, ...] = Field(
        GOPHER_STOP_WORDS, description="Words to count, as written; the default is Gopher's list for English."
    )

    @field_validator("stop_words")
    @classmethod
    def _each_one_word(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        for word in words:
            if not is_one_word(word):
                raise ValueError(f"stop word {word!r} is not one word by docs/rules.md: it could never be found")
        return tuple(sorted(set(words)))

    @model_validator(mode="after")
    def _judges_something(self) -> RulesConfig:
        if all(getattr(self, name) is None for name in RULE_SETS):
            raise ValueError(f"no rule set is named, so nothing would be judged; name one of {', '.join(RULE_SETS)}")
        return self

    def measuring(self) -> dict[str, object]:
        """Stop words, and C4's settings that shape signals; whether C4 edits is part of it."""
        return super().measuring() | {"c4_edits": self.c4 is not None, "c4": self.line_rules.measuring()}

    @property
    def line_rules(self) -> C4:
        """C4's settings for measuring; the published ones where the recipe does not name C4."""
        return self.c4 or C4.model_validate({})


class Rules(RecordStep[RulesConfig]):
    """Measures TEXT_FEATURES of the text, C4's signals, and FineWeb's counts of the text after C4's line removal."""

    name = "rules"
    version = 1
    config_type = RulesConfig
    reasons: ClassVar[tuple[Reason, ...]] = tuple(reason for rules in RULE_SETS.values() for reason in rules.reasons)

    def resources(self) -> Mapping[str, str]:
        """Digest of the user's bad words."""
        path = self.config.c4.bad_words if self.config.c4 else None
        return {} if path is None else {"bad_words": digest_settings(read_bad_words(path))}

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals: the fields of TEXT_FEATURES, `c4_*`, and `edited_*` for the fields FineWeb's rules read.

        Edits only where the recipe names C4; spans are of kind `c4.*`.
        """
        texts = text_buffers(documents["text"])
        features = self.backend.text_features(texts, self.config.stop_words)
        removal = walk(texts, self.config.line_rules)
        edited = features.copy()
        if self.config.c4 is not None:
            changed = removal.edit.text.is_valid().to_numpy(zero_copy_only=False)
            rewritten = text_buffers(removal.edit.text.drop_null())
            edited[changed] = self.backend.text_features(rewritten, self.config.stop_words, grams=False)
            # C4 joins its lines with single line ends; the blank lines we keep between them are not FineWeb's concern
            edited["newlines"] = np.maximum(edited["text_lines"] - 1, 0)
        columns = {name: pa.array(features[name].copy()) for name in TEXT_FEATURES.names or ()}
        columns |= removal.signals
        columns |= {EDITED + name: pa.array(edited[name].copy()) for name in MEASURED}
        return Measurement(pa.table(columns), removal.edit if self.config.c4 is not None else None)

    def flags(self, signals: pa.Table) -> dict[Reason, Flags]:
        """What each single rule says of each document, judged or not, by the recipe's thresholds or the published
        ones; the order is that of judging."""
        found: dict[Reason, Flags] = {}
        for name, rules in RULE_SETS.items():
            found |= rules.flags(signals, getattr(self.config, name) or rules.published)
        return found

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """The first reason of the judged sets that holds."""
        judged = [rules.reasons for name, rules in RULE_SETS.items() if getattr(self.config, name) is not None]
        giving = {reason for reasons in judged for reason in reasons}
        verdicts = np.zeros(signals.num_rows, np.int16)
        for number, (reason, flag) in enumerate(self.flags(signals).items(), start=1):
            if reason in giving:
                verdicts[flag & (verdicts == 0)] = number
        return verdicts

    def warm(self) -> None:
        """Compile every kernel on a line that needs each."""
        texts = pack_texts(["A line of text [1].\n\njavascript\n", ""])
        self.backend.text_features(texts, self.config.stop_words)
        walk(texts, self.config.line_rules)
