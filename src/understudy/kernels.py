"""How we compile: `@kernel`, where compiled code is kept, and how to hear that something is being compiled.

Numba notices a change only in the file of the cached function itself, so a search cached yesterday would go on by
yesterday's rules. Compiled code is therefore kept in a folder named after everything it was made of: the function's
module, the modules of the types in its signature (a position brings all kernels of its game along), and whatever these
import. So an edit of chess compiles chess anew and nothing else, and a second checkout of the same sources compiles
nothing at all.

What is kept is machine code, which whoever loads it runs: it is taken only from folders into which nobody else can
write.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from understudy.files import cache_home

F = TypeVar("F", bound=Callable[..., Any])

CONFIG: Any = numba.config

KEEP_DAYS = 30
"""A folder of compiled code goes after this many days without use: every edit leaves some behind."""

NAME = re.compile("[0-9a-f]{16}")
"""What folders of compiled code are called: nothing else is ever deleted."""

PLACE = "UNDERSTUDY_KERNELS"
"""The environment variable that may name the folder of compiled code."""

ANNOUNCE: Callable[[], object] = bool  # which does nothing when it is called so
"""Called before a kernel is compiled that no earlier process has left behind; the command line puts a notice here."""


def kernel(function: F) -> F:
    """Compile *function*: no Python objects, no global lock, kept on disk for the next process."""
    compiled: Any = numba.njit(function, nogil=True, error_model="numpy")
    if not interpreted():
        compiled._cache = KernelCache(function)  # what cache=True does, with a cache of our own
    kept: F = compiled
    return kept


def interpreted() -> bool:
    """Tell whether kernels run as plain Python (NUMBA_DISABLE_JIT=1): slow, but open to coverage and debuggers."""
    return bool(CONFIG.DISABLE_JIT)


class Anywhere:
    """A place that Numba asks for and our cache never uses: it chooses a folder by signature."""

    def ensure_cache_path(self) -> None: ...

    def get_cache_path(self) -> str:
        return str(CACHE)

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, function: Any, file: str) -> Anywhere:
        return cls()


class KernelCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """How compiled code is written and read, without Numba's own choice of a folder."""

    _locator_classes = (Anywhere,)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The compiled forms of one kernel, each in the folder of what it was made of."""

    _impl_class = KernelCacheImpl

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        self._cache_file = self._index(sig, target_context.codegen())
        try:
            code = super()._load_overload(sig, target_context)
        except Exception:  # damaged files raise nearly anything: it is compiled and written anew
            with contextlib.suppress(OSError):
                self._cache_file.flush()
            code = None
        if code is None:
            ANNOUNCE()
        return code

    def _save_overload(self, sig: Any, data: Any) -> None:
        self._cache_file = self._index(sig, data.codegen)
        try:
            make_private(Path(self._cache_file._cache_path))
            super()._save_overload(sig, data)
        except (OSError, EOFError) as error:  # a full disk, say: the next process compiles once more
            _tell(f"compiled kernels cannot be kept in {str(CACHE)!r}: {getattr(error, 'strerror', None) or error}")

    def _index(self, sig: Any, codegen: Any) -> Any:
        """Return the file of one signature.

        Numba keeps one for all signatures of a function; two processes that add to it at once may leave the code of
        one signature under the name of the other, which crashes whoever runs it.
        """
        function = self._py_func
        folder = trusted(CACHE, digest(frozenset((function.__module__, *modules_of(sig)))))
        mark = hashlib.sha256(f"{sig} {codegen.magic_tuple()}".encode()).hexdigest()[:16]
        base = f"{function.__module__}.{function.__qualname__}-{function.__code__.co_firstlineno}-{mark}"
        return IndexDataCacheFile(str(folder), base, source_stamp="")


def modules_of(signature: Iterable[Any]) -> Iterator[str]:
    """Yield the modules of all named tuples in a signature: their types pick code while it is compiled."""
    for kind in signature:
        if hasattr(kind, "instance_class"):
            yield kind.instance_class.__module__
        if isinstance(kind, Iterable):  # a tuple, whose types are in it
            yield from modules_of(kind)


@cache
def digest(modules: frozenset[str]) -> str:
    """Return a hash of the sources of *modules*, of all they import, and of the compiler's version."""
    seen = hashlib.sha256(f"{numba.__version__} {sys.version_info}".encode())
    paths = closure(frozenset(file for module in modules for file in _files(module)))
    for name, path in sorted((_name(path), path) for path in paths):
        seen.update(name.encode())
        seen.update(_read(path))
    folder = CACHE / seen.hexdigest()[:16]
    with contextlib.suppress(OSError):  # nobody has made it yet, or it is not ours
        os.utime(folder)
    return folder.name


def _name(path: Path) -> str:
    """Return a file's name wherever its package is installed."""
    return (path.relative_to(PACKAGE) if PACKAGE in path.parents else Path(path.parent.name, path.name)).as_posix()


