"""One file over HTTP: goes on where it stopped, waits for nobody for ever, and takes nothing that is plainly another.

Who calls it checks the sum of the whole: a host may have changed the file between two connections.
"""

from __future__ import annotations

import io
import re
import ssl
import time
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from understudy import __version__
from understudy.errors import FileError, first_line

CHUNK = 1 << 16
"""Bytes at a time; a connection that brings no more than this has brought nothing."""
AGAIN = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)
"""Answers that ask to come back; so do all from 500 on."""

File = io.FileIO | io.BytesIO
Progress = Callable[[int, int | None], None]
"""Hears how many bytes there are, and of how many if anybody knows."""


class Patience(NamedTuple):
    """How long a host is waited for, and how often it is asked."""

    seconds: float = 30.0
    """For a connection, and for each answer on it."""
    tries: int = 4
    """Connections in a row that bring nothing new."""
    pause: float = 0.5
    """Seconds before the second try; each further pause is twice as long."""


class Cut(Exception):
    """A connection that failed in a way that may pass."""


def download(address: str, file: File, *, size: int | None, patience: Patience, progress: Progress) -> None:
    """Add to *file* what is missing of the file at *address*, which has *size* bytes if that is not None."""
    failures = 0
    while True:
        before = length(file)
        try:
            _receive(address, file, size, patience, progress)
            return
        except Cut as cut:
            failures = 0 if length(file) - before > CHUNK else failures + 1
            if failures >= patience.tries:
                raise FileError(f"cannot fetch {address!r}: {cut} (tried {failures} times)") from None
            time.sleep(patience.pause * 2 ** max(failures - 1, 0))


def length(file: File) -> int:
    """Return how many bytes a file has, and stand at its end."""
    return file.seek(0, io.SEEK_END)


def clear(file: File) -> None:
    """Let a file have no bytes."""
    if length(file):
        file.seek(0)
        file.truncate()


def append(file: File, data: bytes) -> None:
    """Write all of *data*: a disk that is nearly full takes a part of it without a word."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[file.write(rest) :]
        except OSError as error:
            place = getattr(file, "name", "")
            raise FileError(f"cannot write {place!r}: {error.strerror or error}") from None


def _receive(address: str, file: File, size: int | None, patience: Patience, progress: Progress) -> None:
    """Take what one connection brings; raise `Cut` unless the file is whole then."""
    start = length(file)
    headers = {"User-Agent": f"understudy/{__version__}"} | ({"Range": f"bytes={start}-"} if start else {})
    try:
        with urlopen(Request(address, headers=headers), timeout=patience.seconds) as response:
            total = _check_answer(response, address, start, size)
            if response.status != HTTPStatus.PARTIAL_CONTENT:
                clear(file)
            _take(response, file, address, total, progress)
    except HTTPError as error:
        with error:
            _check_refusal(error, address, file, start)
    except FileError:
        raise
    except (OSError, HTTPException) as error:
        raise _cut(error, address, patience) from None


def _check_answer(response: HTTPResponse, address: str, start: int, size: int | None) -> int | None:
    """Return how many bytes the whole file has if anybody knows; raise if it is plainly not the one that is wanted."""
    if response.headers.get_content_type() == "text/html" and not address.endswith(".html"):
        raise FileError(f"{address!r} answers with a web page instead of the file")
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
        if match is None or int(match[1]) != start:
            raise FileError(f"{address!r} answers with another part of the file than the one from byte {start} on")
        total: int | None = int(match[2])
    else:
        total = response.length
    if total is not None and size is not None and total != size:
        raise FileError(f"{address!r} offers {total} bytes instead of {size}: it is another file")
    return size if total is None else total


def _take(response: HTTPResponse, file: File, address: str, total: int | None, progress: Progress) -> None:
    done = length(file)
    while data := response.read1(CHUNK):
        done += len(data)
        if total is not None and done > total:
            raise FileError(f"{address!r} sends more than the {total} bytes that the file should have")
        append(file, data)
        progress(done, total)
    if total is not None and done < total:
        raise Cut(f"the connection ended after {done} of {total} bytes")


def _check_refusal(error: HTTPError, address: str, file: File, start: int) -> None:
    """Return if the refusal means that the file is whole; raise what it means otherwise."""
    if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and start:
        if error.headers.get("Content-Range") == f"bytes */{start}":
            return
        clear(file)
        raise Cut("the host has less of the file than is here")
    answer = f"the host answers {error.code} ({first_line(Exception(error.reason))})"
    if error.code in AGAIN or error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise Cut(answer)
    raise FileError(f"cannot fetch {address!r}: {answer}")


def _cut(error: Exception, address: str, patience: Patience) -> Exception:
    """Return what a failed connection means."""
    reason = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        return FileError(f"cannot fetch {address!r}: its certificate is not valid ({reason.verify_message})")
    if isinstance(reason, TimeoutError):
        return Cut(f"no answer for {patience.seconds:g} seconds")
    return Cut(getattr(reason, "strerror", None) or first_line(reason))
