"""Players that search: `searcher` with any evaluator, and `stochastic` with random values at the leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.rules import can_select
from understudy.players.looking import (
    ENDLESS,
    LINES,
    Glimpse,
    Halt,
    Limits,
    Opinion,
    Prospect,
    follow_line,
    graded_value,
    is_selective,
    look_at_all,
    outcome_value,
    plies_of,
    read_course,
    repeating,
    search,
    search_all,
    watched,
)
from understudy.players.names import PlayerKind
from understudy.protocols import Choice, Move
from understudy.search.evaluators import Noise, find_evaluator, tabled
from understudy.search.evaluators.perceptron import load_perceptron, private, random_perceptron
from understudy.search.workspace import HEIGHTS
from understudy.thoughts import Line, Thought, Weighed, write_end

DEEPEST = HEIGHTS // 2
METHODS = ("negascout", "minimax")
TIES = ("first", "random")
USUAL_DEPTH = 4
"""Plies, if nothing limits a search."""
MAIN = 0.6
"""The share of the time that goes to the best move where others are looked at too. Chosen by hand."""
OTHERS = 3
"""Nodes for the worth of all moves, for each that the best one was granted: in the middle of a game of Morris twice as
many take them as far, and where stones fly, with fifty moves, they are seen a ply or two less far."""
FEW_NODES = 200_000
"""Nodes for the other moves that are always granted: a tenth of a second."""


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
    tables: str = ""
    """A folder of solved positions, asked at the leaves before the evaluator; `usual`: where `solve` puts them."""
    selective: bool | None = None
    """Leave out unlikely moves to see further; unless told, where time or nodes limit a search of chess."""


@dataclass(frozen=True, kw_only=True)
class StochasticOptions:
    """How far to look for wins and losses; everything else is random."""

    depth: int = 3


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
        explain: Callable[[Any], Mapping[str, float]] | None = None,
    ) -> None:
        """*again*: after so many times a position counts as a draw; just before the match calls it one, if None.

        *explain* tells of a network how much its value of a position rests on each of its inputs.
        """
        self.name, self.game, self.options, self.rng, self.again = name, game, options, rng, again
        self.explain = explain
        self._ready = False
        self.limits = find_limits(options, name)
        _check_selective(game, options, name)
        inner = private(_evaluator(game, options, rng) if evaluator is None else evaluator)
        self.evaluator = tabled(inner, game.name, options.tables) if options.tables else inner

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Search each position in turn."""
        pasts = histories if histories is not None else [()] * len(positions)
        return [self._choose(position, past) for position, past in zip(positions, pasts, strict=True)]

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Search one position, and look at every move as far as the limits allow."""
        return self.think_aloud(position, past)

    def weigh_moves(self, position: Any) -> dict[Move, float]:
        """Return what every move is worth, the best first, all seen equally far: as far as the limits take the best.

        What a limited search has begun to see one ply deeper does not count: it would favour one move over others.
        Of wins the soonest is worth most (`graded_value`).
        """
        opinion = self._look(position, (), self.limits, None)
        look = partial(look_at_all, self.game, position, self.evaluator,
                       selective=is_selective(self.game, self.limits, self.options.selective))  # fmt: skip
        most = ENDLESS if self.limits.nodes == ENDLESS else OTHERS * self.limits.nodes
        values = look(deepest=opinion.depth, nodes=most).values or look(deepest=1, nodes=ENDLESS).values
        ranked = sorted(values, key=lambda move: -values[move])
        return {move: graded_value(values[move], self.evaluator.scale) for move in ranked}

    def think_aloud(
        self,
        position: Any,
        past: Sequence[Any] = (),
        *,
        limits: Limits | None = None,
        halt: Halt | None = None,
        tell: Callable[[Thought], None] | None = None,
        lines: int = LINES,
    ) -> Thought:
        """Think within *limits*, the player's own if None, until *halt* rings; one ply is always seen.

        *tell* hears of it every moment. Where more than one of the *lines* is asked for, a part of the time goes to
        the other moves.
        """
        limits = limits or self.limits
        if lines > 1 and not self._ready:
            self.prepare_thoughts(limits)
        began = time.perf_counter()
        if self.options.method == "minimax":
            return self._weigh_plainly(position, past, began)
        main = limits if lines == 1 or limits.seconds is None else limits._replace(seconds=MAIN * limits.seconds)
        hear = None if tell is None else lambda glimpse: tell(self._glimpsed(position, glimpse, began))
        with watched(self.game, position, hear):
            opinion = self._look(position, past, main, halt)
        course, line = read_course(self.game), follow_line(self.game, position, opinion.move, opinion.depth)
        prospect = Prospect({}, {}, 0, 0)
        if lines > 1 and (halt is None or not halt.rung):
            left = None if limits.seconds is None else limits.seconds - (time.perf_counter() - began)
            selective = is_selective(self.game, limits, self.options.selective)
            prospect = self._look_around(position, opinion, halt, left, selective=selective, lines=lines)
        glimpse = Glimpse(course, opinion.nodes + prospect.nodes, line)
        return self._thought(position, opinion, glimpse, prospect, lines, began)

    def prepare_thoughts(self, limits: Limits | None = None) -> None:
        """Have the kernels compiled or loaded that look at every move, before the clock runs."""
        limits = limits or self.limits
        self.prepare(timed=limits.beyond_depth)
        look_at_all(
            self.game,
            self.game.start(),
            self.evaluator,
            deepest=1,
            nodes=ENDLESS,
            selective=is_selective(self.game, limits, self.options.selective),
        )
        self._ready = True

    def _look(self, position: Any, past: Sequence[Any], limits: Limits, halt: Halt | None) -> Opinion:
        drawn, ranks = repeating(self.game, [*past, position], again=self.again), self._ranks()
        settings: dict[str, Any] = {"drawn": drawn, "ranks": ranks, "selective": self.options.selective}
        opinion = search(self.game, position, self.evaluator, limits=limits, halt=halt, **settings)
        if opinion.depth == 0:
            opinion = search(self.game, position, self.evaluator, limits=Limits(1), **settings)
        return opinion

    def _look_around(
        self, position: Any, opinion: Opinion, halt: Halt | None, seconds: float | None, *, selective: bool, lines: int
    ) -> Prospect:
        """Return what all moves are worth, for as many nodes again as the best one took, and not only a few."""
        if seconds is not None and seconds <= 0:
            return Prospect({}, {}, 0, 0)
        nodes = ENDLESS if seconds is not None else max(opinion.nodes, FEW_NODES)
        return look_at_all(
            self.game, position, self.evaluator, deepest=opinion.depth, nodes=nodes, seconds=seconds,
            selective=selective, halt=halt, lines=lines,
        )  # fmt: skip

    def _glimpsed(self, position: Any, glimpse: Glimpse, began: float) -> Thought:
        """Return what is held best so far."""
        move, value = glimpse.course[-1]
        opinion = Opinion(move, value, len(glimpse.course), glimpse.nodes)
        return self._thought(position, opinion, glimpse, Prospect({}, {}, 0, 0), 1, began)

    def _thought(
        self, position: Any, opinion: Opinion, glimpse: Glimpse, prospect: Prospect, lines: int, began: float
    ) -> Thought:
        best = self._line(glimpse.line, opinion.value, opinion.depth)
        others = [
            self._line(line, prospect.values[move], prospect.depth)
            for move, line in prospect.lines.items()
            if move != opinion.move
        ]
        worth = {**prospect.values, opinion.move: opinion.value}
        ranked = sorted(worth, key=lambda move: (move != opinion.move, -worth[move]))
        shallower = f"all moves but the first were looked at {prospect.depth} plies deep"
        return Thought(
            player=self.name, game=self.game, position=position, kind="value", value=best.value,
            choice=Choice(opinion.move, best.value), moves=tuple(self._weighed(move, worth[move]) for move in ranked),
            lines=(best, *others)[:lines], depth=opinion.depth, nodes=glimpse.nodes,
            course=tuple(self._line((move,), value, at + 1) for at, (move, value) in enumerate(glimpse.course)),
            inputs=self.explain(position) if self.explain else {}, seconds=time.perf_counter() - began,
            note=shallower if 0 < prospect.depth < opinion.depth else "",
        )  # fmt: skip

    def _line(self, moves: tuple[Move, ...], value: float, depth: int) -> Line:
        return Line(moves, outcome_value(value, self.evaluator.scale), depth, plies_of(value))

    def _weighed(self, move: Move, value: float) -> Weighed:
        plies = plies_of(value)
        note = "" if plies is None else write_end(plies)
        return Weighed(move, outcome_value(value, self.evaluator.scale), note=note)

    def _weigh_plainly(self, position: Any, past: Sequence[Any], began: float) -> Thought:
        """Return what plain minimax thinks, which knows the value of every move and keeps no line."""
        depth, drawn = self.limits.depth, repeating(self.game, [*past, position], again=self.again)
        worth = search_all(
            self.game, position, self.evaluator, depth=depth, drawn=drawn, ranks=self._ranks()
        )  # fmt: skip
        best = next(iter(worth))
        ranked = sorted(worth, key=lambda move: (move != best, -worth[move]))
        line = self._line((best,), worth[best], depth)
        return Thought(
            player=self.name, game=self.game, position=position, kind="value", value=line.value,
            choice=Choice(best, line.value), moves=tuple(self._weighed(move, worth[move]) for move in ranked),
            lines=(line,), depth=depth, inputs=self.explain(position) if self.explain else {},
            seconds=time.perf_counter() - began,
        )  # fmt: skip

    def prepare(self, *, timed: bool = False) -> None:
        """Have the kernels compiled or loaded before any clock runs; *timed*: those of a limited search in any case."""
        start = self.game.start()
        drawn = repeating(self.game, [start])
        timed = timed or self.limits.beyond_depth
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

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return what it sees: an end within its depth, or nothing."""
        opinion = self._search(position)
        plies = plies_of(opinion.value)
        value = None if plies is None else float(np.sign(plies))
        line = Line((opinion.move,), value, opinion.depth, plies)
        moves = tuple(Weighed(move, None) for move in self.game.moves(position))
        return Thought(
            player=self.name, game=self.game, position=position, kind="order", value=value, moves=moves,
            lines=(line,) if plies is not None else (),
            choice=Choice(opinion.move, value), depth=opinion.depth, nodes=opinion.nodes,
            note="what it sees at the end of its search is random, unless the game is over there",
        )  # fmt: skip

    def _search(self, position: Any) -> Opinion:
        seed = np.uint64(self.rng.integers(1 << 63))
        return search(self.game, position, Noise(seed), limits=self.limits)


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
