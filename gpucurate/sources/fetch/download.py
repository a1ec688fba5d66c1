"""One file from a server to the disk: resumed where it broke off, verified, renamed when whole.

While it is under way there are `NAME.part` and `NAME.part.json`, which says what version of the file the bytes belong
to.  Bytes of two versions are never joined.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from gpucurate.core.errors import InputError
from gpucurate.sources.fetch.ledger import Entry, Ledger, timestamp
from gpucurate.sources.fetch.pacing import ATTEMPTS, LONGEST_ASKED, Pacing, Stopped
from gpucurate.sources.fetch.transport import NETWORK_ERRORS, Answer, OtherPart, Transport, TryLater
from gpucurate.store.atomic import storage_errors, sync_directory, sync_file, write_bytes

READ_BYTES = 1 << 20
PROGRESS_BYTES = 1 << 20  # new bytes that make a failed attempt count as progress; bounds the number of requests
WRONG_CHECKSUMS = 2  # whole downloads with a wrong checksum, before a file is given up


@dataclass(frozen=True, slots=True)
class Item:
    """A file to fetch.  `name` is its path below the directory; `checksum` reads `sha1:...` or `md5:...`."""

    url: str
    name: str
    checksum: str | None = None
    changes: bool = False  # a list that grows: fetched anew each time


class Watch(Protocol):
    """Who wants to see what happens; called from several threads."""

    def begin(self, item: Item, done: int, size: int | None) -> None:
        """Bytes of the file follow, `done` of them are there already."""

    def advance(self, item: Item, count: int) -> None:
        """So many more bytes are there."""

    def wait(self, item: Item, seconds: float, reason: str) -> None:
        """Nothing happens for a while."""

    def end(self, item: Item, failure: str | None) -> None:
        """The file is whole and verified, or given up."""


class Download:
    """One item on its way into a directory."""

    def __init__(
        self, item: Item, directory: Path, transport: Transport, ledger: Ledger, pacing: Pacing, watch: Watch
    ) -> None:
        self.item = item
        self._target = directory / item.name
        self._part = self._target.with_name(self._target.name + ".part")
        self._note = self._target.with_name(self._target.name + ".part.json")
        self._transport = transport
        self._ledger = ledger
        self._pacing = pacing
        self._watch = watch

    def run(self) -> None:
        """Fetch until the file is whole and verified.

        Raises InputError if that cannot be, StorageError if the disk refuses, Stopped if the fetch ends meanwhile.
        """
        failures = wrong = 0
        farthest = self._start()[0]
        while True:
            try:
                self._receive()
                verified = self._verify()
            except TryLater as failure:
                reached = self._part.stat().st_size if self._part.exists() else 0
                if isinstance(failure, OtherPart):
                    self._forget()
                if reached >= farthest + PROGRESS_BYTES:
                    farthest, failures = reached, 0
                self._wait(failures, failure)
                failures += 1
                continue
            if verified is not None:
                return self._finish(verified)
            wrong += 1
            self._forget()
            if wrong == WRONG_CHECKSUMS:
                raise InputError(f"{self.item.url} does not have its published checksum {self.item.checksum}")

    def _receive(self) -> None:
        """Append to the part until it is whole; raises TryLater if the connection breaks before."""
        start, mark, size = self._start()
        if size is not None and start == size:
            return
        self._pacing.wait_for_turn()
        answer = self._transport.get(self.item.url, start, mark)
        with answer.stream:
            if answer.start not in (0, start) or (answer.start and (answer.size, answer.mark) != (size, mark)):
                raise OtherPart(f"{self.item.url}: the server sent another part than it was asked for")
            if answer.size is None and not answer.framed and self.item.checksum is None:
                raise InputError(f"cannot verify {self.item.url}: the server tells no length, and there is no checksum")
            with storage_errors(self._part):
                self._part.parent.mkdir(parents=True, exist_ok=True)
                part = self._part.open("r+b" if self._part.exists() else "wb")
            with part:
                if answer.start == 0:
                    with storage_errors(self._part):
                        part.truncate(0)
                    self._write_note(answer)
                part.seek(answer.start)
                self._watch.begin(self.item, answer.start, answer.size)
                got = answer.start + self._copy(answer.stream, part)
        if answer.size is not None and got != answer.size:
            raise TryLater(f"{self.item.url}: the connection broke after {got} of {answer.size} bytes")
        if answer.size is None:
            self._write_note(Answer(answer.stream, 0, got, answer.mark))

    def _copy(self, stream: BinaryIO, part: BinaryIO) -> int:
        count = 0
        while True:
            if self._pacing.stop.is_set():
                raise Stopped
            try:
                block = stream.read(READ_BYTES)
            except NETWORK_ERRORS as error:
                raise TryLater(f"{self.item.url}: {error or type(error).__name__}") from error
            if not block:
                return count
            with storage_errors(self._part):
                part.write(block)
                part.flush()
            count += len(block)
            self._watch.advance(self.item, len(block))

    def _start(self) -> tuple[int, str | None, int | None]:
        """How many bytes there are that can be continued, of which version, and the size of the whole; (0, None, None)
        if the file must be asked for anew."""
        try:
            note = json.loads(self._note.read_bytes())
            done = self._part.stat().st_size
        except (OSError, ValueError):
            return 0, None, None
        if note["url"] != self.item.url or (note["size"] is not None and done > note["size"]):
            return 0, None, None
        whole = note["size"] is not None and done == note["size"]
        return (done, note["mark"], note["size"]) if note["mark"] or whole else (0, None, None)

    def _write_note(self, answer: Answer) -> None:
        note = {"url": self.item.url, "mark": answer.mark, "size": answer.size}
        write_bytes(self._note, json.dumps(note).encode())

    def _verify(self) -> str | None:
        """By what the part was verified; None if it has the wrong checksum."""
        if self.item.checksum is None:
            return "length"
        algorithm, _, expected = self.item.checksum.partition(":")
        with storage_errors(self._part), self._part.open("rb") as part:
            found = hashlib.file_digest(part, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()
        return self.item.checksum if found == expected else None

    def _finish(self, verified: str) -> None:
        _, mark, _ = self._start()
        with storage_errors(self._target):
            sync_file(self._part)
            size = self._part.stat().st_size
            self._ledger.add(Entry(self.item.name, self.item.url, size, timestamp(), verified, mark))
            self._part.replace(self._target)
            sync_directory(self._target.parent)
        self._note.unlink(missing_ok=True)

    def _forget(self) -> None:
        self._note.unlink(missing_ok=True)
        self._part.unlink(missing_ok=True)

    def _wait(self, failures: int, failure: TryLater) -> None:
        if failures + 1 >= ATTEMPTS:
            raise InputError(f"gave up after {ATTEMPTS} attempts without progress: {failure}") from failure
        if failure.asked is not None and failure.asked > LONGEST_ASKED:
            raise InputError(f"{failure}; it wants to be left alone for {failure.asked:.0f} seconds") from failure
        seconds = self._pacing.delay(failures, failure.asked)
        self._watch.wait(self.item, seconds, str(failure))
        self._pacing.wait(seconds)
