"""Players that search: `searcher` with any evaluator, and `stochastic` with random values at the leaves."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.rules import can_select
from understudy.players.halt import Halt
from understudy.players.names import PlayerKind
from understudy.protocols import Choice, Move
from understudy.search.evaluators import Noise, find_evaluator
from understudy.search.evaluators.perceptron import load_perceptron, private, random_perceptron
from understudy.search.minimax import minimax
from understudy.search.negascout import negascout
from understudy.search.selective import selective as select
from understudy.search.workspace import (
    DRAWN,
    GENERATION,
    HEIGHTS,
    NODES,
    PROVEN,
    STOP,
    WIN,
    Table,
    Workspace,
    clear,
    make_table,
    make_workspace,
    named,
)

DEEPEST = HEIGHTS // 2
METHODS = ("negascout", "minimax")
TIES = ("first", "random")
USUAL_DEPTH = 4
"""Plies, if nothing limits a search."""
LATE, FEW = 99, 4
"""From this clock on, and with so few pieces, a move may make a draw by rule."""


@dataclass(frozen=True, kw_only=True)
class SearcherOptions:
    """Who judges the leaves, how far to look, and how to choose between equals."""

    evaluator: str = ""
    """By name; each game has its own default."""
    depth: int | None = None
    """Plies; 4 if nothing limits the search."""
    time: float | None = None
    """Seconds for a move."""
    nodes: int | None = None
    method: str = "negascout"
    ties: str = "first"
    weights: str | None = None
    """A safetensors file for `evaluator=perceptron`; random weights without it."""
    hidden: int = 20
    """Hidden units of a random perceptron."""
    selective: bool | None = None
    """Leave out unlikely moves to see further; unless told, where time or nodes limit a search of chess."""


@dataclass(frozen=True, kw_only=True)
class StochasticOptions:
    """How far to look for wins and losses; everything else is random."""

    depth: int = 3


ENDLESS = 1 << 60
"""More nodes than any search visits."""


class Limits(NamedTuple):
    """When a search must stop, whatever comes first."""

    depth: int
    nodes: int = ENDLESS
    seconds: float | None = None


class Opinion(NamedTuple):
    """What a search found."""

    move: Move
    value: float
    """On the evaluator's scale, beyond PROVEN for a decided game."""
    depth: int
    nodes: int


class Thought(NamedTuple):
    """A choice, and what it took to find it."""

    choice: Choice
    depth: int
    nodes: int
    plies: int | None = None
    """Until the game's proven end, negative if it will be lost."""


class Searcher:
    """A player that looks ahead."""

    def __init__(
        self,
        game: CompiledGame,
        options: SearcherOptions,
        *,
        name: str,
        rng: np.random.Generator,
        evaluator: Any = None,
        again: int | None = None,
    ) -> None:
        """*again*: after so many times a position counts as a draw; just before the match calls it one, if None."""
        self.name, self.game, self.options, self.rng, self.again = name, game, options, rng, again
        self.limits = find_limits(options, name)
        _check_selective(game, options, name)
        self.evaluator = private(_evaluator(game, options, rng) if evaluator is None else evaluator)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Search each position in turn."""
        pasts = histories if histories is not None else [()] * len(positions)
        return [self._choose(position, past) for position, past in zip(positions, pasts, strict=True)]

    def think(
        self, position: Any, past: Sequence[Any] = (), *, limits: Limits | None = None, halt: Halt | None = None
    ) -> Thought:
        """Search one position within *limits*, the player's own if None, until *halt* rings; one ply is always seen."""
        drawn, ranks = repeating(self.game, [*past, position], again=self.again), self._ranks()
        settings: dict[str, Any] = {"drawn": drawn, "ranks": ranks, "selective": self.options.selective}
        found = search(self.game, position, self.evaluator, limits=limits or self.limits, halt=halt, **settings)
        if found.depth == 0:
            found = search(self.game, position, self.evaluator, limits=Limits(1), **settings)
        choice = Choice(found.move, outcome_value(found.value, self.evaluator.scale))
        return Thought(choice, found.depth, found.nodes, _plies(found.value))

    def prepare(self, *, timed: bool = False) -> None:
        """Have the kernels compiled or loaded before any clock runs; *timed*: those of a limited search in any case."""
        start = self.game.start()
        drawn = repeating(self.game, [start])
        timed = timed or self.limits.seconds is not None or self.limits.nodes < ENDLESS
        for limits in (Limits(1), Limits(1, ENDLESS - 1))[: 1 + timed]:  # the exact kernel, and the selective one
            search(self.game, start, self.evaluator, limits=limits, drawn=drawn, selective=self.options.selective)

    def _ranks(self) -> NDArray[Any] | None:
        return self.rng.permutation(self.game.most_moves) if self.options.ties == "random" else None

    def _choose(self, position: Any, past: Sequence[Any]) -> Choice:
        drawn, ranks = repeating(self.game, [*past, position], again=self.again), self._ranks()
        if self.options.method == "minimax":
            return self._minimax(position, drawn, ranks)
        settings: dict[str, Any] = {"drawn": drawn, "ranks": ranks, "selective": self.options.selective}
        found = search(self.game, position, self.evaluator, limits=self.limits, **settings)
        return Choice(found.move, outcome_value(found.value, self.evaluator.scale))

    def _minimax(self, position: Any, drawn: list[int], ranks: NDArray[Any] | None) -> Choice:
        values = search_all(self.game, position, self.evaluator, depth=self.limits.depth, drawn=drawn, ranks=ranks)
        scores = {move: outcome_value(value, self.evaluator.scale) for move, value in values.items()}
        best = next(iter(values))
        return Choice(best, scores[best], scores)


