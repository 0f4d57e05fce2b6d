"""Understudy: neural networks that learn board games by watching a teacher.

    import understudy as us

    morris = us.game("morris")
    student = us.player("student:morris", morris)
    student.think(morris.start())                                         # shows itself in a notebook
    us.match(morris, "student:morris", "searcher:depth=3", games=20)
    us.run("konane_4x4", quick=True)

Nothing heavy is loaded before it is needed.
"""

__version__ = "0.2.0"

from understudy.door import experiments, game, games, judge, load_records, match, player, run, tournament
from understudy.errors import (
    BackendError,
    BadOption,
    EngineError,
    FileError,
    IllegalMove,
    NotationError,
    UnderstudyError,
    UnknownName,
)
from understudy.protocols import Choice
from understudy.thoughts import Thought

__all__ = [
    "BackendError",
    "BadOption",
    "Choice",
    "EngineError",
    "FileError",
    "IllegalMove",
    "NotationError",
    "Thought",
    "UnderstudyError",
    "UnknownName",
    "__version__",
    "experiments",
    "game",
    "games",
    "judge",
    "load_records",
    "match",
    "player",
    "run",
    "tournament",
]
