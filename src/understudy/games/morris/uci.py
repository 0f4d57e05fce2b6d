"""Any player of Morris as an engine for other programs, in the words of Sanmill, nearly those of UCI; docs/sanmill.md.

A move that closes a mill is answered by two `go`: the first gives where the stone goes, and the second, asked with that
word added to the game, gives what it removes. Both belong to one choice of the player, so it is asked once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO, NamedTuple, TextIO

from understudy.config import check_range
from understudy.errors import BadOption, IllegalMove, NotationError
from understudy.games import CompiledGame
from understudy.games.morris.notation import Morris
from understudy.games.morris.words import list_beginnings, list_removals, read_words, write_words
from understudy.players.programs.door import PATIENCE, Door, attend
from understudy.players.programs.tasks import Answer, Standing, Task
from understudy.protocols import Move, Player


class Unit(NamedTuple):
    """An option as Sanmill has it: which of ours it is, how many of ours one of its is, and how many there may be."""

    ours: str
    size: int
    most: int


UNITS = {"SkillLevel": Unit("Depth", 1, 30), "MoveTime": Unit("MoveTime", 1000, 60)}
"""Sanmill's skill is, above all, how many plies it looks ahead; its times are seconds, ours milliseconds. Ranges are
Sanmill's, so that a program which knows it offers nothing else. 0 is no limit."""


def serve(
    game: CompiledGame, player: Player, *, heard: BinaryIO, said: TextIO, patience: float | None = PATIENCE
) -> bool:
    """Speak for *player* until `quit` or the end of what is *heard*; tell whether its thread has ended."""
    return attend(MorrisDoor(game, player, replies=said), heard, patience)


class MorrisDoor(Door):
    """A conversation about Morris."""

    def __init__(self, game: CompiledGame, player: Player, *, replies: TextIO) -> None:
        super().__init__(game, player, replies=replies)
        self.chosen: tuple[Morris, Answer] | None = None
        """What the player decided last, and where; touched by the thread that thinks alone."""
        self.commands["d"] = self._show

    def read_position(self, words: Sequence[str]) -> Standing:
        """Return where a game stands that the words after `position` describe."""
        if words[:1] != ["startpos"] or (len(words) > 1 and words[1] != "moves"):
            raise NotationError(
                "position: expected 'startpos', then 'moves' and moves if there are any; no FEN is read"
            )
        return read_words(self.game, words[2:])

    def read_moves(self, text: str) -> list[Move]:
        """Return the legal moves that have this word: of one that closes a mill, those that remove each stone."""
        position, _, begun = self.stands
        removals = list_removals(self.game, position, begun)
        moves = [removals[text]] if text in removals else list_beginnings(self.game, position).get(text, [])
        if not moves or bool(begun) != (text in removals):
            raise IllegalMove(f"morris: {text!r} is no legal move here")
        return moves

    def write_move(self, task: Task, move: Move) -> str:
        """Return the word of a move that is to be told: its first, or its removal if the first was told already."""
        return write_words(move)[1 if task.begun else 0]

    def decide(self, task: Task) -> Answer:
        """Return what the player decides; a removal was decided with the move that it belongs to."""
        if not task.begun:
            self.chosen = task.position, super().decide(task)
            return self.chosen[1]
        removals = tuple(list_removals(self.game, task.position, task.begun).values())
        if self.chosen is not None and self.chosen[0] == task.position and self.chosen[1].choice.move in removals:
            return self.chosen[1]
        return super().decide(replace(task, allowed=task.allowed or removals))

    def write_score(self, value: float | None, plies: int | None) -> str:
        """Return nothing: scores of Morris have no common scale."""
        return ""

    def list_options(self) -> list[str]:
        """Return Sanmill's options, for players that obey them."""
        return [
            f"{name} type spin default {min(-(-self.options[unit.ours] // unit.size), unit.most)} min 0 max {unit.most}"
            for name, unit in UNITS.items()
            if unit.ours in self.options
        ]

    def set_option(self, name: str, value: str) -> None:
        """Set an option of Sanmill's where it means something; others, such as its rules, are passed over."""
        chosen = next((known for known in UNITS if known.lower() == name.lower()), None)
        if chosen is None or UNITS[chosen].ours not in self.options:
            return
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise BadOption(f"option {chosen} must be a whole number, not {value!r}")
        check_range(f"option {chosen}", int(value), 0, UNITS[chosen].most)
        self.options[UNITS[chosen].ours] = int(value) * UNITS[chosen].size

    def _show(self, words: Sequence[str]) -> None:
        self.note(f"{self.game.write(self.stands.position)} {self.stands.begun}")
