"""Duels of thousands of games inside kernels, and the scores that duels and matches are stored as.

Small students and evaluators, which kernels can ask, meet in duels. A kernel keeps no moves, but of each game a mark:
a hash of its moves and colours, and its result. So games that repeat others are known here as they are in matches,
where the moves themselves are compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.judges.measures import Measure, wilson
from understudy.judges.pairs import Pairs, count_independent, is_trusted, measure_points, name_game
from understudy.judges.tournament import Meeting
from understudy.kernels import kernel
from understudy.match import seeded_openings
from understudy.search.choosers import DRAWN, LOST, RESULT, WON, duel, make_room, name_moves

Marks: TypeAlias = NDArray[np.int64]
"""Games in the order in which they were played, those of even place with the judged one as the first player."""

Counts: TypeAlias = tuple[int, int, int]
"""Games lost, drawn and won."""

PAIR_FACTOR = np.uint64(0xD1342543DE82EF95)
"""An odd number without pattern: another one than those by which marks were made."""

OUTCOMES = 9
"""Of a pair: lost, drawn or won as the first player, and each of these as the second."""


class Score(NamedTuple):
    """Games lost, drawn and won by the one that is judged, as the first player and as the second."""

    first: Counts
    second: Counts
    repeated: tuple[int, int] | None = None
    """Games of each side that repeat an earlier one; None: they were counted before marks were kept."""
    pairs: tuple[int, ...] | None = None
    """Different pairs, both colours of an opening, by their outcome: 3 times the column of the game as the first player
    and that of the game as the second. None: unknown, as above."""

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(self.first) + sum(self.second)

    @property
    def different(self) -> int | None:
        """How many of them repeat none before them; None where nobody knows."""
        return None if self.repeated is None else self.games - sum(self.repeated)

    @property
    def trusted(self) -> bool:
        """Whether there are enough different pairs to go by, as far as anybody knows."""
        return self.different is None or is_trusted(
            self.different, self.different if self.pairs is None else sum(self.pairs)
        )

    def won(self) -> Measure:
        """Return the share of all games that were won, as both sides; the interval is that of the different pairs."""
        return self._measure({LOST: 0.0, DRAWN: 0.0, WON: 1.0})

    def points(self) -> Measure:
        """Return the share of the points, a draw being half of one, likewise."""
        return self._measure({LOST: 0.0, DRAWN: 0.5, WON: 1.0})

    def won_as(self, side: int) -> Measure:
        """Return the share of games won as the first player (0) or the second (1); the interval of different games."""
        counts = (self.first, self.second)[side]
        return _share_of(counts[WON], sum(counts), 0 if self.repeated is None else self.repeated[side])

    def of_side(self, side: int) -> Score:
        """Return the games as the first player (0) or the second (1) alone, which make no pairs."""
        none = (0, 0, 0)
        first, second = (self.first, none) if side == 0 else (none, self.second)
        if self.repeated is None:
            return Score(first, second)
        return Score(first, second, (self.repeated[0], 0) if side == 0 else (0, self.repeated[1]))

    def independent(self) -> float:
        """Return how many independent games would be as sure of the share won."""
        pairs, value = self._pairs({LOST: 0.0, DRAWN: 0.0, WON: 1.0}), self.won().value
        if pairs is None:
            return self.games - sum(self.repeated or ())
        return count_independent(pairs, value or 0.0)

    def _measure(self, worth: Mapping[int, float]) -> Measure:
        scored = sum(worth[column] * (self.first[column] + self.second[column]) for column in worth)
        pairs = self._pairs(worth)
        if pairs is None:
            return _share_of(scored, self.games, sum(self.repeated or ()))
        return measure_points(pairs, scored / self.games if self.games else None)

    def _pairs(self, worth: Mapping[int, float]) -> Pairs | None:
        """Return the different pairs by what their two games are worth together; None where nobody knows them."""
        if self.pairs is None:
            return None
        counts = [0] * 5
        for outcome, number in enumerate(self.pairs):
            counts[round(2 * (worth[outcome // 3] + worth[outcome % 3]))] += number
        different = self.games if self.different is None else self.different
        return Pairs((counts[0], counts[1], counts[2], counts[3], counts[4]), None, self.games, different)


def _share_of(scored: float, games: int, repeated: int) -> Measure:
    value = scored / games if games else None
    return Measure(value, *wilson(value or 0.0, games - repeated), games - repeated)


NOTHING = Score((0, 0, 0), (0, 0, 0), (0, 0), (0,) * OUTCOMES)
"""To begin adding with."""


def added(one: Score, other: Score) -> Score:
    """Return both scores together, of players that differ: no game of the one can repeat a game of the other."""
    first, second = (
        (sums[LOST], sums[DRAWN], sums[WON]) for sums in (_sum(one.first, other.first), _sum(one.second, other.second))
    )
    repeated = None if one.repeated is None or other.repeated is None else _sum(one.repeated, other.repeated)
    pairs = None if one.pairs is None or other.pairs is None else _sum(one.pairs, other.pairs)
    return Score(first, second, None if repeated is None else (repeated[0], repeated[1]), pairs)


def _sum(ones: Sequence[int], others: Sequence[int]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip(ones, others, strict=True))


def play_duel(
    game: CompiledGame,
    one: Any,
    other: Any,
    *,
    games: int,
    seed: int,
    name: str,
    opening_plies: int = 0,
    choosing: bool = False,
) -> Score:
    """Play *games*, both sides of each opening; chance comes from *seed* and the *name* of the match.

    The openings come from the *seed* alone, and games for *choosing* between players have openings of their own; with
    no *opening_plies* all games begin at the start.
    """
    starts = draw_starts(game, (games + 1) // 2, plies=opening_plies, seed=seed, choosing=choosing)
    return count_marks(play_marks(game, one, other, games=games, seed=seed, name=name, starts=starts))


class Start(NamedTuple):
    """Where a pair of games begins, and the hash of the moves that led there."""

    position: Any
    begun: np.uint64


@lru_cache(maxsize=16)  # a student and its teacher, and all snapshots, meet their opponents from the same positions
def draw_starts(game: CompiledGame, pairs: int, *, plies: int, seed: int, choosing: bool = False) -> tuple[Start, ...]:
    """Return where each pair of games begins; nothing where all begin at the plain start."""
    openings = seeded_openings(game, pairs, plies=plies, seed=seed, choosing=choosing) if plies else ()
    return tuple(Start(one.position, name_moves(one.opening.moves)) for one in openings)


def play_marks(
    game: CompiledGame, one: Any, other: Any, *, games: int, seed: int, name: str, starts: Sequence[Start] = ()
) -> Marks:
    """Play *games*, both sides from each of the *starts*, or all from the plain one; return their marks."""
    mixed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    room = make_room(game.most_moves, np.random.default_rng([seed, mixed]))
    marks, limit = np.zeros(games, np.int64), game.conventions.ply_limit
    if not starts:
        duel(game.start(), name_moves(()), one, other, games, limit, room, marks)
    for place, (start, begun) in enumerate(starts):
        duel(start, begun, one, other, min(2, games - 2 * place), limit, room, marks[2 * place :])
    return marks


def count_marks(marks: Marks) -> Score:
    """Return the score of a duel: consecutive games are a pair, and every different pair counts once."""
    sides = [marks[side::2] for side in (0, 1)]
    (a, b, c), (d, e, f) = (np.bincount(side & RESULT, minlength=3).tolist() for side in sides)
    again, later = (len(side) - len(_take_different(side.astype(np.uint64))) for side in sides)
    outcomes = np.bincount(
        (_take_different(_name_pairs(marks)) % np.uint64(OUTCOMES)).astype(np.int64), minlength=OUTCOMES
    )
    return Score((a, b, c), (d, e, f), (again, later), tuple(outcomes.tolist()))


def _take_different(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return each number once, in the order in which they come."""
    bits = max(len(numbers).bit_length() + 1, 4)  # twice as many slots as numbers, or more
    fresh = np.zeros(len(numbers), np.bool_)
    _find_fresh(numbers, np.zeros(1 << bits, np.uint64), np.uint64(64 - bits), fresh)
    return numbers[fresh]


