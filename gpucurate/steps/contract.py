"""What a step is to the runner: measure (expensive, once), judge (cheap, at will), edit (spans and new text).

Record-scope steps see one part at a time.  Corpus-scope steps compare documents of all parts, stage by stage, through
files (`steps.comparison`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpucurate.core.errors import InvariantError
from gpucurate.core.reasons import Reason
from gpucurate.device.backend import Backend
from gpucurate.recipe.model import StepConfig
from gpucurate.steps.comparison import PartDocuments, Piece, Stages

Config = TypeVar("Config", bound=StepConfig)
SCORED_TOKENS = "scored_tokens"  # signal: how many tokens models looked at
Verdicts = NDArray[np.int16]  # per document: 0 keeps it, i > 0 gives the step's reasons[i - 1]

SPANS = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),  # document's row among those measured
        pa.field("start", pa.int64(), nullable=False),  # byte offsets into the text the step saw
        pa.field("end", pa.int64(), nullable=False),
        pa.field("replacement", pa.string(), nullable=False),  # "" removes the span
        pa.field("kind", pa.string(), nullable=False),  # what the span was: `c4.javascript`, `normalize`, ...
    ]
)


@dataclass(frozen=True, slots=True)
class Edit:
    """New texts, and the spans that say where they differ.

    `text` is large_string, one value a measured document, null where the text stays as it is.

    `findings` says what was found, changed or not: `row`, `start`, `end` as in SPANS, then columns of the step's own,
    sorted by (row, start).  `restricted` has a row for each of them, with what only few may see: the text found.
    """

    text: pa.Array
    spans: pa.Table  # SPANS
    findings: pa.Table | None = None
    restricted: pa.Table | None = None

    @classmethod
    def nothing(cls, documents: int, findings: pa.Table | None = None, restricted: pa.Table | None = None) -> Edit:
        """An edit that changes no text."""
        return cls(pa.nulls(documents, pa.large_string()), SPANS.empty_table(), findings, restricted)


@dataclass(frozen=True, slots=True)
class Measurement:
    """`signals` has one row a measured document, in order; `edit` is None for steps that never change text."""

    signals: pa.Table
    edit: Edit | None = None


class RecordStep(ABC, Generic[Config]):
    """Base of the steps that look at one document at a time.  `documents` has schema core.documents.DOCUMENTS with
    `text` as the steps before left it."""

    name: ClassVar[str]  # the recipe's word
    version: ClassVar[int]  # part of the task key; raise it when the same text gives other signals
    config_type: ClassVar[type[Any]]
    reasons: ClassVar[tuple[Reason, ...]]
    on_device: ClassVar[bool] = False  # measured by a model, where the device is, as a stage of its own
    rating: ClassVar[str | None] = None  # signal that says how good a document is; corpus-scope steps may ask for it

    def __init__(self, config: Config, backend: Backend) -> None:
        """Cheap: read no model here, the runner makes steps just to ask for their identity."""
        self.config = config
        self.backend = backend

    def resources(self) -> Mapping[str, str]:
        """Digests of models and word lists that shape the signals, by name; part of the task key."""
        return {}

    def remarks(self) -> list[str]:
        """What a user should know about these settings before a run: legal, but hardly what was meant."""
        return []

    def said(self) -> list[str]:
        """What happened while measuring, since the last question, that a user should know."""
        return []

    @abstractmethod
    def measure(self, documents: pa.Table) -> Measurement:
        """Signals of every document, and edits.  Must not depend on thresholds, on other documents or on their
        order; must not raise for any text."""

    @abstractmethod
    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """Verdict of every measured document, from signals and the columns of `documents` other than `text`
        (which may be missing here)."""

    def warm(self) -> None:
        """Compile kernels and load models once, so that workers find them in the cache."""


class UriStep(RecordStep[Config]):
    """A step that judges by URI alone; as the first of a recipe it spares the sources the extraction."""

    @abstractmethod
    def blocks(self, uri: str) -> bool:
        """True if `judge` will not keep a document with this URI."""


class ReextractingStep(RecordStep[Config]):
    """A step that has its documents read and extracted again; the runner binds `reextract` to their source."""

    reextract: Callable[[pa.Table], tuple[pa.Array, pa.Array]]  # see sources.contract.Source.reextract


class CorpusStep(ABC, Generic[Config]):
    """Base of the steps that compare documents with each other, over all parts (see `steps.comparison`)."""

    name: ClassVar[str]
    version: ClassVar[int]
    config_type: ClassVar[type[Any]]
    reasons: ClassVar[tuple[Reason, ...]]
    signals: ClassVar[pa.Schema]  # what `compare` says of a document; all nullable, null where nothing was said
    edits: ClassVar[bool] = False  # whether `edit` changes texts

    def __init__(self, config: Config, backend: Backend) -> None:
        """Cheap, as for record steps."""
        self.config = config
        self.backend = backend

    def resources(self) -> Mapping[str, str]:
        """As for record steps."""
        return {}

    def remarks(self) -> list[str]:
        """As for record steps."""
        return []

    @property
    def wants_rating(self) -> bool:
        """Whether it needs the `rating` of an earlier step, as the column `RATING` of `PartDocuments.meta`."""
        return False

    @abstractmethod
    def compare(self, stages: Stages) -> list[Piece]:
        """Compare the surviving documents of all parts.  Returns tables of `node` (int64, sorted) and the fields of
        `signals`, at most one row a document over all of them."""

    def edit(self, part: PartDocuments, signals: pa.Table) -> Edit:
        """What a step that `edits` changes in one part; `signals` has one row for each of its documents, null where
        `compare` said nothing."""
        raise InvariantError(f"step {self.name!r} says that it edits and has no edit")

    @abstractmethod
    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """As for record steps, over the documents of one part."""

    def warm(self) -> None:
        """Compile kernels, so that workers find them in the cache."""


Step = RecordStep[Any] | CorpusStep[Any]
