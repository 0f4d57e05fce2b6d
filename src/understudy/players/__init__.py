"""The players: one table, and how a player is named on the command line and in experiment files.

`random`, `searcher:depth=4,evaluator=movable_ratio`, `engine:stockfish,depth=8`, `student:runs/x`: a name, then
options; the first option may stand without its key where a player has a main one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from understudy.config import build
from understudy.errors import UnknownName
from understudy.games import CompiledGame
from understudy.games.chess.players.engine import Engine, EngineOptions
from understudy.players.basic import Human, NoOptions, Random
from understudy.players.hybrid import Hybrid, HybridOptions
from understudy.players.names import split_options
from understudy.players.network import StudentPlayerOptions
from understudy.players.perfect import Perfect, PerfectOptions
from understudy.players.searcher import Searcher, SearcherOptions, Stochastic, StochasticOptions
from understudy.players.students import make_student
from understudy.protocols import Player
from understudy.studies.galassi.nnmm_player import Nnmm, NnmmOptions
from understudy.studies.galassi.socket_player import Socket, SocketOptions


class Kind(NamedTuple):
    """What makes a player: its class, its options, and the option that may stand without a key."""

    player: Any
    options: type[Any]
    main: str | None = None


PLAYERS: dict[str, Kind] = {
    "random": Kind(Random, NoOptions),
    "stochastic": Kind(Stochastic, StochasticOptions),
    "searcher": Kind(Searcher, SearcherOptions),
    "human": Kind(Human, NoOptions),
    "engine": Kind(Engine, EngineOptions, "path"),
    "perfect": Kind(Perfect, PerfectOptions),
    "student": Kind(make_student, StudentPlayerOptions, "path"),
    "hybrid": Kind(Hybrid, HybridOptions, "path"),
    "nnmm": Kind(Nnmm, NnmmOptions, "path"),
    "socket": Kind(Socket, SocketOptions, "port"),
}


def make_player(text: str, game: CompiledGame, *, seed: Any = 0) -> Player:
    """Return the player that *text* names, ready to play *game*; all its randomness comes from *seed*."""
    name, options = read_player(text)
    return cast(Player, PLAYERS[name].player(game, options, name=text, rng=np.random.default_rng(seed)))


def read_player(text: str) -> tuple[str, Any]:
    """Return the name of the player that *text* names, and its options: the one meaning of a name everywhere."""
    name = text.partition(":")[0]
    if name not in PLAYERS:
        raise UnknownName("player", name, PLAYERS)
    kind = PLAYERS[name]
    return name, build(kind.options, split_options(text, kind.main)[1], place=f"player {name!r}")


def prepare(player: Player) -> None:
    """Let *player* do now what would cost it time on its first move."""
    ready = getattr(player, "prepare", None)
    if ready is not None:
        ready()


def close(player: Player) -> None:
    """Let go of whatever *player* holds: an engine's process, a connection."""
    release = getattr(player, "close", None)
    if release is not None:
        release()
