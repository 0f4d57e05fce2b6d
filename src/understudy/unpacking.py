"""What is in files, plain or packed, as streams of bytes; and a limit to what comes out of packed ones.

A packed file of some kilobytes can hold gigabytes of nothing. So whatever is unpacked is counted, and no more is taken
than its packed size makes likely: all who unpack ask `check_unpacked`.
"""

from __future__ import annotations

import bz2
import gzip
import queue
import threading
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from understudy.errors import FileError

PACKERS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
}
"""How packed files begin."""
ENDINGS = (".gz", ".bz2", ".zst")
"""What the names of packed files end in, of those that do not tell the name of what is in them."""
FREE = 1 << 26
"""Bytes that any packed file may hold, however small it is."""
RATIO = 500
"""Bytes unpacked for each byte of a larger file: games and tables have 5 to 50, or 200 where the same game comes again
and again; what was made to harm has thousands."""
MOST = 1 << 32
"""Bytes that a packed file may hold if all of them are wanted at once."""
AHEAD = 2
"""Pieces that are unpacked while others are looked at."""


class Damage(Exception):
    """A file that cannot be unpacked to its end; whoever reads decides what becomes of its beginning."""


def check_unpacked(path: Path, unpacked: int, *, most: int | None = None) -> None:
    """Raise if the file *path* holds more than one of its size should: *most* bytes at most, if that is given."""
    allowed = max(FREE, RATIO * path.stat().st_size)
    allowed = allowed if most is None else min(allowed, most)
    if unpacked > allowed:
        raise FileError(
            f"{path} cannot be read: it holds more than {allowed >> 20} MB when it is unpacked, too much for a packed "
            f"file of {path.stat().st_size} bytes; if it is meant so, give it unpacked or in parts"
        )


def pieces(path: Path, size: int, *, most: int | None = None) -> Iterator[bytes]:
    """Yield the content of a file, unpacked, in pieces of *size* bytes, *most* if packed; a thread reads ahead."""
    packed, unpacked = _packer(path) is not None, 0
    with opened(path) as file:
        ready: queue.Queue[bytes | Damage] = queue.Queue(AHEAD)
        unwanted = threading.Event()
        reader = threading.Thread(target=_read_ahead, args=(file, size, ready, unwanted), daemon=True)
        reader.start()
        try:
            while piece := ready.get():
                if isinstance(piece, Damage):
                    raise piece
                unpacked += len(piece)
                if packed:
                    check_unpacked(path, unpacked, most=most)
                yield piece
        finally:
            unwanted.set()
            while reader.is_alive():
                _emptied(ready)
                reader.join(0.01)


def opened(path: Path) -> Any:
    """Open a file to read its unpacked bytes; of a zip, those of the only file in it."""
    try:
        packer = _packer(path)
        if packer == "zstd":
            import pyarrow as pa

            return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
        if packer == "zip":
            with zipfile.ZipFile(path) as archive:
                return archive.open(_only_file(path, archive))
        return gzip.open(path) if packer == "gzip" else bz2.open(path) if packer == "bzip2" else open(path, "rb")
    except FileError:
        raise
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # odd packing, a password
        refuse(path, error)


def inner_name(path: Path) -> str:
    """Return the name of what is packed in a file, or of a plain one."""
    if _packer(path) != "zip":
        return path.stem if path.suffix.lower() in ENDINGS else path.name
    try:
        with zipfile.ZipFile(path) as archive:
            return _only_file(path, archive).filename
    except (zipfile.BadZipFile, NotImplementedError) as error:
        refuse(path, error)


def _only_file(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    files = [file for file in archive.infolist() if not file.is_dir()]
    if len(files) != 1:
        raise FileError(f"{path} holds {len(files)} files; a zip that is read here holds one")
    if files[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others are unpacked all at once
        raise FileError(f"{path} cannot be read: {files[0].filename!r} in it is packed in an unusual way; unpack it")
    return files[0]


def _packer(path: Path) -> str | None:
    start = read_start(path)
    return next((name for mark, name in PACKERS.items() if start.startswith(mark)), None)


def content(path: Path) -> bytes:
    """Return all that is in a file, unpacked."""
    try:
        return b"".join(pieces(path, 1 << 22, most=MOST))
    except Damage as damage:
        raise FileError(f"{path} cannot be read: {damage}") from None


def beginning(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, unpacked, *size* at most."""
    stream = pieces(path, size)
    try:
        return next(stream, b"")
    except Damage as damage:
        raise FileError(f"{path} cannot be read: {damage}") from None
    finally:
        stream.close()  # type: ignore[attr-defined]


def _read_ahead(file: Any, size: int, ready: queue.Queue[bytes | Damage], unwanted: threading.Event) -> None:
    """Hand over one piece after another, an empty one at the end."""
    piece: bytes | Damage = b"-"
    while piece and not isinstance(piece, Damage) and not unwanted.is_set():
        try:
            piece = file.read(size)
        except (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile) as error:
            piece = Damage(f"its packed content is damaged or cut off ({str(error).partition(chr(10))[0]})")
        ready.put(piece)


def _emptied(ready: queue.Queue[bytes | Damage]) -> None:
    while not ready.empty():
        ready.get_nowait()


def read_start(path: Path) -> bytes:
    """Return the first four bytes of a file, by which most kinds are known."""
    try:
        with open(path, "rb") as file:
            return file.read(4)
    except OSError as error:
        refuse(path, error)


def refuse(path: Path, error: Exception) -> NoReturn:
    """Raise what a user should hear when *path* cannot be read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).partition("\n")[0]
    raise FileError(f"{path} cannot be read: {reason}") from None
