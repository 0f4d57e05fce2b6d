"""Duels of thousands of games inside kernels, and the scores that duels and matches are stored as.

Small students and evaluators, which kernels can ask, meet in duels. Kernels keep no moves: how many games repeat an
earlier one is known of matches alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from understudy.games import CompiledGame
from understudy.judges.measures import Measure, wilson
from understudy.judges.pairs import find_repeated
from understudy.judges.tournament import Meeting
from understudy.match import opening_positions
from understudy.search.choosers import LOST, WON, duel, make_room


class Score(NamedTuple):
    """Games lost, drawn and won by the one that is judged, as the first player and as the second."""

    first: tuple[int, int, int]
    second: tuple[int, int, int]
    repeated: tuple[int, int] = (0, 0)
    """Games of each side that repeat an earlier one; kernels keep no moves, so duels cannot tell and say none."""

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(self.first) + sum(self.second)

    def won(self) -> Measure:
        """Return the share of games won, as both sides; the interval is that of the different games."""
        return _share_won(self.first[WON] + self.second[WON], self.games, sum(self.repeated))

    def won_as(self, side: int) -> Measure:
        """Return the share of games won as the first player (0) or the second (1)."""
        counts = (self.first, self.second)[side]
        return _share_won(counts[WON], sum(counts), self.repeated[side])


def _share_won(won: int, games: int, repeated: int) -> Measure:
    value = won / games if games else None
    return Measure(value, *wilson(value or 0.0, games - repeated), games - repeated)


NOTHING = Score((0, 0, 0), (0, 0, 0))
"""To begin adding with."""


def added(one: Score, other: Score) -> Score:
    """Return both scores together."""
    first, second, repeated = (
        tuple(a + b for a, b in zip(*pair, strict=True)) for pair in zip(one, other, strict=True)
    )
    return Score(
        (first[LOST], first[1], first[WON]), (second[LOST], second[1], second[WON]), (repeated[0], repeated[1])
    )


def play_duel(
    game: CompiledGame, one: Any, other: Any, *, games: int, seed: int, name: str, opening_plies: int = 0
) -> Score:
    """Play *games*, both sides of each opening; chance comes from *seed* and the *name* of the match.

    The openings come from the *seed* alone; with no *opening_plies* all games begin at the start.
    """
    mixed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    room = make_room(game.most_moves, np.random.default_rng([seed, mixed]))
    results = np.zeros((2, 3), np.int64)
    if opening_plies:
        for place, start in enumerate(opening_positions(game, (games + 1) // 2, plies=opening_plies, seed=seed)):
            duel(start, one, other, min(2, games - 2 * place), room, results)
    else:
        duel(game.start(), one, other, games, room, results)
    return read_score(results.tolist())


def write_meeting(meeting: Meeting) -> list[list[int]]:
    """Return the games of a match as the plain numbers that a score is stored as, for its first player."""
    first, second = (
        (results.count(-1), results.count(0), results.count(1))
        for results in (meeting.results[0::2], meeting.results[1::2])
    )
    repeated = find_repeated(meeting.games)
    return write_score(Score(first, second, (sum(repeated[0::2]), sum(repeated[1::2]))))


def write_score(score: Score) -> list[list[int]]:
    """Return the plain numbers that a score is stored as; a third list, of repeated games, only where some are."""
    counts = [list(score.first), list(score.second)]
    return [*counts, list(score.repeated)] if any(score.repeated) else counts


def score_lines(games: Mapping[str, Any]) -> list[str]:
    """Return what each set of weights of each student wins against whom, a line for each, from stored scores."""
    return [
        f"{name}, {which}: " + ", ".join(f"{read_score(counts).won().value:.1%} v {who}" for who, counts in met.items())
        for name, sets in games.items()
        for which, met in sets.items()
    ]


def read_score(counts: Any) -> Score:
    """Return a score from the plain numbers that it is stored as."""
    (a, b, c), (d, e, f), *rest = counts
    again, later = rest[0] if rest else (0, 0)
    return Score((a, b, c), (d, e, f), (again, later))
