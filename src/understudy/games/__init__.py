"""The games: one table, from a name to the folder of the game; games of other packages come by entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from understudy.errors import UnknownName
from understudy.games.game import CompiledGame
from understudy.games.kind import GameKind

__all__ = ["GAMES", "CompiledGame", "GameKind", "find_game", "find_kind"]

GAMES = {
    "morris": "understudy.games.morris",
    "konane": "understudy.games.konane",
    "lines_of_action": "understudy.games.lines_of_action",
    "chess": "understudy.games.chess",
}
"""The package of each game; it has a `KIND`."""


def find_kind(name: str) -> GameKind:
    """Return all that the game called *name* says of itself; its folder is loaded when first asked."""
    if name not in GAMES:
        raise UnknownName("game", name, GAMES)
    kind: GameKind = import_module(GAMES[name]).KIND
    return kind


def find_game(
    name: str, size: tuple[int, int] | None = None, switches: Mapping[str, str] | None = None
) -> CompiledGame:
    """Return the game called *name*, on a board of *size* rows and columns, with its rule *switches* set."""
    return _made(find_kind(name), size, tuple(sorted((switches or {}).items())))


@cache
def _made(kind: GameKind, size: tuple[int, int] | None, switches: tuple[tuple[str, str], ...]) -> CompiledGame:
    return CompiledGame(kind, kind.variant(size, dict(switches)), switches)
