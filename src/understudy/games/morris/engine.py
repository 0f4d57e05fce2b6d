"""Programs that nobody here wrote as players of Morris: those that speak as Sanmill does, which is nearly UCI.

Sanmill (github.com/calcitem/Sanmill) is an open-source program for Nine Men's Morris. What such a program does wrong
costs it the game and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.config import check_range
from understudy.errors import EngineError
from understudy.games import CompiledGame
from understudy.games.morris.notation import Morris
from understudy.games.morris.words import list_beginnings, list_removals, trace_words
from understudy.players.basic import NO_MOVE
from understudy.players.names import PlayerKind
from understudy.players.programs.process import Process, write_setting
from understudy.players.programs.starting import (
    PATIENCE,
    IllegalBest,
    Program,
    check_settings,
    find_program,
    name_fault,
    show_answer,
)
from understudy.protocols import Choice, Move
from understudy.thoughts import Thought, Weighed

DRAWING = ("NMoveRule", "EndgameNMoveRule")
"""Sanmill's plies without a removal after which it calls a game drawn and names no move any more. Here the match says
when a game is drawn, so they are set as high as the program lets them be."""
LONGEST_TIME = 3_600
"""Seconds for a move that may be asked for; what the program itself allows, sixty in Sanmill, counts as well."""

_WORD = re.compile(rb"x?[a-g][1-7]|[a-g][1-7]-[a-g][1-7]")


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Which program, how strong it may be, and how long it may think."""

    path: str = "sanmill"
    skill: int | None = None
    """SkillLevel; its own if not said, which is 1 in Sanmill, whose levels go from 0 to 30."""
    move_time: int | None = None
    """MoveTime, whole seconds for a move, 0 for no limit; its own if not said, which is 1 in Sanmill."""
    patience: float = PATIENCE
    """Seconds beyond its time after which a silent program is taken for hung."""


class Engine:
    """A program that speaks as Sanmill does, started when first asked and again after it failed."""

    def __init__(self, game: CompiledGame, options: EngineOptions, *, name: str, rng: np.random.Generator) -> None:
        check_range(f"{name}: move_time", options.move_time, 0, LONGEST_TIME)
        check_range(f"{name}: patience", options.patience, 0.1, 86_400)
        self.name, self.game, self.options = name, game, options
        self.path = find_program(options.path)
        wanted = {"SkillLevel": options.skill, "MoveTime": options.move_time}
        settings = {option: value for option, value in wanted.items() if value is not None}
        if settings:
            check_settings(self.path, tuple(settings.items()), name)
        self._program = Program(self.path, settings, options.patience + (options.move_time or 0))
        self._told: list[str] = []

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Ask the program in each position."""
        pasts = histories if histories is not None else [()] * len(positions)
        return [self._choose(position, past) for position, past in zip(positions, pasts, strict=True)]

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return the program's choice: it tells nothing else whose scale is known."""
        words = self._trace(position, past)
        try:
            move = self._ask(position, words)
        except EngineError as error:
            self.close()
            shown = self.game.write(position)
            raise EngineError(f"player {self.name!r} could not think of {shown!r}: it {error}") from None
        others = tuple(Weighed(one, None) for one in self.game.moves(position))
        return Thought(
            player=self.name, game=self.game, position=position, kind="order", choice=Choice(move), moves=others,
            note="this program tells its choice and nothing else",
        )  # fmt: skip

    def close(self) -> None:
        """End the program's process; who asks again gets another."""
        self._program.close()
        self._told = []

    def _choose(self, position: Morris, past: Sequence[Morris]) -> Choice:
        words = self._trace(position, past)
        try:
            return Choice(self._ask(position, words))
        except EngineError as error:
            self.close()  # it gives the game up, and is started anew for the next one
            return Choice(NO_MOVE, fault=name_fault(error))

    def _trace(self, position: Morris, past: Sequence[Morris]) -> list[str]:
        """Return the game so far; Sanmill's text of positions differs by version, so nothing else can be told."""
        words = trace_words(self.game, [*past, position])
        if words is None:
            shown = self.game.write(position)
            raise EngineError(f"player {self.name!r} plays only games from the start: how {shown!r} arose is unknown")
        return words

    def _ask(self, position: Morris, words: list[str]) -> Move:
        """Return the program's move: its first word, and if that closes a mill what it removes, asked for apart."""
        beginnings = list_beginnings(self.game, position)
        begun = self._hear_word(words, beginnings)
        if not (removals := list_removals(self.game, position, begun)):
            return beginnings[begun][0]
        return removals[self._hear_word([*words, begun], removals)]

    def _hear_word(self, words: list[str], legal: Iterable[str]) -> str:
        """Tell the game and return the word that the program answers, if it is *legal*."""
        process, patience = self._start(), self._program.patience
        fresh = "" if words[: len(self._told)] == self._told else "ucinewgame\n"
        self._told = words
        moves = f" moves {' '.join(words)}" if words else ""
        # What comes before readyok belongs to another position.
        process.say(f"{fresh}isready\nposition startpos{moves}\ngo\n")
        for _ in process.hear("readyok", patience):
            pass
        line = b""
        for line in process.hear("bestmove", patience, anywhere=True):  # noqa: B007
            pass  # one line at a time: a program may say a great many
        return read_best(line, legal)

    def _start(self) -> Process:
        """Return the process, which has been told to leave draws to the match."""
        process = self._program.start()
        highest = {name: process.options[name].high for name in DRAWING if name in process.options}
        wanted = {name: high for name, high in highest.items() if high is not None and name not in self._program.modes}
        self._program.modes |= wanted
        if wanted:
            process.say("".join(write_setting(name, high) for name, high in wanted.items()))
        return process


def read_best(line: bytes, legal: Iterable[str]) -> str:
    """Return the word after `bestmove`: Sanmill writes it behind a score, in the same line."""
    words = line.split()
    best = words[words.index(b"bestmove") + 1 :][:1]
    if not best:
        raise EngineError("named no best move")
    if _WORD.fullmatch(best[0]) is None:
        raise EngineError(f"named the best move {show_answer(best[0])}, which is none")
    word = best[0].decode()
    if word not in legal:
        raise IllegalBest(f"named the best move {word!r}, which is not legal")
    return word


ENGINE = PlayerKind(Engine, EngineOptions, "path")
