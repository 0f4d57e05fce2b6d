"""Files as streams of bytes, plain or packed by gzip, bzip2 or zstd, told apart by how they begin.

zstd is unpacked by pyarrow, which is here anyway: Python's own comes with 3.14 only.
"""

from __future__ import annotations

import bz2
import gzip
import queue
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from understudy.errors import FileError

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
