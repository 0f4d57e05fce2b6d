"""The games: one table, from a name to the folder of the game; games of other packages come by entry points."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType

from understudy.errors import BadOption, UnknownName, first_line
from understudy.games.game import CompiledGame
from understudy.games.kind import GameKind

__all__ = ["GAMES", "CompiledGame", "GameKind", "find_game", "find_kind", "game_names", "outside_games"]

GAMES = {
    "morris": "understudy.games.morris",
    "konane": "understudy.games.konane",
    "lines_of_action": "understudy.games.lines_of_action",
    "chess": "understudy.games.chess",
}
"""The package of each game that comes with Understudy; it has a `KIND`."""


def game_names() -> list[str]:
    """Return the names of all games, those of other packages last."""
    return [*GAMES, *outside_games()[0]]


def find_kind(name: str) -> GameKind:
    """Return all that the game called *name* says of itself; its folder is loaded when first asked."""
    if name in GAMES:
        kind: GameKind = import_module(GAMES[name]).KIND
        return kind
    kinds, faults = outside_games()
    if name in kinds:
        return kinds[name]
    if name in faults:
        raise BadOption(faults[name])
    raise UnknownName("game", name, game_names())


@cache
def outside_games() -> tuple[dict[str, GameKind], dict[str, str]]:
    """Return the games that other packages bring, and of those that could not be loaded why not."""
    kinds: dict[str, GameKind] = {}
    faults: dict[str, str] = {}
    for entry in entry_points(group="understudy.games"):
        try:
            kind = entry.load()
        except Exception as error:  # it is somebody else's code: whatever it raises, our games go on
            faults[entry.name] = f"game {entry.name!r} of {entry.value!r} cannot be loaded: {first_line(error)}"
            continue
        if entry.name in GAMES or not isinstance(kind, GameKind) or kind.name != entry.name:
            faults[entry.name] = f"game {entry.name!r} of {entry.value!r} is no GameKind of a new name"
        else:
            kinds[entry.name] = kind
    return kinds, faults


def find_game(
    name: str, size: tuple[int, int] | None = None, switches: Mapping[str, str] | None = None
) -> CompiledGame:
    """Return the game called *name*, on a board of *size* rows and columns, with its rule *switches* set."""
    return _made(find_kind(name), size, tuple(sorted((switches or {}).items())))


@cache
def _made(kind: GameKind, size: tuple[int, int] | None, switches: tuple[tuple[str, str], ...]) -> CompiledGame:
    variant = kind.variant(size, dict(switches))
    # The usual size is the same game as its number: records that name their size are records of it.
    return CompiledGame(kind, variant, switches) if size == variant.size else _made(kind, variant.size, switches)


class _Callable(ModuleType):
    """A package that answers `understudy.games()`: once imported, it hides the function of its name at the door."""

    def __call__(self) -> list[str]:
        return game_names()


sys.modules[__name__].__class__ = _Callable
