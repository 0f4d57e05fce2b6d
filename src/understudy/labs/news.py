"""What a run says while it works: for progress bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class News(NamedTuple):
    """What a run is doing."""

    task: str
    done: float
    """From 0 to 1."""
    told: str = ""


Show = Callable[[News], None]
