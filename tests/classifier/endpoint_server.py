"""A chat endpoint on loopback that has bad days; which ones is said by document."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = "It explains.\nScore: {score}"
MARK = re.compile(r"document-(\d+)")


class ChatServer:
    """`moods` by number of the document; one is used up by each request, then answers are good."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.moods: dict[int, list[str]] = {}
        self.requests: list[tuple[int, dict[str, Any], float, str | None]] = []  # number, body, time, authorization
        self.answered: list[int] = []  # numbers of documents that got a good answer
        self.pause = 0.0  # seconds before a good answer
        self.rate: Callable[[str, str], int] | None = None  # score by model and prompt, of documents without a number
        self.open = self.most_open = 0
        self.lock = threading.Lock()

    def times(self, number: int) -> list[float]:
        return [when for n, _, when, _ in self.requests if n == number]


def score_of(number: int) -> int:
    """What the server thinks of a document."""
    return number % 6


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = MARK.search(body["messages"][0]["content"])
        number = int(found[1]) if found else -1
        site = self.site
        with site.lock:
            site.requests.append((number, body, time.monotonic(), self.headers.get("Authorization")))
            moods = site.moods.get(number) or site.moods.get(-1) or []
            mood = moods.pop(0) if moods else "good"
            site.open += 1
            site.most_open = max(site.most_open, site.open)
        try:
            if self.path != "/v1/chat/completions":
                mood = "404"
            self._answer(mood, number, site.rate(body["model"], body["messages"][0]["content"]) if site.rate else None)
        finally:
            with site.lock:
                site.open -= 1

    def _answer(self, mood: str, number: int, score: int | None) -> None:
        kind, _, detail = mood.partition(" ")
        if kind == "good":
            time.sleep(self.site.pause)
            with self.site.lock:
                self.site.answered.append(number)
            self._say(GOOD.format(score=score if score is not None else score_of(number)))
        elif kind == "say":
            self._say(detail)
        elif kind == "cut":
            self._say("Score: 3", finish="length")
        elif kind == "uncounted":
            self._say(f"Score: {score_of(number)}", usage=False)
        elif kind == "slow":
            time.sleep(float(detail))
            self._say("Score: 0")  # the client has gone away
        elif kind == "raw":
            self._send(200, detail.encode(), {"Content-Type": "application/json"})
        elif kind == "page":
            self._send(200, b"<html>sign in</html>", {"Content-Type": "text/html"})
        elif kind == "close":
            self.close_connection = True
        elif kind == "half":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [{"mess')
            self.close_connection = True
        else:
            status, _, wait = mood.partition("|")
            error = {"message": f"server says {status}"}
            if status == "quota":
                status, error = "429", {"message": "you have none left", "code": "insufficient_quota"}
            self._send(int(status), json.dumps({"error": error}).encode(), {"Retry-After": wait} if wait else {})

    def _say(self, text: str, finish: str = "stop", usage: bool = True) -> None:
        answer: dict[str, Any] = {
            "id": "1",
            "object": "chat.completion",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        }
        if usage:
            answer["usage"] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        self._send(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass  # a client that went away is what some tests are about

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A server until the block ends; it is bounded by the daemon threads that die with the test process."""
    handler = type("BoundHandler", (Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    site = handler.site = ChatServer(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
