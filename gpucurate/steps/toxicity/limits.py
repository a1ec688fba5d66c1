"""From scores and counts to who is over a limit, where limits differ by language."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.steps.toxicity.config import ToxicityClassifier, WordsConfig
from gpucurate.steps.toxicity.signals import signal_name

Mask = NDArray[np.bool_]
Codes = NDArray[np.object_]  # language of each document; None where it is not known


def over_score(signals: pa.Table, name: str, config: ToxicityClassifier, codes: Codes) -> Mask:
    """[documents] that reach the threshold of any label.  A language's own thresholds replace the general ones label by
    label."""
    over = np.zeros(signals.num_rows, np.bool_)
    labels = {*config.thresholds, *(label for each in config.languages.values() for label in each)}
    for label in sorted(labels):
        limit = np.full(signals.num_rows, config.thresholds.get(label, np.inf))
        for code, each in config.languages.items():
            if label in each:
                limit[codes == code] = each[label]
        score = pc.fill_null(signals[signal_name(name, label)], -np.inf).to_numpy()
        over |= score >= limit.astype(np.float32)
    return over


def over_words(config: WordsConfig, codes: Codes, found: NDArray[np.int32], share: NDArray[np.float32]) -> Mask:
    """[documents] over either limit.  A language's own limits replace both general ones."""
    most = np.full(len(codes), _limit(config.most))
    largest = np.full(len(codes), _limit(config.share))
    for code, each in config.languages.items():
        mine = codes == code
        most[mine], largest[mine] = _limit(each.most), _limit(each.share)
    return np.asarray((found > most) | (share > largest.astype(np.float32)))


def _limit(value: float | None) -> float:
    return np.inf if value is None else float(value)
