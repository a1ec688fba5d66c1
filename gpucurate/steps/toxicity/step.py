"""The step `toxicity`.

Scores and counts are measured once; thresholds, which may differ by language, decide.  What a threshold costs whom is
shown by `gpucurate toxicity`: block lists remove text of and about minorities more often than other text (Dodge et al.
2021, arXiv 2104.08758, section 5.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.errors import UserError
from gpucurate.core.reasons import Reason
from gpucurate.core.text_buffers import read_only, text_buffers
from gpucurate.steps.contract import SCORED_TOKENS, Measurement, RecordStep, Verdicts
from gpucurate.steps.language.codes import languages
from gpucurate.steps.language.identifier import file_digest, identify, load_model, model_path
from gpucurate.steps.language.letters import lettered
from gpucurate.steps.toxicity.config import AUTO, ToxicityConfig
from gpucurate.steps.toxicity.limits import over_score, over_words
from gpucurate.steps.toxicity.matching import count_matches, normalised
from gpucurate.steps.toxicity.models import LabelClassifier, find_model, model_digest, open_model
from gpucurate.steps.toxicity.signals import FOUND, LANGUAGE, SHARE, signals_of
from gpucurate.steps.toxicity.word_lists import EVERY_LANGUAGE, list_digest, matcher_of, read_list

SCORE, WORDS = 1, 2
DECIMALS = 4  # what differs behind them is the machine's arithmetic


class Toxicity(RecordStep[ToxicityConfig]):
    """Measures `score_NAME_LABEL` of each classifier and label, `listed_words` and `listed_share`; judges by
    thresholds."""

    name = "toxicity"
    version = 1
    config_type = ToxicityConfig
    on_device: ClassVar[bool] = True
    reasons = (
        Reason("toxicity.score", "a classifier's score of a label reaches its threshold", "Dolma, section 5.3"),
        Reason("toxicity.words", "it has too many words or phrases of a list", "C4, section 2.2"),
    )

    def resources(self) -> Mapping[str, str]:
        """Digests of models and word lists.  Raises InputError where one is missing."""
        found = {name: model_digest(find_model(each.model)) for name, each in self.config.classifiers.items()}
        if self.config.words is not None:
            found |= {f"words {code}": list_digest(path) for code, path in self.config.words.lists.items()}
        if self.config.identifies:
            found["lid.176"] = file_digest(model_path(self.config.language_model))
        return found

    def remarks(self) -> list[str]:
        """Settings under which nothing is decided, and entries that are not looked for."""
        config, words, said = self.config, self.config.words, []
        decides = any(each.thresholds or each.languages for each in config.classifiers.values())
        if words is not None:
            limits = [words, *words.languages.values()]
            decides = decides or any(each.most is not None or each.share is not None for each in limits)
            for code, path in words.lists.items():
                left = read_list(path).left_out
                if left:
                    said.append(f"of the list {code!r} entries with symbols that no word has are left out: {len(left)}")
        if not decides:
            said.append("there is no threshold, so every document stays; gpucurate toxicity shows the scores' cost")
        return said

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals: `score_NAME_LABEL` (float32, four decimals, null for a text without a visible character);
        `listed_words` (int32: matches), `listed_share` (float32: of words that are in a match); `language` where
        it matters; `scored_tokens` (int32)."""
        texts = documents["text"].to_pylist()
        uris = documents["uri"].to_pylist()
        asked = np.array([bool(text.strip()) for text in texts], np.bool_)
        rows = np.flatnonzero(asked)
        tokens = np.zeros(len(texts), np.int64)
        columns: dict[str, pa.Array] = {}
        codes = self._languages(documents)
        if self.config.identifies:
            columns[LANGUAGE] = pa.array(codes, pa.string())
        for name in self.config.classifiers:
            model = self._open(name)
            found = model.score([texts[row] for row in rows], [uris[row] for row in rows].__getitem__)
            tokens[rows] += found.tokens
            for label, signal in signals_of(name, model.labels).items():
                values = np.zeros(len(texts), np.float32)
                values[rows] = found.values[:, model.labels.index(label)].round(DECIMALS)
                columns[signal] = pa.array(values, mask=~asked)
        if self.config.words is not None:
            columns |= self._words(texts, codes)
        columns[SCORED_TOKENS] = pa.array(tokens.astype(np.int32))
        return Measurement(pa.table(columns))

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """A score, then listed words."""
        rows = signals.num_rows
        if LANGUAGE in signals.column_names:
            codes = np.array(signals[LANGUAGE].to_pylist(), object)
        else:
            codes = np.full(rows, None if self.config.language == AUTO else self.config.language, object)
        scored, listed = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
        for name, each in self.config.classifiers.items():
            scored |= over_score(signals, name, each, codes)
        if self.config.words is not None:
            found, share = signals[FOUND].to_numpy(), signals[SHARE].to_numpy()
            listed = over_words(self.config.words, codes, found, share)
        return np.where(scored, SCORE, np.where(listed, WORDS, 0)).astype(np.int16)

    def warm(self) -> None:
        """Open every model and list, so that one that does not fit is said before anything slow begins."""
        on_gpu = self.backend.name == "cuda"
        signals: list[str] = []
        for name, each in self.config.classifiers.items():
            fits = each.precision != ("int8" if on_gpu else "fp16")  # the workers may have the device, this process not
            chosen = each if fits else each.model_copy(update={"precision": "auto"})
            labels = open_model(chosen, self.backend.name).labels
            signals += signals_of(name, labels).values()
            for label in {*each.thresholds, *(label for other in each.languages.values() for label in other)}:
                if label not in labels:
                    raise UserError(
                        f"toxicity: classifier {name!r} has no label {label!r}; it has {', '.join(labels)}. "
                        "Remedy: name its thresholds so"
                    )
        if len(set(signals)) < len(signals):
            raise UserError(
                "toxicity: two classifiers' signals would have one name. Remedy: name one of them otherwise"
            )
        if self.config.words is not None:
            for path in self.config.words.lists.values():
                count_matches(normalised(["warm"]), matcher_of((path,)))
        if self.config.identifies:
            load_model(model_path(self.config.language_model))

    def said(self) -> list[str]:
        """What happened to the device's memory while measuring."""
        return [line for name in self.config.classifiers for line in self._open(name).told()]

    def _open(self, name: str) -> LabelClassifier:
        return open_model(self.config.classifiers[name], self.backend.name)

    def _languages(self, documents: pa.Table) -> NDArray[np.object_]:
        """[documents]: code of the language; None where it is not known or does not matter."""
        config = self.config
        if not config.identifies:
            return np.full(documents.num_rows, None if config.language == AUTO else config.language, object)
        path = model_path(config.language_model)
        data, offsets = text_buffers(documents["text"])
        starts, stops = read_only(offsets[:-1]), read_only(offsets[1:])
        label, _ = identify(path, data, starts, stops)
        label[~lettered(data, starts, stops)] = -1
        known = np.array([*(languages()[name].code for name in load_model(path).labels), None], object)
        return np.asarray(known[label])  # -1, nothing known, is the last

    def _words(self, texts: list[str], codes: NDArray[np.object_]) -> dict[str, pa.Array]:
        assert self.config.words is not None
        lists = self.config.words.lists
        found, share = np.zeros(len(texts), np.int32), np.zeros(len(texts), np.float64)
        for code in dict.fromkeys(codes.tolist()):
            paths = tuple(lists[key] for key in (code, EVERY_LANGUAGE) if key in lists)
            if paths:
                rows = np.flatnonzero(codes == code)
                matches = count_matches(normalised([texts[row] for row in rows]), matcher_of(paths))
                found[rows] = matches.found
                share[rows] = matches.covered / np.maximum(matches.words, 1)
        return {FOUND: pa.array(found), SHARE: pa.array(share.round(DECIMALS).astype(np.float32))}
