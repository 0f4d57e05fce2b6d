"""What a person holds in a notebook or a script: games, positions, moves and players that show themselves.

Inside, positions are plain tuples of numbers for compiled code, and moves are codes; a face is a thin wrapper with a
text, a picture and the few verbs that people use. Nothing heavy is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from understudy.errors import BadOption
from understudy.protocols import Choice
from understudy.thoughts import Thought

if TYPE_CHECKING:
    from understudy.games import CompiledGame


@dataclass(frozen=True)
class Game:
    """A game on a board of one size."""

    compiled: CompiledGame = field(repr=False)
    """The game as all other parts of Understudy take it."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return self.compiled.name

    @property
    def title(self) -> str:
        """What it is called by people."""
        return self.compiled.title

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.compiled.size

    @property
    def colours(self) -> tuple[str, str]:
        """Of the first and of the second player."""
        return self.compiled.colours

    @property
    def cells(self) -> tuple[str, ...]:
        """The names of the cells."""
        return self.compiled.board.cells

    def start(self) -> Position:
        """Return the position that every game starts from."""
        return Position(self, self.compiled.start())

    def position(self, text: str) -> Position:
        """Return the position that *text* describes, written as `Position.text` is."""
        return Position(self, self.compiled.read(text))

    def __repr__(self) -> str:
        return f"{self.title}, {self.size[0]}x{self.size[1]}"

    def _repr_svg_(self) -> str:
        return self.start()._repr_svg_()


@dataclass(frozen=True)
class Position:
    """A position of a game; playing a move gives another and leaves this one as it is."""

    game: Game
    raw: Any
    """The tuple of numbers that players and kernels take."""
    past: tuple[Any, ...] = field(default=(), compare=False)
    """The positions before it, oldest first, so that players know what would repeat."""
    last: Move | None = field(default=None, compare=False)
    """The move that led here."""

    @property
    def text(self) -> str:
        """The position as one line of text; `Game.position` reads it."""
        return self.game.compiled.write(self.raw)

    @property
    def turn(self) -> str:
        """The colour that is to move."""
        return self.game.colours[self.raw.ply % 2]

    @cached_property
    def moves(self) -> list[Move]:
        """The legal moves; none when the game is over."""
        return [Move(self, code) for code in self.game.compiled.moves(self.raw)]

    @property
    def over(self) -> bool:
        """Whether the game has ended by its rules."""
        return self.game.compiled.outcome(self.raw) is not None

    @property
    def outcome(self) -> str | None:
        """How the game ended, in words; None while it goes on."""
        outcome = self.game.compiled.outcome(self.raw)
        if outcome is None:
            return None
        winner = self.turn if outcome > 0 else next(colour for colour in self.game.colours if colour != self.turn)
        reason = self.game.compiled.reason(self.raw)
        return f"{f'{winner} wins' if outcome else 'draw'}: {reason}"

    def move(self, move: str | int) -> Move:
        """Return the legal move that a text such as `d2` names, or a code."""
        code = self.game.compiled.read_move(self.raw, move) if isinstance(move, str) else int(move)
        return Move(self, code)

    def play(self, *moves: str | Move) -> Position:
        """Return the position after one or more moves, written or taken from `moves`."""
        position = self
        for move in moves:
            position = position._after(position.move(move.text if isinstance(move, Move) else move))
        return position

    def _after(self, move: Move) -> Position:
        raw = self.game.compiled.play(self.raw, move.code)
        return Position(self.game, raw, (*self.past, self.raw), move)

    def __repr__(self) -> str:
        from understudy.games.drawing import draw_text

        board = draw_text(self.game.compiled.board, self.game.compiled.stones(self.raw))
        return f"{board}\n{self.outcome or f'{self.turn} to move'}\n{self.text}"

    def _repr_svg_(self) -> str:
        from understudy.pictures import picture_position

        marked = self.last.touched if self.last else ()
        return picture_position(self.game.compiled, self.raw, marked=marked)


@dataclass(frozen=True)
class Move:
    """A move in a position."""

    position: Position
    code: int
    """The number that players and kernels take."""

    @property
    def text(self) -> str:
        """The move as people write it."""
        return self.position.game.compiled.write_move(self.position.raw, self.code)

    @property
    def parts(self) -> Mapping[str, int]:
        """The parts that students learn one by one, such as from and to, as numbers."""
        game = self.position.game.compiled
        return dict(zip(game.part_names, game.parts(self.code), strict=True))

    @cached_property
    def touched(self) -> tuple[int, ...]:
        """The cells on which something else stands after it."""
        from understudy.pictures.traces import find_changes

        game, raw = self.position.game.compiled, self.position.raw
        return find_changes(game.stones(raw), game.stones(game.play(raw, self.code)))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.position.play(self)._repr_svg_()


class Player:
    """Whoever chooses moves: chance, a search, an engine, a student."""

    def __init__(self, name: str, game: Game, *, seed: int = 0) -> None:
        from understudy.players import make_player

        self.name, self.game = name, game
        self.made = make_player(name, game.compiled, seed=seed)

    def choose(self, position: Position) -> Move:
        """Return the move that it plays in a position."""
        raw = self._checked(position)
        choice: Choice = self.made.choose([raw], [position.past])[0]
        if choice.fault is not None:
            raise BadOption(f"player {self.name!r} could not choose in {position.text!r}: {choice.fault}")
        return Move(position, choice.move)

    def think(self, position: Position, *, tell: Callable[[Thought], None] | None = None) -> Thought:
        """Return what it thinks of a position; *tell* hears of it while it thinks, if that takes a while."""
        from understudy.players import think

        return think(self.made, self.game.compiled, self._checked(position), position.past, tell=tell)

    def _checked(self, position: Position) -> Any:
        from understudy.players import check_position

        check_position(self.game.compiled, position.raw)
        return position.raw

    def close(self) -> None:
        """Let go of an engine's process or a connection, if it has one."""
        from understudy.players import close

        close(self.made)

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{self.name} plays {self.game!r}"
