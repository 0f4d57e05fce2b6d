"""The players: one table, and how a player is named on the command line and in experiment files.

`random`, `searcher:depth=4,evaluator=movable_ratio`, `engine:stockfish,depth=8`, `student:runs/x`: a name, then
options; the first option may stand without its key where a player has a main one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from understudy.config import build
from understudy.errors import BadOption, UnknownName, first_line
from understudy.games import CompiledGame
from understudy.players.names import PlayerKind, split_options
from understudy.protocols import Player
from understudy.solve import glance
from understudy.thoughts import Thought, Weighed

if TYPE_CHECKING:
    from understudy.players.looking import Halt

PLAYERS = {
    "random": "understudy.players.basic:RANDOM",
    "stochastic": "understudy.players.searcher:STOCHASTIC",
    "searcher": "understudy.players.searcher:SEARCHER",
    "human": "understudy.players.basic:HUMAN",
    "engine": "engine:ENGINE",
    "perfect": "understudy.players.basic:PERFECT",
    "student": "understudy.players.students:STUDENT",
    "hybrid": "understudy.players.network:HYBRID",
    "council": "understudy.players.council:COUNCIL",
    "nnmm": "understudy.studies.galassi.nnmm_player:NNMM",
    "socket": "understudy.studies.galassi.socket_player:SOCKET",
    "openspiel": "understudy.adapters.openspiel:OPENSPIEL",
}
"""Where each player that comes with Understudy is told how to be made; loaded when first asked. A place without a dot
is a room of the game's record: what such a player is, and its options, each game says for itself."""


def make_player(text: str, game: CompiledGame, *, seed: Any = 0) -> Player:
    """Return the player that *text* names, ready to play *game*; all its randomness comes from *seed*."""
    name, options = read_player(text, game)
    return cast(Player, find_player(name, game).player(game, options, name=text, rng=np.random.default_rng(seed)))


def read_player(text: str, game: CompiledGame) -> tuple[str, Any]:
    """Return the name of the player that *text* names, and its options: the one meaning of a name everywhere."""
    name = text.partition(":")[0]
    kind = find_player(name, game)
    return name, build(kind.options, split_options(text, kind.main)[1], place=f"player {name!r}")


def find_player(name: str, game: CompiledGame) -> PlayerKind:
    """Return how the player called *name* is made in *game*: ours, or one that another package brings."""
    if name not in PLAYERS:  # asked first: looking for what other packages bring takes a while
        return _find_outside(name)
    place, _, noun = PLAYERS[name].partition(":")
    own = place in {field.name for field in fields(game.kind)}  # a room of the game's folder, else a module's name
    return cast(PlayerKind, getattr(game.kind.load(place) if own else import_module(place), noun))


@cache
def _find_outside(name: str) -> PlayerKind:
    """Return how a player is made that another package brings by an entry point."""
    outside = entry_points(group="understudy.players")
    if name not in outside.names:
        raise UnknownName("player", name, [*PLAYERS, *sorted(outside.names)])
    try:
        kind = outside[name].load()
    except Exception as error:  # it is somebody else's code: whatever it raises is one sentence
        raise BadOption(f"player {name!r} of {outside[name].value!r} cannot be loaded: {first_line(error)}") from None
    if not isinstance(kind, PlayerKind):
        raise BadOption(f"player {name!r} of {outside[name].value!r} is no PlayerKind")
    return kind


def prepare(player: Player) -> None:
    """Let *player* do now what would cost it time on its first move."""
    ready = getattr(player, "prepare", None)
    if ready is not None:
        ready()


def prepare_thoughts(player: Player) -> None:
    """Let *player* do now what would cost it time when it first tells what it thinks."""
    prepare(player)
    ready = getattr(player, "prepare_thoughts", None)
    if ready is not None:
        ready()


def close(player: Player) -> None:
    """Let go of whatever *player* holds: an engine's process, a connection."""
    release = getattr(player, "close", None)
    if release is not None:
        release()


class Thinker(Protocol):
    """A player that says what it thinks."""

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return what it thinks of a position; *past* holds the positions before it, oldest first."""
        ...


def think(
    player: Player,
    game: CompiledGame,
    position: Any,
    past: Sequence[Any] = (),
    *,
    tell: Callable[[Thought], None] | None = None,
    halt: Halt | None = None,
) -> Thought:
    """Return what *player* thinks of a position of *game*; *tell* hears of it meanwhile, *halt* may end it early."""
    check_position(game, position)
    truths = {move: str(worth) for move, worth in glance(game, position).items()}
    if hasattr(player, "think_aloud"):
        thought: Thought = player.think_aloud(position, past, tell=tell, halt=halt)
        return replace(thought, truths=truths)
    began = time.perf_counter()
    thinks = hasattr(player, "think")
    thought = cast(Thinker, player).think(position, past) if thinks else _ask(player, game, position, past)
    return replace(thought, seconds=time.perf_counter() - began, truths=truths)


def check_position(game: CompiledGame, position: Any) -> None:
    """Raise unless somebody can think about *position*: it is of this game and size, and the game goes on."""
    size = f"{game.size[0]}x{game.size[1]}"
    if type(position) is not type(game.start()) or len(game.stones(position)) != len(game.board.cells):
        raise BadOption(f"{position!r} is no position of {game.name} on {size}")
    if game.outcome(position) is not None:
        raise BadOption(f"there is nothing to think about in {game.write(position)!r}: the game is over")


def _ask(player: Player, game: CompiledGame, position: Any, past: Sequence[Any]) -> Thought:
    """Return what can be told of a player that says nothing but its choice."""
    choice = player.choose([position], [past])[0]
    if choice.fault is not None:
        raise BadOption(f"player {player.name!r} could not choose in {game.write(position)!r}: {choice.fault}")
    legal, scores = set(game.moves(position)), choice.scores or {}
    moves = [Weighed(move, scores.get(move)) for move in legal]
    moves.sort(key=lambda one: (one.number is None, -(one.number or 0.0), one.move))
    illegal = [Weighed(move, number, legal=False) for move, number in scores.items() if move not in legal]
    return Thought(
        player=player.name, game=game, position=position, choice=choice, kind="order", value=choice.value,
        moves=(*moves, *illegal), note="" if scores else "this player tells its choice and nothing else",
    )  # fmt: skip
