"""Perfect play of Lines of Action on small boards: every placement of 4x4 in a table, forced wins of 5x5 by search.

On 4x4 everything is known. On 5x5 a side either has a forced win that the search finds within its limits, or nobody
knows: a position is never called a draw because no win was found.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.games.lines_of_action.solving import retrograde
from understudy.games.lines_of_action.solving.proving import NODES, SHARE, Prover, won
from understudy.games.lines_of_action.solving.retrograde import SHARED, read_worth, solve
from understudy.games.lines_of_action.solving.search import DEEPEST, SIDE
from understudy.protocols import Move
from understudy.solve import Progress, Worth

TRIAL = 100_000
"""Positions that may be searched for one that is drawn by lot: a tenth of a second, within which most are known."""
LONGEST = 24
"""Plies of the random games from which positions of 5x5 are drawn: after more of them hardly a game goes on."""


class Known(Protocol):
    """Whoever knows what the positions after moves are worth."""

    @property
    def positions(self) -> int:
        """How many positions were searched so far."""
        ...

    def look(
        self, after: Mapping[Move, LinesOfAction], *, only_best: bool, nodes: int, progress: Progress | None
    ) -> dict[Move, Worth]:
        """Return what the moves to these positions are worth, as far as that is known."""
        ...


class Solver:
    """Perfect knowledge of Lines of Action on one board of 4x4 or 5x5; one thread at a time, others wait."""

    def __init__(self, game: CompiledGame, *, nodes: int = NODES) -> None:
        check_solvable(game)
        self.game, self.nodes, self._lock = game, nodes, threading.Lock()
        known: type[Tabled | Prover] = Tabled if game.size[0] == retrograde.SIDE else Prover
        self._known: Known = known(game.start().switches)

    @property
    def positions(self) -> int:
        """How many positions were searched so far."""
        return self._known.positions

    def worths(
        self, position: LinesOfAction, *, only_best: bool = False, progress: Progress | None = None
    ) -> dict[Move, Worth]:
        """Tell what moves are worth, the best always among them; on 5x5 those are left out of which nobody knows."""
        self._check(position)
        moves = self.game.moves(position)
        after = {move: self.game.play(position, move) for move in moves}
        known = {move: Worth(-ended, 1 if ended else None) for move, ended in self._end(after).items()}
        going_on = {move: after[move] for move in moves if move not in known}
        nodes = (0 if won(known) else self.nodes // SHARE) if only_best else self.nodes
        with self._lock:
            known |= self._known.look(going_on, only_best=only_best, nodes=nodes, progress=progress)
        if len(known) < len(moves) and not won(known):
            raise BadOption(
                f"nobody knows who wins the lines_of_action position {self.game.write(position)!r}: no side was found "
                f"to force it within {DEEPEST} plies and {nodes} positions"
            )
        return {move: known[move] for move in moves if move in known}

    def _end(self, after: Mapping[Move, LinesOfAction]) -> dict[Move, int]:
        """Return how the game ends for the side that is to move, where it does."""
        ends = {move: self.game.outcome(position) for move, position in after.items()}
        return {move: int(end) for move, end in ends.items() if end is not None}

    def _check(self, position: LinesOfAction) -> None:
        """Raise unless a position stands on this solver's board, by its rules: kernels would read nonsense."""
        start = self.game.start()
        if (position.size, position.switches) != (start.size, start.switches):
            raise BadOption(
                f"this solver knows lines_of_action on {start.size}x{start.size} alone, by the rules of its game"
            )


class Tabled:
    """The table of 4x4, made when first asked."""

    def __init__(self, switches: int) -> None:
        self.switches, self.positions = switches, 0
        self._worths: NDArray[np.int8] | None = None

    def look(
        self, after: Mapping[Move, LinesOfAction], *, only_best: bool, nodes: int, progress: Progress | None
    ) -> dict[Move, Worth]:
        """Return what the moves to these positions are worth."""
        worths = self._worths if self._worths is not None else self._make(progress)
        read = {move: read_worth(worths, position) for move, position in after.items()}
        return {move: Worth(-value, None if plies is None else plies + 1) for move, (value, plies) in read.items()}

    def _make(self, progress: Progress | None) -> NDArray[np.int8]:
        """Look back from the ends until nothing changes."""
        for worths in solve(self.switches):
            self.positions = int((worths != 0).sum()) - SHARED
            if progress is not None:
                progress(self.positions)
        self.positions, self._worths = worths.size - SHARED, worths
        return worths


def check_solvable(game: CompiledGame) -> None:
    """Raise unless a solver can know this board."""
    rows, columns = game.size
    if rows not in (retrograde.SIDE, SIDE):
        raise BadOption(f"lines_of_action can be solved on boards of 4x4 and 5x5, not on {rows}x{columns}")


def warm_up(game: CompiledGame) -> None:
    """Have the kernels of this board ready before any clock runs."""
    with contextlib.suppress(BadOption):  # one position is not enough to know anything
        Solver(game, nodes=1).worths(game.start())


def draw(game: CompiledGame, count: int, seed: int) -> list[LinesOfAction]:
    """Return positions of random games, no two alike, of which every move's worth is known; on 5x5 the quieter lack."""
    rng, solver = np.random.default_rng(seed), Solver(game, nodes=TRIAL)
    drawn = dict[LinesOfAction, None]()
    while len(drawn) < count:
        position = _wander(game, rng)
        with contextlib.suppress(BadOption):
            if len(solver.worths(position)) == len(game.moves(position)):
                drawn[position] = None
    return list(drawn)


def _wander(game: CompiledGame, rng: np.random.Generator) -> LinesOfAction:
    """Return a position of a random game that goes on."""
    line: list[LinesOfAction] = [game.start()]
    for _ in range(rng.integers(LONGEST)):
        moves = game.moves(line[-1])
        line.append(game.play(line[-1], moves[rng.integers(len(moves))]))
        if game.outcome(line[-1]) is not None:
            return line[-2]
    return line[-1]
