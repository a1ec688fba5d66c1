"""datatrove's side of benchmarks/end_to_end.py; runs under a Python that has datatrove, spaCy and trafilatura.

    python benchmarks/datatrove_pipeline.py run SETTINGS.json        # the pipeline, stage after stage
    python benchmarks/datatrove_pipeline.py explain SETTINGS.json    # verdicts on documents, with both kinds of words

The steps are FineWeb's as datatrove's own example chains them, with C4's terminal punctuation off, and every stage is a
LocalPipelineExecutor.  `explain` writes one JSON object a line: what each filter says of a text.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TASKS = 4  # as many as input files
ExplainedTexts = Iterator[dict[str, str | None]]


def use_local_model(path: str) -> None:
    """The language model of this machine, where datatrove would download it, and any package that is fastText."""
    from datatrove.utils import lid

    lid.check_required_dependencies = lambda *_: None  # it asks for one distribution by name
    lid.cached_asset_path_or_download = lambda *_, **__: path


def filters(lid: str) -> list[Any]:
    """FineWeb's order: language, repetition, quality, C4, FineWeb."""
    from datatrove.pipeline.filters import (
        C4QualityFilter,
        FineWebQualityFilter,
        GopherQualityFilter,
        GopherRepetitionFilter,
        LanguageFilter,
    )
    from datatrove.pipeline.filters.base_filter import BaseFilter
    from datatrove.utils.lid import FT176LID

    class LocalLanguageFilter(BaseFilter):  # type: ignore[misc]
        """LanguageFilter with its defaults; it cannot be subclassed, since it insists on a distribution's name."""

        name = "language"
        backend, label_only, keep_top_pairs_threshold, language_threshold = "ft176", False, -1, 0.65

        def __init__(self) -> None:
            super().__init__()
            self.languages = ["en"]
            self.model = FT176LID(self.languages)

        def filter(self, doc: Any) -> Any:
            use_local_model(lid)  # in a worker process too
            return LanguageFilter.filter(self, doc)

    return [
        LocalLanguageFilter(),
        GopherRepetitionFilter(),
        GopherQualityFilter(),
        C4QualityFilter(filter_no_terminal_punct=False),
        FineWebQualityFilter(),
    ]


def reader(settings: dict[str, Any]) -> list[Any]:
    """JSON Lines; or WARC and trafilatura with FineWeb's settings."""
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import JsonlReader, WarcReader

    if settings["kind"] == "jsonl":
        return [JsonlReader(settings["input"], glob_pattern="*.jsonl")]
    # `deduplicate` is datatrove's default: text met in earlier pages of the same process is left out.
    return [WarcReader(settings["input"], glob_pattern="*.warc.gz"), Trafilatura(favour_precision=True, timeout=10)]


def run(settings: dict[str, Any]) -> None:
    """Filters, MinHash in its four stages, PII, tokens; prints seconds by stage."""
    from datatrove.executor.local import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.formatters import PIIFormatter
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.tokens import DocumentTokenizer
    from datatrove.pipeline.writers.jsonl import JsonlWriter
    from datatrove.utils.hashing import HashConfig

    out, workers = settings["out"], settings["workers"]
    config = MinhashConfig(hash_config=HashConfig(precision=64), num_buckets=14, hashes_per_bucket=8, n_grams=5)
    stages = {
        "filters": (TASKS, [*reader(settings), *filters(settings["lid"]), JsonlWriter(f"{out}/filtered")]),
        "signatures": (TASKS, [JsonlReader(f"{out}/filtered"), MinhashDedupSignature(f"{out}/signatures", config)]),
        "buckets": (14, [MinhashDedupBuckets(f"{out}/signatures", f"{out}/buckets", config=config)]),
        "clusters": (1, [MinhashDedupCluster(f"{out}/buckets", f"{out}/removed", config=config)]),
        "deduplicate": (
            TASKS,
            [
                JsonlReader(f"{out}/filtered"),
                MinhashDedupFilter(f"{out}/removed"),
                PIIFormatter(),
                JsonlWriter(f"{out}/kept"),
            ],
        ),
        "tokens": (
            TASKS,
            [
                JsonlReader(f"{out}/kept"),
                DocumentTokenizer(
                    f"{out}/tokens", settings["tokenizer"], eos_token="<|endoftext|>", shuffle_documents=False
                ),
            ],
        ),
    }
    for name, (tasks, pipeline) in stages.items():
        begin = time.perf_counter()
        LocalPipelineExecutor(
            pipeline, tasks=tasks, workers=min(workers, tasks), logging_dir=f"{out}/logs/{name}"
        ).run()
        print(f"{name} {time.perf_counter() - begin:.1f}", flush=True)


def explain(settings: dict[str, Any]) -> None:
    """For every text of `texts` (a JSON Lines file with url and text): the first filter that drops it, and its reason,
    with spaCy's words and with ours; for WARC also the text that datatrove extracts, judged with spaCy's words."""
    sys.path.insert(0, str(ROOT))
    from tests.oracles.datatrove_rules import our_words

    use_local_model(settings["lid"])
    rows = [json.loads(line) for line in Path(settings["texts"]).read_text().splitlines()]
    wanted = {row["url"] for row in rows}
    answers: dict[str, dict[str, Any]] = {row["url"]: {"url": row["url"], "read": None} for row in rows}
    for row in rows:
        if row["text"] is not None:
            answers[row["url"]]["spacy"] = verdict(row["text"], settings["lid"])
    with our_words():
        for row in rows:
            if row["text"] is not None:
                answers[row["url"]]["ours"] = verdict(row["text"], settings["lid"])
    if settings["kind"] == "warc":
        for document in reader(settings)[0].run(None):
            url = document.metadata["url"]
            if url in wanted:
                text = extracted(document.text)
                answers[url]["read"] = text or ""
                answers[url]["theirs"] = verdict(text, settings["lid"]) if text else "no text"
    with Path(settings["answers"]).open("w") as stream:
        for answer in answers.values():
            stream.write(json.dumps(answer) + "\n")


def extracted(page: str) -> str | None:
    """A page as datatrove calls trafilatura, but without what it remembers of earlier pages."""
    from trafilatura import extract

    try:
        found: str | None = extract(page, favor_precision=True, include_comments=False)
    except Exception:  # noqa: BLE001 - datatrove skips a page that trafilatura fails on
        return None
    return found


_CHAIN: list[Any] = []


def verdict(text: str, lid: str) -> str | None:
    """The first filter that drops a text and its reason, or None."""
    from datatrove.data import Document

    if not _CHAIN:
        _CHAIN.extend(filters(lid))
    document = Document(text=text, id="")
    for step in _CHAIN:
        answer = step.filter(document)
        kept, reason = answer if isinstance(answer, tuple) else (answer, "")
        if not kept:
            return f"{type(step).__name__} {reason}".strip()
    return None


if __name__ == "__main__":
    {"run": run, "explain": explain}[sys.argv[1]](json.loads(Path(sys.argv[2]).read_text()))
