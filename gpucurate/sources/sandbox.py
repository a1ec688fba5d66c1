"""Running a foreign extractor on one record at a time, in a child process that may hang, crash or eat memory.

What goes wrong becomes a typed `Failure` and a new child; the parent never hangs and never raises for a record.
A child answers one record after another over its pipes, is no daemon's child in the sense of multiprocessing (Dask
workers may not have those), and ends by itself when its parent is gone.
"""

from __future__ import annotations

import functools
import importlib
import os
import signal
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gpucurate.core.errors import InvariantError

FRAME = struct.Struct("<cQ")  # kind of the answer, length of the body; requests use the same frame
READY, REFUSED, RECORD, TEXT, NOTHING, RAISED, EXHAUSTED = b"!", b"?", b"R", b"T", b"0", b"E", b"M"
WALL_PER_CPU = 5.0  # a child may wait this many times its CPU allowance: the machine may be busy
DETAIL_CHARS = 300

Function = Callable[[bytes], bytes | str | None]


@dataclass(frozen=True, slots=True)
class Failure:
    """`reason` is `timeout` or `crash`, the last word of a reason code; `detail` is one line for a person."""

    reason: str
    detail: str


class Sandbox:
    """Calls `module.function(payload) -> bytes | str | None` in a child process, which is started when first needed.

    `seconds` is CPU time a record, so that a busy machine does not time out what an idle one extracts; a child that
    sleeps is ended after `WALL_PER_CPU` times as long.  `memory` in bytes caps the child's address space (on Linux).
    Calls from several threads take turns.
    """

    def __init__(self, module: str, function: str, seconds: float, memory: int | None = None) -> None:
        self.module = module
        self.function = function
        self.seconds = seconds
        self.memory = memory
        self.starts = 0  # children started so far
        self._child: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = _nothing
        self._turn = threading.Lock()

    def run(self, payload: bytes) -> bytes | Failure | None:
        """The function's answer (a str as UTF-8), or what went wrong with this record.

        Raises InvariantError if the function cannot be imported in the child: that is no fault of a record.
        """
        with self._turn:
            child = self._child if self._child is not None else self._start()
            answered = False
            try:
                _send(_pipe(child.stdin), RECORD, payload)
                kind, body = _receive(_pipe(child.stdout))
                answered = True
            except (EOFError, BrokenPipeError):
                return self._died(child)
            finally:
                if not answered:  # interrupted: an answer that comes later must not be taken for the next record's
                    self._stop()
            if kind == EXHAUSTED:
                self._stop()  # what a child has left after MemoryError is anyone's guess
            if kind == TEXT:
                return body
            return None if kind == NOTHING else Failure("crash", body.decode())

    def close(self) -> None:
        """End the child; a later `run` starts another."""
        with self._turn:
            self._stop()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> subprocess.Popen[bytes]:
        # -P and the parent's own path: the child imports what its parent would, and nothing that lies about in the
        # working directory.
        paths = [path or str(Path.cwd()) for path in sys.path]
        child = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                __name__,
                self.module,
                self.function,
                str(self.seconds),
                str(self.memory or 0),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        self._child = child
        self._end = weakref.finalize(self, _kill, child)
        self.starts += 1
        try:
            kind, body = _receive(_pipe(child.stdout))
        except EOFError:
            kind, body = REFUSED, f"the child ended at once with status {child.wait()}".encode()
        if kind != READY:
            self._stop()
            raise InvariantError(f"cannot run {self.module}.{self.function} in a sandbox: {body.decode()}")
        return child

    def _died(self, child: subprocess.Popen[bytes]) -> Failure:
        status = child.wait()
        self._stop()
        if status in (-signal.SIGPROF, -signal.SIGALRM):
            clock = "CPU time" if status == -signal.SIGPROF else "waiting"
            limit = self.seconds * (1 if status == -signal.SIGPROF else WALL_PER_CPU)
            return Failure("timeout", f"{self.module}.{self.function} ended after {limit:g} s of {clock}")
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return Failure("crash", f"{self.module}.{self.function} took its process down: {how}")

    def _stop(self) -> None:
        self._end()
        self._child, self._end = None, _nothing


@functools.cache
def shared_sandbox(module: str, function: str, seconds: float, memory: int | None = None) -> Sandbox:
    """One sandbox a process for equal settings: tasks that follow each other on a worker share its start-up."""
    return Sandbox(module, function, seconds, memory)


def _nothing() -> None:
    return None


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.kill()  # it holds nothing worth saving
    child.wait()
    for pipe in (child.stdin, child.stdout):
        try:
            _pipe(pipe).close()
        except BrokenPipeError:
            pass  # an unsent rest of a record, for a child that is no more


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise InvariantError("sandbox child without pipes")
    return pipe


def _send(pipe: IO[bytes], kind: bytes, body: bytes) -> None:
    pipe.write(FRAME.pack(kind, len(body)))
    pipe.write(body)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    """Next frame; raises EOFError where the other side is gone."""
    head = pipe.read(FRAME.size)
    if len(head) < FRAME.size:
        raise EOFError
    kind, length = FRAME.unpack(head)
    body = pipe.read(length)
    if len(body) < length:
        raise EOFError
    return kind, body


def serve(module: str, function: str, seconds: float, memory: int) -> None:
    """The child: answer records until the parent closes the pipe."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)  # an extractor that prints must not write into the answers
    try:
        extract: Function = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, SyntaxError) as error:
        _send(answers, REFUSED, _one_line(error))
        return
    if memory and sys.platform == "linux":
        _limit_memory(memory)
    _send(answers, READY, b"")
    while True:
        try:
            _, payload = _receive(requests)
        except EOFError:
            return
        _send(answers, *_answer(extract, payload, seconds))


def _answer(extract: Function, payload: bytes, seconds: float) -> tuple[bytes, bytes]:
    # Both signals keep their default action, which ends the process even inside C code that never returns to Python,
    # and even when the parent is gone.
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * WALL_PER_CPU)
    try:
        text = extract(payload)
        if text is None:
            return NOTHING, b""
        return TEXT, text.encode("utf-8", "replace") if isinstance(text, str) else text
    except MemoryError as error:
        return EXHAUSTED, _one_line(error)
    except Exception as error:  # noqa: BLE001 - whatever a foreign function raises is the answer for this record
        return RAISED, _one_line(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _limit_memory(memory: int) -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory if hard < 0 else min(memory, hard), hard))


def _one_line(error: BaseException) -> bytes:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text[:DETAIL_CHARS].rstrip(": ").encode("utf-8", "replace")


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
