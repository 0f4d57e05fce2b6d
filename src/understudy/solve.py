"""Perfect play: what moves are truly worth, where somebody knows; what is particular of a game is in its folder.

The module that a game names for `solver` has a class `Solver` and the functions `check_solvable` and `warm_up`; where
positions can be drawn by lot whose moves are all known, also `draw`. `know` asks the solver, or whoever else knows.
What a solver has proven it may keep in a table of `proofs.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnderstudyError
from understudy.games import GAMES, CompiledGame, find_kind
from understudy.games.batches import size, stacked, taken, unstacked
from understudy.protocols import Move

FEW_CELLS = 16
"""On so small a board every position can be listed."""

Progress = Callable[[int], None]
"""Hears, now and then, how many positions were searched since the solver was made."""


class Worth(NamedTuple):
    """What a move is truly worth to who makes it."""

    value: int
    """1 if it wins, 0 if it draws, -1 if it loses."""
    plies: int | None
    """Until the game ends with best play of both sides, this move counted; None where nobody knows, and for draws."""
    order: int = 0
    """Where plies are not known: a win with less is nearer, a loss with more is further away."""
    note: str = ""
    """What else is to be said, such as "by the fifty-move rule"."""

    @property
    def rank(self) -> tuple[int, int]:
        """The more the better: a near win, a far one, a draw, a far loss, a near one."""
        distance = self.order if self.plies is None else self.plies
        return self.value, -self.value * distance

    def __str__(self) -> str:
        word = {1: "wins", 0: "draws", -1: "loses"}[self.value]
        far = "" if self.plies is None else f"in {self.plies} {'ply' if self.plies == 1 else 'plies'}"
        return " ".join(filter(None, (word, far, self.note)))


def best_moves(worths: Mapping[Move, Worth]) -> list[Move]:
    """Return the moves than which none is better: the nearest wins, else draws, else the furthest losses."""
    best = max((worth.rank for worth in worths.values()), default=None)
    return [move for move, worth in worths.items() if worth.rank == best]


class Truths(NamedTuple):
    """What moves of many positions are worth; those of the i-th position stand from `first[i]` to `first[i + 1]`."""

    first: NDArray[np.int64]
    moves: NDArray[np.int32]
    values: NDArray[np.int8]
    """1 if a move wins, 0 if it draws, -1 if it loses."""
    plies: NDArray[np.int32]
    """As `Worth` has them; -1 where nobody knows, and for draws."""

    def of(self, row: int) -> dict[Move, Worth]:
        """Return the moves of one position."""
        part = slice(self.first[row], self.first[row + 1])
        worths = zip(self.moves[part].tolist(), self.values[part].tolist(), self.plies[part].tolist(), strict=True)
        return {move: Worth(value, plies if plies >= 0 else None) for move, value, plies in worths}

    @classmethod
    def join(cls, parts: Sequence[Truths]) -> Truths:
        """Return the positions of all parts, one behind the other."""
        counts = np.concatenate([[0], *(np.diff(part.first) for part in parts)])
        rest = (np.concatenate([part[field] for part in parts]) for field in range(1, 4))
        return cls(counts.cumsum(), *rest)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Which position each move is of."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @property
    def best(self) -> NDArray[np.int8]:
        """What each position is worth."""
        return self._reduce(np.maximum, self.values)

    @property
    def matters(self) -> NDArray[np.bool_]:
        """Where moves differ in what they are worth."""
        matters: NDArray[np.bool_] = self._reduce(np.minimum, self.values) != self.best
        return matters

    def find(self, moves: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Return what one move in each position is worth, -2 if it is not legal, and its plies."""
        values, plies = np.full(len(moves), -2, np.int8), np.full(len(moves), -1, np.int32)
        rows = self.rows
        chosen = self.moves == np.asarray(moves)[rows]
        values[rows[chosen]], plies[rows[chosen]] = self.values[chosen], self.plies[chosen]
        return values, plies

    def find_plies(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the least and the most plies of those moves of each position that keep its value."""
        kept = self.values == self.best[self.rows]
        least = self._reduce(np.minimum, np.where(kept, self.plies, np.iinfo(np.int32).max))
        return least, self._reduce(np.maximum, np.where(kept, self.plies, -1))

    def _reduce(self, way: Any, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return the least or the most number of each position; -1 for one without a move, which has lost."""
        reduced, moving = np.full(len(self.first) - 1, -1, numbers.dtype), np.diff(self.first) > 0
        if moving.any():
            reduced[moving] = way.reduceat(numbers, self.first[:-1][moving])
        return reduced


class MoveValues(NamedTuple):
    """Whether each move of each position wins; those of the i-th position stand from `first[i]` to `first[i + 1]`."""

    first: NDArray[np.int64]
    moves: NDArray[np.int32]
    wins: NDArray[np.bool_]

    def of(self, row: int) -> dict[Move, bool]:
        """Return the moves of one position."""
        part = slice(self.first[row], self.first[row + 1])
        return dict(zip(self.moves[part].tolist(), self.wins[part].tolist(), strict=True))

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many moves each position has."""
        return np.diff(self.first)

    @property
    def winning(self) -> NDArray[np.int64]:
        """How many of them win."""
        return np.diff(np.concatenate([[0], self.wins.cumsum()])[self.first])


class Solver(Protocol):
    """Perfect knowledge of one board; one thread at a time, others wait."""

    @property
    def positions(self) -> int:
        """How many positions were searched so far."""
        ...

    def worths(self, position: Any, *, only_best: bool = False, progress: Progress | None = None) -> dict[Move, Worth]:
        """Tell what legal moves are worth, the best of them always among them; raise where that cannot be known.

        A move is left out of which nobody knows more than that it is no better; *only_best* lets a solver leave out as
        many as it likes.
        """
        ...


class Decider(Solver, Protocol):
    """A solver of a game without draws, which tells of many positions at once who wins them."""

    def wins(self, position: Any, *, progress: Progress | None = None) -> bool:
        """Tell whether the side to move wins."""
        ...

    def values(self, position: Any, *, progress: Progress | None = None) -> dict[Move, bool]:
        """Tell of each legal move whether it wins for the side to move."""
        ...

    def solve(self, batch: Any, *, progress: Progress | None = None) -> NDArray[np.bool_]:
        """Tell of each position of a batch whether the side to move wins."""
        ...

    def solve_moves(self, batch: Any, *, progress: Progress | None = None) -> MoveValues:
        """Tell of each legal move of each position of a batch whether it wins for the side to move."""
        ...


def know(game: CompiledGame, position: Any, *, only_best: bool = False, tables: str = "") -> dict[Move, Worth]:
    """Return what every legal move is truly worth, as a `Solver` tells it; raise where nobody knows.

    Here and below *tables* is a folder, where a game has tables; the usual one if it is not named.
    """
    check_known(game, tables)
    if game.kind.solver is not None:
        return shared_solver(game).worths(position, only_best=only_best)
    worths: dict[Move, Worth] = game.kind.load("truth").know(position, **_where(game, tables))
    return worths


def know_all(game: CompiledGame, positions: Sequence[Any], *, tables: str = "") -> list[dict[Move, Worth]]:
    """Return what the moves of each position are worth, at least the best; at once where that is possible."""
    if not positions or not _weighs_many(game):
        return [know(game, position, only_best=True, tables=tables) for position in positions]
    truths = weigh(game, stacked(positions), tables=tables)
    return [truths.of(row) for row in range(len(positions))]


def worths_of(values: Mapping[Move, bool]) -> dict[Move, Worth]:
    """Return the worths of moves of which it is known whether they win, and no more."""
    return {move: Worth(1 if wins else -1, None) for move, wins in values.items()}


def weigh(game: CompiledGame, batch: Any, *, tables: str = "") -> Truths:
    """Return what every move of each position of a batch is worth; raise where nobody knows."""
    check_known(game, tables)
    if is_decidable(game):
        values = shared_decider(game).solve_moves(batch)
        nobody = np.full(len(values.moves), -1, np.int32)
        return Truths(values.first, values.moves, np.where(values.wins, 1, -1).astype(np.int8), nobody)
    if _weighs_many(game):
        truths: Truths = game.kind.load("truth").weigh(batch, **_where(game, tables))
        return truths
    return _stack_worths([know(game, position, tables=tables) for position in unstacked(batch)])


def _weighs_many(game: CompiledGame) -> bool:
    return is_decidable(game) or (game.kind.solver is None and hasattr(game.kind.load("truth"), "weigh"))


def _stack_worths(known: Sequence[Mapping[Move, Worth]]) -> Truths:
    first = np.cumsum([0, *map(len, known)])
    worths = [worth for one in known for worth in one.values()]
    moves = np.array([move for one in known for move in one], np.int32)
    plies = np.array([-1 if worth.plies is None else worth.plies for worth in worths], np.int32)
    return Truths(first, moves, np.array([worth.value for worth in worths], np.int8), plies)


def knows(game: CompiledGame, batch: Any, *, tables: str = "") -> NDArray[np.bool_]:
    """Tell of which positions of a batch it is known what every move is worth; those without a move are left out."""
    check_known(game, tables)
    module: Any = None if game.kind.solver is not None else game.kind.load("truth")
    some = hasattr(module, "knows")
    likely = module.knows(batch, **_where(game, tables)) if some else np.ones(size(batch), np.bool_)
    known = np.zeros(size(batch), np.bool_)
    for row in np.flatnonzero(likely).tolist():
        known[row] = _is_known(game, unstacked(taken(batch, slice(row, row + 1)))[0], module, tables)
    return known


def _is_known(game: CompiledGame, position: Any, module: Any, tables: str) -> bool:
    moves = game.moves(position)
    if game.outcome(position) is not None or not moves:
        return False
    if is_decidable(game) or hasattr(module, "weigh"):  # whoever weighs many knows all that it holds for likely
        return True
    try:
        return len(know(game, position, tables=tables)) == len(moves)
    except UnderstudyError:
        return False


def glance(game: CompiledGame, position: Any) -> dict[Move, Worth]:
    """Return what moves are truly worth if that is known at once, without a search to speak of; else nothing."""
    rows, columns = game.size
    if game.kind.solver is not None and rows * columns > FEW_CELLS:
        return {}
    module: Any = None if game.kind.truth is None else game.kind.load("truth")
    if hasattr(module, "knows") and not module.knows(stacked([position]))[0]:
        return {}
    try:
        return know(game, position, only_best=True)
    except UnderstudyError:
        return {}


def name_spaces(game: CompiledGame, batch: Any) -> NDArray[Any] | None:
    """Return which part of its game each position of a batch is of, such as 4v3; None if the game has no parts."""
    if game.kind.solver is not None or not hasattr(game.kind.load("truth"), "name_spaces"):
        return None
    names: NDArray[Any] = game.kind.load("truth").name_spaces(batch)
    return names


def draw_known(game: CompiledGame, count: int, seed: int, *, stones: str = "", tables: str = "") -> list[Any]:
    """Return so many positions, drawn by lot, of which it is known what every move is worth.

    *stones* names one part of a game that has tables.
    """
    check_known(game, tables, stones)
    module = game.kind.load("solver" if game.kind.solver else "truth")
    if not hasattr(module, "draw"):
        raise BadOption(f"of {game.name} no positions are drawn whose moves are all known")
    drawn: list[Any] = module.draw(game, count, seed, **_where(game, tables), **({"stones": stones} if stones else {}))
    return drawn


def _where(game: CompiledGame, tables: str) -> dict[str, str]:
    return {} if game.kind.tables is None else {"tables": tables}


def check_known(game: CompiledGame, tables: str = "", stones: str = "") -> None:
    """Raise unless of some positions of *game* it is known what every move is worth."""
    for name, given in (("tables", tables), ("stones", stones)):
        if given and game.kind.tables is None:
            raise BadOption(
                f"{name}={given} goes with a game that has tables of solved positions, not with {game.name}"
            )
    if game.kind.solver is not None or game.kind.truth is None:
        check_solvable(game)


def check_solvable(game: CompiledGame) -> None:
    """Raise unless a solver can know *game* perfectly."""
    if game.kind.solver is None:
        solvable = " and ".join(name for name in GAMES if find_kind(name).solver)
        raise BadOption(f"only {solvable} can be solved, not {game.name}")
    game.kind.load("solver").check_solvable(game)


def is_decidable(game: CompiledGame) -> bool:
    """Tell whether the solver of *game*, if it has one, tells of many positions at once who wins them."""
    return game.kind.solver is not None and hasattr(game.kind.load("solver").Solver, "solve_moves")


def check_decidable(game: CompiledGame) -> None:
    """Raise unless a solver can tell of many positions of *game* at once who wins them."""
    check_solvable(game)
    if not is_decidable(game):
        raise BadOption(
            f"{game.name} is solved position by position, and has draws: who wins is not known of many at once"
        )


def make_solver(game: CompiledGame) -> Solver:
    """Return a new solver of this board, which has proven nothing yet."""
    check_solvable(game)
    solver: Solver = game.kind.load("solver").Solver(game)
    return solver


def shared_solver(game: CompiledGame) -> Solver:
    """Return the solver of this board that everybody in this process shares, so that nothing is proven twice."""
    check_solvable(game)
    with _making:
        return _shared(game)


def shared_decider(game: CompiledGame) -> Decider:
    """Return the shared solver of a board on which it is known of many positions at once who wins them."""
    check_decidable(game)
    return cast(Decider, shared_solver(game))


_making = threading.Lock()
_shared = cache(make_solver)
