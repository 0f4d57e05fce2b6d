"""Files of records: streams of bytes, plain or packed, and complaints about what stands in them."""

from __future__ import annotations

import bz2
import gzip
import queue
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pyarrow as pa

from understudy.errors import BadOption, FileError

ON_ERROR = ("refuse", "skip")
"""What may become of lines that cannot be read."""
LONGEST = 60
"""So much of a line that cannot be read is shown."""


class Complaint(NamedTuple):
    """What is wrong with one line of a file, or one row of a table; both are counted from 1."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


def check_on_error(on_error: str) -> None:
    """Raise unless *on_error* says what to do with lines that cannot be read."""
    if on_error not in ON_ERROR:
        raise BadOption(f"on_error must be one of {', '.join(ON_ERROR)}, not {on_error!r}")


def settle(complaints: Sequence[Complaint], on_error: str) -> None:
    """Raise if there are complaints and they are not to be skipped."""
    if complaints and on_error == "refuse":
        more = f" ({len(complaints) - 1} more like it)" if len(complaints) > 1 else ""
        raise FileError(f"{complaints[0]}{more}")


def read_bytes(path: Path) -> bytes:
    """Return what stands in a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        refuse(path, error)


def shown(text: bytes | str) -> str:
    """Return text for a message: readable and not too long."""
    line = text.decode("ascii", "backslashreplace") if isinstance(text, bytes) else text
    return repr(line if len(line) <= LONGEST else line[:LONGEST] + "...")


def refuse(path: Path, error: Exception) -> NoReturn:
    """Raise what a user should hear when *path* cannot be read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).partition("\n")[0]
    raise FileError(f"{path} cannot be read: {reason}") from None


PACKERS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
"""How packed files begin."""
AHEAD = 2
"""Pieces that are unpacked while others are looked at."""


class Damage(Exception):
    """A file that cannot be unpacked to its end; whoever reads decides what becomes of its beginning."""


def pieces(path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of a file, unpacked, in pieces of *size* bytes; a thread reads ahead."""
    with opened(path) as file:
        ready: queue.Queue[bytes | Damage] = queue.Queue(AHEAD)
        unwanted = threading.Event()
        reader = threading.Thread(target=_read_ahead, args=(file, size, ready, unwanted), daemon=True)
        reader.start()
        try:
            while piece := ready.get():
                if isinstance(piece, Damage):
                    raise piece
                yield piece
        finally:
            unwanted.set()
            while reader.is_alive():
                _emptied(ready)
                reader.join(0.01)


def opened(path: Path) -> Any:
    """Open a file to read its unpacked bytes."""
    try:
        with open(path, "rb") as file:
            start = file.read(4)
        packer = next((name for mark, name in PACKERS.items() if start.startswith(mark)), None)
        if packer == "zstd":
            return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
        return gzip.open(path) if packer == "gzip" else bz2.open(path) if packer == "bzip2" else open(path, "rb")
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None


def content(path: Path) -> bytes:
    """Return all that is in a file, unpacked."""
    try:
        return b"".join(pieces(path, 1 << 22))
    except Damage as damage:
        raise FileError(f"{path} cannot be read: {damage}") from None


def _read_ahead(file: Any, size: int, ready: queue.Queue[bytes | Damage], unwanted: threading.Event) -> None:
    """Hand over one piece after another, an empty one at the end."""
    piece: bytes | Damage = b"-"
    while piece and not isinstance(piece, Damage) and not unwanted.is_set():
        try:
            piece = file.read(size)
        except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
            piece = Damage(f"its packed content is damaged or cut off ({str(error).partition(chr(10))[0]})")
        ready.put(piece)


def _emptied(ready: queue.Queue[bytes | Damage]) -> None:
    while not ready.empty():
        ready.get_nowait()
