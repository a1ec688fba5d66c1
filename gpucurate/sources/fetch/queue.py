"""The work queue: the items that the ledger does not hold, a few at a time, until all are there or given up."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gpucurate import __version__
from gpucurate.core.errors import InputError
from gpucurate.sources.fetch.download import Download, Item, Watch
from gpucurate.sources.fetch.ledger import Ledger
from gpucurate.sources.fetch.pacing import Pacing, Stopped
from gpucurate.sources.fetch.transport import Transport, transport_for
from gpucurate.store.directory import locked

AGENT = f"gpucurate/{__version__} (corpus builder; resumes and backs off)"


@dataclass(slots=True)
class Outcome:
    """What became of the items: already there, fetched now, or given up with a message."""

    present: int = 0
    fetched: int = 0
    failures: list[str] = field(default_factory=list)


class FetchQueue:
    """Fetches lists of items into one directory, `concurrency` files at a time.

    `contact` (an address or URL) goes into the User-Agent, as Wikimedia asks of everyone who downloads a lot.
    """

    def __init__(
        self,
        directory: Path,
        watch: Watch,
        concurrency: int = 2,
        contact: str | None = None,
        pacing: Pacing | None = None,
    ) -> None:
        self.directory = directory
        self._watch = watch
        self._concurrency = concurrency
        self._agent = f"{AGENT} {contact}" if contact else AGENT
        self._pacing = pacing or Pacing()

    def fetch(self, items: Sequence[Item]) -> Outcome:
        """Fetch what is not there.  A file that is given up does not stop the others.

        Raises UserError if another fetch uses the directory, StorageError if the disk refuses.
        """
        for item in items:
            _check_name(item)
        with locked(self.directory):
            ledger = Ledger(self.directory)
            missing = [item for item in items if item.changes or not ledger.holds(item.name, item.url)]
            outcome = Outcome(present=len(items) - len(missing))
            with ThreadPoolExecutor(self._concurrency, thread_name_prefix="fetch") as pool:
                running = {pool.submit(self._download, item, ledger): item for item in missing}
                try:
                    for done in as_completed(running):
                        self._note(running[done], done, outcome)
                except BaseException:  # what stops one download stops all: a full disk, ctrl-C
                    self._pacing.stop.set()
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise
        return outcome

    def fetch_one(self, item: Item) -> Path:
        """Fetch a list that others are found by.  Raises InputError if it cannot be had."""
        outcome = self.fetch([item])
        if outcome.failures:
            raise InputError(outcome.failures[0])
        return self.directory / item.name

    def _download(self, item: Item, ledger: Ledger) -> None:
        if not item.changes and (self.directory / item.name).exists() and item.name not in ledger.entries:
            raise InputError(f"{self.directory / item.name} was not put there by a fetch. Remedy: move it away")
        Download(item, self.directory, self._transport(item.url), ledger, self._pacing, self._watch).run()

    def _transport(self, url: str) -> Transport:
        return transport_for(url, self._agent)

    def _note(self, item: Item, done: Future[None], outcome: Outcome) -> None:
        try:
            done.result()
        except InputError as failure:
            outcome.failures.append(str(failure))
            self._watch.end(item, str(failure))
        except Stopped:
            return
        else:
            outcome.fetched += 1
            self._watch.end(item, None)


def _check_name(item: Item) -> None:
    """Lists come from elsewhere: no name may lead out of the directory."""
    path = PurePosixPath(item.name)
    if path.is_absolute() or ".." in path.parts or not path.name or "\\" in item.name or "\0" in item.name:
        raise InputError(f"the list names a file {item.name!r}, which would lie outside the directory")
