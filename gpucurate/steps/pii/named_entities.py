"""Names of people and street addresses, by a model for named entities: GLiNER or Presidio, when the recipe asks.

What no pattern can say costs a model: a thousand times the time of everything else here.  The models are behind one
small protocol; what they say is trusted as it is, with their score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, Protocol

from gpucurate.core.digests import digest_file, digest_settings
from gpucurate.core.errors import MissingExtra
from gpucurate.steps.pii.classes import Detector, Match, PiiClass
from gpucurate.steps.pii.config import PiiConfig

WINDOW = 1_500  # characters a model is given at once: some 300 words, under the 384 that GLiNER's models read
GLINER_LABELS = {PiiClass.PERSON: "person", PiiClass.STREET_ADDRESS: "street address"}
PRESIDIO_ENTITIES = {PiiClass.PERSON: "PERSON"}  # its LOCATION is a town or a country, no address


class Entity(NamedTuple):
    """A span of characters in the text given, with its class and score."""

    start: int
    end: int
    kind: PiiClass
    score: float


class NamedEntities(Protocol):
    """A model: entities of a text no longer than `WINDOW` characters."""

    def __call__(self, text: str) -> Sequence[Entity]:
        """May overlap and come in any order."""


class NameDetector:
    """Runs a model over windows of a text; offsets become bytes."""

    def __init__(self, config: PiiConfig, model: NamedEntities | None = None) -> None:
        self._config = config
        self._wanted = [kind for kind in GLINER_LABELS if kind in config.policies]
        self._detectors = {kind: Detector(f"{kind.value}.{config.ner}", kind) for kind in self._wanted}
        self._model = model

    def __call__(self, text: str) -> Iterator[Match]:
        """Entities of the classes wanted."""
        if self._model is None:
            self._model = load(self._config)
        offset = 0
        for window in windows(text):
            places = [0, *accumulate(len(sign.encode()) for sign in window)] if not window.isascii() else None
            for entity in self._model(window):
                detector = self._detectors.get(entity.kind)
                if detector is not None and 0 <= entity.start < entity.end <= len(window):
                    first = places[entity.start] if places else entity.start
                    last = places[entity.end] if places else entity.end
                    yield Match(offset + first, offset + last, detector, entity.score)
            offset += places[-1] if places else len(window)

    def versions(self) -> dict[str, str]:
        """Version of the package, and the digest of a model that is a directory here."""
        package = PACKAGES[self._config.ner]
        found = {package: "not installed"}
        try:
            found = {package: version(package)}
        except ModuleNotFoundError:
            pass  # said, with the remedy, when the model is loaded
        directory = Path(self._config.ner_model or "")
        if self._config.ner_model and directory.is_dir():
            files = sorted(path for path in directory.rglob("*") if path.is_file())
            found["ner_model"] = digest_settings([(str(p.relative_to(directory)), digest_file(p)) for p in files])
        return found


def windows(text: str) -> Iterator[str]:
    """Consecutive windows, cut behind a line's end, a full stop or a blank where there is one in the
    second half."""
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            half = start + WINDOW // 2
            cuts = (text.rfind(sign, half, end) for sign in ("\n", ". ", " "))
            end = next((cut + 1 for cut in cuts if cut > 0), end)
        yield text[start:end]
        start = end


def load(config: PiiConfig) -> NamedEntities:
    """The model that the settings name.  Raises MissingExtra where its package is not installed."""
    return LOADERS[config.ner](config)


def _gliner(config: PiiConfig) -> NamedEntities:
    try:
        from gliner import GLiNER
    except ModuleNotFoundError as error:
        raise MissingExtra("step 'pii': ner: gliner", "gliner", "pii-names") from error
    model = GLiNER.from_pretrained(config.ner_model)
    classes = {label: kind for kind, label in GLINER_LABELS.items() if kind in config.policies}

    def entities(text: str) -> list[Entity]:
        said = model.predict_entities(text, list(classes), threshold=config.min_score)
        return [Entity(e["start"], e["end"], classes[e["label"]], float(e["score"])) for e in said]

    return entities


def _presidio(config: PiiConfig) -> NamedEntities:
    try:
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider
    except ModuleNotFoundError as error:
        raise MissingExtra("step 'pii': ner: presidio", "presidio-analyzer", "pii-names") from error
    models = [{"lang_code": "en", "model_name": config.ner_model}]
    engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    classes = {label: kind for kind, label in PRESIDIO_ENTITIES.items() if kind in config.policies}

    def entities(text: str) -> list[Entity]:
        said = analyzer.analyze(text, language="en", entities=list(classes), score_threshold=config.min_score)
        return [Entity(e.start, e.end, classes[e.entity_type], float(e.score)) for e in said]

    return entities


LOADERS = {"gliner": _gliner, "presidio": _presidio}
PACKAGES = {"gliner": "gliner", "presidio": "presidio-analyzer"}
