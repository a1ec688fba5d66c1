"""A web server on loopback that has bad days: it hangs up, refuses, forgets ranges, changes files."""

from __future__ import annotations

import re
import socket
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Mood:
    """How one GET is answered; the defaults are those of a good server."""

    status: int = 0  # instead of the file
    headers: Mapping[str, str] = field(default_factory=dict)
    hang_up_after: int | None = None  # bytes of the body
    reset: bool = False  # end with a TCP reset, not a clean end
    ignore_range: bool = False
    tell_length: bool = True
    wrong_start: int = 0  # added to the start of the range that is answered
    stall_after: int | None = None  # bytes of the body, then nothing until the client goes away
    replaces: tuple[bytes, str] | None = None  # body and ETag that the file has from this request on
    chunked: bool = False


@dataclass
class Page:
    body: bytes
    etag: str | None = '"v1"'
    moods: list[Mood] = field(default_factory=list)  # one is used up by each GET
    head_moods: list[Mood] = field(default_factory=list)  # one by each HEAD


@dataclass
class Request:
    method: str
    path: str
    headers: Mapping[str, str]


class Loopback:
    """`pages` by path; `requests` is the log."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pages: dict[str, Page] = {}
        self.requests: list[Request] = []

    def put(self, path: str, body: bytes, *moods: Mood, etag: str | None = '"v1"') -> str:
        self.pages[path] = Page(body, etag, list(moods))
        return self.url + path

    def gets(self, path: str) -> list[Request]:
        return [r for r in self.requests if r.method == "GET" and r.path == path]


@contextmanager
def loopback_server() -> Iterator[Loopback]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        site: Loopback

        def do_HEAD(self) -> None:
            page = self.site.pages.get(self.path)
            self._answer(page.head_moods.pop(0) if page and page.head_moods else Mood(), body=False)

        def do_GET(self) -> None:
            page = self.site.pages.get(self.path)
            self._answer(page.moods.pop(0) if page and page.moods else Mood(), body=True)

        def _answer(self, mood: Mood, body: bool) -> None:
            self.site.requests.append(Request(self.command, self.path, dict(self.headers)))
            page = self.site.pages.get(self.path)
            if page is not None and mood.replaces:
                page.body, page.etag = mood.replaces
            if page is None or mood.status:
                self.send_response(mood.status or 404)
                for name, value in mood.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start, stop = 0, len(page.body)
            asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            condition = self.headers.get("If-Range")
            if asked and not mood.ignore_range and condition in (None, page.etag):
                start = int(asked[1]) + mood.wrong_start
                stop = min(int(asked[2]) + 1, stop) if asked[2] else stop
                if int(asked[1]) >= len(page.body):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(page.body)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(page.body)}")
            else:
                self.send_response(200)
            piece = page.body[start:stop]
            if mood.chunked:
                self.send_header("Transfer-Encoding", "chunked")
            elif mood.tell_length:
                self.send_header("Content-Length", str(len(piece)))
            if page.etag:
                self.send_header("ETag", page.etag)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Accept-Ranges", "bytes")
            for name, value in mood.headers.items():
                self.send_header(name, value)
            if not mood.tell_length:
                self.close_connection = True
                self.send_header("Connection", "close")
            self.end_headers()
            if not body:
                return
            if mood.stall_after is not None:
                self.wfile.write(piece[: mood.stall_after])
                self.wfile.flush()
                self.connection.settimeout(60)
                self.rfile.read(1)  # comes back when the client closes
                self.close_connection = True
                return
            if mood.chunked:
                sent = piece[: mood.hang_up_after]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(sent), sent) + b"0\r\n\r\n" * (mood.hang_up_after is None))
            else:
                self.wfile.write(piece[: mood.hang_up_after])
            if mood.hang_up_after is not None:
                self.wfile.flush()
                if mood.reset:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True

        def handle(self) -> None:
            try:
                super().handle()
            except (BrokenPipeError, ConnectionResetError):
                pass  # a client that went away is what some tests are about

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site = Handler.site = Loopback(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
