"""The nouns of Understudy: what the parts of the program say to each other.

Every value here is immutable and can be pickled; a protocol is satisfied by shape, never by inheritance.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar

Move: TypeAlias = int
"""A move's code; its game alone reads it."""
NOTHING = "none"
"""What a part is called that a move does not have, such as the stone taken by a move that takes none."""

A = TypeVar("A")
B = TypeVar("B")
Item = TypeVar("Item", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Position(Protocol):
    """An immutable value seen by the side to move; its type names its rules."""

    @property
    def ply(self) -> int:
        """How many plies were played before; even when the first player is to move."""
        ...


class Outcome(IntEnum):
    """How a finished game ended for the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1


class Choice(NamedTuple):
    """What a player decided, and what it thought."""

    move: Move
    value: float | None = None
    """Expected outcome for the side to move, in [-1, 1]."""
    scores: Mapping[Move, float] | None = None
    """A preference over moves, on any scale."""
    fault: str | None = None
    """Why the player could not decide; the match scores it as a loss with this reason."""


class Board(NamedTuple):
    """The shape of a board: enough to draw it and to name its cells."""

    cells: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    """Column and row of each cell, counted from the lower left."""
    lines: tuple[tuple[int, int], ...]
    """Pairs of cells joined by a drawn line; none on a board of squares."""


class Path(NamedTuple):
    """How a person shows a move on the board."""

    cells: tuple[int, ...]
    """The cells that are pointed at, one after another; none for a move that leaves the board as it is."""
    option: str = ""
    """What must be said besides where several moves point at the same cells, such as what a pawn becomes."""


class Extra(NamedTuple):
    """What a position has besides the stones on its board, such as stones in hand; a whole number."""

    name: str
    least: int
    most: int
    usual: int


class Conventions(NamedTuple):
    """What a match adds to the rules of a game, because only a match knows the history."""

    repetition: int | None = None
    """A position that occurs this often is a draw; None: never."""
    ply_limit: int = 1000
    """A game this long is a draw."""
    opening_plies: int = 4
    """How many random plies vary the games of a match without deciding them."""
    window: int | None = None
    """Only the last so many positions count for repetition, the first of all never; None: all of the game."""
    turn_counts: bool = True
    """Whether a position with the other side to move is another one; asked only where there is a window."""
    quiet_limit: int | None = None
    """So many plies without a capture are a draw; None: never."""


class Game(Protocol):
    """Rules, notation and shape of one game in one size."""

    @property
    def name(self) -> str: ...
    @property
    def board(self) -> Board: ...
    @property
    def colours(self) -> tuple[str, str]: ...
    @property
    def part_names(self) -> tuple[str, ...]: ...
    @property
    def part_sizes(self) -> tuple[int, ...]: ...
    @property
    def conventions(self) -> Conventions: ...

    def start(self) -> Position: ...
    def moves(self, position: Position) -> list[Move]: ...
    def play(self, position: Position, move: Move) -> Position: ...
    def outcome(self, position: Position) -> Outcome | None: ...
    def placement(self, position: Position) -> int: ...
    def material(self, position: Position) -> int: ...
    def reason(self, position: Position) -> str: ...
    def drawn(self, position: Position) -> str | None: ...
    def key(self, position: Position) -> int: ...
    def parts(self, move: Move) -> tuple[int, ...]: ...
    def path(self, position: Position, move: Move) -> Path | None: ...
    def symmetries(self, position: Position, move: Move) -> list[tuple[Position, Move]]: ...
    def stones(self, position: Position) -> tuple[str, ...]: ...
    def write(self, position: Position) -> str: ...
    def read(self, text: str) -> Position: ...
    def write_move(self, position: Position, move: Move) -> str: ...
    def read_move(self, position: Position, text: str) -> Move: ...


class Player(Protocol):
    """Whoever chooses moves; a teacher is a player being watched."""

    @property
    def name(self) -> str: ...

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose a move in each position; *histories* hold the positions before it, oldest first, where known."""
        ...


class Crew(Protocol[Item, Result]):
    """Workers doing one kind of task; results come back in the order in which items were sent.

    A crew belongs to one thread, and is left like a file: `with backend.crew(task) as crew`.
    """

    def send(self, item: Item) -> None:
        """Hand in an item; never blocks."""
        ...

    def receive(self) -> Result:
        """Return the result of the oldest item not yet received, or raise what became of it; blocks."""
        ...

    def close(self) -> None:
        """Forget what is under way."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


class Backend(Protocol):
    """Many independent, picklable tasks, here or on a cluster."""

    @property
    def workers(self) -> int:
        """How many tasks run at once."""
        ...

    def crew(self, task: Callable[[A], B], *, check: Callable[[A, B], str | None] | None = None) -> Crew[A, B]:
        """Return workers for *task*; *check* tells what is wrong with a result, None if it makes sense.

        A task whose worker dies, hangs or returns nonsense is sent again, three tries in all; then `receive` raises
        BackendError. What a task itself raises is never tried again and comes back as it is.
        """
        ...

    def map(
        self, task: Callable[[A], B], items: Iterable[A], *, check: Callable[[A, B], str | None] | None = None
    ) -> Generator[B, None, None]:
        """Yield the results of *task* in the order of *items*, a few tasks ahead of what is asked for."""
        ...
