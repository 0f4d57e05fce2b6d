"""Published round robins as an experiment's `[paper]` section gives them, in per cent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import BadOption, UnknownName
from understudy.judges.robins import Robin

ROUNDING = 1.0
"""Both shares of a pair may miss 100 % by this much."""

DEPTH = re.compile("depth_([0-9]{1,2})")


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
    games = paper.get("games", 1000)
    if type(games) is not int or games < 1:
        raise BadOption(f"[paper]: games must be a whole number above 0, not {games!r}")
    robins = {}
    for key, table in paper.items():
        if found := DEPTH.fullmatch(key):
            robins[int(found[1])] = _robin(f"[paper.{key}]", table, games)
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
        told = f"{names[row_place]} against {names[column]} and back"
        raise BadOption(f"{place}: {told} are {100 * (shares + shares.T)[row_place, column]:g} % together, not 100")
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
