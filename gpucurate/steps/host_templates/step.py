"""`host_templates`: lines seen on many pages of one host are its boilerplate, and go from all of them.

Templates by counting text that a site repeats: Bar-Yossef and Rajagopalan 2002 ("Template detection via data mining"),
Gibson, Punera and Tomkins 2005 ("The volume and evolution of web page templates"); CCNet (Wenzek et al. 2020, section
3.1) removes menus so, over all hosts at once.  Between processes only digests travel; docs/page-signals.md.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gpucurate.core.errors import UserError
from gpucurate.core.reasons import Reason
from gpucurate.steps.comparison import (
    KEY_SPACE,
    Nodes,
    PartDocuments,
    Piece,
    Range,
    Stages,
    Tables,
    key_ranges,
    ranges_of,
)
from gpucurate.steps.contract import SPANS, CorpusStep, Edit, Verdicts
from gpucurate.steps.host_templates.config import HostTemplatesConfig
from gpucurate.steps.host_templates.lines import line_table, size_table
from gpucurate.steps.host_templates.pages import host_counts, host_table, page_table
from gpucurate.steps.host_templates.templates import SIGNALS, answers, gone_lines
from gpucurate.steps.near_duplicates.numbering import NODE_LIMIT
from gpucurate.steps.repeated_spans.config import Mode
from gpucurate.steps.repeated_spans.cutting import cut

LINES_PER_RANGE = 2_000_000
FINDINGS = pa.schema(
    [
        *list(SPANS)[:3],
        pa.field("pages", pa.int64(), nullable=False),  # of the host that have the line
        pa.field("host_pages", pa.int64(), nullable=False),  # of the host
    ]
)


class HostTemplates(CorpusStep[HostTemplatesConfig]):
    """Finds lines that many pages of their host have, and cuts them."""

    name = "host_templates"
    version = 1
    config_type = HostTemplatesConfig
    reasons = (Reason("host_templates.emptied", "no line with a word is left once the host's templates are cut"),)
    signals = SIGNALS
    edits = True

    def remarks(self) -> list[str]:
        """Shares so small that they are those of a subject, not of a template."""
        if self.config.share >= 0.1:
            return []
        return [f"a line on {self.config.share:.0%} of a host's pages is often a phrase of its subject, and is cut"]

    def compare(self, stages: Stages) -> list[Piece]:
        """Pages counted by host, then by line of a host; what goes, put together by document."""
        if int(stages.starts[-1]) >= NODE_LIMIT:
            raise UserError(
                f"host_templates compares at most {NODE_LIMIT:,} documents, these are {int(stages.starts[-1]):,}. "
                "Remedy: run parts of the corpus by themselves, or drop more documents before"
            )
        config = self.config
        least = {"pages": config.pages}
        pages = stages.over_parts("pages", self.tell_pages, {})
        hosts = stages.over_pieces("hosts", self.by_host, {}, pages)
        ranges = key_ranges(sum(piece.rows for piece in hosts))
        counts = stages.over_ranges("counts", self.count_hosts, least, ranges, hosts)
        lines = stages.over_parts("lines", self.digest_lines, least, pages, counts)
        sizes = stages.over_pieces("sizes", self.count_lines, {}, lines)
        ranges = key_ranges(sum(piece.rows for piece in lines))
        what = {**least, "share": config.share, "keep": config.keep}
        gone = stages.over_ranges("gone", self.gather, what, ranges, lines, pages, counts)
        nodes = ranges_of(int(stages.starts[-1]), sum(piece.rows for piece in gone), LINES_PER_RANGE)
        return stages.over_ranges("templates", self.join, {}, nodes, gone, sizes)

    # What the stages do; called by name in the processes that make them.

    def tell_pages(self, part: PartDocuments) -> pa.Table:
        """Stage `pages`."""
        return page_table(part)

    def by_host(self, number: int, pages: pa.Table) -> pa.Table:
        """Stage `hosts`."""
        return host_table(pages)

    def count_hosts(self, keys: Range, starts: Nodes, hosts: Tables) -> pa.Table:
        """Stage `counts`."""
        return host_counts(keys, hosts, self.config.pages)

    def digest_lines(self, part: PartDocuments, pages: Tables, counts: Tables) -> pa.Table:
        """Stage `lines`."""
        return line_table(part, pages[part.number], counts)

    def count_lines(self, number: int, lines: pa.Table) -> pa.Table:
        """Stage `sizes`."""
        return size_table(lines)

    def gather(self, keys: Range, starts: Nodes, lines: Tables, pages: Tables, counts: Tables) -> pa.Table:
        """Stage `gone`."""
        return gone_lines(keys, starts, lines, pages, counts, self.config)

    def join(self, nodes: Range, starts: Nodes, gone: Tables, sizes: Tables) -> pa.Table:
        """Stage `templates`."""
        return answers(nodes, starts, gone, sizes)

    def edit(self, part: PartDocuments, signals: pa.Table) -> Edit:
        """Cut the lines."""
        return cut(part.texts(), signals["templates"].combine_chunks(), Mode.LINES, self.name, FINDINGS)

    def judge(self, documents: pa.Table, signals: pa.Table) -> Verdicts:
        """A document all of whose lines are cut goes."""
        emptied = pc.equal(signals["lines"], signals["template_lines"])
        return np.asarray(pc.fill_null(emptied, False), np.int16)

    def warm(self) -> None:
        """Compile or load the kernels, by comparing the pages of one host."""
        count = self.config.pages
        texts = pa.array([f"Menu\n{number}" for number in range(count)], pa.large_string())
        meta = pa.table(
            {
                "uri": [f"http://host.example/{number}" for number in range(count)],
                "record_id": pa.array([number.to_bytes(16, "big") for number in range(count)], pa.binary(16)),
            }
        )
        starts, everything = np.array([0, count], np.int64), Range(0, KEY_SPACE)
        part = PartDocuments(0, starts, np.arange(count, dtype=np.int32), meta, lambda: texts)
        pages = [self.tell_pages(part)]
        counts = [self.count_hosts(everything, starts, [self.by_host(0, pages[0])])]
        lines = [self.digest_lines(part, pages, counts)]
        gone = [self.gather(everything, starts, lines, pages, counts)]
        said = self.join(Range(0, count), starts, gone, [self.count_lines(0, lines[0])])
        self.edit(part, said.take(pa.array(np.arange(said.num_rows))))
