"""Complaints about what stands in a file of records, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from understudy.errors import BadOption, FileError

ON_ERROR = ("refuse", "skip")
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
