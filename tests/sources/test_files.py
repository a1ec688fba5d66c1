from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3

from gpucurate.core.errors import InputError, MissingExtra, RecipeError
from gpucurate.sources import local_files, remote_files, remote_stream
from gpucurate.sources.contract import InputFile
from gpucurate.sources.files import open_input, snapshot
from tests.sources.loopback import Loopback, Mood


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.jsonl", "sub/a.txt", "sub/deep/c.txt", ".hidden.txt", ".git/d.txt"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "tree"


@contextmanager
def python_web_server(directory: Path) -> Iterator[str]:
    """It answers a directory with a page of links."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(directory))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def names(files: list[InputFile]) -> list[str]:
    return [file.name for file in files]


def test_a_file_a_directory_and_a_glob(tree: Path) -> None:
    assert names(snapshot([str(tree / "a.txt")])) == ["a.txt"]
    assert names(snapshot([str(tree)])) == ["a.txt", "b.jsonl", "sub/a.txt", "sub/deep/c.txt"]
    assert names(snapshot([str(tree)], (".txt",))) == ["a.txt", "sub/a.txt", "sub/deep/c.txt"]
    assert names(snapshot([str(tree / "*.txt")])) == ["a.txt"]
    assert names(snapshot([str(tree / "**/*.txt")])) == ["a.txt", "sub/a.txt", "sub/deep/c.txt"]
    assert names(snapshot([f"file://{tree}/sub/*"])) == ["a.txt"]


def test_size_and_digest_are_those_of_the_bytes(tree: Path) -> None:
    (file,) = snapshot([str(tree / "sub/a.txt")])
    assert file == InputFile(str(tree / "sub/a.txt"), 9, blake3(b"sub/a.txt").hexdigest(), "a.txt")
    with open_input(file) as stream:
        assert stream.read() == b"sub/a.txt"


def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert snapshot([str(tmp_path)]) == [InputFile(str(tmp_path / "empty"), 0, "empty", "empty")]


def test_names_do_not_depend_on_where_the_files_lie(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [(f.name, f.digest) for f in snapshot([str(tree)])]
    moved = tree.rename(tree.parent / "elsewhere")
    monkeypatch.chdir(moved.parent)
    assert [(f.name, f.digest) for f in snapshot(["elsewhere"])] == before
    assert all(Path(f.url).is_absolute() for f in snapshot(["./elsewhere/../elsewhere"]))


def test_a_file_meant_twice_is_read_once(tree: Path) -> None:
    (tree / "link.txt").symlink_to(tree / "a.txt")
    assert names(snapshot([str(tree / "a.txt"), str(tree), str(tree / "*.txt")], (".txt",))) == [
        "a.txt",
        "sub/a.txt",
        "sub/deep/c.txt",
    ]


def test_a_later_path_renames_nothing(tree: Path) -> None:
    first = snapshot([str(tree / "a.txt")])
    both = snapshot([str(tree / "a.txt"), str(tree / "sub" / "a.txt")])
    assert names(both) == ["a.txt", "sub/a.txt"]
    assert first[0] in both


def test_links_to_directories_are_followed_but_not_in_circles(tree: Path) -> None:
    (tree / "sub" / "up").symlink_to(tree, target_is_directory=True)
    (tree.parent / "far").mkdir()
    (tree.parent / "far" / "f.txt").write_text("f")
    (tree / "far").symlink_to(tree.parent / "far", target_is_directory=True)
    assert names(snapshot([str(tree)], (".txt",))) == ["a.txt", "far/f.txt", "sub/a.txt", "sub/deep/c.txt"]


def test_a_name_that_looks_like_a_pattern_is_taken_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "x[1].txt").write_text("one")
    assert names(snapshot([str(tmp_path / "x[1].txt")])) == ["x[1].txt"]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nothing", "no such file or directory: .*nothing"),
        ("no*thing", "no file matches .*no\\*thing"),
        ("nul\0", "no such file"),
        ("dangling", "link to .*gone, which does not exist"),
        ("d*ling", "link to .*gone, which does not exist"),
        ("pipe", "not a regular file, but a pipe"),
        ("empty", r"directory .*empty holds no files whose names end in \.txt"),
        ("emp*", "matches directories only"),
    ],
)
def test_what_cannot_be_meant_is_named(tmp_path: Path, path: str, says: str) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=says):
        snapshot([str(tmp_path / path)], (".txt",))


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")).write_text("x")
    with pytest.raises(InputError, match=r"udcff\.txt' is not UTF-8"):
        snapshot([str(tmp_path)])


def test_permission_is_an_input_error(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, *args: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with pytest.raises(InputError, match=r"cannot read .*a\.txt: Permission denied"):
            snapshot([str(tree / "a.txt")])
    with monkeypatch.context() as patch:
        patch.setattr(local_files.os, "scandir", refuse)
        with pytest.raises(InputError, match=r"cannot read .*tree: Permission denied"):
            snapshot([str(tree)])


def test_a_file_that_grew_since_it_was_listed(tree: Path) -> None:
    (file,) = snapshot([str(tree / "a.txt")])
    (tree / "a.txt").write_text("longer than before")
    with pytest.raises(InputError, match="has changed since the run listed it: 5 bytes then, 18 now"):
        open_input(file)
    (tree / "a.txt").unlink()
    with pytest.raises(InputError, match=r"cannot read .*a\.txt: No such file"):
        open_input(file)


def test_unknown_protocols_and_chains() -> None:
    with pytest.raises(RecipeError, match="nosuch"):
        snapshot(["nosuch://bucket/x"])
    with pytest.raises(InputError, match="chained"):
        snapshot(["zip://a.txt::s3://bucket/x.zip"])


def test_a_protocol_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(url: str) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(remote_files.fsspec.core, "url_to_fs", absent)
    with pytest.raises(MissingExtra, match=r"'s3fs'.*gpucurate\[remote\]"):
        snapshot(["s3://bucket/x"])


# http


def test_http_is_read_in_order(web: Loopback) -> None:
    body = os.urandom(300_000)
    url = web.put("/dumps/a.bin", body)
    (file,) = snapshot([url])
    assert file == InputFile(url, 300_000, "etag:v1", "a.bin")
    with open_input(file) as stream:
        assert stream.read() == body
        stream.seek(1_000)
        assert stream.read(10) == body[1_000:1_010]


@pytest.mark.parametrize("mood", [Mood(hang_up_after=100_000), Mood(hang_up_after=7, reset=True), Mood(status=503)])
def test_a_lost_connection_is_opened_again(web: Loopback, mood: Mood, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_stream, "FIRST_PAUSE", 0.001)
    body = os.urandom(300_000)
    (file,) = snapshot([web.put("/a.bin", body, mood, mood)])
    with open_input(file) as stream:
        assert stream.read() == body


def test_a_connection_that_never_comes_back(web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_stream, "FIRST_PAUSE", 0.001)
    (file,) = snapshot([web.put("/a.bin", b"x" * 100, *[Mood(status=503)] * 100)])
    with open_input(file) as stream, pytest.raises(InputError, match=r"a\.bin after 0 bytes: 503"):
        stream.read()
    assert len(web.gets("/a.bin")) == remote_stream.ATTEMPTS


def test_a_server_that_is_busy_while_the_files_are_listed(web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_stream, "FIRST_PAUSE", 0.001)
    url = web.put("/a.bin", b"x")
    web.pages["/a.bin"].head_moods = [Mood(status=503), Mood(status=429)]
    web.pages["/a.bin"].moods = [Mood(status=503), Mood(status=429)]
    assert snapshot([url])[0].size == 1


def test_a_remote_file_that_changed(web: Loopback) -> None:
    (file,) = snapshot([web.put("/a.bin", b"one")])
    web.put("/a.bin", b"two", etag='"v2"')
    with pytest.raises(InputError, match="has changed"):
        open_input(file)


def test_http_without_etag_or_file(web: Loopback) -> None:
    assert snapshot([web.put("/a.bin", b"one", etag=None)])[0].digest == "etag:3 bytes "
    with pytest.raises(InputError, match=r"cannot find http.*404"):
        snapshot([web.url + "/gone"])
    with pytest.raises(InputError, match=r"cannot find http://127\.0\.0\.1:1/x: Cannot connect"):
        snapshot(["http://127.0.0.1:1/x"])


def test_a_query_is_no_part_of_the_name(web: Loopback) -> None:
    url = web.put("/a.bin?token=secret", b"x")
    assert [(file.url, file.name) for file in snapshot([url])] == [(url, "a.bin")]


def test_an_index_page_is_a_directory(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl", "c.txt"):
        (tmp_path / name).write_text(name)
    with python_web_server(tmp_path) as url:
        assert names(snapshot([f"{url}/"], (".jsonl",))) == ["a.jsonl", "b.jsonl"]
        assert names(snapshot([f"{url}/*.jsonl"])) == ["a.jsonl", "b.jsonl"]


# s3


def test_s3_objects_directories_and_globs(s3: Any) -> None:
    for key in ("a.jsonl", "2024/a.jsonl", "2024/b.jsonl", "2024/.c.jsonl", "2024/_SUCCESS"):
        s3.put_object(Bucket="crawl", Key=key, Body=key.encode() * 1000)
    assert names(snapshot(["s3://crawl/2024/"], (".jsonl",))) == ["a.jsonl", "b.jsonl"]
    assert names(snapshot(["s3://crawl/2024/*.jsonl"])) == ["a.jsonl", "b.jsonl"]
    assert names(snapshot(["s3://crawl"], (".jsonl",))) == ["2024/a.jsonl", "2024/b.jsonl", "a.jsonl"]
    (file,) = snapshot(["s3://crawl/2024/b.jsonl"])
    assert file.url == "s3://crawl/2024/b.jsonl"
    assert file.digest == "etag:" + s3.head_object(Bucket="crawl", Key="2024/b.jsonl")["ETag"].strip('"')
    with open_input(file) as stream:
        assert stream.read() == b"2024/b.jsonl" * 1000


def test_s3_mistakes(s3: Any) -> None:
    with pytest.raises(InputError, match="cannot find s3://crawl/none"):
        snapshot(["s3://crawl/none"])
    with pytest.raises(InputError, match="no file matches"):
        snapshot(["s3://crawl/none*"])
    with pytest.raises(InputError, match="s3://nobucket/x"):
        snapshot(["s3://nobucket/x"])
    s3.put_object(Bucket="crawl", Key="dir/a.txt", Body=b"x")
    with pytest.raises(InputError, match=r"holds no files whose names end in \.jsonl"):
        snapshot(["s3://crawl/dir"], (".jsonl",))
