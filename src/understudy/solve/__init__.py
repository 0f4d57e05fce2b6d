"""Perfect play on small boards of Konane: an exhaustive search that remembers what it has proven."""

from __future__ import annotations

from understudy.games.konane.solving.desk import MOST_CELLS
from understudy.games.konane.solving.solver import MoveValues, Solver, check_solvable, shared_solver

__all__ = ["MOST_CELLS", "MoveValues", "Solver", "check_solvable", "shared_solver"]
