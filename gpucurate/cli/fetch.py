"""The commands `gpucurate fetch ...`: downloads with progress bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gpucurate.core.errors import InputError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from gpucurate.sources.fetch.download import Item
    from gpucurate.sources.fetch.queue import FetchQueue

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group("fetch", short_help="Download dumps and crawls.")
def fetch() -> None:
    """Download dumps and crawls: resumable, polite, verified.

    Run the same command again to resume; what is there and verified is not fetched twice.
    """


def _common(command: Command) -> Command:
    options = [
        click.option(
            "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Where the files go."
        ),
        click.option("--base-url", metavar="URL", help="A mirror: http(s), s3://, gs:// or a local directory."),
        click.option(
            "--concurrency", default=2, show_default=True, type=click.IntRange(1, 16), help="Files at a time."
        ),
        click.option("--contact", metavar="ADDRESS", help="Your mail address or page, told to the server."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@fetch.command("wikimedia", short_help="A dump of a wiki.")
@click.argument("wiki")
@click.option("--date", default="latest", show_default=True, metavar="latest|YYYYMMDD")
@click.option(
    "--kind",
    default="articles",
    show_default=True,
    type=click.Choice(["articles", "multistream", "current", "history"]),
    help="articles: newest revision of content pages; current: of all pages; history: all revisions.",
)
@_common
def wikimedia(
    wiki: str, date: str, kind: str, out: Path, base_url: str | None, concurrency: int, contact: str | None
) -> None:
    """Download a dump of WIKI (simplewiki, enwiki, ...), checked against its published checksums.

    \b
    Example:
      gpucurate fetch wikimedia simplewiki --date latest --out dumps
    """
    from gpucurate.sources.fetch.wikimedia import BASE_URL, wikimedia_items

    with _View() as view:
        queue = _queue(out, view, concurrency, contact)
        _fetch(queue, wikimedia_items(queue, wiki, date, kind, base_url or BASE_URL))


@fetch.command("commoncrawl", short_help="Files of a Common Crawl.")
@click.argument("crawl")
@click.option(
    "--kind",
    default="wet",
    show_default=True,
    type=click.Choice(["warc", "wet", "wat"]),
    help="Which files of a crawl.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N files (a crawl has 90,000).")
@_common
def commoncrawl(
    crawl: str, kind: str, limit: int | None, out: Path, base_url: str | None, concurrency: int, contact: str | None
) -> None:
    """Download files of CRAWL (CC-MAIN-2024-10, ...) as its path manifest lists them.

    \b
    Examples:
      gpucurate fetch commoncrawl CC-MAIN-2024-10 --kind wet --limit 10 --out crawl
      gpucurate fetch commoncrawl CC-MAIN-2024-10 --base-url s3://commoncrawl --out crawl
    """
    from gpucurate.sources.fetch.commoncrawl import BASE_URL, commoncrawl_items

    with _View() as view:
        queue = _queue(out, view, concurrency, contact)
        _fetch(queue, commoncrawl_items(queue, crawl, kind, limit, base_url or BASE_URL))


def _queue(out: Path, view: _View, concurrency: int, contact: str | None) -> FetchQueue:
    from gpucurate.sources.fetch.queue import FetchQueue

    return FetchQueue(out, view, concurrency, contact)


def _fetch(queue: FetchQueue, items: list[Item]) -> None:
    outcome = queue.fetch(items)
    click.echo(f"{queue.directory}: {outcome.fetched} fetched, {outcome.present} were there")
    if outcome.failures:
        shown = "\n".join(f"  {failure}" for failure in outcome.failures[:10])
        raise InputError(
            f"{len(outcome.failures)} of {len(items)} files could not be fetched:\n{shown}\n"
            "Remedy: run the same command again; it goes on where it stopped"
        )


class _View:
    """What a person sees, on standard error: bars on a terminal, one line a file elsewhere."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _View:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        console = Console(stderr=True)
        if console.is_terminal:
            columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
            self._bars = self._stack.enter_context(Progress(*columns, console=console))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def begin(self, item: Item, done: int, size: int | None) -> None:
        """A bar for the file, or one more line if it goes on from the middle."""
        if self._bars is None:
            resumed = f" from byte {done:,}" if done else ""
            return self._say(f"{item.name}: {'unknown size' if size is None else f'{size:,} bytes'}{resumed}")
        with self._lock:
            if item.name not in self._tasks:
                self._tasks[item.name] = self._bars.add_task(item.name.rpartition("/")[2])
            self._bars.update(self._tasks[item.name], total=size, completed=done)
        return None

    def advance(self, item: Item, count: int) -> None:
        """Move the bar."""
        if self._bars is not None:
            self._bars.advance(self._tasks[item.name], count)

    def wait(self, item: Item, seconds: float, reason: str) -> None:
        """Say why nothing moves."""
        self._say(f"{reason}; again in {seconds:.0f} s")

    def end(self, item: Item, failure: str | None) -> None:
        """Take the bar away."""
        with self._lock:
            task = self._tasks.pop(item.name, None)
            if task is not None and self._bars is not None:
                self._bars.remove_task(task)
        self._say(f"{item.name}: {failure or 'whole and verified'}")

    def _say(self, line: str) -> None:
        if self._bars is not None:
            self._bars.console.print(line, highlight=False, markup=False)
        else:
            click.echo(line, err=True)
