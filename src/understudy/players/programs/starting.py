"""How a program that plays is found, tried and started, and started again after it failed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from understudy.config import check_range
from understudy.errors import BadOption, EngineError
from understudy.players.programs.process import EngineDied, EngineLate, Process, write_setting

FOLDERS = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")
"""Where systems put engines without putting the folder on PATH."""

STARTING = 60.0
"""Seconds that a program has, however short our patience, until it says for the first time that it is ready: to load
it, and the network of a modern engine, takes longer than any answer, above all where others keep the machine busy."""
PATIENCE = 60.0
"""Seconds beyond its time after which a silent engine is taken for hung, if not said otherwise."""
SHOWN = 40
"""Letters of what an engine answered that are shown."""


class IllegalBest(EngineError):
    """A best move that the rules do not allow."""


class Program:
    """A program that plays, in a process of its own, started when first asked and again after it failed."""

    def __init__(self, path: str, settings: Mapping[str, object], patience: float) -> None:
        self.path, self.settings, self.patience = path, settings, patience
        self.modes = dict[str, object]()
        """What it was told to do otherwise than its settings say, since it was started."""
        self._process: Process | None = None

    def start(self) -> Process:
        """Return the process, which is ready."""
        if self._process is None:
            self._process, self.modes = Process(self.path), {}
            patience = max(self.patience, STARTING)
            self._process.settle(patience)
            orders = [write_setting(name, value) for name, value in self.settings.items()]
            self._process.ready("".join([*orders, "ucinewgame\n"]), patience)
        return self._process

    def close(self) -> None:
        """End the process; who asks again gets another."""
        process, self._process = self._process, None
        if process is not None:
            process.end()


def name_fault(error: EngineError) -> str:
    """Return why a game is lost in which this happened to an engine."""
    kinds = {EngineLate: "time", EngineDied: "engine crash", IllegalBest: "illegal move"}
    return next((fault for kind, fault in kinds.items() if isinstance(error, kind)), "engine failure")


@contextmanager
def starting(path: str) -> Iterator[Process]:
    """Give an engine that has told its name and options, and end it afterwards."""
    process = Process(path)
    try:
        process.settle(STARTING)
        yield process
    finally:
        process.end()


@cache
def check_settings(path: str, settings: tuple[tuple[str, Any], ...], name: str) -> None:
    """Raise if the engine lacks an option or refuses its value: ask it once, before it could lose games by it."""
    try:
        with starting(path) as engine:
            title, offered = engine.name, engine.options
    except EngineError:
        raise EngineError(f"player {name!r}: the program {path!r} does not answer as a UCI engine") from None
    for option, value in settings:
        if option not in offered:
            raise BadOption(f"player {name!r}: {title} has no option {option}, so it cannot be set to {value}")
        low, high = offered[option]
        if low is not None and high is not None:
            check_range(f"player {name!r}: {option} of {title}", value, low, high)


def find_program(path: str, hint: str = "") -> str:
    """Return the full path of a program given by path or by name; *hint* says how people get one that is missing."""
    program = shutil.which(path) or shutil.which(path, path=os.pathsep.join(FOLDERS))
    if program is None:
        kind = "file" if Path(path).name != path else "program"
        raise EngineError(f"no engine {path!r}: there is no such {kind} that can be run{hint}")
    return program


def show_answer(text: bytes) -> str:
    """Return what an engine answered as a message may show it."""
    letters = text.decode("ascii", "backslashreplace")
    return repr(letters if len(letters) <= SHOWN else letters[:SHOWN] + "...")
