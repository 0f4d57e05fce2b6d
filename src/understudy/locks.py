"""One writer at a time: whoever goes on with a folder or a file has it to itself, and others are told who that is.

The lock of a folder is the file `lock` in it, that of a file `NAME.lock` beside it; the id of the process at work
stands there for people. What counts is not that file but the system's lock on it (`flock`), which the system lets go of
when a process ends, however it ends: a file that a kill has left behind keeps nobody out. Readers never lock.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from understudy.errors import FileError

try:
    import fcntl
except ImportError:  # there is none on Windows, where nobody hears of a second process
    fcntl = None  # type: ignore[assignment]

LOCKS = Path("/proc/locks")
"""Where Linux lists all locks of the machine."""
LOOKS, PAUSE = 20, 0.01
"""How often, and after how many seconds, one looks again whose number a lock has: it is written after locking."""


CURE = "wait until it ends, or name another place"
"""What to do where another process is at work."""


@contextlib.contextmanager
def locked(path: Path, *, cure: str = CURE) -> Iterator[None]:
    """Keep other processes from writing a folder, or a file that need not be there yet; raise if one is at it."""
    if fcntl is None:
        yield
        return
    file = lock_file(path)
    descriptor = _lock(file, path, cure)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.unlink()  # while it is locked: whoever has opened it by now sees that it is gone, and makes another
        os.close(descriptor)


def lock_file(path: Path) -> Path:
    """Return the file that is locked for a folder or a file."""
    return path / "lock" if path.is_dir() else path.with_name(f"{path.name}.lock")


def is_locked(path: Path) -> bool:
    """Tell whether a process has a folder or a file to itself; who asks must not lock it, not even for a moment."""
    try:
        lines, inode = LOCKS.read_text(encoding="ascii").splitlines(), lock_file(path).stat().st_ino
    except OSError:  # nobody has locked it, or this is not Linux, which alone tells
        return False
    return any("FLOCK" in line and line.split()[5].rpartition(":")[2] == str(inode) for line in lines)


def is_alive(process: int) -> bool:
    """Tell whether there is a process of this number, whoever owns it."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _lock(file: Path, path: Path, cure: str) -> int:
    """Return a descriptor that holds the lock; the number of this process stands in its file."""
    try:
        while True:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                if _is_mine(descriptor, file, path, cure):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _is_mine(descriptor: int, file: Path, path: Path, cure: str) -> bool:
    """Lock an open file and sign it; False if whoever had it before has taken it away since it was opened."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(f"another process{_name_holder(descriptor)} is at work on {str(path)!r}; {cure}") from None
    if not file.exists() or not os.path.samestat(file.stat(), os.fstat(descriptor)):
        return False
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    return True


def _name_holder(descriptor: int) -> str:
    """Return the number of the process at work, in brackets; nothing if it does not say so in time."""
    for _ in range(LOOKS):
        text = os.pread(descriptor, 20, 0).strip()
        if text.isdigit() and is_alive(int(text)):
            return f" ({int(text)})"
        time.sleep(PAUSE)
    return ""
