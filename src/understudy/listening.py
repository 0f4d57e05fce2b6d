"""What servers share: how many connections a process can hold, and logs that do not repeat themselves."""

from __future__ import annotations

import errno
import logging
import time

BACKLOG = 32
"""Connections that may wait to be taken, and that are taken at once before anything else is done."""
SPARE = 4 * BACKLOG
"""Descriptors that are left free: for connections that were taken before those that make room for them are closed,
some rounds of the event loop later, and for files, pipes and the event loop."""
SELDOM = 60.0
"""Seconds until the same thing is said in a log again."""
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""What the system answers when it has no room for another connection."""


def limit_connections(wanted: int) -> int:
    """Return how many connections may be open at once: *wanted*, or as many as this process has descriptors for."""
    try:
        import resource
    except ImportError:  # Windows
        return wanted
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if files == resource.RLIM_INFINITY else max(1, min(wanted, files - SPARE))


class Seldom(logging.Filter):
    """Lets the same message through once a minute, and tells in a line that descriptors have run out."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is written."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, OSError) and error.errno in EXHAUSTED:
            record.msg, record.args, record.exc_info = f"no room for more connections now: {error.strerror}", (), None
        now, text = time.monotonic(), f"{record.msg} {record.exc_info and record.exc_info[1]!r}"
        if now - self._last.get(text, -SELDOM) < SELDOM:
            return False
        self._last[text] = now
        return True


def hush(*names: str) -> None:
    """Let loggers, and that of the event loop, say the same thing only now and then."""
    for name in ("asyncio", *names):
        logger = logging.getLogger(name)
        if not any(isinstance(one, Seldom) for one in logger.filters):
            logger.addFilter(Seldom())
