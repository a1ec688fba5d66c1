"""The one seam between the queue and the world: ask for a file from an offset, get an answer or a typed refusal.

HTTP is spoken with the standard library, everything else through the snapshot's own readers.
"""

from __future__ import annotations

import email.utils
import http.client
import re
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import BinaryIO, Protocol, cast

from gpucurate.core.errors import InputError
from gpucurate.sources import local_files, remote_files
from gpucurate.sources.contract import InputFile
from gpucurate.sources.files import is_remote, open_input
from gpucurate.sources.remote_files import PASSING

TIMEOUT = 60.0  # seconds without a byte
NETWORK_ERRORS = (OSError, http.client.HTTPException)  # what reading an answer's stream may raise


class TryLater(Exception):
    """The request failed in a way that may pass; `asked` is the server's Retry-After in seconds."""

    def __init__(self, reason: str, asked: float | None = None) -> None:
        super().__init__(reason)
        self.asked = asked


class OtherPart(TryLater):
    """What there is cannot be continued: the server has no such part, or sends another one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes of a file from `start` on.

    `size` is that of the whole file, None if the server does not tell; `framed` says that even then a cut would be
    noticed.  `mark` identifies this version of the file, None if the server has no such thing.
    """

    stream: BinaryIO
    start: int
    size: int | None
    mark: str | None
    framed: bool = True


class Transport(Protocol):
    """How files are asked for."""

    def get(self, url: str, start: int, mark: str | None) -> Answer:
        """The file from `start` on if it is still the version `mark`, else from 0.

        Raises TryLater, or InputError for a refusal that will not pass.
        """
        ...


def transport_for(url: str, agent: str) -> Transport:
    """The transport of a URL's protocol."""
    return HttpTransport(agent) if url.startswith(("http://", "https://")) else FilesystemTransport()


class HttpTransport:
    """HTTP and HTTPS; proxies as the environment names them, redirects followed."""

    def __init__(self, agent: str) -> None:
        self._headers = {"User-Agent": agent, "Accept-Encoding": "identity"}
        self._opener = urllib.request.build_opener()

    def get(self, url: str, start: int, mark: str | None) -> Answer:
        """See Transport."""
        headers = dict(self._headers)
        if start and mark:
            headers |= {"Range": f"bytes={start}-", "If-Range": mark}
        try:
            response = self._opener.open(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise self._refused(url, refusal) from refusal
        except (ValueError, http.client.InvalidURL) as error:
            raise InputError(f"cannot fetch {url}: {error}") from error
        except NETWORK_ERRORS as error:
            raise TryLater(f"{url}: {getattr(error, 'reason', None) or error or type(error).__name__}") from error
        return _answer(response)

    def _refused(self, url: str, refusal: urllib.error.HTTPError) -> Exception:
        said = f"{url}: the server answers {refusal.code} {refusal.reason}"
        if refusal.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            return OtherPart(said)
        if refusal.code in PASSING:
            return TryLater(said, _retry_after(refusal.headers.get("Retry-After")))
        return InputError(f"cannot fetch {said}")


def _answer(response: http.client.HTTPResponse) -> Answer:
    etag = response.headers.get("ETag")
    strong = etag if etag and not etag.startswith("W/") else None  # If-Range takes no weak ones (RFC 9110, 13.1.5)
    mark = strong or response.headers.get("Last-Modified")
    length = response.headers.get("Content-Length")
    stream = cast(BinaryIO, response)
    if response.status == http.client.PARTIAL_CONTENT:
        place = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", "").strip())
        if place is None:
            response.close()
            raise OtherPart(f"{response.url}: a part without a Content-Range that can be understood")
        return Answer(stream, int(place[1]), int(place[2]), mark)
    return Answer(stream, 0, int(length) if length else None, mark, framed=bool(length or response.chunked))


def _retry_after(value: str | None) -> float | None:
    """Seconds, from a number or an HTTP date (RFC 9110, 10.2.3)."""
    if not value:
        return None
    if value.strip().isdigit():
        return float(value)
    moment = email.utils.parsedate_tz(value)
    return max(email.utils.mktime_tz(moment) - time.time(), 0.0) if moment else None


class FilesystemTransport:
    """Any other fsspec URL (s3://, gs://) or local directory; its streams mend themselves."""

    def get(self, url: str, start: int, mark: str | None) -> Answer:
        """See Transport."""
        url = url.removeprefix(local_files.SCHEME)
        size, digest = remote_files.describe(url) if is_remote(url) else local_files.describe(url)
        stream = open_input(InputFile(url, size, digest, url))
        place = start if mark == digest and start <= size else 0
        stream.seek(place)
        return Answer(stream, place, size, digest)
