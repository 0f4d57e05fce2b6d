"""The process at the other end: it introduces itself, then does what it is sent.

Its class is sent as code, not by its name, so that a node without Understudy can still say so.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any


def make_worker(ray: Any) -> Callable[[], Any]:
    """Return what starts a worker on a free processor of the cluster."""

    class Understudy:
        """A worker: its tasks are pure, so nothing is lost with it but time."""

        def introduce(self, folder: str, paths: list[str]) -> tuple[str, str]:
            """Look for modules and files where the driver does, and tell host and version."""
            import os
            import socket
            import sys

            if os.path.isdir(folder):
                os.chdir(folder)
            known = [os.path.join(folder, path) for path in paths]
            sys.path[:] = dict.fromkeys([path for path in known if os.path.exists(path)] + sys.path)
            from understudy import __version__

            return socket.gethostname(), __version__

        def work(self, packed: bytes, item: Any) -> tuple[Any, BaseException | None]:
            """Return the result of a task, or what it raised."""
            from understudy.backends.ray_worker import portable, unpacked

            try:
                return unpacked(packed)(item), None
            except Exception as error:
                return None, portable(error)

    start: Callable[[], Any] = ray.remote(num_cpus=1, max_restarts=0)(Understudy).remote
    return start


@lru_cache(maxsize=16)
def unpacked(packed: bytes) -> Callable[[Any], Any]:
    """Return the task that a driver has sent, made once for all its jobs."""
    task: Callable[[Any], Any] = pickle.loads(packed)
    return task


def portable(error: Exception) -> Exception:
    """Return an exception that survives the way to the driver, with a note of where it was raised."""
    cloudpickle: Any = import_module("ray.cloudpickle")
    error.add_note("".join(traceback.format_exception(error)))
    try:
        cloudpickle.loads(cloudpickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
