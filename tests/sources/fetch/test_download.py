from __future__ import annotations

import errno
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucurate.core.errors import InputError, StorageError
from gpucurate.sources.fetch import download as module
from gpucurate.sources.fetch.download import Item
from gpucurate.sources.fetch.ledger import read_ledger
from gpucurate.sources.fetch.pacing import ATTEMPTS
from gpucurate.sources.fetch.queue import FetchQueue
from tests.sources.fetch.conftest import Diary
from tests.sources.loopback import Loopback, Mood

BODY = random.Random("body").randbytes(3_000_000)
OTHER = random.Random("other").randbytes(2_500_000)
SHA1 = "sha1:" + hashlib.sha1(BODY).hexdigest()

Fetch = Callable[..., Path]


@pytest.fixture
def fetch(web: Loopback, queue: FetchQueue) -> Fetch:
    def one(*moods: Mood, checksum: str | None = None, etag: str | None = '"v1"', body: bytes = BODY) -> Path:
        url = web.put("/dump.bin", body, *moods, etag=etag)
        return queue.fetch_one(Item(url, "a/dump.bin", checksum))

    return one


def leftovers(queue: FetchQueue) -> list[str]:
    return sorted(path.name for path in (queue.directory / "a").iterdir() if path.name != "dump.bin")


@pytest.mark.parametrize("checksum", [None, SHA1, "md5:" + hashlib.md5(BODY).hexdigest()])
def test_a_good_server(fetch: Fetch, web: Loopback, queue: FetchQueue, checksum: str | None) -> None:
    path = fetch(checksum=checksum)
    assert path.read_bytes() == BODY
    assert leftovers(queue) == []
    entry = read_ledger(queue.directory)["a/dump.bin"]
    assert (entry.url, entry.size, entry.mark) == (web.url + "/dump.bin", len(BODY), '"v1"')
    assert entry.verified == (checksum or "length")
    (request,) = web.gets("/dump.bin")
    assert request.headers["User-Agent"].startswith("gpucurate/")
    assert request.headers["Accept-Encoding"] == "identity"


def test_a_connection_that_breaks_is_continued_where_it_broke(fetch: Fetch, web: Loopback, diary: Diary) -> None:
    moods = [Mood(hang_up_after=500_000), Mood(hang_up_after=1), Mood(hang_up_after=700_000, reset=True)]
    assert fetch(*moods).read_bytes() == BODY
    ranges = [(r.headers.get("Range"), r.headers.get("If-Range")) for r in web.gets("/dump.bin")]
    assert ranges[:3] == [(None, None), ("bytes=500000-", '"v1"'), ("bytes=500001-", '"v1"')]
    assert diary.begun[:3] == [0, 500_000, 500_001]
    assert diary.received == len(BODY)


def test_a_server_that_ignores_ranges_sends_all_again(fetch: Fetch, diary: Diary) -> None:
    assert fetch(Mood(hang_up_after=500_000), Mood(ignore_range=True)).read_bytes() == BODY
    assert diary.begun == [0, 0]


def test_a_server_that_ignores_ranges_and_always_breaks_is_given_up(fetch: Fetch, web: Loopback) -> None:
    with pytest.raises(InputError, match=rf"gave up after {ATTEMPTS} attempts.*broke after 900000 of 3000000 bytes"):
        fetch(*[Mood(hang_up_after=900_000, ignore_range=True)] * 50)
    assert len(web.gets("/dump.bin")) == ATTEMPTS


def test_progress_earns_new_attempts(fetch: Fetch, web: Loopback) -> None:
    assert fetch(*[Mood(hang_up_after=200_000)] * 14).read_bytes() == BODY
    assert len(web.gets("/dump.bin")) == 15


def test_a_file_that_changes_midway_is_never_mixed(fetch: Fetch, diary: Diary) -> None:
    path = fetch(Mood(hang_up_after=500_000), Mood(replaces=(OTHER, '"v2"')))
    assert path.read_bytes() == OTHER
    assert diary.begun == [0, 0]


def test_a_file_that_changes_midway_on_a_server_that_ignores_if_range(fetch: Fetch, web: Loopback) -> None:
    fetch_all = [Mood(hang_up_after=500_000), Mood(replaces=(OTHER, '"v1"'))]  # same ETag, other size
    assert fetch(*fetch_all).read_bytes() == OTHER
    assert [r.headers.get("Range") for r in web.gets("/dump.bin")] == [None, "bytes=500000-", None]


@pytest.mark.parametrize("shift", [-5, 7])
def test_another_part_than_asked_for_is_not_taken(fetch: Fetch, shift: int) -> None:
    assert fetch(Mood(hang_up_after=500_000), Mood(wrong_start=shift)).read_bytes() == BODY


def test_without_a_mark_nothing_is_continued(fetch: Fetch, web: Loopback) -> None:
    assert fetch(Mood(hang_up_after=500_000), etag=None).read_bytes() == BODY
    assert [r.headers.get("Range") for r in web.gets("/dump.bin")] == [None, None]


