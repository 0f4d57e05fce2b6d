"""The hybrid of the thesis's section 7.2: a network proposes a few moves, a shallow search decides between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.config import check_range
from understudy.games import CompiledGame
from understudy.games.batches import stacked
from understudy.players.names import PlayerKind
from understudy.players.network import Student, StudentPlayerOptions
from understudy.players.parts import proposals
from understudy.players.searcher import Limits, outcome_value, repeating, search
from understudy.protocols import Choice, Move
from understudy.search.evaluators import find_evaluator
from understudy.search.workspace import WIN, named


@dataclass(frozen=True, kw_only=True)
class HybridOptions:
    """Which student proposes, how many classes of each network, and how far the search looks."""

    path: str = "morris"
    order: str = ""
    best: int = 3
    """The best classes of each network that are combined: 3 make up to 27 moves (the thesis's number)."""
    depth: int = 3
    """Plies that the search looks ahead, the proposed move among them."""
    evaluator: str = ""


class Hybrid:
    """A student that thinks twice."""

    def __init__(self, game: CompiledGame, options: HybridOptions, *, name: str, rng: np.random.Generator) -> None:
        check_range(f"{name}: best", options.best, 1, max(game.part_sizes))
        check_range(f"{name}: depth", options.depth, 2, 20)
        self.name, self.game, self.options = name, game, options
        chosen = StudentPlayerOptions(path=options.path, order=options.order)
        self.student = Student(game, chosen, name=name, rng=rng)
        self.evaluator = find_evaluator(game.name, options.evaluator)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Let the network propose in all positions at once, then search each."""
        pasts = histories if histories is not None else [()] * len(positions)
        proposed = proposals(self.student, stacked(positions), self.options.best)
        return [self._decide(*found) for found in zip(positions, proposed, pasts, strict=True)]

    def prepare(self) -> None:
        """Have everything loaded before any clock runs."""
        self.choose([self.game.start()])

    def _decide(self, position: Any, ranked: Mapping[Move, float], past: Sequence[Any]) -> Choice:
        legal = set(self.game.moves(position))
        candidates = [move for move in ranked if move in legal] or sorted(legal)
        drawn = set(repeating(self.game, [*past, position]))
        scores = {move: self._value(position, move, drawn, [*past, position]) for move in candidates}
        best = max(candidates, key=lambda move: scores[move])  # the first of equals: the network's preference
        return Choice(best, scores[best], scores)

    def _value(self, position: Any, move: Move, drawn: set[int], past: list[Any]) -> float:
        after = self.game.play(position, move)
        outcome = self.game.outcome(after)
        if outcome is not None:
            return -outcome_value(int(outcome) * WIN, self.evaluator.scale)
        if int(named(after)) in drawn:
            return 0.0
        found = search(
            self.game,
            after,
            self.evaluator,
            limits=Limits(self.options.depth - 1),
            drawn=repeating(self.game, [*past, after]),
        )
        return -outcome_value(found.value, self.evaluator.scale)


HYBRID = PlayerKind(Hybrid, HybridOptions, "path")
