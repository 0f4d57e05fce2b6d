"""A score of a game that counts how long it took, and what many matches of two games come to.

With a limit of L plies a win in m plies scores 2L - m, a loss m and a tie L, so that both sides together score 2L. (Its
source, the study `miller`, prints 100 - m, m and 50; only this, the double counted in plies, gives its tables.) The
score mixes length with skill: who loses slowly scores more. So records of games won, lost and tied stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from understudy.errors import FileError
from understudy.judges.duels import Score, count_marks, read_score
from understudy.judges.measures import Measure, share, wilson
from understudy.judges.statistics import Spread, spread
from understudy.search.choosers import RESULT

LIMIT = 100
"""Plies after which a game is a tie."""

BLACK, WHITE = 0, 1
"""The two games of a match, by the colour of the one that is judged; Black moves first."""

VIEWS = ("overall", "white", "black", "combined")
"""What statistics are taken of: all single games, those as White, those as Black, whole matches."""

Whole = NDArray[np.int64]


def score(result: ArrayLike, plies: ArrayLike, *, limit: int = LIMIT) -> Whole:
    """Return the score of games that ended with *result* (-1, 0, 1) after so many plies."""
    ended, length = np.asarray(result, np.int64), np.asarray(plies, np.int64)
    return np.where(ended > 0, 2 * limit - length, np.where(ended < 0, length, limit))


class Matches(NamedTuple):
    """Matches of two games, seen by one side: [matches, 2], the game as Black and the game as White."""

    results: Whole
    plies: Whole
    marks: Whole | None = None
    """By which a game is known that repeats another; None: nobody kept them."""

    @property
    def played(self) -> int:
        """How many matches there are."""
        return len(self.results)

    def turned(self) -> Matches:
        """Return the same matches seen by the other side, which had White when this one had Black."""
        results, plies = -self.results[:, ::-1], self.plies[:, ::-1]
        marks = None if self.marks is None else (self.marks[:, ::-1] | RESULT) - RESULT + 1 + results
        return Matches(results, plies, marks)

    def scores(self, *, limit: int = LIMIT) -> dict[str, Whole]:
        """Return all scores by view."""
        games = score(self.results, self.plies, limit=limit)
        views = (games.ravel(), games[:, WHITE], games[:, BLACK], games.sum(axis=1))
        return dict(zip(VIEWS, views, strict=True))


def read_matches(rows: Any, *, place: str) -> Matches:
    """Return matches from rows of result and plies as Black, then as White; *place* is named where they are none.

    Two more numbers of a row are the marks of its games; older files have none.
    """
    try:
        table = np.asarray(rows)
        if table.size == 0:
            table = np.zeros((0, 6), np.int64)
        good = table.ndim == 2 and table.shape[1] in (4, 6) and table.dtype.kind in "iu"
        if (
            good
            and np.isin(table[:, [0, 2]], (-1, 0, 1)).all()
            and (table[:, [1, 3, *range(4, table.shape[1])]] >= 0).all()
        ):
            results, plies = table[:, [0, 2]].astype(np.int64), table[:, [1, 3]].astype(np.int64)
            return Matches(results, plies, table[:, 4:].astype(np.int64) if table.shape[1] == 6 else None)
    except (TypeError, ValueError, OverflowError):
        pass
    raise FileError(
        f"{place}: expected rows of four whole numbers, result (-1, 0, 1) and plies as Black and as White, or of six "
        "with the marks of both games"
    )


def merged(every: Iterable[Matches]) -> Matches:
    """Return all matches as one."""
    parts = [read_matches([], place=""), *every]
    marks = [one.marks for one in parts if one.marks is not None]
    return Matches(
        np.concatenate([one.results for one in parts]),
        np.concatenate([one.plies for one in parts]),
        np.concatenate(marks) if len(marks) == len(parts) else None,
    )


def count_matches(matches: Matches) -> Score:
    """Return the score of matches, with how many of their games differ where these are marked."""
    if matches.marks is not None:
        return count_marks(matches.marks.ravel())
    black, white = ([int((matches.results[:, side] == sign).sum()) for sign in (-1, 0, 1)] for side in (BLACK, WHITE))
    return read_score([black, white])


def decide(matches: Matches) -> Whole:
    """Return how each match ended, -1, 0 or 1: more wins, else the quicker win, else a tie.

    The first three rules of the score's source; its fourth, that the older one then wins, belongs to selection.
    """
    balance = np.sign(matches.results.sum(axis=1))
    quicker = np.sign(-(matches.results * matches.plies).sum(axis=1))
    ended: Whole = np.where(balance != 0, balance, quicker)
    return ended


class Record(NamedTuple):
    """How often someone won, lost and tied."""

    won: int
    lost: int
    tied: int
    different: int | None = None
    """How many of them repeat none before them; None where nobody knows."""
    sure: float | None = None
    """As sure as how many independent ones they are; None: as all of them, since no more is known."""

    @property
    def played(self) -> int:
        """How often it played."""
        return self.won + self.lost + self.tied

    def winning(self) -> Measure:
        """Return the winning percentage: wins of what was decided, ties left out."""
        return self._share(self.won, self.won + self.lost)

    def victories(self) -> Measure:
        """Return wins of all."""
        return self._share(self.won, self.played)

    def points(self) -> Measure:
        """Return wins and half of the ties, of all; the interval is a little too wide where there are ties."""
        return self._share(self.won + self.tied / 2, self.played)

    def _share(self, hits: float, sample: int) -> Measure:
        """Return a share of a part of what was played; that part is as sure as the whole."""
        if self.sure is None or not sample:
            return share(hits, sample)
        return Measure(hits / sample, *wilson(hits / sample, sample * self.sure / self.played), sample)


def record(results: ArrayLike) -> Record:
    """Return the record of results -1, 0, 1."""
    ended = np.asarray(results)
    return Record(*(int(np.count_nonzero(ended == result)) for result in (1, -1, 0)))


def records(matches: Matches) -> dict[str, Record]:
    """Return the records by view: of games, of games as White and as Black, and of matches."""
    results = matches.results
    views = (results, results[:, WHITE], results[:, BLACK], decide(matches))
    plain = {view: record(ended) for view, ended in zip(VIEWS, views, strict=True)}
    if matches.marks is None:
        return plain
    numbers = _count_different(matches.marks)
    sure = {**numbers, "overall": count_matches(matches).independent()}
    sure["combined"] = min(numbers["combined"], numbers["overall"] / 2)
    return {view: one._replace(different=numbers[view], sure=float(sure[view])) for view, one in plain.items()}


def _count_different(marks: Whole) -> dict[str, int]:
    """Return by view how many games differ, or matches, which differ where one of their games does."""
    views = (marks.ravel(), marks[:, WHITE], marks[:, BLACK], marks)
    return {view: len(np.unique(part, axis=0)) for view, part in zip(VIEWS, views, strict=True)}


def spreads(matches: Matches, *, limit: int = LIMIT) -> dict[str, Spread]:
    """Return the spread of the scores by view."""
    return {view: spread(scores) for view, scores in matches.scores(limit=limit).items()}
