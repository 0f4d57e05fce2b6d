"""How we compile: `@kernel`, where compiled code is kept, and how to hear that something is being compiled.

Numba notices a change only in the file of the cached function itself, so a search cached yesterday would go on by
yesterday's rules. Compiled code is therefore kept in a folder named after everything it was made of: the function's
module, the modules of the types in its signature (a position brings all kernels of its game along), and whatever these
import. So an edit of chess compiles chess anew and nothing else, and a second checkout of the same sources compiles
nothing at all.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
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
        code = super()._load_overload(sig, target_context)
        if code is None:
            ANNOUNCE()
        return code

    def _save_overload(self, sig: Any, data: Any) -> None:
        self._cache_file = self._index(sig, data.codegen)
        Path(self._cache_file._cache_path).mkdir(parents=True, exist_ok=True)
        super()._save_overload(sig, data)

    def _index(self, sig: Any, codegen: Any) -> Any:
        """Return the file of one signature.

        Numba keeps one for all signatures of a function; two processes that add to it at once may leave the code of
        one signature under the name of the other, which crashes whoever runs it.
        """
        function = self._py_func
        folder = CACHE / digest(frozenset((function.__module__, *modules_of(sig))))
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
    if folder.exists():
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
    folder = cache_home() / "understudy" / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _prune(folder)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"understudy-{os.getuid() if hasattr(os, 'getuid') else 0}"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _prune(home: Path) -> None:
    """Delete the folders that nobody has used for a month."""
    oldest = time.time() - KEEP_DAYS * 86_400
    for folder in home.iterdir():
        if folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


PACKAGE = Path(__file__).parent
CACHE = _cache_folder()
