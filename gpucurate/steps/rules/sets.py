"""The rule sets by the recipe's words, in the order in which they are judged (FineWeb's, then the lesson's)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from gpucurate.core.reasons import Reason
from gpucurate.recipe.model import Block
from gpucurate.steps.rules import c4, fineweb, gopher_quality, gopher_repetition, lesson
from gpucurate.steps.rules.signals import Flags


class RuleSet(NamedTuple):
    """Published thresholds, reasons in order, and the function from signals and thresholds to flags."""

    published: Block
    reasons: tuple[Reason, ...]
    flags: Callable[[pa.Table, Any], dict[Reason, Flags]]


RULE_SETS = {
    "gopher_repetition": RuleSet(
        gopher_repetition.GopherRepetition.model_validate({}), gopher_repetition.REASONS, gopher_repetition.flags
    ),
    "gopher_quality": RuleSet(
        gopher_quality.GopherQuality.model_validate({}), gopher_quality.REASONS, gopher_quality.flags
    ),
    "c4": RuleSet(c4.C4.model_validate({}), c4.REASONS, c4.flags),
    "fineweb": RuleSet(fineweb.FineWeb.model_validate({}), fineweb.REASONS, fineweb.flags),
    "lesson": RuleSet(lesson.Lesson.model_validate({}), lesson.REASONS, lesson.flags),
}
