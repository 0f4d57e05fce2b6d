"""Perfect play on small boards of Konane: an exhaustive search that remembers what it has proven."""

from __future__ import annotations

from understudy.games.konane.solving.solver import Solver, check_solvable

__all__ = ["Solver", "check_solvable"]
