"""How we compile: `@kernel`, where compiled code is kept, and how to tell that nothing is compiled.

Numba notices a change only in the file of the cached function itself, so a search cached yesterday would go on by
yesterday's rules. The cache folder is therefore named after a hash of every source file that can hold a kernel.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

CONFIG: Any = numba.config

ROOMS = ("kernels.py", "games", "encoders", "search", "solve", "trainers")
"""Files and packages of understudy that may hold kernels."""

KEEP_DAYS = 30
"""A cache folder of other sources goes after this many days without use."""


def kernel(function: F) -> F:
    """Compile *function*: no Python objects, no global lock, kept on disk for the next process."""
    before = CONFIG.CACHE_DIR
    CONFIG.CACHE_DIR = str(CACHE)
    try:
        compiled: F = numba.njit(function, cache=True, nogil=True, error_model="numpy")
    finally:
        CONFIG.CACHE_DIR = before
    return compiled


def interpreted() -> bool:
    """Tell whether kernels run as plain Python (NUMBA_DISABLE_JIT=1): slow, but open to coverage and debuggers."""
    return bool(CONFIG.DISABLE_JIT)


def compiled_before() -> bool:
    """Tell whether an earlier process has left compiled kernels, so that nobody has to wait for them now."""
    return interpreted() or any(CACHE.glob("*/*.nbi"))


def fingerprint(root: Path) -> str:
    """Return a hash of every kernel source below *root* and of the compiler's version."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info}".encode())
    for room in ROOMS:
        for path in sorted([root / room] if room.endswith(".py") else (root / room).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    folder = _cache_home() / "understudy" / "kernels" / fingerprint(Path(__file__).parent)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _prune(folder)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"understudy-{os.getuid() if hasattr(os, 'getuid') else 0}" / folder.name
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _cache_home() -> Path:
    if path := os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA"):
        return Path(path)
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def _prune(current: Path) -> None:
    """Delete the folders of sources that nobody has run for a month: every edit leaves one behind."""
    oldest = time.time() - KEEP_DAYS * 86_400
    for folder in current.parent.iterdir():
        if folder != current and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


CACHE = _cache_folder()