class Stochastic:
    """A player that takes wins and avoids losses within its depth, and otherwise sees random values."""

    def __init__(self, game: CompiledGame, options: StochasticOptions, *, name: str, rng: np.random.Generator) -> None:
        check_range(f"{name}: depth", options.depth, 1, DEEPEST)
        self.name, self.game, self.rng = name, game, rng
        self.limits = Limits(options.depth)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Search each position with new random values."""
        return [Choice(self._search(position).move) for position in positions]

    def prepare(self) -> None:
        """Have the kernels compiled or loaded before any clock runs."""
        search(self.game, self.game.start(), Noise(np.uint64(1)), limits=Limits(1))

    def _search(self, position: Any) -> Opinion:
        seed = np.uint64(self.rng.integers(1 << 63))
        return search(self.game, position, Noise(seed), limits=self.limits)


def search(
    game: CompiledGame,
    position: Any,
    evaluator: Any,
    *,
    limits: Limits,
    drawn: Sequence[int] = (),
    ranks: NDArray[Any] | None = None,
    halt: Halt | None = None,
    selective: bool | None = None,
) -> Opinion:
    """Return what NegaScout finds; *ranks* order equally good moves, the lowest first; *halt* may end it early.

    Unless told, it is selective where more than the depth limits it, in games that can be searched so.
    """
    limited = limits.seconds is not None or limits.nodes < ENDLESS
    if selective is None:
        selective = limited and can_select(type(position))
    # Only a search limited by depth alone must equal plain minimax.
    workspace, table = _prepared(game, drawn=drawn, ranks=ranks, nodes=limits.nodes, deeper=limited or selective)
    alarm = _alarm(workspace, limits.seconds)
    try:
        with (halt or Halt()).watching(workspace):
            look = select if selective else negascout
            move, value, depth = look(position, evaluator, limits.depth, workspace, table)
    finally:
        alarm.cancel()
    return Opinion(int(move), float(value), int(depth), int(workspace["tally"][NODES]))


def search_all(
    game: CompiledGame,
    position: Any,
    evaluator: Any,
    *,
    depth: int,
    drawn: Sequence[int] = (),
    ranks: NDArray[Any] | None = None,
) -> dict[Move, float]:
    """Return the plain minimax value of every legal move, the chosen one first."""
    workspace, _ = _prepared(game, drawn=drawn, ranks=ranks)
    values = np.zeros(game.most_moves)
    best = minimax(position, evaluator, depth, values, workspace)
    moves = game.moves(position)
    places = [best, *(place for place in range(len(moves)) if place != best)]
    return {moves[place]: float(values[place]) for place in places}


def repeating(game: CompiledGame, past: Sequence[Any], *, again: int | None = None) -> list[int]:
    """Return the search's keys of the positions that would be a draw after *past*, by repetition or by the rules."""
    if game.conventions.repetition is None:
        return []
    return [*repeated(game, past, again=again), *_ruled(game, past[-1])]


