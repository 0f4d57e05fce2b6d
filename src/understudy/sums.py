"""Checked files: the CRC-32 of a whole file stands in the file itself, so that a bit that a disk has turned is noticed.

A file that has room for remarks (the metadata of safetensors, Parquet and ONNX) is written with BLANK among them, and
sealed when it is whole: the zeros become the sum of the file with the zeros. In JSON the sum is white space at the end,
which every program that reads JSON passes over. Files without a sum, from before or from elsewhere, are read as ever.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from understudy.errors import FileError

REMARK = "sum"
"""What the remark with the sum is called where remarks have names."""
_BEFORE, _AFTER = b"understudy crc32 ", b" of the whole file"
"""What the sum stands between: a bit turned in either leaves the other, which tells that there was a sum."""
_ZEROS = b"00000000"
BLANK = (_BEFORE + _ZEROS + _AFTER).decode()
"""What stands where the sum will be, once in a file, near its beginning or its end."""
_SUM = re.compile(_BEFORE + b"(.{8})" + _AFTER, re.DOTALL)

NEAR = 1 << 16
"""Bytes from either end in which the sum is looked for: it is the first remark of safetensors, the last of ONNX."""
PIECE = 1 << 20
"""Bytes that are read at once."""
_BITS = 32
CURES = {"student": "get it again from where it came, or let its run write it anew"}
"""What to do about a damaged file from which no run goes on."""


def seal(path: Path) -> None:
    """Write the sum of a file into it, where it says BLANK."""
    with open(path, "r+b") as file:
        place = _find_sum(file, path)
        assert place is not None, f"{path} has no room for its sum"
        total = _add_up(file, place)
        file.seek(place)
        file.write(total)


def check_sum(path: Path, what: str = "file") -> None:
    """Raise if a file has a sum that is not its own; *what* it should hold is named."""
    try:
        with open(path, "rb") as file:
            place = _find_sum(file, path, what)
            if place is None:
                return
            file.seek(place)
            if file.read(len(_ZEROS)) != _add_up(file, place):
                raise _damage(path, what)
    except FileError:
        raise
    except OSError:  # whoever reads it says so in words of its own
        return


def seal_text(text: str) -> str:
    """Return text of JSON with its sum in the white space at its end: a space for each 0, a tab for each 1."""
    body = text.rstrip()
    return f"{body}{_write_white(body.encode()).decode()}\n"


def check_text(content: bytes, path: Path) -> None:
    """Raise if the *content* of a JSON file has a sum that is not its own."""
    body = content.rstrip()
    white = content[len(body) :]
    if len(white) == _BITS + 1 and not _is_sealed(content):  # nobody else ends a file with so much of it
        raise _damage(path, "file")


def read_line(line: bytes, path: Path) -> Any:
    """Return what a line of a journal says, None where a kill left half of one; raise if it was changed since."""
    check_text(line, path)
    if not line.endswith(b"\n"):
        damaged = _is_sealed(line[:-1] + b"\n")  # it lacks nothing: its end is something else now
    else:
        try:
            return json.loads(line)
        except ValueError:
            damaged = b"\t" in line or b"  " in line  # nothing but a sum has so much white in it
    if damaged:
        raise _damage(path, "journal")
    return None


def read_sound(line: bytes, path: Path) -> Any:
    """Return what a line of a journal says, for who only looks on: None of half a line, or one that was changed."""
    try:
        check_text(line.rstrip(b"\r\n") + b"\n", path)
        return json.loads(line.decode("utf-8"))
    except (FileError, ValueError, RecursionError):
        return None


def _is_sealed(content: bytes) -> bool:
    """Tell whether the *content* of a JSON file, or of a line, ends with its own sum."""
    body = content.rstrip()
    return content[len(body) :] == _write_white(body) + b"\n"


def _write_white(body: bytes) -> bytes:
    return f"{zlib.crc32(body):0{_BITS}b}".encode().translate(bytes.maketrans(b"01", b" \t"))


def _find_sum(file: BinaryIO, path: Path, what: str = "file") -> int | None:
    """Return where the digits of a file's sum stand; None if it never had any."""
    marks = False
    for start, length in ((0, NEAR), (_find_tail(file), -1)):
        file.seek(start)
        piece = file.read(length)
        if found := _SUM.search(piece):
            return start + found.start(1)
        marks = marks or _BEFORE in piece or _AFTER in piece
    if marks:
        raise _damage(path, what)
    return None


def _find_tail(file: BinaryIO) -> int:
    """Return from where on the remarks at the end of a file are looked for: Parquet tells how long they are."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 8))
    length, magic = struct.unpack("<I4s", file.read(8).rjust(8, b"\0"))
    return max(0, end - (8 + length if magic == b"PAR1" else NEAR))


def _add_up(file: BinaryIO, place: int) -> bytes:
    """Return the sum of a file in eight digits, those at *place* counted as zeros."""
    file.seek(0)
    total, left = 0, place
    while left and (piece := file.read(min(left, PIECE))):
        total, left = zlib.crc32(piece, total), left - len(piece)
    total = zlib.crc32(_ZEROS, total)
    file.seek(place + len(_ZEROS))
    while piece := file.read(PIECE):
        total = zlib.crc32(piece, total)
    return b"%08x" % total


def _damage(path: Path, what: str) -> FileError:
    cure = CURES.get(what, "delete it to do that part again")
    return FileError(f"the {what} {str(path)!r} is damaged: its checksum is not that of what it holds; {cure}")
