"""`page_signals`: pages that came with status 200 and hold nothing to read.

Soft 404s (Bar-Yossef et al. 2004, "Sic transit gloria telae"), parked domains, login and consent walls, stubs that ask
for JavaScript, directory indexes, and listings; told by what title and text say and by their length, whatever the
extractor.  What the URL tells is the business of `urls`.  docs/page-signals.md says how often this is right.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.reasons import Reason
from gpucurate.steps.contract import Measurement, RecordStep, Verdicts
from gpucurate.steps.page_signals.config import PageSignalsConfig
from gpucurate.steps.page_signals.kinds import DIRECTORY, KINDS
from gpucurate.steps.page_signals.patterns import DOTLESS, text_pattern, title_pattern
from gpucurate.steps.page_signals.shape import shape_of

HEAD = 2000  # characters of a text that are searched; pages without content say so at once
MEANINGS = {
    "soft_404": "a short page that says there is no such page, or that it failed",
    "parked": "a short page of a domain without a site: for sale, parked, suspended, or a server's default page",
    "login": "a short page that asks to log in",
    "consent": "a short page that asks for consent, or for the reader's age",
    "no_script": "a short page that asks for JavaScript, another browser, or a proof of being human",
    "directory_index": "a server's list of the files in a folder",
}


class PageSignals(RecordStep[PageSignalsConfig]):
    """Measures what pages without content say and how short they are; judges by kind and length."""

    name = "page_signals"
    version = 1
    config_type = PageSignalsConfig
    reasons = (
        *(Reason(f"page_signals.{kind}", MEANINGS[kind]) for kind in KINDS),
        Reason("page_signals.listing", "nearly all words stand in short lines that end no sentence"),
    )

    def measure(self, documents: pa.Table) -> Measurement:
        """Signals: for each kind `page_<kind>_title` and `page_<kind>_text` (bool: its phrases are in the title, or in
        title or beginning of the text), `page_words` (int64) and `page_short_lines` (double, share of words)."""
        texts = documents["text"].combine_chunks()
        head = _folded(pc.utf8_slice_codeunits(texts, 0, HEAD))
        title = _folded(pc.fill_null(documents["title"].combine_chunks(), ""))
        columns: dict[str, pa.Array] = {}
        for kind, (in_title, in_text) in self._patterns.items():
            nothing = pa.array(np.zeros(len(texts), np.bool_))
            columns[f"page_{kind}_title"] = nothing if in_title is None else pc.match_substring_regex(title, in_title)
            columns[f"page_{kind}_text"] = pc.or_(
                pc.match_substring_regex(title, in_text), pc.match_substring_regex(head, in_text)
            )
        shape = shape_of(texts)
        columns |= {"page_words": pa.array(shape.words), "page_short_lines": pa.array(shape.short_lines)}
        return Measurement(pa.table(columns))

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """The first kind that applies, in the order of the reasons."""
        config = self.config
        words = np.asarray(signals["page_words"])
        flags = []
        for kind in KINDS:
            in_title, in_text = (np.asarray(signals[f"page_{kind}_{where}"]) for where in ("title", "text"))
            short = (in_title & (words <= config.title_words)) | (in_text & (words <= config.text_words))
            flags.append((in_text if kind == DIRECTORY else short) & (kind in config.kinds))
        listing = np.asarray(signals["page_short_lines"]) >= (config.listing or np.inf)
        flags.append(listing & (words >= config.listing_words))
        return np.select(flags, range(1, len(flags) + 1), 0).astype(np.int16)

    def warm(self) -> None:
        """Compile the kernels."""
        shape_of(pa.array(["Home\n"], pa.large_string()))

    @cached_property
    def _patterns(self) -> dict[str, tuple[str | None, str]]:
        return {kind: (title_pattern(kind), text_pattern(kind)) for kind in KINDS}


def _folded(texts: pa.Array) -> pa.Array:
    """In lower case, with straight apostrophes, `i` for dotless `i`, every run of white space one space."""
    straight = pc.replace_substring_regex(pc.utf8_lower(texts), "[\u2018\u2019]", "'")
    straight = pc.replace_substring(straight, DOTLESS, "i")
    return pc.replace_substring_regex(straight, r"[\s\x{00a0}\x{3000}\x{200b}]+", " ")