def _files(module: str) -> Iterator[Path]:
    """Yield the file of a module; with a game's module, those of all kernels of the game."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return
    path = Path(file)
    yield path
    if path.parent.parent == PACKAGE / "games":
        yield from (beside for beside in path.parent.glob("*.py") if b"@kernel" in _read(beside))
    elif PACKAGE not in path.parents and (path.parent / "__init__.py").exists():
        yield from path.parent.glob("*.py")  # a game from outside, whose own imports nobody follows


@cache
def closure(paths: frozenset[Path]) -> frozenset[Path]:
    """Return files of this package, or of a game outside it, with all files that they import when they are loaded."""
    reached, waiting = set[Path](), set(paths)
    while waiting:
        path = waiting.pop()
        reached.add(path)
        waiting |= _imports(path) - reached
    return frozenset(reached)


IMPORT = re.compile(rb"^from (understudy[\w.]*) import (\([^)]*\)|[^\n]*)|^import (understudy[\w.]*)", re.MULTILINE)
"""An import that is done when a module is loaded: it stands at the beginning of a line."""


@cache
def _imports(path: Path) -> frozenset[Path]:
    files = set()
    for source, names, alone in IMPORT.findall(_read(path)):
        parent = PACKAGE.parent.joinpath(*(source or alone).decode().split("."))
        below = (parent / name.decode() for name in re.findall(rb"\w+", names))
        files |= {file for place in (parent, *below) for file in (place.with_suffix(".py"), place / "__init__.py")}
    return frozenset(file for file in files if file.exists())


@cache
def _read(path: Path) -> bytes:
    return path.read_bytes()


def _cache_folder() -> Path:
    """Return where compiled code is kept: where PLACE says or in the user's cache, unless others could write there."""
    try:
        folder = Path(os.environ.get(PLACE) or cache_home() / "understudy" / "kernels").absolute()
        make_private(folder)
        if (fault := find_fault(folder) or find_fault_above(folder)) is not None:
            return _refuse(folder, fault)
        _prune(folder)
    except OSError:  # also where the user has no home
        return private_folder()
    return folder


@cache
def trusted(home: Path, name: str) -> Path:
    """Return the folder *name* of a cache, or one elsewhere if others could have put code into it."""
    try:
        fault = find_fault(home / name)
        with os.scandir(home / name) as files:
            fault = next((why for file in files if (why := find_fault(Path(file.path))) is not None), fault)
    except FileNotFoundError:
        return home / name
    except OSError as error:
        fault = f"cannot be read ({error.strerror or error})"
    return home / name if fault is None else _refuse(home / name, fault) / name


def _refuse(folder: Path, fault: str) -> Path:
    """Say why a folder is not used, and return another, which processes that this one starts will use as well."""
    other = private_folder()
    os.environ[PLACE] = str(other)
    _tell(
        f"compiled kernels are not loaded from {str(folder)!r}, which {fault}; they are compiled anew into "
        f"{str(other)!r} (delete the folder, or make it and all in it yours alone)"
    )
    return other


@cache
def _tell(sentence: str) -> None:
    """Say something on standard error, once."""
    print(sentence, file=sys.stderr)


def find_fault(path: Path) -> str | None:
    """Return why a folder, or a file in one, may hold what others put there; on Windows nobody can tell."""
    if not hasattr(os, "geteuid"):
        return None
    about = path.lstat()
    name = "it" if path.is_dir() else repr(path.name)
    if stat.S_ISLNK(about.st_mode):
        return f"is or holds a link to elsewhere ({path.name!r})"
    if about.st_uid != os.geteuid():
        return f"belongs to another user: {name} is of user {about.st_uid}"
    # Files have whatever mode the umask gives; nobody gets at those in a folder that is closed to others.
    if about.st_mode & 0o022 and (path.is_dir() or path.parent.stat().st_mode & 0o011):
        return f"others can write to: {name} has the mode {stat.S_IMODE(about.st_mode):04o}"
    return None


def find_fault_above(folder: Path) -> str | None:
    """Return why a folder could be replaced as a whole: everybody may rename what is in one above it."""
    for path in folder.resolve().parents:
        mode = path.stat().st_mode
        if hasattr(os, "geteuid") and mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return f"lies in {str(path)!r}, where everybody can replace it (mode {stat.S_IMODE(mode):04o})"
    return None


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone."""
    for path in reversed((folder, *folder.parents)):
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)


@cache
def private_folder() -> Path:
    """Return a folder for compiled code that is this user's alone: one for all processes, or else one for this."""
    folder = Path(tempfile.gettempdir()) / f"understudy-{os.geteuid() if hasattr(os, 'geteuid') else 0}"
    try:
        make_private(folder)
        if find_fault(folder) is None and find_fault_above(folder) is None:
            return folder
    except OSError:
        pass
    own = tempfile.mkdtemp(prefix="understudy-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(own)


def _prune(home: Path) -> None:
    """Delete the folders that nobody has used for a month."""
    oldest = time.time() - KEEP_DAYS * 86_400
    for folder in home.iterdir():
        with contextlib.suppress(OSError):  # another process was quicker
            if NAME.fullmatch(folder.name) and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


PACKAGE = Path(__file__).parent
CACHE = _cache_folder()
