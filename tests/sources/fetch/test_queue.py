from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from gpucurate.core.errors import InputError, StorageError, UserError
from gpucurate.sources.fetch import download
from gpucurate.sources.fetch.download import Item
from gpucurate.sources.fetch.ledger import read_ledger
from gpucurate.sources.fetch.queue import FetchQueue
from gpucurate.store.directory import locked
from tests.sources.fetch.conftest import Diary
from tests.sources.loopback import Loopback, Mood


def items_of(web: Loopback, count: int) -> list[Item]:
    return [Item(web.put(f"/{n}.bin", b"%d" % n * 1000), f"{n}.bin") for n in range(count)]


def test_what_is_there_is_not_fetched_again(web: Loopback, queue: FetchQueue, diary: Diary) -> None:
    items = items_of(web, 5)
    first = queue.fetch(items[:3])
    second = queue.fetch(items)
    assert (first.present, first.fetched, second.present, second.fetched) == (0, 3, 3, 2)
    assert [len(web.gets(f"/{n}.bin")) for n in range(5)] == [1] * 5
    assert sorted(diary.ends) == [(f"{n}.bin", None) for n in range(5)]


def test_a_file_that_was_damaged_or_lost_since_is_fetched_again(web: Loopback, queue: FetchQueue) -> None:
    items = items_of(web, 2)
    queue.fetch(items)
    (queue.directory / "0.bin").unlink()
    (queue.directory / "1.bin").write_bytes(b"cut")
    assert queue.fetch(items).fetched == 2
    assert (queue.directory / "1.bin").read_bytes() == b"1" * 1000


def test_a_list_that_changes_is_fetched_each_time(web: Loopback, queue: FetchQueue) -> None:
    item = Item(web.put("/sums.txt", b"one"), "sums.txt", changes=True)
    assert queue.fetch_one(item).read_bytes() == b"one"
    web.put("/sums.txt", b"two", etag='"v2"')
    assert queue.fetch_one(item).read_bytes() == b"two"


def test_one_failure_does_not_stop_the_others(web: Loopback, queue: FetchQueue, diary: Diary) -> None:
    items = [*items_of(web, 3), Item(web.url + "/gone.bin", "gone.bin")]
    outcome = queue.fetch(items)
    assert outcome.fetched == 3
    assert [f"{web.url}/gone.bin: the server answers 404" in f for f in outcome.failures] == [True]
    assert [name for name, failure in diary.ends if failure] == ["gone.bin"]


def test_a_file_of_the_users_own_is_left_alone(web: Loopback, queue: FetchQueue) -> None:
    queue.directory.mkdir()
    (queue.directory / "0.bin").write_bytes(b"mine")
    (failure,) = queue.fetch(items_of(web, 1)).failures
    assert "0.bin was not put there by a fetch. Remedy: move it away" in failure
    assert (queue.directory / "0.bin").read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "", ".", "a\\..\\x", "x\0"])
def test_names_that_lead_out_of_the_directory(queue: FetchQueue, name: str) -> None:
    with pytest.raises(InputError, match="outside the directory"):
        queue.fetch([Item("http://127.0.0.1:1/x", name)])


def test_two_fetches_into_one_directory(web: Loopback, queue: FetchQueue) -> None:
    with locked(queue.directory), pytest.raises(UserError, match="in use by another run"):
        queue.fetch(items_of(web, 1))


def test_no_more_files_at_a_time_than_allowed(web: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, now, most = threading.Lock(), 0, 0
    receive = download.Download._receive

    def counted(self: download.Download) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        receive(self)
        with lock:
            now -= 1

    monkeypatch.setattr(download.Download, "_receive", counted)
    assert FetchQueue(tmp_path, Diary(), concurrency=3).fetch(items_of(web, 20)).fetched == 20
    assert most == 3


def test_one_servers_wish_holds_for_all_downloads(web: Loopback, tmp_path: Path) -> None:
    web.put("/0.bin", b"x", Mood(status=429, headers={"Retry-After": "1"}))
    web.put("/1.bin", b"x")
    started = time.monotonic()
    items = [Item(f"{web.url}/{n}.bin", f"{n}.bin") for n in range(2)]
    assert FetchQueue(tmp_path, Diary(), concurrency=1).fetch(items).fetched == 2
    assert time.monotonic() - started >= 1.0


def test_a_full_disk_stops_everything(web: Loopback, queue: FetchQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download, "sync_file", full)
    with pytest.raises(StorageError, match="free some space"):
        queue.fetch(items_of(web, 40))
    assert len(web.requests) < 40


def test_contact_is_told_to_the_server(web: Loopback, tmp_path: Path) -> None:
    FetchQueue(tmp_path, Diary(), contact="me@example.org").fetch(items_of(web, 1))
    assert web.requests[0].headers["User-Agent"].endswith("me@example.org")


def test_a_killed_fetch_goes_on_where_it_was(web: Loopback, tmp_path: Path) -> None:
    body = os.urandom(4_000_000)
    item = Item(web.put("/big.bin", body, Mood(stall_after=3_000_000)), "big.bin")
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from gpucurate.sources.fetch.queue import FetchQueue\n"
        "from gpucurate.sources.fetch.download import Item\n"
        "from tests.sources.fetch.conftest import Diary\n"
        f"FetchQueue(Path({str(tmp_path)!r}), Diary()).fetch([Item({item.url!r}, 'big.bin')])\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[3])
    part = tmp_path / "big.bin.part"
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size >= 2_000_000):
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    kept = part.stat().st_size
    assert FetchQueue(tmp_path, Diary()).fetch([item]).fetched == 1
    assert (tmp_path / "big.bin").read_bytes() == body
    assert web.gets("/big.bin")[1].headers["Range"] == f"bytes={kept}-"


