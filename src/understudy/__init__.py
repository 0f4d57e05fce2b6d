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

TYPE_CHECKING = False  # typing's own, without loading it: checkers know the name
if TYPE_CHECKING:
    from typing import Any

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

HOMES = ("door", "errors", "protocols", "thoughts")
"""Where all of that is; loaded when first asked, so that a command is there a tenth of a second sooner."""


def __getattr__(name: str) -> "Any":
    """Return what the package has under that name."""
    from importlib import import_module

    if name in __all__:
        for home in map(import_module, (f"{__name__}.{home}" for home in HOMES)):
            if hasattr(home, name):
                return getattr(home, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
