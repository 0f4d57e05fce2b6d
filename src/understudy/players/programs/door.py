"""The Universal Chess Interface and its kin: any player as an engine for programs; docs/uci.md has all of it.

The caller's thread reads lines and never waits for the player, so that `stop` and `quit` are heard at once; one more
thread thinks. Nothing that is read can end the conversation but `quit` and the end of the input.
"""

from __future__ import annotations

import contextlib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import BinaryIO, TextIO

from understudy import __version__
from understudy.config import check_range
from understudy.errors import BadOption, UnderstudyError, UnknownName
from understudy.games import CompiledGame
from understudy.players import prepare
from understudy.players.basic import Human
from understudy.players.programs.tasks import (
    WAYS,
    Answer,
    Check,
    Go,
    Option,
    Standing,
    Task,
    Thread,
    limits_of,
    options_of,
    read_go,
    sentence,
    think_about,
)
from understudy.players.searcher import Searcher
from understudy.protocols import Move, Player
from understudy.thoughts import Line

LONGEST_LINE = 1 << 16
"""Bytes; ten thousand moves fit."""
PATIENCE = 10.0
"""Seconds that a player has left to tell its move when everything ends, since not every one can be stopped."""


def attend(door: Door, heard: BinaryIO, patience: float | None = PATIENCE) -> bool:
    """Hold a conversation until `quit` or the end of what is *heard*, then wait for the player *patience* seconds.

    Returns whether its thread has ended: if not, it may be inside the compiler, and the process must not tidy up.
    """
    ended = False
    try:
        for line in read_lines(heard):
            if line is None:
                door.note(f"a line of more than {LONGEST_LINE} bytes was left out")
            elif not door.hear(line):
                break
    finally:
        ended = door.close(patience)
    return ended


def check_player(player: Player) -> None:
    """Raise if *player* needs the terminal, which the protocol takes."""
    if isinstance(player, Human):
        raise BadOption("a human cannot play through UCI, because the protocol takes the terminal; name another player")


