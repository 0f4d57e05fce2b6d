"""Tasks that misbehave, where the workers of any backend can import them."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import NamedTuple

from understudy.errors import BadOption

FOR_EVER = 600.0
"""Seconds; workers do not know what tests call long."""


class Errand(NamedTuple):
    """A number to square, and a folder in which tries leave their marks."""

    number: int
    folder: str
    trouble: bool = False


def square(number: int) -> int:
    return number * number


def slow_square(number: int) -> int:
    time.sleep(0.02 * (number % 3))
    return number * number


def tries(errand: Errand) -> int:
    """Return how often an errand was begun before, and count this time."""
    before = len(list(Path(errand.folder).glob(f"{errand.number}-*")))
    (Path(errand.folder) / f"{errand.number}-{before}").touch()
    return before


def die_once(errand: Errand) -> int:
    if tries(errand) == 0 and errand.trouble:
        os.kill(os.getpid(), signal.SIGKILL)
    return errand.number**2


def die(errand: Errand) -> int:
    tries(errand)
    if errand.trouble:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    return errand.number**2


RELEASED = threading.Event()
"""Set when a test is over: a thread that hangs cannot be ended from outside."""


def hang_once(errand: Errand) -> int:
    if tries(errand) == 0 and errand.trouble:
        RELEASED.wait(FOR_EVER)
    return errand.number**2


def hang(errand: Errand) -> int:
    tries(errand)
    RELEASED.wait(FOR_EVER)
    return 0


def meet(errand: Errand) -> int:
    """Return the number of this process, not before another one does this, too."""
    folder, end = Path(errand.folder), time.monotonic() + FOR_EVER
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    return os.getpid()


def babble_once(errand: Errand) -> int:
    return -1 if tries(errand) == 0 and errand.trouble else errand.number**2


def babble(errand: Errand) -> int:
    tries(errand)
    return -1


def sensible(errand: Errand, result: int) -> str | None:
    return None if result >= 0 else f"returned {result} for the square of {errand.number}"


def refuse(errand: Errand) -> int:
    tries(errand)
    raise BadOption(f"no square of {errand.number}")


def stumble(errand: Errand) -> int:
    tries(errand)
    raise ZeroDivisionError(f"over {errand.number}")


class Stubborn(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def stumble_strangely(number: int) -> int:
    raise Stubborn(number, number)
