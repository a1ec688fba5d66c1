"""A stream of remote bytes that survives lost connections.

Whatever the package behind a protocol raises is a reason to connect again; after a few attempts without progress it
becomes an InputError.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from typing import BinaryIO

from gpucurate.core.errors import InputError

BLOCK_BYTES = 8 << 20  # asked for at a time; large enough that latency does not count, small enough for many workers
ATTEMPTS = 6  # without any progress, before a stream gives up
FIRST_PAUSE = 0.5  # seconds, doubled after each attempt
FOREIGN_ERRORS = (  # roots of the exception trees of the packages behind fsspec, where they are no OSError
    ("aiohttp", "ClientError"),
    ("botocore.exceptions", "BotoCoreError"),
    ("gcsfs.retry", "HttpError"),
    ("google.auth.exceptions", "GoogleAuthError"),
)


class RemoteStream(io.RawIOBase):
    """Bytes of a remote file.  A lost connection is opened again where it broke, ATTEMPTS times without progress.

    `open_at` gives the bytes from an offset on and may raise whatever the protocol's package raises.
    """

    def __init__(self, name: str, size: int, open_at: Callable[[int], BinaryIO]) -> None:
        super().__init__()
        self.name = name
        self._size = size
        self._open_at = open_at
        self._stream: BinaryIO | None = None
        self._position = 0

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True; where the server cannot, what lies before is read and thrown away."""
        return True

    def tell(self) -> int:
        """Offset of the next byte."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move; the connection is kept unless the offset changes."""
        target = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if target != self._position:
            self._drop()
            self._position = target
        return target

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Some bytes, 0 at the end.  Raises InputError when the connection cannot be brought back."""
        wanted = min(len(buffer), self._size - self._position)
        for attempt in range(ATTEMPTS):
            if wanted <= 0:
                return 0
            try:
                if self._stream is None:
                    self._stream = self._open_at(self._position)
                piece = self._stream.read(wanted)
                if piece:
                    buffer[: len(piece)] = piece
                    self._position += len(piece)
                    return len(piece)
                problem = f"the connection ended {self._size - self._position} bytes early"
            except remote_errors() as error:
                problem = in_words(error)
            self._drop()
            if attempt + 1 < ATTEMPTS:
                pause(attempt)
        raise InputError(f"cannot read on in {self.name} after {self._position} bytes: {problem}")

    def close(self) -> None:
        """Close the connection."""
        self._drop()
        super().close()

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()


def pause(attempt: int) -> None:
    """Sleep after failure number `attempt`, from 0."""
    time.sleep(FIRST_PAUSE * 2**attempt)


def remote_errors() -> tuple[type[Exception], ...]:
    """What to catch: OSError, ValueError (fsspec), and the roots of those packages that are loaded."""
    loaded = [(sys.modules.get(module), name) for module, name in FOREIGN_ERRORS]
    return (OSError, ValueError, *(getattr(module, name) for module, name in loaded if module is not None))


def in_words(error: Exception) -> str:
    """What an error says, or at least its name."""
    return str(error) or type(error).__name__
