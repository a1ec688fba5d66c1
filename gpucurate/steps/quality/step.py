"""The step `quality`.

FineWeb-Edu's method (arXiv 2406.17557, section 4): a regressor on an embedding model, trained on an LLM's ratings from
0 to 5.  Scores are rounded to four decimals: what differs behind them is the machine's arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpucurate.core.reasons import Reason
from gpucurate.steps.contract import SCORED_TOKENS, Measurement, RecordStep, Verdicts
from gpucurate.steps.quality.calibration import Calibration, saved_calibration
from gpucurate.steps.quality.combination import QUANTILES_FILE, Scores, column, combine, read_edges
from gpucurate.steps.quality.config import QualityConfig
from gpucurate.steps.quality.model_directory import classifier_digest, find_directory
from gpucurate.steps.quality.opened import Scorer, open_classifier
from gpucurate.steps.quality.pareto import pareto_keep
from gpucurate.steps.quality.regressor import Regressor

NO_TEXT, LOW, NOT_DRAWN = 1, 2, 3
DECIMALS = 4
SCORE, INT_SCORE = "score", "int_score"
HIGHEST_INT = 5  # FineWeb-Edu's int_score: rounded and clipped to 0..5


class Quality(RecordStep[QualityConfig]):
    """Measures `score` and `int_score`, and `score_NAME` of each classifier; judges by a cut or by GPT-3's chance."""

    name = "quality"
    version = 2
    config_type = QualityConfig
    on_device: ClassVar[bool] = True
    rating: ClassVar[str | None] = SCORE
    reasons = (
        Reason("quality.no_text", "there is no visible character to score"),
        Reason("quality.low", "the score is below the cut", "FineWeb, section 4"),
        Reason("quality.not_drawn", "chance, which grows with the score, did not keep it", "GPT-3, appendix A"),
    )

    def resources(self) -> Mapping[str, str]:
        """Digests of models, calibrations and the ranks' edges.  Raises InputError where one is missing or damaged."""
        found: dict[str, str] = {}
        for name, each in self.config.classifiers.items():
            found[name] = classifier_digest(find_directory(each.model))
            if self.config.combine == "rank":
                found[f"{name} edges"] = " ".join(map(repr, self._edges(name).tolist()))
            calibration = self._calibration(name)
            if calibration is not None:
                found[f"{name} calibration"] = calibration.digest()
        return found

    def remarks(self) -> list[str]:
        """Settings under which nothing is decided, or decided by another classifier than was meant."""
        config, said = self.config, []
        if config.cut is None and config.pareto is None:
            said.append("there is no cut, so every document stays; gpucurate retention shows what a cut would cost")
        if config.cut is not None and not 0 < config.cut <= config.top:
            said.append(f"the cut {config.cut:g} is outside the scale, 0 to {config.top:g}")
        if config.cascade is not None and config.cut is not None and config.combine != "rank":
            low, high = config.cascade.low, config.cascade.high
            if not low <= config.cut <= high:
                said.append(
                    f"the cut {config.cut:g} is outside the cascade's band, {low:g} to {high:g}, where "
                    f"{config.cascade.first} decides alone"
                )
        return said

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals: `score` (float32) and `int_score` (int8, 0 to 5; not for ranks), `score_NAME` (float32) of each
        classifier, as it comes; all null where it was not asked; `scored_tokens` (int32)."""
        texts = documents["text"].to_pylist()
        asked = np.array([bool(text.strip()) for text in texts], np.bool_)
        uris = documents["uri"].to_pylist()
        scores, rated, masks, tokens = self._scores(texts, asked, uris)
        combined = self._combined(rated, masks)
        columns = {SCORE: column(combined, asked)}
        if self.config.combine != "rank":
            whole = np.rint(combined.clip(0, HIGHEST_INT)).astype(np.int8)
            columns[INT_SCORE] = pa.array(whole, mask=~asked)
        for name in self.config.classifiers:
            columns[f"score_{name}"] = column(scores[name], masks[name])
        columns[SCORED_TOKENS] = pa.array(tokens.astype(np.int32))
        return Measurement(pa.table(columns))

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Nothing to score, then below the cut or not drawn."""
        config = self.config
        nothing = signals[SCORE].is_null().to_numpy()
        score = pc.fill_null(signals[SCORE], 0).to_numpy()
        if config.cut is not None:
            verdicts = np.where(score < np.float32(config.cut), LOW, 0)
        elif config.pareto is not None:
            chance = np.asarray(score, np.float64).clip(0, config.top) / config.top
            ids = documents["record_id"].combine_chunks()
            verdicts = np.where(pareto_keep(chance, ids, config.pareto, config.seed), 0, NOT_DRAWN)
        else:
            return np.zeros(len(score), np.int16)
        return np.where(nothing, NO_TEXT, verdicts).astype(np.int16)

    def warm(self) -> None:
        """Open every classifier, so that one that cannot score is said before anything slow begins."""
        on_gpu = self.backend.name == "cuda"
        for each in self.config.classifiers.values():
            fits = each.precision != ("int8" if on_gpu else "fp16")  # the workers may have the device, this process not
            open_classifier(each if fits else each.model_copy(update={"precision": "auto"}), self.backend.name)

    def said(self) -> list[str]:
        """What happened to the device's memory while measuring."""
        opened = (self._open(name) for name in self.config.classifiers)
        return [line for each in opened if isinstance(each, Regressor) for line in each.told()]

    def _scores(
        self, texts: list[str], asked: NDArray[np.bool_], uris: list[str]
    ) -> tuple[dict[str, Scores], dict[str, Scores], dict[str, NDArray[np.bool_]], NDArray[np.int64]]:
        """Scores as they come, calibrated ones and who was asked, by classifier; and the tokens they saw."""
        scores: dict[str, Scores] = {}
        rated: dict[str, Scores] = {}
        masks: dict[str, NDArray[np.bool_]] = {}
        tokens = np.zeros(len(texts), np.int64)
        cascade = self.config.cascade
        order = list(self.config.classifiers)
        if cascade is not None:
            order.sort(key=lambda name: name != cascade.first)
        for name in order:
            mask = asked
            if cascade is not None and name != cascade.first:
                mask = asked & (rated[cascade.first] >= cascade.low) & (rated[cascade.first] <= cascade.high)
            rows = np.flatnonzero(mask)
            scores[name], masks[name] = np.zeros(len(texts)), mask
            if len(rows):
                found = self._open(name).score([texts[row] for row in rows], [uris[row] for row in rows].__getitem__)
                scores[name][rows] = found.values.round(DECIMALS)
                tokens[rows] += found.tokens
            calibration = self._calibration(name)
            rated[name] = scores[name] if calibration is None else calibration(scores[name])
        return scores, rated, masks, tokens

    def _combined(self, scores: Mapping[str, Scores], masks: Mapping[str, NDArray[np.bool_]]) -> Scores:
        how, cascade = self.config.combine, self.config.cascade
        edges = {name: self._edges(name) for name in scores} if how == "rank" else {}
        if cascade is None:
            return combine(scores, how, edges).round(DECIMALS)
        others = {name: values for name, values in scores.items() if name != cascade.first}
        near = masks[next(iter(others))]
        alone = combine({cascade.first: scores[cascade.first]}, how, edges)
        return np.where(near, combine(others, how, edges), alone).round(DECIMALS)

    def _open(self, name: str) -> Scorer:
        return open_classifier(self.config.classifiers[name], self.backend.name)

    def _calibration(self, name: str) -> Calibration | None:
        """None for ranks too: their edges are of scores as they come, and no map that ascends changes a rank."""
        each = self.config.classifiers[name]
        if not each.calibrated or self.config.combine == "rank":
            return None
        return saved_calibration(find_directory(each.model))

    def _edges(self, name: str) -> Scores:
        each = self.config.classifiers[name]
        directory = find_directory(each.model)
        path = Path(each.quantiles) if each.quantiles else directory / QUANTILES_FILE
        return read_edges(path, classifier_digest(directory))
