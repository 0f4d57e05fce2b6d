"""Files written whole or not at all, to a temporary name beside them, then renamed; and where a user keeps data.

Whatever is wrong with the disk (full, read-only, a limit on the size of files) is one sentence that names the file and
the reason, in whatever words the library that wrote it has said so; the file that was there before is still whole.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from understudy.errors import FileError
from understudy.locks import is_alive
from understudy.sums import check_text, seal, seal_text

NAMED = 50
"""Characters of a file's name that its temporary name repeats: four bytes each, and there are 255."""
DATA = "data:"
"""What the name of a file begins with that lies wherever this user keeps data."""


_TEMPORARY = re.compile(r"\..+\.(\d+)\.tmp")
"""Names of files that are not whole yet, with the number of the process that writes them."""
_NUMBERED = re.compile(r"(?:os error|errno) (\d+)", re.IGNORECASE)
"""How libraries that raise errors of their own name the system's."""
_numbers = itertools.count()
_swept: set[Path] = set()
_sweeping = threading.Lock()


@contextmanager
def replacing(path: Path, *, sealed: bool = False) -> Iterator[Path]:
    """Give a temporary path that takes the place of *path* once it is whole and on the disk, and not before.

    Some libraries make files that nobody else may read; all of ours have the mode that the umask gives. A file that is
    *sealed* gets its sum, for which it has left room (`sums.py`).
    """
    if not path.name or "\0" in str(path):
        raise FileError(f"cannot write {str(path)!r}: no file has such a name")
    _sweep(path.parent)
    # The longest name that a file may have must leave room for what the temporary one has besides: a number, because
    # threads may write files side by side whose names begin alike, and that of the process.
    temporary = path.with_name(f".{path.name[:NAMED]}.{next(_numbers)}.{os.getpid()}.tmp")
    try:
        mode = _usual_mode(temporary)
        yield temporary
        if sealed:
            seal(temporary)
        temporary.chmod(mode)
        sync(temporary)
        os.replace(temporary, path)
        sync(path.parent)
    except FileError:
        raise
    except Exception as error:
        if (reason := find_reason(error)) is None:
            raise
        raise FileError(f"cannot write {str(path)!r}: {reason}") from None
    finally:
        with suppress(OSError):  # a disk that takes nothing lets nothing go either
            temporary.unlink(missing_ok=True)


def find_reason(error: Exception) -> str | None:
    """Return what the system has said, in whosever error; None if the error is not about a file."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (named := _NUMBERED.search(str(error))):
        number = int(named[1])
    if number is not None:
        return os.strerror(number)
    return str(error) if isinstance(error, OSError) else None


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; Windows can do that for files alone."""
    if os.name == "nt" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot do this for folders
            raise
    finally:
        os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove what killed processes have left half-written, when this one first writes in a folder."""
    with _sweeping:
        if folder in _swept or os.name == "nt":  # where nobody can be asked whether a process is alive
            return
        _swept.add(folder)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                name = _TEMPORARY.fullmatch(entry.name)
                # A file with our own number is from a process that had it before: we have written nothing here yet.
                if name and (int(name[1]) == os.getpid() or not is_alive(int(name[1]))):
                    os.unlink(entry)


def _usual_mode(path: Path) -> int:
    """Return the mode of a new file: making one is the only way to ask for the umask without changing it."""
    path.unlink(missing_ok=True)
    path.touch()
    mode = path.stat().st_mode
    path.unlink()
    return mode


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of *path* once it is whole."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        yield file


def make_folder(path: Path) -> None:
    """Make a folder and those above it, if they are not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a NUL, which no name has, is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot make the folder {str(path)!r}: {reason}") from None


def save_file(path: Path, write: Callable[[Path], object], *, sealed: bool = False) -> None:
    """Let *write* fill a temporary file that then takes the place of *path*; one that is *sealed* gets its sum."""
    with replacing(path, sealed=sealed) as temporary:
        write(temporary)


def save_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    save_file(path, lambda partial: partial.write_text(text, encoding="utf-8"))


def save_json(path: Path, value: Any, *, indent: int | None = 1, sealed: bool = False) -> None:
    """Write a JSON file whole or not at all; one that something goes on from is *sealed*, others people may edit."""
    text = json.dumps(value, indent=indent, separators=None if indent else (",", ":")) + "\n"
    save_text(path, seal_text(text) if sealed else text)


def load_json(path: Path) -> Any:
    """Return what a JSON file says; one that was sealed must be as it was written."""
    try:
        content = path.read_bytes()
        check_text(content, path)
        return json.loads(content.decode("utf-8"))
    except FileError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    except ValueError as error:  # also a number of thousands of digits, and a path with a NUL, which no file has
        raise FileError(f"{str(path)!r} is not JSON: {error}") from None
    except RecursionError:
        raise FileError(f"{str(path)!r} is nested too deeply") from None


class Table(dict[str, Any]):
    """A table of a JSON file; a key that is not there is told with the file."""

    place = ""

    def __missing__(self, key: object) -> Any:
        raise FileError(f"{self.place} is not what it should be: it has no {key!r}")


def load_table(path: Path) -> dict[str, Any]:
    """Return the table that a JSON file holds; to ask it, or one in it, for what is not there names the file."""
    told = load_json(path)
    if not isinstance(told, dict):
        raise FileError(f"{str(path)!r} is not what it should be: it holds no table")
    table: dict[str, Any] = _tabled(told, repr(str(path)))
    return table


def _tabled(told: Any, place: str) -> Any:
    if isinstance(told, list):
        return [_tabled(one, place) for one in told]
    if not isinstance(told, dict):
        return told
    table = Table({key: _tabled(one, place) for key, one in told.items()})
    table.place = place
    return table


def cache_home() -> Path:
    """Return where this user's programs keep what they can make or fetch again."""
    if path := os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA"):
        return Path(path)
    try:
        home = Path.home()
    except RuntimeError:
        raise FileError("this user has no home folder to keep data in; XDG_CACHE_HOME may name another") from None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def data_folder() -> Path:
    """Return where this user keeps data: the folder that UNDERSTUDY_DATA names, or one in the user's cache."""
    if path := os.environ.get("UNDERSTUDY_DATA"):
        return Path(path)
    return cache_home() / "understudy" / "data"


NOWHERE = Path(os.devnull) / "data"
"""In which folder data lie that nobody can have."""


def data_place() -> Path:
    """Return where data are looked for that may be missing: who has no home has none, and does without."""
    try:
        return data_folder()
    except FileError:
        return NOWHERE