def test_ctrl_c_stops_downloads_under_way(web: Loopback, tmp_path: Path) -> None:
    """In a process of its own, which would take minutes to give up by itself."""
    urls = [web.put(f"/{n}.bin", b"x" * 3_000_000, *[Mood(status=503)] * 50) for n in range(4)]
    program = (
        "from pathlib import Path\n"
        "from gpucurate.sources.fetch.queue import FetchQueue\n"
        "from gpucurate.sources.fetch.download import Item\n"
        "from tests.sources.fetch.conftest import Diary\n"
        "try:\n"
        f"    FetchQueue(Path({str(tmp_path)!r}), Diary()).fetch([Item(u, u[-5:]) for u in {urls!r}])\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True
    ) as child:
        while not web.requests:
            assert child.poll() is None
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=60)
    assert said == "stopped\n"


def test_a_ledger_line_cut_short_by_a_kill(web: Loopback, queue: FetchQueue) -> None:
    items = items_of(web, 3)
    queue.fetch(items[:2])
    ledger = queue.directory / ".fetch.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-20])
    assert len(read_ledger(queue.directory)) == 1
    lost = next(item for item in items[:2] if item.name not in read_ledger(queue.directory))
    (queue.directory / lost.name).unlink()
    assert queue.fetch(items).fetched == 2
    assert sorted(read_ledger(queue.directory)) == ["0.bin", "1.bin", "2.bin"]


def test_no_ledger_and_an_unreadable_one(tmp_path: Path) -> None:
    assert read_ledger(tmp_path) == {}
    (tmp_path / ".fetch.jsonl").mkdir()
    with pytest.raises(InputError, match=r"cannot read .*fetch\.jsonl"):
        read_ledger(tmp_path)


def test_from_s3(s3: Any, queue: FetchQueue, diary: Diary) -> None:
    body = os.urandom(9_000_000)
    s3.put_object(Bucket="crawl", Key="a/b.warc.gz", Body=body)
    item = Item("s3://crawl/a/b.warc.gz", "a/b.warc.gz")
    assert queue.fetch_one(item).read_bytes() == body
    etag = s3.head_object(Bucket="crawl", Key="a/b.warc.gz")["ETag"].strip('"')
    assert read_ledger(queue.directory)["a/b.warc.gz"].mark == f"etag:{etag}"
    (failure,) = queue.fetch([Item("s3://crawl/none", "none")]).failures
    assert "cannot find s3://crawl/none" in failure


def test_from_s3_continued(s3: Any, queue: FetchQueue, diary: Diary, monkeypatch: pytest.MonkeyPatch) -> None:
    body = os.urandom(3_000_000)
    s3.put_object(Bucket="crawl", Key="b", Body=body)
    copy = download.Download._copy

    def broken(self: download.Download, stream: Any, part: Any) -> int:
        monkeypatch.setattr(download.Download, "_copy", copy)
        return part.write(stream.read(1_000_000))  # type: ignore[no-any-return]

    monkeypatch.setattr(download.Download, "_copy", broken)
    assert queue.fetch_one(Item("s3://crawl/b", "b")).read_bytes() == body
    assert diary.begun == [0, 1_000_000]


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_from_a_local_mirror(tmp_path: Path, queue: FetchQueue, scheme: str) -> None:
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "x").write_bytes(b"content")
    assert queue.fetch_one(Item(f"{scheme}{tmp_path}/mirror/x", "x")).read_bytes() == b"content"