def test_a_weak_mark_is_none_but_the_time_of_change_is_one(fetch: Fetch, web: Loopback) -> None:
    changed = {"Last-Modified": "Mon, 04 Mar 2024 05:06:07 GMT"}
    fetch(Mood(hang_up_after=500_000, headers=changed), Mood(headers=changed), etag='W/"v1"')
    assert web.gets("/dump.bin")[1].headers["If-Range"] == changed["Last-Modified"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_waited_for(fetch: Fetch, diary: Diary, status: int) -> None:
    assert fetch(Mood(status=status), Mood(status=status, headers={"Retry-After": "7"})).read_bytes() == BODY
    assert [seconds for seconds, _ in diary.waits] == [pytest.approx(0.92, abs=0.01), 7.0]
    assert str(status) in diary.waits[0][1]


def test_a_server_that_wants_to_be_left_alone_for_long(fetch: Fetch, web: Loopback) -> None:
    with pytest.raises(InputError, match="left alone for 86400 seconds"):
        fetch(Mood(status=503, headers={"Retry-After": "86400"}))
    assert len(web.gets("/dump.bin")) == 1


def test_a_server_that_never_has_time(fetch: Fetch, web: Loopback) -> None:
    with pytest.raises(InputError, match=rf"gave up after {ATTEMPTS} attempts without progress: .*503"):
        fetch(*[Mood(status=503)] * 50)
    assert len(web.gets("/dump.bin")) == ATTEMPTS


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 501])
def test_a_refusal_is_not_repeated(fetch: Fetch, web: Loopback, status: int) -> None:
    with pytest.raises(InputError, match=rf"cannot fetch .*dump\.bin: the server answers {status}"):
        fetch(*[Mood(status=status)] * 2)
    assert len(web.gets("/dump.bin")) == 1


def test_a_wrong_checksum_is_fetched_once_more(fetch: Fetch, web: Loopback, queue: FetchQueue) -> None:
    assert fetch(Mood(replaces=(OTHER, '"v0"')), Mood(replaces=(BODY, '"v1"')), checksum=SHA1).read_bytes() == BODY
    with pytest.raises(InputError, match=r"does not have its published checksum sha1:0000"):
        queue.fetch_one(Item(web.put("/other.bin", BODY), "a/other.bin", "sha1:" + "0" * 40))
    assert len(web.gets("/other.bin")) == 2
    assert not (queue.directory / "a/other.bin").exists()
    assert leftovers(queue) == []


def test_a_cut_that_keeps_its_length_is_found_by_the_checksum(fetch: Fetch) -> None:
    flipped = bytes([BODY[0] ^ 1]) + BODY[1:]
    assert fetch(Mood(replaces=(flipped, '"v1"')), Mood(replaces=(BODY, '"v1"')), checksum=SHA1).read_bytes() == BODY


def test_chunked_answers_without_a_length(fetch: Fetch) -> None:
    assert fetch(Mood(chunked=True, hang_up_after=400_000), Mood(chunked=True)).read_bytes() == BODY


def test_an_answer_whose_end_nothing_tells(fetch: Fetch, web: Loopback, queue: FetchQueue) -> None:
    assert fetch(Mood(tell_length=False), checksum=SHA1).read_bytes() == BODY
    with pytest.raises(InputError, match=r"cannot verify .*other\.bin: the server tells no length"):
        queue.fetch_one(Item(web.put("/other.bin", BODY, Mood(tell_length=False)), "a/other.bin"))


def test_an_empty_file(fetch: Fetch) -> None:
    assert fetch(body=b"").read_bytes() == b""


def test_a_server_that_is_not_there(queue: FetchQueue) -> None:
    with pytest.raises(InputError, match=r"gave up after .*127\.0\.0\.1:1/x: .*refused"):
        queue.fetch_one(Item("http://127.0.0.1:1/x", "x"))


@pytest.mark.parametrize("url", ["http://[bad/x", "http://host:port/x", "http://127.0.0.1/a b\n"])
def test_what_is_no_url(queue: FetchQueue, url: str) -> None:
    with pytest.raises(InputError, match=r"cannot fetch http://"):
        queue.fetch_one(Item(url, "x"))


def test_a_whole_part_left_by_a_kill_needs_no_request(fetch: Fetch, web: Loopback, queue: FetchQueue) -> None:
    (queue.directory / "a").mkdir(parents=True)
    (queue.directory / "a/dump.bin.part").write_bytes(BODY)
    note = {"url": web.url + "/dump.bin", "mark": '"v1"', "size": len(BODY)}
    (queue.directory / "a/dump.bin.part.json").write_text(json.dumps(note))
    assert fetch(checksum=SHA1).read_bytes() == BODY
    assert web.gets("/dump.bin") == []


@pytest.mark.parametrize("note", ["", "{", '{"url":"http://other/","mark":"\\"v1\\"","size":3000000}'])
def test_a_part_of_unknown_origin_is_not_continued(fetch: Fetch, web: Loopback, queue: FetchQueue, note: str) -> None:
    (queue.directory / "a").mkdir(parents=True)
    (queue.directory / "a/dump.bin.part").write_bytes(OTHER)
    (queue.directory / "a/dump.bin.part.json").write_text(note)
    assert fetch().read_bytes() == BODY
    assert web.gets("/dump.bin")[0].headers.get("Range") is None


def test_a_part_longer_than_the_file_is_not_continued(fetch: Fetch, web: Loopback, queue: FetchQueue) -> None:
    (queue.directory / "a").mkdir(parents=True)
    (queue.directory / "a/dump.bin.part").write_bytes(BODY + b"x")
    note = {"url": web.url + "/dump.bin", "mark": '"v1"', "size": len(BODY) + 9}
    (queue.directory / "a/dump.bin.part.json").write_text(json.dumps(note))
    assert fetch().read_bytes() == BODY
    assert [r.headers.get("Range") for r in web.gets("/dump.bin")] == ["bytes=3000001-", None]


def test_a_full_disk_is_said_and_what_is_there_is_kept(
    fetch: Fetch, queue: FetchQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module, "sync_file", full)
        with pytest.raises(StorageError, match=r"No space left on device\. Remedy: free some space"):
            fetch()
    assert leftovers(queue) == ["dump.bin.part", "dump.bin.part.json"]
