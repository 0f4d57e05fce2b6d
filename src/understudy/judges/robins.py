"""Round robins beside published ones: how their rankings agree, which pairs differ, how noisy a table is.

A published table is a sample too. Players that must play alike and still score differently tell how large a sample.
`read_published` reads such tables from an experiment's `[paper]` section, in per cent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.judges.duels import read_score
from understudy.judges.measures import wilson

ROUNDING = 1.0
"""Both published shares of a pair may miss 100 % by this much: each of them was rounded or cut off."""

DEPTH = re.compile("depth_([0-9]{1,2})")
"""The name of a published table."""

REPEATS = 1_000
"""Tournaments drawn by lot to tell how well a noisy one agrees with itself."""

GAMES = 1_000
"""A pair of a published table, where `[paper]` does not say."""

Numbers: TypeAlias = NDArray[np.float64]
Twins: TypeAlias = Sequence[tuple[str, str]]
"""Names of players that play alike."""


class Robin(NamedTuple):
    """Who won what share of its games against whom."""

    names: tuple[str, ...]
    shares: Numbers
    """[row, column], of the row's player; nan on the diagonal and where nobody has played."""
    games: NDArray[np.int64]
    sure: Numbers | None = None
    """As sure as how many independent games each share is; None: as all games, since of others no more is known."""
    different: NDArray[np.int64] | None = None
    """Games that repeat none before them; None where nobody knows of all."""

    @property
    def independent(self) -> Numbers:
        """As sure as how many independent games each share is."""
        return self.games.astype(np.float64) if self.sure is None else self.sure

    @property
    def averages(self) -> Numbers:
        """The mean of each player's shares: every opponent counts alike."""
        played = ~np.isnan(self.shares)
        averages: Numbers = np.where(played, self.shares, 0.0).sum(axis=1) / np.maximum(played.sum(axis=1), 1)
        return averages

    def among(self, names: Sequence[str]) -> Robin:
        """Return the table of some of its players alone."""
        places = np.ix_(*[[self.names.index(name) for name in names]] * 2)
        sure = None if self.sure is None else self.sure[places]
        different = None if self.different is None else self.different[places]
        return Robin(tuple(names), self.shares[places], self.games[places], sure, different)


class Agreement(NamedTuple):
    """How a round robin stands to a published one, over the pairs that both have."""

    spearman: float
    """Of the players' averages."""
    low: float
    high: float
    """Its 95 % interval, as far as the chance of our own games goes."""
    distinct: float
    """The same with players that play alike taken together."""
    ceiling: float
    """What another tournament of as few games as the published one seems to have would reach with it, in the median."""
    difference: float
    """Root of the mean square over the pairs."""
    slope: float
    """How far from even the published pairs are for each point that ours are, by least squares."""
    pairs: int
    close: int
    """Pairs whose 95 % intervals meet, if the published games are as many as said."""
    near: int
    """The same if they are as few as they seem."""


def gather_robin(scores: Mapping[str, Mapping[str, Any]]) -> Robin:
    """Return the round robin of scores stored by the names of both players."""
    names = tuple(sorted({name for one, rivals in scores.items() for name in (one, *rivals)}))
    shares, sure = np.full((len(names), len(names)), np.nan), np.zeros((len(names), len(names)))
    games, different = np.zeros(sure.shape, np.int64), np.zeros(sure.shape, np.int64)
    unknown = False
    for one, rivals in scores.items():
        for other, counts in rivals.items():
            score, row, column = read_score(counts), names.index(one), names.index(other)
            won = score.won().value
            shares[row, column] = np.nan if won is None else won
            shares[column, row] = 1 - shares[row, column]
            games[row, column] = games[column, row] = score.games
            sure[row, column] = sure[column, row] = score.independent()
            different[row, column] = different[column, row] = score.different or 0
            unknown = unknown or score.different is None
    return Robin(names, shares, games, sure, None if unknown else different)


