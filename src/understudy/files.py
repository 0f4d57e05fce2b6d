"""Files written whole or not at all, to a temporary name beside them, then renamed; and where a user keeps data."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from understudy.errors import FileError

DATA = "data:"
"""What the name of a file begins with that lies wherever this user keeps data."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path that takes the place of *path* once it is whole and on the disk, and not before.

    Some libraries make files that nobody else may read; all of ours have the mode that the umask gives.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        mode = _usual_mode(temporary)
        yield temporary
        temporary.chmod(mode)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)


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
    except OSError as error:
        raise FileError(f"cannot make the folder {str(path)!r}: {error.strerror or error}") from None


def save_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let *write* fill a temporary file that then takes the place of *path*."""
    with replacing(path) as temporary:
        write(temporary)


def save_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    save_file(path, lambda partial: partial.write_text(text, encoding="utf-8"))


def save_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all."""
    save_text(path, json.dumps(value, indent=1) + "\n")


def load_json(path: Path) -> Any:
    """Return what a JSON file says."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    except json.JSONDecodeError as error:
        raise FileError(f"{str(path)!r} is not JSON: {error}") from None


def cache_home() -> Path:
    """Return where this user's programs keep what they can make or fetch again."""
    if path := os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA"):
        return Path(path)
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def data_folder() -> Path:
    """Return where this user keeps data: the folder that UNDERSTUDY_DATA names, or one in the user's cache."""
    if path := os.environ.get("UNDERSTUDY_DATA"):
        return Path(path)
    return cache_home() / "understudy" / "data"
