"""Judges of moves chosen part by part, on many positions, without the time of any network, one core.

The preferences of a network that has not learned yet are drawn by chance, which is the hardest to rank; half of its
choices are legal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.table import Line, best_rate
from understudy.games import CompiledGame, find_game
from understudy.games.batches import joined, stacked
from understudy.games.legality import PartRules
from understudy.games.parts import parts_of
from understudy.judges.measures import measured
from understudy.judges.parts import Seen, accuracy, legality, mistakes, reliability, see, with_scores

LEAST = {"morris": 0.5, "konane": 0.5, "lines_of_action": 0.5, "chess": 0.2}
"""Million positions a second of one core."""
ROWS = 50_000
UNIT = "million positions/s"


def lines() -> Iterator[Line]:
    drawn = {game: draw_choices(find_game(game)) for game in LEAST}
    for game, choices in drawn.items():
        yield Line(f"judge {game}", _rate(judged, *choices), UNIT, "the limit", LEAST[game])
        yield Line(f"mistakes of {game}", _rate(blamed, choices[0]), UNIT, "the limit", LEAST[game])
    seen, _ = drawn["morris"]
    generic, own = (_rate(list_legal, seen, rules) for rules in (PartRules(seen.game), seen.rules))
    yield Line("legality of morris, by its moves and parts", generic, UNIT, "its own module", own, 0.25)


def _rate(work: Callable[..., int], *arguments: Any) -> float:
    """Return million positions a second of one core."""
    return best_rate(partial(work, *arguments), clock=time.process_time) / 1e6


def judged(seen: Seen, scores: Any) -> int:
    """Judge by all measures; return how many positions that were."""
    scored = with_scores(seen, scores, probable=True)
    measured(accuracy(scored) | legality(scored) | reliability(scored))
    return len(seen.parts)


def blamed(seen: Seen) -> int:
    """Ask which choices are legal and what is wrong with the others; return of how many positions."""
    measured(mistakes(seen))
    return len(seen.parts)


def list_legal(seen: Seen, rules: PartRules) -> int:
    """Ask which choices are legal, and which may follow them; return of how many positions."""
    rules.look(seen.batch, order=seen.order, parts=seen.parts)
    return len(seen.parts)


def draw_choices(game: CompiledGame) -> tuple[Seen, Any]:
    """Return positions of random games with moves, choices and preferences that chance made."""
    rng = np.random.default_rng(1)
    batch, moves, legal = _wander(game, rng)
    parts = parts_of(game, np.where(rng.random(len(moves)) < 0.5, legal, moves))
    wild = np.stack([rng.integers(0, size, len(moves)) for size in game.part_sizes], axis=1)
    chosen = np.where(rng.random(len(moves))[:, None] < 0.5, parts, wild)
    order = tuple(range(len(game.part_names)))
    scores = np.log(rng.dirichlet(np.ones(max(game.part_sizes)), (len(moves), len(order)))).astype(np.float32)
    return see(game, batch, moves, chosen, order), scores


def _wander(game: CompiledGame, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return positions of random games, the move played in each, and another legal one."""
    rows: list[tuple[Any, int, int]] = []
    position = game.start()
    while len(rows) < ROWS // 10:
        moves = game.moves(position) if position.ply < 100 else []
        if not moves:
            position = game.start()
            continue
        played, other = (moves[place] for place in rng.integers(len(moves), size=2))
        rows.append((position, played, other))
        position = game.play(position, played)
    batch = joined([stacked([row[0] for row in rows])] * 10)
    moves, others = (np.tile(np.array([row[place] for row in rows], np.int32), 10) for place in (1, 2))
    return batch, moves, others
