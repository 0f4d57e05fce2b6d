"""Positions in which all students of a game are asked: of games that nobody watched, and those whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import UnderstudyError
from understudy.games import CompiledGame
from understudy.games.batches import size, stacked, taken
from understudy.judges.measures import Verdict
from understudy.judges.tournament import Task, play_task
from understudy.judges.value_kept import make_exam as make_truth_exam
from understudy.judges.value_kept import value_kept
from understudy.lab.judging import count_plies
from understudy.match import Terms
from understudy.protocols import Player
from understudy.records.watch import keep_choices
from understudy.solve import is_decidable

UNWATCHED = 0x0B5E7
"""Tells the chance of games for the exam from that of games that rate."""
TRUTHS = 0x7247
"""And that which draws positions whose truth is known."""
GAMES = 8
"""Games of each two anchors: with six of them a few thousand positions, of weak play and of strong."""


class Exam(NamedTuple):
    """How somebody is compared with the truth."""

    ask: Callable[[Player], Verdict]
    about: str
    """What is asked; empty where the truth is not known."""
    lacks: str
    """Why it is not; empty where it is."""


def make_exam(game: CompiledGame, count: int) -> Exam:
    """Return how players of a game are compared with the truth, in so many positions."""
    try:
        solved = make_truth_exam(game, limit=count, seed=0 if is_decidable(game) else TRUTHS)
    except UnderstudyError as error:
        return Exam(lambda player: {}, "", str(error))
    drawn = "positions" if game.kind.solver else "endings"
    about = "positions of random games, solved" if is_decidable(game) else f"{drawn} drawn by lot"
    return Exam(lambda player: value_kept(player, solved), f"{size(solved.positions)} {about}", "")


def draw_watched_by_nobody(game: CompiledGame, options: Any) -> Any:
    """Return positions of games between the anchors that are played for this exam alone; no two of them are alike."""
    rng, plies = np.random.default_rng(options.seed), count_plies(game, options.opening_plies)
    positions: dict[Any, None] = {}
    for place, pair in enumerate(combinations(options.anchors, 2)):
        task = Task(
            game=game.name, size=game.size, switches=game.switches, players=pair, pairing=place, first=0, games=GAMES,
            opening_plies=plies, seed=options.seed + UNWATCHED, terms=Terms(ply_limit=options.ply_limit),
        )  # fmt: skip
        for played in play_task(task):
            positions |= dict.fromkeys(row.position for row in keep_choices(game, played, number=0, side=None))
    batch = stacked(list(positions))
    return taken(batch, np.sort(rng.permutation(len(positions))[: options.positions]))
