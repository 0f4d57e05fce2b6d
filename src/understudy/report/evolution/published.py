"""What a paper on evolution may say beside ours: the shape that a study fills with its numbers.

Players are known by all that they are: the numbers of a searcher at five plies are not those of one at three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

from understudy.judges.scores import LIMIT, Record
from understudy.judges.statistics import Spread

STUDENT = "student"
"""Stands for whoever evolved."""

OTHER = {"overall": "overall", "white": "black", "black": "white", "combined": "combined"}
"""The same games as the other side sees them."""


class PublishedEpochs(NamedTuple):
    """The best epoch of a population, between its neighbours and among all."""

    tables: tuple[str, str]
    """Where the rows stand, and where the smoothed ones."""
    rows: Mapping[int, tuple[float, ...]]
    """By epoch: mean, median and maximum of single games, then of matches."""
    smoothed: Mapping[int, tuple[float, ...]]
    smoothed_note: str
    best: int
    without_best: tuple[float, float]
    """Means of single games and of matches of the best epoch without its best individual."""
    means: tuple[float, float]
    """The same over all epochs."""
    deviations: tuple[float, float]
    """Of the means of epochs."""


class PublishedMatches(NamedTuple):
    """What is printed of one player's matches against another."""

    name: str
    """Both players as the paper calls them, as in `A v B`."""
    tables: str
    spreads: Mapping[str, Spread] = {}
    records: Mapping[str, Record] = {}
    notes: tuple[str, ...] = ()
    """What is counted besides."""
    feats: Mapping[str, str] = {}
    """What the best individuals reached."""
    trend: str = ""
    """How the scores change from epoch to epoch."""
    epochs: PublishedEpochs | None = None

    @property
    def player(self) -> str:
        """The first of both."""
        return self.name.partition(" v ")[0]

    def turned(self) -> PublishedMatches:
        """Return what follows for the other side."""
        return PublishedMatches(
            " v ".join(reversed(self.name.split(" v "))),
            f"{self.tables}, turned",
            {view: _turned_spread(view, self.spreads[OTHER[view]]) for view in self.spreads},
            {view: Record(one.lost, one.won, one.tied) for view in self.records for one in [self.records[OTHER[view]]]},
            tuple(f"by the other side {note}" for note in self.notes),
        )

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "tables": self.tables,
            "scores": {view: one._asdict() for view, one in self.spreads.items()},
            "records": {view: one._asdict() for view, one in self.records.items()},
            "notes": self.notes,
        }


def _turned_spread(view: str, there: Spread) -> Spread:
    """Return the scores of the other side, which add up to twice the limit; its best ones are not told."""
    whole = (4 if view == "combined" else 2) * LIMIT
    return Spread(whole - there.mean, whole - there.median, nan, there.deviation, there.sample)


class PublishedCost(NamedTuple):
    """What an evolution cost."""

    generations: int
    games: int
    time: str
    games_a_second: str
    note: str


class PublishedPersistence(NamedTuple):
    """How many individuals were found in a later epoch, too."""

    epochs: int
    individuals: int
    again: int
    longest: int
    """Epochs that one stayed."""


class PublishedRobin(NamedTuple):
    """How often a round robin of four keeps the winner of a knock-out, as printed."""

    place: str
    shares: tuple[str, str, str, str]
    """It wins all; it is first by tie-break; another is; nobody is."""
    note: str


@dataclass(frozen=True, kw_only=True)
class PublishedEvolution:
    """All that a paper prints of its evolution."""

    source: str
    """What its numbers are called beside ours; a student may well be called `thesis`."""
    key: str
    """What they are called in report.json."""
    student: str
    """What it calls who evolved."""
    matches: Mapping[tuple[str, str], PublishedMatches]
    """By the players' names before their options; who they are besides is in `players`."""
    players: Mapping[str, Mapping[str, str]]
    """The options of its players."""
    usual: Mapping[str, Mapping[str, str]]
    """The options of ours where nothing is said."""
    opponent: PublishedMatches
    """The other side of the student's matches."""
    opponent_note: str
    figures: Mapping[str, Mapping[tuple[str, bool], int]]
    """By the opponent's name: the figures that show a measure, smoothed or not."""
    baselines_figure: str
    cost: PublishedCost
    persistence: PublishedPersistence
    survival: Sequence[tuple[float, int, str, str]]
    """Share of the others that an individual beats, matches it must win, its chance as printed, what it survives."""
    robin: PublishedRobin

    def player(self, name: str) -> str:
        """Return the name of a player that is one of the paper's in all its options; nothing for any other."""
        family, _, written = name.partition(":")
        options = dict(self.usual.get(family, {}))
        for option in filter(None, written.split(",")):
            key, _, value = option.partition("=")
            options[key.strip()] = value.strip()
        return family if self.players.get(family) == options else ""

    def straight(self, one: str, other: str) -> PublishedMatches | None:
        """Return what is printed of *one* against *other*, by that side."""
        return self.matches.get((self.player(one), self.player(other)))

    def between(self, one: str, other: str) -> PublishedMatches | None:
        """Return what is printed of *one* against *other*, also where it is told for the other side."""
        if (there := self.straight(one, other)) is not None:
            return there
        back = self.straight(other, one)
        return None if back is None else back.turned()

    def data(self) -> dict[str, Any]:
        """Return all matches as plain data."""
        return {there.name: there.data() for there in (*self.matches.values(), self.opponent)}