def repeated(game: CompiledGame, past: Sequence[Any], *, again: int | None = None) -> list[int]:
    """Return the search's keys of the positions that would be a draw if they came again after *past*.

    Whoever looks one ply ahead does not see the other side repeat, and takes those for draws that were there *again*
    times.
    """
    limit = game.conventions.repetition
    if limit is None:
        return []
    seen = Counter(int(named(position)) for position in past[-DRAWN // 2 :])
    return [key for key, times in seen.items() if times >= (again or limit - 1)]


def _ruled(game: CompiledGame, position: Any) -> list[int]:
    """Return the search's keys of successors that the rules call a draw; looked for only where there can be some."""
    if getattr(position, "clock", 0) < LATE and int(position.mine | position.theirs).bit_count() > FEW:
        return []
    after = [game.play(position, move) for move in game.moves(position)]
    return [int(named(at)) for at in after if game.outcome(at) is None and game.drawn(at)]


def outcome_value(value: float, scale: float) -> float:
    """Return a search's value as an expected outcome in [-1, 1]."""
    return math.copysign(1.0, value) if abs(value) > PROVEN else math.tanh(value / scale)


def _plies(value: float) -> int | None:
    """Return how many plies a search's value sees to the end of the game, None if it sees no end."""
    return round(math.copysign(WIN - abs(value), value)) if abs(value) > PROVEN else None


_local = threading.local()


def _prepared(
    game: CompiledGame,
    *,
    drawn: Sequence[int],
    ranks: NDArray[Any] | None,
    nodes: int = ENDLESS,
    deeper: bool = False,
) -> tuple[Workspace, Table]:
    """Return this thread's workspace and table for *game*, cleared."""
    workspaces: dict[int, tuple[Workspace, Table]] = _local.__dict__.setdefault("workspaces", {})
    if game.most_moves not in workspaces:
        workspaces[game.most_moves] = make_workspace(game.most_moves), make_table()
    workspace, table = workspaces[game.most_moves]
    clear(workspace, drawn=drawn, nodes=nodes, deeper=deeper)
    workspace["ranks"][:] = np.arange(game.most_moves) if ranks is None else ranks
    return workspace, table


def _alarm(workspace: Workspace, seconds: float | None) -> threading.Timer:
    """Return a timer, started if there is a limit, that tells the search to stop: kernels run without Python's lock."""
    search_number = workspace["tally"][GENERATION]

    def ring() -> None:
        if workspace["tally"][GENERATION] == search_number:  # a bell that rings late must not stop the next search
            workspace["tally"][STOP] = 1

    alarm = threading.Timer(seconds or 0.0, ring)
    alarm.daemon = True
    if seconds is not None:
        alarm.start()
    return alarm


def find_limits(options: SearcherOptions, name: str) -> Limits:
    """Return when the search of the player called *name* stops; options that do not go together are refused."""
    for kind, known in (("method", METHODS), ("ties", TIES)):
        if getattr(options, kind) not in known:
            raise UnknownName(f"{kind} of {name.partition(':')[0]}", getattr(options, kind), known)
    check_range(f"{name}: depth", options.depth, 1, DEEPEST)
    check_range(f"{name}: time", options.time, 0.001, 86_400)
    check_range(f"{name}: nodes", options.nodes, 1, 1 << 59)
    check_range(f"{name}: hidden", options.hidden, 1, 10_000)
    timed = options.time is not None or options.nodes is not None
    if options.method == "minimax" and timed:
        raise BadOption(f"{name}: plain minimax is limited by depth alone, not by time or nodes")
    depth = options.depth or (DEEPEST if timed else USUAL_DEPTH)
    return Limits(depth, options.nodes or ENDLESS, options.time)


def _check_selective(game: CompiledGame, options: SearcherOptions, name: str) -> None:
    if options.selective and not can_select(type(game.start())):
        raise BadOption(f"{name}: {game.name} cannot be searched selectively: it tells no checks and exchanges")
    if options.selective and options.method == "minimax":
        raise BadOption(f"{name}: plain minimax leaves nothing out, so it cannot be selective")


def _evaluator(game: CompiledGame, options: SearcherOptions, rng: np.random.Generator) -> Any:
    if options.hidden != SearcherOptions.hidden and (options.evaluator != "perceptron" or options.weights is not None):
        raise BadOption(
            f"hidden={options.hidden} goes with evaluator=perceptron without weights, which are random then"
        )
    if options.evaluator != "perceptron":
        if options.weights is not None:
            raise BadOption(f"weights={options.weights} goes with evaluator=perceptron, not {options.evaluator!r}")
        return find_evaluator(game.name, options.evaluator)
    if options.weights is not None:
        return load_perceptron(options.weights, game.feature_count)
    return random_perceptron(game.feature_count, options.hidden, rng=rng)


SEARCHER = PlayerKind(Searcher, SearcherOptions)
STOCHASTIC = PlayerKind(Stochastic, StochasticOptions)
