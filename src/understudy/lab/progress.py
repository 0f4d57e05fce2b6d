"""What a run says while it works: for progress bars, and for the lines of `progress.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from understudy.errors import FileError


class News(NamedTuple):
    """What a run is doing."""

    task: str
    done: float
    """From 0 to 1."""
    told: str = ""


Show = Callable[[News], None]


def log_progress(folder: Path, entry: dict[str, Any]) -> None:
    """Add a line; one write, so that a kill leaves it out or leaves it whole, and the reader skips what is broken."""
    path = folder / "progress.jsonl"
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
