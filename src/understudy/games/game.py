"""The Python face of any game made of kernels: it checks what kernels trust, and speaks text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, IllegalMove
from understudy.games import rules
from understudy.games.kind import ONGOING, GameKind, Variant
from understudy.protocols import Board, Conventions, Extra, Move, Outcome, Path


@dataclass(frozen=True, eq=False)
class CompiledGame:
    """Rules, notation and shape of one game in one size."""

    kind: GameKind
    variant: Variant
    switches: tuple[tuple[str, str], ...] = ()
    """The rules that were set by hand, so that a task can rebuild this game from its name."""

    @property
    def name(self) -> str:
        return self.kind.name

    @cached_property
    def kernels(self) -> ModuleType:
        """The module of this game's kernels."""
        return rules.RULES[type(self.variant.first)]

    @cached_property
    def notation(self) -> ModuleType:
        """The module of this game's text, drawing and symmetries."""
        notation: ModuleType = self.kind.load("notation")
        return notation

    @cached_property
    def batches(self) -> Any:
        """The module in which this game speaks of many positions at once."""
        return self.kind.load("batches")

    @cached_property
    def legality(self) -> Any:
        """The module in which this game tells which parts of moves are legal, in many positions at once."""
        return self.kind.load("legality")

    def at_once(self, name: str) -> Any:
        """Return what this game's batches have under that name, or None: then positions are taken one by one."""
        return getattr(self.batches, name, None) if self.kind.batches else None

    def __reduce__(self) -> tuple[Any, ...]:
        from understudy.games import find_game

        return find_game, (self.name, self.variant.size, dict(self.switches))

    @property
    def title(self) -> str:
        return self.variant.title

    @property
    def size(self) -> tuple[int, int]:
        return self.variant.size

    @property
    def board(self) -> Board:
        return self.variant.board

    @property
    def colours(self) -> tuple[str, str]:
        return self.variant.colours

    @property
    def part_names(self) -> tuple[str, ...]:
        return self.variant.part_names

    @property
    def part_sizes(self) -> tuple[int, ...]:
        return self.variant.part_sizes

    @property
    def conventions(self) -> Conventions:
        return self.variant.conventions

    @cached_property
    def most_moves(self) -> int:
        """No position has more moves than this."""
        return int(self.kernels.MOST_MOVES)

    @cached_property
    def feature_count(self) -> int:
        """How many binary features a position of this game has."""
        return int(self.kernels.FEATURES)

    def start(self) -> Any:
        """Return the position every game starts from."""
        return self.variant.first

    def moves(self, position: Any) -> list[Move]:
        """Return the legal moves, ascending; none when the game is over."""
        codes = self._codes(position)
        return codes.tolist() if rules.outcome(position, len(codes)) == ONGOING else []

    def play(self, position: Any, move: Move) -> Any:
        """Return the position after *move*, seen by the other side."""
        if move not in self.moves(position):
            raise IllegalMove(self._complaint(position, move))
        return rules.play(position, move)

    def outcome(self, position: Any) -> Outcome | None:
        """Return how the game ended for the side to move, or None while it goes on."""
        result = rules.outcome(position, rules.count(position))
        return None if result == ONGOING else Outcome(result)

    def reason(self, position: Any) -> str:
        """Return why a finished game ended."""
        return str(self.kernels.reason(position))

    def explain(self, reason: str) -> str:
        """Return what a reason for which a game ends means, where its word alone does not tell."""
        return str(getattr(self.notation, "REASONS", {}).get(reason, ""))

    def drawn(self, position: Any) -> str | None:
        """Return why a match calls this position a draw, by what the position itself tells, or None."""
        reason: str | None = self.notation.drawn(position)
        return reason

    def key(self, position: Any) -> int:
        """Return a number equal for equal placements seen by the side to move."""
        return int(rules.key(position))

    def placement(self, position: Any) -> int:
        """Return a number equal for equal stones of both colours, whoever is to move."""
        return int(rules.key(position if position.ply % 2 == 0 else rules.turn(position)))

    def material(self, position: Any) -> int:
        """Return how many stones both sides still own; asked of games that may end for want of captures."""
        return int(self.kernels.material(position))

    def parts(self, move: Move) -> tuple[int, ...]:
        """Return the parts of a move, in the order of `part_names`."""
        return tuple(self.notation.parts(move))

    def path(self, position: Any, move: Move) -> Path | None:
        """Return the cells that a person points at to make a legal move; None where the game does not say."""
        own = getattr(self.notation, "path", None)
        return None if own is None else Path(*own(position, move))

    @property
    def extras(self) -> tuple[Extra, ...]:
        """What a position has besides the stones on its board."""
        return tuple(getattr(self.notation, "EXTRAS", ()))

    def extras_of(self, position: Any) -> dict[str, int]:
        """Return what a position has besides the stones on its board, by name."""
        read = getattr(self.notation, "read_extras", None)
        return {} if read is None else dict(read(position))

    @property
    def setup_stones(self) -> tuple[str, ...]:
        """The stones that may be put on the board by hand; none where positions can only be written as text."""
        return tuple(getattr(self.notation, "SETUP", ()))

    @property
    def spoken_stones(self) -> Mapping[str, str]:
        """What each stone is called aloud, its colour first."""
        stones = {colour: f"{colour} stone" for colour in self.colours}
        return stones | dict(getattr(self.notation, "SPOKEN", {}))

    def arrange(self, stones: Sequence[str], turn: int, extras: Mapping[str, int]) -> Any:
        """Return the position with these *stones*, one for each cell, in which the colour number *turn* is to move."""
        if not self.setup_stones:
            raise BadOption(f"positions of {self.name} cannot be set up stone by stone; write them as text")
        position = self.read(self.notation.arrange(stones, turn, extras, self.variant.first))
        if position.ply % 2 == turn:
            return position
        if self.kind.tells_turn or any(extras.values()):
            raise BadOption(f"{self.colours[turn]} cannot be to move in {self.write(position)!r}")
        return position._replace(ply=position.ply + 1)  # the text of such a position does not tell whose turn it is

    def symmetries(self, position: Any, move: Move) -> list[tuple[Any, Move]]:
        """Return the images of a position and a move under the board's symmetries, the pair itself first."""
        notation = self.notation
        return [
            (notation.permuted(position, permutation), notation.permuted_move(move, permutation))
            for permutation in notation.symmetries(position)
        ]

    def stones(self, position: Any) -> tuple[str, ...]:
        """Return what stands on each cell of the board: a colour, a chess piece's letter, or nothing."""
        return tuple(self.notation.stones(position))

    def status(self, position: Any) -> str:
        """Return in words what the board does not show, such as stones in hand; nothing in most games."""
        tell = getattr(self.notation, "status", None)
        return "" if tell is None else str(tell(position))

    def write(self, position: Any) -> str:
        """Return the position as text."""
        return str(self.notation.write(position))

    def read(self, text: str) -> Any:
        """Return the position that *text* describes."""
        return self.notation.read(text, self.variant.first)

    def write_move(self, position: Any, move: Move) -> str:
        """Return a legal move as text."""
        return str(self.notation.write_move(position, move))

    def read_move(self, position: Any, text: str) -> Move:
        """Return the legal move that *text* describes."""
        move: Move = self.notation.read_move(position, text)
        if move not in self.moves(position):
            raise IllegalMove(f"{self.name}: {text.strip()!r} is not a legal move in {self.write(position)!r}")
        return move

    def _codes(self, position: Any) -> NDArray[np.int32]:
        out = np.empty(self.most_moves, np.int32)
        return out[: rules.moves(position, out)]

    def _complaint(self, position: Any, move: Move) -> str:
        return f"{self.name}: move {move} is not legal in {self.write(position)!r}"
