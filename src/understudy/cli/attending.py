"""A run that another program has started and watches: it tells its progress in a file, and ends when that program does.

The environment says so: UNDERSTUDY_PROGRESS names the file. The standard input is then a pipe that nobody writes to;
when it closes, whoever started the run is gone, however it went.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.files import save_json

if TYPE_CHECKING:
    from understudy.lab.run import Progress, Show

PROGRESS = "UNDERSTUDY_PROGRESS"
OFTEN = 0.3
"""Seconds between two times of writing: a page looks twice a second."""


@contextlib.contextmanager
def attended(show: Show) -> Iterator[Show]:
    """Give a way to tell progress that a watching program hears, too, if there is one."""
    path = os.environ.get(PROGRESS)
    if not path:
        yield show
        return
    threading.Thread(target=_end_with_starter, daemon=True).start()
    teller = Teller(Path(path))

    def both(progress: Progress) -> None:
        show(progress)
        teller.tell(progress)

    try:
        yield both
    finally:
        teller.write()


class Teller:
    """Keeps what was told last of each task in a file; students that learn side by side all tell."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        self.tasks: dict[str, Progress] = {}
        self.written = 0.0

    def tell(self, progress: Progress) -> None:
        """Take a task's progress, and write all down unless that was done a moment ago."""
        with self.lock:
            before = self.tasks.get(progress.task)
            note = progress.note or (before.note if before else "")
            self.tasks[progress.task] = progress._replace(note=note)
            if before is None or progress.done >= 1.0 or time.monotonic() - self.written > OFTEN:
                self._write()

    def write(self) -> None:
        """Write down where all tasks are."""
        with self.lock:
            self._write()

    def _write(self) -> None:
        save_json(self.path, {"tasks": [progress._asdict() for progress in self.tasks.values()]})
        self.written = time.monotonic()


def _end_with_starter() -> None:
    """Wait until nobody holds the other end of the standard input, then stop as by Ctrl-C."""
    with contextlib.suppress(OSError, ValueError):
        while os.read(sys.stdin.fileno(), 1024):
            pass
    os.kill(os.getpid(), signal.SIGINT)