def compare(ours: Robin, published: Robin, *, seem: float, twins: Twins = ()) -> Agreement:
    """Return how two tables of the same players agree; the published one *seems* to have so many games a pair."""
    rows, columns = np.triu_indices(len(ours.names), 1)
    both = ~np.isnan(ours.shares[rows, columns]) & ~np.isnan(published.shares[rows, columns])
    rows, columns = rows[both], columns[both]
    one, other = ours.shares[rows, columns] - 0.5, published.shares[rows, columns] - 0.5
    averages = ours.averages, published.averages
    low, high = np.quantile([spearman(some, averages[1]) for some in _redrawn(ours, ours.independent)], [0.025, 0.975])
    return Agreement(
        spearman=spearman(*averages),
        low=float(low),
        high=float(high),
        distinct=spearman(*(_merged(ours.names, some, twins) for some in averages)),
        ceiling=ceiling(published, games=seem),
        difference=distance(ours, published),
        slope=float((one * other).sum() / max((one**2).sum(), 1e-12)),
        pairs=len(rows),
        close=len(rows) - int(find_differing(ours, published)[rows, columns].sum()),
        near=len(rows) - int(find_differing(ours, published, games=seem)[rows, columns].sum()),
    )


def distance(ours: Robin, published: Robin) -> float:
    """Return the root of the mean square of the differences between two tables of the same players."""
    return float(np.sqrt(np.nanmean((ours.shares - published.shares) ** 2)))