@kernel
def _find_fresh(numbers: Any, slots: Any, shift: Any, fresh: Any) -> None:
    """Write which numbers are none of those before them; sorting them would be a twentieth of the fastest duels."""
    last = len(slots) - 1
    for place in range(len(numbers)):
        name = numbers[place] + np.uint64(1)  # an empty slot is 0
        slot = np.int64((name * PAIR_FACTOR) >> shift)
        while slots[slot] != 0 and slots[slot] != name:
            slot = (slot + 1) & last
        fresh[place] = slots[slot] == 0
        slots[slot] = name


def _name_pairs(marks: Marks) -> NDArray[np.uint64]:
    """Return a number for each pair of games, by which it is known; divided by nine it leaves the pair's outcome."""
    first, second = (marks[side : len(marks) // 2 * 2 : 2].astype(np.uint64) for side in (0, 1))
    outcomes = 3 * (first & np.uint64(RESULT)) + (second & np.uint64(RESULT))
    # One number instead of a row of two, because numbers are told apart far faster. The outcome takes the place of the
    # lowest bits, so these are carried upwards first.
    names = (first * PAIR_FACTOR + second) * PAIR_FACTOR
    return names // np.uint64(2 * OUTCOMES) * np.uint64(OUTCOMES) + outcomes


def write_meeting(meeting: Meeting) -> list[list[int]]:
    """Return the games of a match as the plain numbers that a score is stored as, for its first player."""
    numbers: dict[Any, int] = {}
    marks = [
        (RESULT + 1) * numbers.setdefault(name_game(played, place), len(numbers)) + 1 + result
        for place, (played, result) in enumerate(zip(meeting.games, meeting.results, strict=True))
    ]
    return write_score(count_marks(np.array(marks, np.int64)))


def write_score(score: Score) -> list[list[int]]:
    """Return the plain numbers that a score is stored as; what is unknown of repetitions is left out."""
    known = [part for part in (score.repeated, score.pairs) if part is not None]
    return [list(part) for part in (score.first, score.second, *known)]


def read_score(counts: Any) -> Score:
    """Return a score from the plain numbers that it is stored as; before pairs were kept there were fewer of them."""
    (a, b, c), (d, e, f), *rest = counts
    if not rest:
        return Score((a, b, c), (d, e, f))
    (again, later), *outcomes = rest
    if outcomes and len(outcomes[0]) != OUTCOMES:
        raise ValueError(f"pairs have {OUTCOMES} outcomes, not {len(outcomes[0])}")
    return Score((a, b, c), (d, e, f), (again, later), tuple(outcomes[0]) if outcomes else None)


def write_different(score: Score) -> str:
    """Return how many games there are, how many of them differ, and whether their pairs are too few to go by."""
    if score.different is None:
        return f"{score.games} games, repetitions unknown"
    text = f"{score.games} games, {score.different} different"
    return text if score.trusted else f"{text}: too few to trust"


def score_lines(games: Mapping[str, Any]) -> list[str]:
    """Return what each set of weights of each student wins against whom, a line for each, from stored scores."""
    return [
        f"{name}, {which}: " + "; ".join(_write_won(read_score(counts), who) for who, counts in met.items())
        for name, sets in games.items()
        for which, met in sets.items()
    ]


def _write_won(score: Score, opponent: str) -> str:
    value, low, high, _ = score.won()
    return f"{value or 0.0:.1%} ({low:.1%} to {high:.1%}) v {opponent}, {write_different(score)}"
