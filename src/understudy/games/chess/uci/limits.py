"""How long a player thinks about a `go`: the narrowest of what the program asks and what the player's options say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from understudy.games.chess.uci.text import Go
from understudy.games.chess.uci.thinking import thinks
from understudy.players.searcher import DEEPEST, ENDLESS, Limits

FOREVER = 86_400.0
"""Seconds; with a clock, even this one, a search may take deeper results for shallower ones."""


class Spin(NamedTuple):
    """An option that is a number."""

    default: int
    low: int
    high: int


def spins_of(player: Any) -> dict[str, Spin]:
    """Return the options of a player that thinks: its own limits, 0 for none, and what the way to the clock costs."""
    if not thinks(player):
        return {}
    own = player.options
    return {
        "Depth": Spin(own.depth or 0, 0, DEEPEST),
        "Nodes": Spin(min(own.nodes or 0, (1 << 31) - 1), 0, (1 << 31) - 1),
        "MoveTime": Spin(round(1000 * (own.time or 0)), 0, 86_400_000),
        "Move Overhead": Spin(30, 0, 5000),
    }


def limits_of(go: Go, options: Mapping[str, int], *, white: bool) -> Limits | None:
    """Return the limits of a search for White or Black; None if neither `go` nor the options say anything."""
    if not options:
        return None
    clock = FOREVER if go.infinite else go.seconds(white=white, overhead=options["Move Overhead"])
    depth = _least(options["Depth"], None if go.infinite else go.depth)
    nodes = _least(options["Nodes"], None if go.infinite else go.nodes)
    seconds = _least(options["MoveTime"] / 1000, clock)
    if depth is None and nodes is None and seconds is None:
        return None
    most = int(min(depth or DEEPEST, DEEPEST)), int(nodes or ENDLESS)
    return Limits(*most, None if seconds is None else min(seconds, FOREVER))


def _least(own: float, asked: float | None) -> float | None:
    """Return the smaller of the player's own limit, 0 for none, and what is asked, if there is any."""
    limits = [limit for limit in (own or None, asked) if limit is not None]
    return min(limits) if limits else None