def read_lines(heard: BinaryIO) -> Iterator[str | None]:
    """Yield lines as text until the input ends; None stands for one that is too long."""
    while line := heard.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (more := heard.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
            yield None
        else:
            yield line.decode("utf-8", "replace")


class Door(ABC):
    """One conversation; a game says in a class of its own how its positions, moves and scores are written."""

    def __init__(self, game: CompiledGame, player: Player, *, replies: TextIO) -> None:
        check_player(player)
        self.game, self.player, self.replies = game, player, replies
        self.stands = Standing(game.start(), [])
        self.offered = self.offer()
        self.options = {name: option.default for name, option in self.offered.items()}
        self.task: Task | None = None
        self.ready = False
        self.thread = Thread()
        self._mouth = threading.Lock()
        self.commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._introduce,
            "isready": self._answer_ready,
            "ucinewgame": self._forget,
            "position": self._place,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._release,
            "setoption": self._set,
            "debug": _ignore,
            "register": _ignore,
        }

    @abstractmethod
    def read_position(self, words: Sequence[str]) -> Standing:
        """Return where a game stands that the words after `position` describe."""

    @abstractmethod
    def read_moves(self, text: str) -> list[Move]:
        """Return the codes of the legal moves that a program writes so; more than one where it tells them in pieces."""

    @abstractmethod
    def write_move(self, task: Task, move: Move) -> str:
        """Return a move as programs read it."""

    @abstractmethod
    def write_score(self, value: float | None, plies: int | None) -> str:
        """Return an expected outcome, or a game's end in so many plies, as programs read it; nothing if unknown."""

    def offer(self) -> dict[str, Option]:
        """Return the options of the player."""
        return options_of(self.player)

    def write_line(self, task: Task, moves: Sequence[Move]) -> str:
        """Return a line of play as programs read it, at least its first move."""
        return self.write_move(task, moves[0])

    def decide(self, task: Task) -> Answer:
        """Return what the player decides; whatever goes wrong is the choice's fault."""
        return think_about(self.game, self.player, task)

    def list_options(self) -> list[str]:
        """Return the options of the player, as UCI offers them."""
        return [f"{name} {option}" for name, option in self.offered.items()]

    def set_option(self, name: str, value: str) -> None:
        """Set an option of the player."""
        by_name = {option.lower(): option for option in self.offered}
        if name.lower() not in by_name:
            raise UnknownName("option of this player", sentence(name, 60), self.offered)
        chosen = by_name[name.lower()]
        self.options[chosen] = _read_value(chosen, self.offered[chosen], value)

    def hear(self, line: str) -> bool:
        """Do what a line says; return False if it is `quit`. What cannot be done is said in a sentence."""
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            return False
        try:
            if words[0] not in self.commands:
                raise UnknownName("UCI command", sentence(words[0], 60), [*self.commands, "quit"])
            self.commands[words[0]](words[1:])
        except UnderstudyError as error:
            self.note(str(error))
        except Exception as error:  # whatever it is, the next line may go better
            self.note(f"{type(error).__name__}: {error}")
        return True

    def close(self, patience: float | None) -> bool:
        """Stop thinking, tell the move that was asked for, and end; None waits for ever. Tell whether it ended."""
        self._stop(())
        return self.thread.close(patience)

    def say(self, line: str) -> None:
        """Send a line, if anybody still listens."""
        with self._mouth, contextlib.suppress(OSError, ValueError):
            self.replies.write(line + "\n")
            self.replies.flush()

    def note(self, text: str) -> None:
        """Tell a person something that the program on the other side passes over."""
        self.say(f"info string {sentence(text)}")

    def _introduce(self, words: Sequence[str]) -> None:
        self.say(f"id name understudy {__version__} {sentence(self.player.name, 100)}")
        self.say("id author the contributors to Understudy")
        for option in self.list_options():
            self.say(f"option name {option}")
        self.say("uciok")

    def _answer_ready(self, words: Sequence[str]) -> None:
        if self.ready:
            self.say("readyok")  # also while it thinks
        else:
            self.thread.add(partial(self._prepare, then="readyok"))

    def _prepare(self, then: str = "") -> None:
        """Let the player get ready, once; compiling its kernels may take a minute."""
        if not self.ready:
            try:
                if isinstance(self.player, Searcher):
                    self.player.prepare(timed=True)  # a clock may come with any `go`
                else:
                    prepare(self.player)
            except Exception as error:  # it may still play
                self.note(f"the player cannot get ready: {error}")
            self.ready = True
        if then:
            self.say(then)

    def _forget(self, words: Sequence[str]) -> None:
        self.stands = Standing(self.game.start(), [])

    def _place(self, words: Sequence[str]) -> None:
        self.stands = self.read_position(words)

    def _set(self, words: Sequence[str]) -> None:
        text = " ".join(words)
        name, _, value = text.removeprefix("name ").partition(" value ")
        self.set_option(name.strip(), value)

    def _go(self, words: Sequence[str]) -> None:
        if self.task is not None and not self.task.halt.rung:
            raise BadOption("go: the player still thinks; say stop first")
        go = read_go(words)
        allowed = self._allowed(go)
        for complaint in go.complaints:
            self.note(complaint)
        position, history, begun = self.stands
        limits = limits_of(go, self.options, white=position.ply % 2 == 0)
        self.task = Task(
            position=position, history=history, begun=begun, limits=limits, allowed=allowed,
            lines=self.options.get(WAYS, 1),
        )  # fmt: skip
        if not (go.infinite or go.ponder):
            self.task.release.set()
        self.thread.add(partial(self._think, self.task))

    def _allowed(self, go: Go) -> tuple[int, ...]:
        """Return the moves of `searchmoves`, legal ones alone; all moves are allowed if none is left."""
        moves = list[Move]()
        for text in go.searchmoves:
            try:
                moves += self.read_moves(text)
            except UnderstudyError as error:
                go.complaints.append(str(error))
        return tuple(dict.fromkeys(moves))

    def _think(self, task: Task) -> None:
        """Think about a task and tell the move, as soon as that is allowed."""
        self._prepare()
        began = time.perf_counter()
        legal = self.game.moves(task.position)
        if not legal or self.game.outcome(task.position) is not None:
            self.note("the game is over")
            self._tell(task, "(none)")
            return
        answer = self.decide(replace(task, tell=partial(self._tell_glimpse, task, began, [0])))
        if answer.choice.fault is not None or answer.choice.move not in legal:
            self.note(f"the player has no move ({answer.choice.fault or 'illegal move'})")
            self._tell(task, "(none)")
            return
        self._tell_lines(task, answer, began)
        self._tell(task, self.write_move(task, answer.choice.move))

    def _tell_glimpse(self, task: Task, began: float, deepest: list[int], answer: Answer) -> None:
        """Tell what the player holds best so far, once for each depth; *deepest* is the last that was told."""
        if answer.depth > deepest[0]:
            deepest[0] = answer.depth
            self._tell_lines(task, answer, began)

    def _tell_lines(self, task: Task, answer: Answer, began: float) -> None:
        """Tell the lines of an answer, numbered where several are wanted."""
        own = Line((answer.choice.move,), answer.choice.value, answer.depth, None)
        for number, line in enumerate(answer.lines or (own,), 1):
            place = f"multipv {number}" if task.lines > 1 else ""
            self.say(self._info(task, answer, line, place, time.perf_counter() - began))

    def _tell(self, task: Task, move: str) -> None:
        task.release.wait()
        if self.task is task:
            self.task = None
        self.say(f"bestmove {move}")

    def _stop(self, words: Sequence[str]) -> None:
        if (task := self.task) is not None:
            task.halt.ring()
            task.release.set()

    def _release(self, words: Sequence[str]) -> None:
        if (task := self.task) is not None:
            task.release.set()

    def _info(self, task: Task, answer: Answer, line: Line, place: str, seconds: float) -> str:
        """Return what is known of a line of play as UCI's info line."""
        parts = [
            f"depth {line.depth}" if line.depth else "",
            place,
            self.write_score(line.value, line.plies),
            f"nodes {answer.nodes} nps {round(answer.nodes / max(seconds, 1e-6))}" if answer.nodes else "",
            f"time {round(1000 * seconds)}",
            f"pv {self.write_line(task, line.moves)}",
        ]
        return " ".join(["info", *(part for part in parts if part)])


def _read_value(name: str, option: Option, value: str) -> int:
    """Return what an option is to be; on is 1, off 0."""
    if isinstance(option, Check):
        if value.lower() not in ("true", "false"):
            raise BadOption(f"option {name} must be true or false, not {value!r}")
        return int(value.lower() == "true")
    try:
        number = int(value)
    except ValueError:
        raise BadOption(f"option {name} must be a whole number, not {value!r}") from None
    check_range(f"option {name}", number, option.low, option.high)
    return number


def _ignore(words: Sequence[str]) -> None:
    """Take note of nothing."""
