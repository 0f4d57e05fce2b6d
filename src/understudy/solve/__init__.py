"""Perfect play on small boards of Konane: an exhaustive search that remembers what it has proven."""

from __future__ import annotations

from understudy.solve.desk import MOST_CELLS
from understudy.solve.solver import MoveValues, Solver, check_solvable, shared_solver

__all__ = ["MOST_CELLS", "MoveValues", "Solver", "check_solvable", "shared_solver"]
