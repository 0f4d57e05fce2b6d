"""Thousands of games between two choosers, counted: how small students and evaluators are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from understudy.games import CompiledGame
from understudy.judges.measures import Measure, share
from understudy.judges.tournament import Meeting
from understudy.search.choosers import LOST, WON, duel, make_room


class Score(NamedTuple):
    """Games lost, drawn and won by the one that is judged, as the first player and as the second."""

    first: tuple[int, int, int]
    second: tuple[int, int, int]

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(self.first) + sum(self.second)

    def won(self) -> Measure:
        """Return the share of games won, as both sides."""
        return share(self.first[WON] + self.second[WON], self.games)

    def won_as(self, side: int) -> Measure:
        """Return the share of games won as the first player (0) or the second (1)."""
        return share(self[side][WON], sum(self[side]))


NOTHING = Score((0, 0, 0), (0, 0, 0))


def added(one: Score, other: Score) -> Score:
    """Return both scores together."""
    first, second = (tuple(a + b for a, b in zip(*pair, strict=True)) for pair in zip(one, other, strict=True))
    return Score((first[LOST], first[1], first[WON]), (second[LOST], second[1], second[WON]))


def play_duel(game: CompiledGame, one: Any, other: Any, *, games: int, seed: int, name: str) -> Score:
    """Play *games* from the start, sides alternating; chance comes from *seed* and the *name* of the match."""
    mixed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    room = make_room(game.most_moves, np.random.default_rng([seed, mixed]))
    results = np.zeros((2, 3), np.int64)
    duel(game.start(), one, other, games, room, results)
    return read_score(results.tolist())


def write_meeting(meeting: Meeting) -> list[list[int]]:
    """Return the games of a match as the plain numbers that a score is stored as, for its first player."""
    counts = [[0, 0, 0], [0, 0, 0]]
    for place, result in enumerate(meeting.results):
        counts[place % 2][1 + result] += 1
    return counts


def score_lines(games: Mapping[str, Any]) -> list[str]:
    """Return what each set of weights of each student wins against whom, a line for each, from stored scores."""
    return [
        f"{name}, {which}: " + ", ".join(f"{read_score(counts).won().value:.1%} v {who}" for who, counts in met.items())
        for name, sets in games.items()
        for which, met in sets.items()
    ]


def read_score(counts: Any) -> Score:
    """Return a score from the plain numbers that it is stored as."""
    (a, b, c), (d, e, f) = counts
    return Score((a, b, c), (d, e, f))
