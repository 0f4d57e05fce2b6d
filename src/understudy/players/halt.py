"""A bell that ends a search: kernels run without Python's lock, so another thread can ring it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from understudy.search.workspace import STOP, Workspace


class Halt:
    """Ends a search from another thread, also one that has not begun."""

    def __init__(self) -> None:
        self.rung = False
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None

    def ring(self) -> None:
        """End the search now, or as soon as it begins."""
        with self._lock:
            self.rung = True
            if self._workspace is not None:
                self._workspace["tally"][STOP] = 1

    @contextmanager
    def watching(self, workspace: Workspace) -> Iterator[None]:
        """Let the bell be heard by whoever searches with *workspace*, which is clear, and by nobody after."""
        with self._lock:
            self._workspace = workspace
            if self.rung:
                workspace["tally"][STOP] = 1
        try:
            yield
        finally:
            with self._lock:
                self._workspace = None
