"""Where tasks run: on this machine's cores, or on a Ray cluster."""

from __future__ import annotations

from understudy.backends.local import Local
from understudy.backends.ray import Ray
from understudy.errors import BadOption, UnknownName
from understudy.protocols import Backend

__all__ = ["BACKENDS", "Local", "Ray", "close", "make_backend"]

BACKENDS = {"local": Local, "ray": Ray}


def make_backend(name: str, *, workers: int | None = None, address: str | None = None) -> Backend:
    """Return the backend called *name*; without *workers* it uses every core that it finds."""
    if name not in BACKENDS:
        raise UnknownName("backend", name, BACKENDS)
    if workers is not None and workers < 1:
        raise BadOption(f"there must be at least one worker, not {workers}")
    if name == "local":
        if address is not None:
            raise BadOption(f"the backend 'local' has no address, so {address!r} needs the backend 'ray'")
        return Local(workers)
    return Ray(address, workers)


def close(backend: Backend) -> None:
    """Let go of whatever *backend* holds: the processes of a cluster."""
    release = getattr(backend, "close", None)
    if release is not None:
        release()
