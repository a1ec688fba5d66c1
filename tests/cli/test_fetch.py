from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpucurate.cli.fetch import fetch
from gpucurate.core.errors import InputError
from tests.sources.loopback import Loopback, Mood, loopback_server

CRAWL = "CC-MAIN-2024-10"


@pytest.fixture
def web() -> Iterator[Loopback]:
    with loopback_server() as site:
        yield site


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(fetch, [str(argument) for argument in arguments])


def put_crawl(web: Loopback, *names: str) -> None:
    web.put(f"/crawl-data/{CRAWL}/wet.paths.gz", gzip.compress("\n".join(names).encode()))
    for name in names:
        web.put(f"/{name}", name.encode() * 1000)


def test_a_crawl(web: Loopback, tmp_path: Path) -> None:
    put_crawl(web, "a/1.wet.gz", "a/2.wet.gz", "a/3.wet.gz")
    arguments = ("commoncrawl", CRAWL, "--kind", "wet", "--limit", "2", "--out", tmp_path, "--base-url", web.url)
    done = call(*arguments)
    assert done.exit_code == 0, done.output
    assert f"{tmp_path}: 2 fetched, 0 were there" in done.stdout
    assert "a/1.wet.gz: 10,000 bytes\n" in done.stderr
    assert "a/2.wet.gz: whole and verified\n" in done.stderr
    assert f"{tmp_path}: 0 fetched, 2 were there" in call(*arguments).stdout
    assert (tmp_path / "a/2.wet.gz").read_bytes() == b"a/2.wet.gz" * 1000


def test_a_dump(web: Loopback, tmp_path: Path) -> None:
    name = "tinywiki/20240301/tinywiki-20240301-pages-articles.xml.bz2"
    web.put(f"/{name}", b"dump")
    line = f"{hashlib.sha1(b'dump').hexdigest()}  {Path(name).name}\n"
    web.put("/tinywiki/latest/tinywiki-latest-sha1sums.txt", line.encode())
    done = call("wikimedia", "tinywiki", "--out", tmp_path, "--base-url", web.url, "--contact", "me@example.org")
    assert done.exit_code == 0, done.output
    assert (tmp_path / name).read_bytes() == b"dump"
    assert web.requests[-1].headers["User-Agent"].endswith("me@example.org")


def test_failures_are_listed_with_the_remedy(web: Loopback, tmp_path: Path) -> None:
    put_crawl(web, "a/1.wet.gz", "a/2.wet.gz")
    web.put("/a/1.wet.gz", b"", Mood(status=403))
    done = call("commoncrawl", CRAWL, "--out", tmp_path, "--base-url", web.url)
    assert isinstance(done.exception, InputError)
    assert "1 of 2 files could not be fetched" in str(done.exception)
    assert "a/1.wet.gz: the server answers 403" in str(done.exception)
    assert "run the same command again" in str(done.exception)


def test_bars_on_a_terminal(web: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")  # rich takes any stream for a terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    put_crawl(web, "a/1.wet.gz")
    web.put("/a/1.wet.gz", b"x" * 3_000_000, Mood(hang_up_after=1_000_000))
    done = call("commoncrawl", CRAWL, "--out", tmp_path, "--base-url", web.url)
    assert done.exit_code == 0, done.output
    assert "━" in done.stderr
    assert "broke after 1000000 of 3000000 bytes; again in" in " ".join(done.stderr.split())
    assert "a/1.wet.gz: whole and verified" in done.stderr


@pytest.mark.parametrize("command", [[], ["wikimedia"], ["commoncrawl"]])
def test_help(command: list[str]) -> None:
    done = call(*command, "--help")
    assert done.exit_code == 0
    assert "Example" in done.output or not command
