"""How data comes into its folder: to a file `.part` beside, checked whole, then renamed: a name holds all or nothing.

What is there is not fetched again. A second process that wants the same file is told so.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.errors import FileError
from understudy.fetch.download import Progress, clear, length
from understudy.fetch.origins import Origin
from understudy.fetch.sources import Source
from understudy.files import make_folder, save_text, sync
from understudy.locks import locked

SUM = re.compile(r"([0-9a-fA-F]{64})[ *]+(?:.*/)?(.+)")
"""A line of a list of sums, as the program sha256sum writes it."""


class Kept(NamedTuple):
    """A file that is there, checked."""

    name: str
    path: str
    fetched: bool
    """Whether it was not there before."""
    size: int


def fetch(
    sources: Sequence[Source],
    folder: Path,
    origin: Origin,
    *,
    again: bool = False,
    follow: Callable[[Source], Progress] = lambda source: lambda done, total: None,
) -> Iterator[Kept]:
    """Bring sources into a folder and yield each; *again* replaces what is there and is another file.

    What is there is checked before anything is fetched; *follow* gives who hears of a source's progress.
    """
    there = [_is_kept(source, folder, origin, again=again) for source in sources]
    for source, kept in zip(sources, there, strict=True):
        path = folder / source.name
        if not kept:
            _bring(source, path, origin, follow(source))
        yield Kept(source.name, str(path), not kept, path.stat().st_size)


def _is_kept(source: Source, folder: Path, origin: Origin, *, again: bool) -> bool:
    """Return whether a file is there as it should be; raise if it is another and must not be replaced."""
    path = folder / source.name
    if not path.exists():
        return False
    wanted = source.sha256 or _noted_sum(path) or _listed_sum(source, origin)
    real = _sum_of_file(path)
    if real != wanted and not again:
        raise FileError(
            f"{str(path)!r} is there, but it is not the file that is published: its SHA-256 begins with {real[:12]} "
            f"instead of {wanted[:12]}; --again replaces it"
        )
    return real == wanted


def _bring(source: Source, path: Path, origin: Origin, progress: Progress) -> None:
    """Let the file come to its part, and from there to its name."""
    make_folder(path.parent)
    with locked(path):
        wanted = source.sha256 or _listed_sum(source, origin)
        if path.exists() and _sum_of_file(path) == wanted:  # another process was quicker
            return
        part = path.with_name(path.name + ".part")
        try:
            with _opened(part) as file:
                _fill(source, file, wanted, origin, progress)
                os.fsync(file.fileno())
            if not source.sha256:
                save_text(_note(path), f"{wanted}  {path.name}\n")
            os.replace(part, path)
            sync(path.parent)
        except FileError:
            raise
        except OSError as error:
            raise FileError(f"cannot write {str(part)!r}: {error.strerror or error}") from None


def _fill(source: Source, file: io.FileIO, wanted: str, origin: Origin, progress: Progress) -> None:
    """Bring all bytes of a source into a file; what was there from before counts unless the sum is wrong in the end."""
    if source.size is not None and length(file) > source.size:
        clear(file)
    before = length(file)
    if source.size is None or before < source.size:
        origin.obtain(source, file, progress)
    real, size = _sum_of(file), length(file)
    if real == wanted:
        return
    clear(file)
    if before:
        _fill(source, file, wanted, origin, progress)
        return
    raise FileError(
        f"what came as {source.name!r} is another file: {size} bytes with a SHA-256 that begins with {real[:12]}, "
        f"instead of {source.size or 'any number of'} bytes with {wanted[:12]}; nothing of it was kept"
    )


@contextlib.contextmanager
def _opened(part: Path) -> Iterator[io.FileIO]:
    """Open a part as it is, or make an empty one: no mode of `open` does either without a race."""
    with io.FileIO(str(part), "r+", opener=lambda path, flags: os.open(path, flags | os.O_CREAT, 0o666)) as file:
        try:
            yield file
        finally:
            if not length(file):  # nothing came: nothing is left behind
                part.unlink(missing_ok=True)


def _sum_of(file: io.FileIO) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()


def _sum_of_file(path: Path) -> str:
    try:
        with io.FileIO(path) as file:
            return _sum_of(file)
    except OSError as error:
        raise FileError(f"cannot read {str(path)!r}: {error.strerror or error}") from None


def _listed_sum(source: Source, origin: Origin) -> str:
    """Return the sum of a file by its publisher's list."""
    for line in origin.list_sums(source).splitlines():
        match = SUM.fullmatch(line.strip())
        if match is not None and match[2] == source.file:
            return match[1].lower()
    raise FileError(f"the list of sums at {source.sums!r} does not name {source.file!r}: nothing can be checked by it")


def _note(path: Path) -> Path:
    """Return where the sum of a file is kept that only its publisher's list tells."""
    return path.with_name(path.name + ".sha256")


def _noted_sum(path: Path) -> str:
    note = _note(path)
    match = SUM.fullmatch(note.read_text(encoding="utf-8", errors="replace").strip()) if note.is_file() else None
    return match[1].lower() if match else ""
