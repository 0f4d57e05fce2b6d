"""A UCI engine as a process: in a group of its own, with a deadline for every answer, and a limit to every line.

Engines are often wrapped: a script starts the real one, or one starts helpers. They share the group, so all of them end
when one of them is late. Whatever an engine prints, no more than a line of it is kept here.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from understudy.errors import EngineError

LONGEST_LINE = 3_000
"""Bytes of a line: twice the longest variation that an engine can think of, 246 plies. What is longer is no answer."""
LONGEST_NAME = 200
"""Letters of what an engine calls itself: it goes into tables and messages."""
MOST_OPTIONS = 1_000
"""Options that an engine may offer; Stockfish has two dozen, and those with the most some two hundred."""
GRACE = 0.5
"""Seconds that an engine has to end after it was told to, before it is told more harshly."""
LOOK = 0.1
"""Seconds between two looks at whether somebody wants an engine to stop."""
POLLING = hasattr(select, "poll")
"""Whether a pipe can be waited for with a limit; where it cannot (Windows), a watchman ends engines that are late."""

_OPTION = re.compile(rb"option name (.+?) type (\w+)(?:.*? min (-?\d{1,18}) max (-?\d{1,18})\b)?")


class EngineDied(EngineError):
    """An engine that ended, or closed its output, before it had answered."""


class EngineLate(EngineError):
    """An engine that did not answer in time."""


class Range(NamedTuple):
    """What a number may be; None where the engine does not tell."""

    low: int | None
    high: int | None


class Process:
    """A running engine; whoever starts one must end it."""

    def __init__(self, path: str) -> None:
        self.name, self.options = "", dict[str, Range]()
        self._deadline, self._late = float("inf"), False
        self._heard, self._rest = deque[bytes](), b""
        try:
            # A group of its own: Ctrl-C is for us, and an engine ends by itself when its input does. A session of its
            # own would do as well, but Linux shares out the processor by sessions: it cost a tenth of the speed.
            self._process = subprocess.Popen(
                [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                process_group=0,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise EngineError(f"cannot be run ({getattr(error, 'strerror', None) or error})") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._ended = threading.Event()
        if POLLING:
            os.set_blocking(self._input.fileno(), False)
            self._poll = select.poll()
            self._poll.register(self._output.fileno(), select.POLLIN)
        else:
            threading.Thread(target=self._watch, daemon=True).start()

    def settle(self, patience: float) -> None:
        """Learn the engine's name and what can be set."""
        self.say("uci\n")
        for line in self.hear("uciok", patience):
            if line.startswith(b"id name ") and not self.name:
                self.name = line[8:].decode("utf-8", "replace").strip()[:LONGEST_NAME]
            elif (option := _OPTION.match(line)) is not None and len(self.options) < MOST_OPTIONS:
                low, high = (None if end is None else int(end) for end in option.group(3, 4))
                self.options[option[1].decode("utf-8", "replace")] = Range(low, high)
        self.name = self.name or "an engine without a name"

    def ready(self, orders: str, patience: float) -> None:
        """Give *orders* and wait until they are done."""
        self.say(f"{orders}isready\n")
        for _ in self.hear("readyok", patience):
            pass

    def say(self, text: str) -> None:
        """Send orders, each with an end of its line."""
        try:
            written = self._input.write(text.encode())
        except (OSError, ValueError):
            raise EngineDied("died") from None
        if written != len(text.encode()):
            raise EngineError("does not read what it is asked")

    def hear(
        self,
        last: str,
        patience: float,
        *,
        anew: bool = False,
        anywhere: bool = False,
        halted: Callable[[], bool] | None = None,
    ) -> Iterator[bytes]:
        """Yield the lines that come up to the one that begins with the word *last*, which has *patience* seconds.

        With *anew* whatever comes gives the engine its *patience* again; with *anywhere* the word may stand anywhere in
        a line of `info`, too. As soon as it is *halted* the engine is told to stop.
        """
        self._deadline, mark = time.monotonic() + patience, last.encode()
        while True:
            while self._heard:
                if len(line := self._heard.popleft()) > LONGEST_LINE:
                    raise EngineError(f"wrote a line of {len(line)} bytes; more than {LONGEST_LINE} are too many")
                yield line.rstrip(b"\r")
                if _ends(line, mark, anywhere):
                    self._deadline = float("inf")
                    return
            if halted is not None and halted():
                self.say("stop\n")
                self._deadline, halted = time.monotonic() + patience, None
            self._hear(None if halted is None else LOOK)
            if anew and self._heard:
                self._deadline = time.monotonic() + patience

    def _hear(self, most: float | None) -> None:
        """Read on, for *most* seconds at most, and keep lines that are whole."""
        *lines, self._rest = (self._rest + self._read(most)).split(b"\n")
        self._heard += lines
        if len(self._rest) > LONGEST_LINE:
            raise EngineError(f"wrote more than {LONGEST_LINE} bytes without an end of the line")

    def _read(self, most: float | None) -> bytes:
        """Return what the engine has said, nothing after *most* seconds of silence."""
        left = self._deadline - time.monotonic()
        if POLLING and not self._poll.poll(1000 * max(0.0, left if most is None else min(most, left))):
            if most is not None and most < left:
                return b""
            raise EngineLate("gave no answer in time")
        try:
            piece = os.read(self._output.fileno(), 1 << 16)
        except (OSError, ValueError):  # ended, and closed, by another thread
            piece = b""
        if self._late or left < 0:
            raise EngineLate("gave no answer in time")
        if not piece:
            raise EngineDied("died")
        return piece

    def end(self) -> None:
        """End the engine and all it has started: by asking, then by telling, then at once."""
        self._ended.set()
        with contextlib.suppress(OSError, ValueError):
            self._input.write(b"quit\n")
        with contextlib.suppress(OSError):
            self._input.close()
        if not self._closes():
            self._signal("SIGTERM")
            self._closes()
        self._signal("SIGKILL")  # to those, too, that have closed their output and live on
        self._process.wait()
        with contextlib.suppress(OSError):
            self._output.close()

    def _closes(self) -> bool:
        """Wait a moment until nobody can write to us any more; what is still said is dropped.

        The process itself is waited for last: as long as nobody has asked how it ended, its number is that of its
        group and cannot become somebody else's.
        """
        end = time.monotonic() + GRACE
        while POLLING and (left := end - time.monotonic()) > 0 and self._poll.poll(1000 * left):
            with contextlib.suppress(OSError):
                if os.read(self._output.fileno(), 1 << 16):
                    continue
            return True
        return False

    def _signal(self, name: str) -> None:
        with contextlib.suppress(OSError):
            if POLLING:
                os.killpg(self._process.pid, getattr(signal, name))
            else:
                self._process.kill()

    def _watch(self) -> None:
        """End the engine when it is late: who reads from it then hears that."""
        while not self._ended.wait(LOOK):
            if time.monotonic() > self._deadline:
                self._late = True
                self._signal("SIGKILL")
                return


def _ends(line: bytes, mark: bytes, anywhere: bool) -> bool:
    """Tell whether a line begins with the word *mark*, or has it *anywhere* if that will do; remarks are no answers."""
    if line.startswith(mark) and line.split(maxsplit=1)[0] == mark:
        return True
    return anywhere and line.startswith(b"info ") and not line.startswith(b"info string") and mark in line.split()


def write_setting(name: str, value: object) -> str:
    """Return the order that sets an option."""
    return f"setoption name {name} value {str(value).lower() if isinstance(value, bool) else value}\n"
