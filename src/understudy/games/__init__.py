"""The games: one table, from a name to what makes the game in a size and with its switches set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from understudy.errors import UnknownName
from understudy.games.chess import rules as chess
from understudy.games.game import CompiledGame
from understudy.games.konane import rules as konane
from understudy.games.lines_of_action import rules as lines_of_action
from understudy.games.morris import rules as morris
from understudy.games.variant import Variant

__all__ = ["GAMES", "CompiledGame", "find_game"]

GAMES: dict[str, Callable[[tuple[int, int] | None, Mapping[str, str]], Variant]] = {
    "morris": morris.variant,
    "konane": konane.variant,
    "lines_of_action": lines_of_action.variant,
    "chess": chess.variant,
}


def find_game(
    name: str, size: tuple[int, int] | None = None, switches: Mapping[str, str] | None = None
) -> CompiledGame:
    """Return the game called *name*, on a board of *size* rows and columns, with its rule *switches* set."""
    if name not in GAMES:
        raise UnknownName("game", name, GAMES)
    return _made(name, size, tuple(sorted((switches or {}).items())))


@cache
def _made(name: str, size: tuple[int, int] | None, switches: tuple[tuple[str, str], ...]) -> CompiledGame:
    return CompiledGame(name, GAMES[name](size, dict(switches)), switches)