def mid_ranks(numbers: Sequence[float] | Numbers) -> Numbers:
    """Return the rank of each number, 1 for the largest; equal ones share the middle of their ranks."""
    values = np.asarray(numbers, np.float64)
    above = (values[None, :] > values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    ranks: Numbers = above + (equal + 1) / 2
    return ranks


def spearman(ones: Sequence[float] | Numbers, others: Sequence[float] | Numbers) -> float:
    """Return the correlation of ranks; nan where either side ranks nobody above anybody."""
    first, second = (mid_ranks(numbers) - (len(numbers) + 1) / 2 for numbers in (ones, others))
    spread = float((first**2).sum() * (second**2).sum())
    return float((first * second).sum()) / spread**0.5 if spread > 0 else float("nan")


def find_differing(ours: Robin, published: Robin, *, games: float | None = None) -> NDArray[np.bool_]:
    """Return for which cells the 95 % intervals do not meet; *games* stand for those said to be published."""
    apart = np.zeros(ours.shares.shape, bool)
    for place in np.argwhere(~np.isnan(ours.shares) & ~np.isnan(published.shares)):
        at = tuple(place)
        low, high = wilson(float(ours.shares[at]), float(ours.independent[at]))
        their_low, their_high = wilson(float(published.shares[at]), games or float(published.games[at]))
        apart[at] = low > their_high or their_low > high
    return apart


def effective_games(robins: Iterable[Robin], twins: Twins) -> float:
    """Return how many games a pair would explain by chance how differently players score that play alike."""
    expected, seen = 0.0, 0.0
    for robin in robins:
        for one, other in twins:
            if one in robin.names and other in robin.names:
                more, squares = _twin_spread(robin, robin.names.index(one), robin.names.index(other))
                expected, seen = expected + more, seen + squares
    return expected / seen if seen > 0 else float("nan")


def _twin_spread(robin: Robin, one: int, other: int) -> tuple[float, float]:
    """Return the variance of differences that a single game a pair would give, and the squares that are seen."""
    rest = [i for i in range(len(robin.names)) if i not in (one, other)]
    first, second = robin.shares[one, rest], robin.shares[other, rest]
    middle = (first + second) / 2
    between = float(robin.shares[one, other])
    expected = np.append(2 * middle * (1 - middle), 0.25)
    seen = np.append((first - second) ** 2, (between - 0.5) ** 2)
    played = ~np.isnan(expected + seen)
    return float(expected[played].sum()), float(seen[played].sum())


def ceiling(robin: Robin, *, games: float) -> float:
    """Return the median agreement of a table's ranking with that of tournaments drawn from its own shares."""
    if not games >= 1 or len(robin.names) < 3:
        return float("nan")
    drawn = _redrawn(robin, np.full(robin.shares.shape, games))
    return float(np.median([spearman(averages, robin.averages) for averages in drawn]))


def _redrawn(robin: Robin, sure: Numbers) -> Numbers:
    """Return the averages [tournament, player] of tournaments drawn from a table's own shares.

    Each share is as *sure* as so many independent games.
    """
    rng = np.random.default_rng([REPEATS, len(robin.names)])
    played = ~np.isnan(robin.shares)
    shares, games = np.where(played, robin.shares, 0.0), np.maximum(np.rint(sure), 1).astype(np.int64)
    upper = np.triu(rng.binomial(games, shares, (REPEATS, *shares.shape)) / games, 1)
    drawn = (upper + np.tril(1 - upper.transpose(0, 2, 1), -1)) * played
    averages: Numbers = drawn.sum(axis=2) / np.maximum(played.sum(axis=1), 1)
    return averages


def _merged(names: Sequence[str], numbers: Numbers, twins: Twins) -> list[float]:
    """Return numbers with one for both of each pair that plays alike."""
    merged = dict(zip(names, numbers.tolist(), strict=True))
    for one, other in twins:
        if one in merged and other in merged:
            merged[one] = (merged[one] + merged.pop(other)) / 2
    return list(merged.values())


class Published(NamedTuple):
    """What a paper prints."""

    robins: Mapping[int, Robin]
    """By depth."""
    averages: Mapping[str, tuple[float, ...]]
    """For each player its average at each depth as printed, and over all of them."""
    games: int
    """A pair, as it says."""


def read_published(paper: Mapping[str, Any]) -> Published:
    """Return the tables of a `[paper]` section; a wrong one is told."""
    games = paper.get("games", GAMES)
    if type(games) is not int or games < 1:
        raise BadOption(f"[paper]: games must be a whole number above 0, not {games!r}")
    robins = {}
    for key, table in paper.items():
        if match := DEPTH.fullmatch(key):
            robins[int(match[1])] = _robin(f"[paper.{key}]", table, games)
        elif key not in ("games", "averages"):
            raise UnknownName("table in [paper]", key, ("games", "averages", "depth_1"))
    averages = _table("[paper.averages]", paper.get("averages", {}))
    return Published(robins, {name: _averages(name, row) for name, row in averages.items()}, games)


def _robin(place: str, table: Any, games: int) -> Robin:
    rows = {name: _table(f"{place}: {name}", row) for name, row in _table(place, table).items()}
    names = tuple(sorted({name for one, row in rows.items() for name in (one, *row)}))
    shares = np.full((len(names), len(names)), np.nan)
    for one, row in rows.items():
        for other, number in row.items():
            shares[names.index(one), names.index(other)] = _percent(f"{place}: {one}.{other}", number) / 100
    for row_place, column in np.argwhere(np.abs(shares + shares.T - 1) > ROUNDING / 100 + 1e-9):
        pair = f"{names[row_place]} against {names[column]} and back"
        raise BadOption(f"{place}: {pair} are {100 * (shares + shares.T)[row_place, column]:g} % together, not 100")
    return Robin(names, shares, np.where(np.isnan(shares), 0, games))


def _averages(name: str, row: Any) -> tuple[float, ...]:
    if not isinstance(row, list | tuple):
        raise BadOption(f"[paper.averages]: {name} must be a list of numbers, not {row!r}")
    return tuple(_percent(f"[paper.averages]: {name}", number) for number in row)


def _table(place: str, table: Any) -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise BadOption(f"{place} must be a table of names, not {table!r}")
    return table


def _percent(place: str, number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 100:
        raise BadOption(f"{place} must be a number of per cent, not {number!r}")
    return float(number)
