"""Any program that speaks the socket protocol of Neural Nine Men's Morris as a player (docs/socket.md).

What it does wrong costs it the game and nothing else: a `Choice` then carries the fault.
"""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.config import check_range
from understudy.errors import BadOption, NotationError, UnknownName
from understudy.games import CompiledGame
from understudy.games.morris.notation import CELLS, joined
from understudy.players.basic import NO_MOVE
from understudy.players.names import PlayerKind
from understudy.protocols import Choice, Move
from understudy.thoughts import Thought

LINES = {"lines": 3, "cells": 1}
"""Lines of an answer in each form: three numbers, as the original sends them, or cells, as its authors describe it."""

LONGEST = 1024
"""Bytes of an answer beyond which it is none."""


@dataclass(frozen=True, kw_only=True)
class SocketOptions:
    """Where the program listens, how it writes moves, and how long it may take for one."""

    port: int = 5802
    host: str = "127.0.0.1"
    form: str = "lines"
    seconds: float = 60.0


class Socket:
    """A program at the other end of a TCP connection, which is made when first needed and again after it broke."""

    def __init__(self, game: CompiledGame, options: SocketOptions, *, name: str, rng: np.random.Generator) -> None:
        if game.name != "morris":
            raise BadOption(f"{name}: the socket speaks of morris positions, not of {game.name}")
        if options.form not in LINES:
            raise UnknownName(f"form of {name.partition(':')[0]}", options.form, LINES)
        check_range(f"{name}: port", options.port, 1, 65_535)
        check_range(f"{name}: seconds", options.seconds, 0.001, 86_400)
        self.name, self.game, self.options = name, game, options
        self._connection: socket.socket | None = None

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Ask in each position, one after the other."""
        return [self._choose(position) for position in positions]

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Refuse: the programs at the other end tell their moves alone."""
        raise BadOption(f"player {self.name!r} cannot tell what it thinks: the socket carries its moves and no more")

    def close(self) -> None:
        """Hang up."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _choose(self, position: Any) -> Choice:
        try:
            return Choice(read_answer(self._asked(self.game.write(position)), position, self.options.form))
        except TimeoutError:
            return self._failed("time")
        except EOFError:
            return self._failed("engine crash")
        except (OSError, ValueError):
            return self._failed("engine failure")

    def _failed(self, fault: str) -> Choice:
        """Give the game up; what may still come from this connection would be the answer to an old question."""
        self.close()
        return Choice(NO_MOVE, fault=fault)

    def _asked(self, text: str) -> list[str]:
        """Return the lines of the answer; a connection that was lost since the last answer is made anew, once."""
        if self._connection is not None:
            with contextlib.suppress(ConnectionError, EOFError):
                return self._exchanged(self._connection, text)
            self.close()
        host, port = self.options.host, self.options.port
        self._connection = socket.create_connection((host, port), timeout=self.options.seconds)
        return self._exchanged(self._connection, text)

    def _exchanged(self, connection: socket.socket, text: str) -> list[str]:
        deadline = time.monotonic() + self.options.seconds
        connection.settimeout(self.options.seconds)
        connection.sendall(text.encode() + b"\r\n")  # 30 bytes: the original reads exactly so many
        heard = b""
        while not _complete(heard, LINES[self.options.form]):
            connection.settimeout(max(deadline - time.monotonic(), 0.001))
            more = connection.recv(4096)
            if not more:
                raise EOFError
            heard += more
            if len(heard) > LONGEST or time.monotonic() > deadline:
                raise TimeoutError if len(heard) <= LONGEST else NotationError("an answer without end")
        return heard.decode("ascii").splitlines()


def _complete(heard: bytes, lines: int) -> bool:
    return heard.count(b"\n") >= (1 if heard.startswith(b"error") else lines)


def write_answer(game: CompiledGame, move: Move, form: str) -> str:
    """Return a move as it is sent: TO, FROM and REMOVE in lines of decimal numbers, or as cells in one line."""
    parts = game.parts(move)
    if form == "cells":
        return "".join(CELLS[number - 1] for number in parts if number) + "\n"
    return "".join(f"{number}\n" for number in parts)


def read_answer(lines: Sequence[str], position: Any, form: str) -> Move:
    """Return the code of the move that a server answered, legal or not."""
    texts = [line.strip() for line in lines]
    numbers = _cells(texts, position) if form == "cells" else _numbers(texts)
    if not 1 <= numbers[0] <= 24 or max(numbers) > 24:
        raise NotationError(f"answer {' '.join(texts)!r}: cells are numbered 1 to 24, 0 for none")
    return joined(numbers)


def _numbers(texts: Sequence[str]) -> tuple[int, ...]:
    if len(texts) != 3 or not all(re.fullmatch("[0-9]{1,2}", text) for text in texts):
        raise NotationError(f"answer {' '.join(texts)!r}: expected three lines with the numbers TO, FROM and REMOVE")
    return tuple(map(int, texts))


def _cells(texts: Sequence[str], position: Any) -> tuple[int, ...]:
    """Read TO[FROM][REMOVE]; what the second cell is depends on whether stones are in hand."""
    names = re.findall("[a-g][1-7]", texts[0].lower())
    if len(texts) != 1 or "".join(names) != texts[0].lower() or not names or not set(names) <= set(CELLS):
        raise NotationError(f"answer {' '.join(texts)!r}: expected cells such as 'd2' or 'a4a1b4'")
    numbers = [CELLS.index(name) + 1 for name in names]
    if position.hand > 0:
        numbers.insert(1, 0)
    if not 2 <= len(numbers) <= 3:
        raise NotationError(f"answer {texts[0]!r}: {len(names)} cells make no move here")
    return (*numbers, 0)[:3]


SOCKET = PlayerKind(Socket, SocketOptions, "port")
