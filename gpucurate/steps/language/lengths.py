"""How sure the identifier was of texts of each length: short texts full of names fail, and this shows how many.

A table for the funnel and the report, made from signals alone.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

LENGTHS = (0, 100, 300, 1_000, 3_000, 10_000, 100_000)  # least bytes of each class
SCORES = (0.0, 0.3, 0.5, 0.65, 0.8, 0.9)  # least score of each class


def scores_by_length(signals: pa.Table) -> pa.Table:
    """Histogram over the signals of `language`: one row a length class, one column a score class.

    Columns: `from_bytes` (least length of the class), `documents`, `no_language`, then `score_0.00`, `score_0.30`, ...
    (documents whose score is at least that and below the next).
    """
    length = np.searchsorted(LENGTHS, signals["language_bytes"].to_numpy(), side="right") - 1
    score = pc.fill_null(signals["language_score"], -1).to_numpy()
    score_class = np.searchsorted(np.array(SCORES, np.float32), score, side="right")  # 0: no language
    counts = np.zeros((len(LENGTHS), len(SCORES) + 1), np.int64)
    np.add.at(counts, (length, score_class), 1)
    columns = {"from_bytes": LENGTHS, "documents": counts.sum(1), "no_language": counts[:, 0]}
    columns |= {f"score_{least:.2f}": counts[:, k + 1] for k, least in enumerate(SCORES)}
    return pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()})
