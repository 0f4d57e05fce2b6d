"""The numbers that the Lines of Action thesis prints, to stand beside ours.

C. M. Miller, AFIT/GCS/ENG/10-06, 2010, tables 1 to 8 and what its text counts. Where the thesis mislabels a number it
stands here under its right name, and the comment says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import NamedTuple

from understudy.judges.papers import PAPERS
from understudy.judges.scores import LIMIT, VIEWS, Record
from understudy.judges.statistics import Spread

STUDY = "miller"
"""What an experiment calls it that repeats it."""

SOURCE = PAPERS[STUDY].name
"""What its numbers are called beside ours; a student may well be called `thesis`."""

EPOCH = 10
"""Generations of an epoch."""
INDIVIDUALS = 62


class Printed(NamedTuple):
    """What the thesis says of one player's matches against another."""

    name: str
    tables: str
    spreads: Mapping[str, Spread] = {}
    records: Mapping[str, Record] = {}
    notes: tuple[str, ...] = ()
    """What it counts besides."""
    feats: Mapping[str, str] = {}
    """What the best individuals reached."""


def _spreads(matches: int, *rows: tuple[float, float, float, float]) -> dict[str, Spread]:
    """Return mean, median, maximum and deviation of overall, White, Black and combined, from the rows of a table."""
    samples = (2 * matches, matches, matches, matches)
    means, medians, most, deviations = rows
    return {
        view: Spread(means[place], medians[place], most[place], deviations[place], samples[place])
        for place, view in enumerate(VIEWS)
    }


FEATS = {
    "epochs": "1000", "winners": "9 (8 by another passage)", "ties": "about 100", "neighbours": "0", "both": "0",
    "games": "8 of 124 000",
}  # fmt: skip
"""What the best individuals reached against ALoA."""

STUDENT = "student"
"""Stands for whoever evolved, pLoGANN there."""

PRINTED: Mapping[tuple[str, str], Printed] = {
    ("stochastic", "searcher"): Printed(
        "random heuristic v ALoA", "table 3",
        _spreads(62_000, (30.98, 30.67, 31.28, 61.95), (28, 28, 29, 59), (162, 100, 162, 208),
                 (10.45, 10.20, 10.39, 14.65)),
        notes=("one game and one match won in 62 000 matches, many tied",),
    ),
    (STUDENT, "searcher"): Printed(
        "pLoGANN v ALoA", "table 4",
        _spreads(62_000, (28.71, 28.55, 28.87, 57.43), (28, 27, 28, 57), (165, 164, 165, 200),
                 (5.54, 5.48, 5.48, 7.84)),
        notes=("eight games won in 124 000",),
        feats=FEATS,
    ),
    (STUDENT, "stochastic"): Printed(
        "pLoGANN v random heuristic", "tables 5 and 6",
        _spreads(6_200, (78.19, 74.50, 81.87, 156.38), (71, 67, 75.5, 148), (182, 179, 182, 328),
                 (31.47, 30.78, 31.36, 45.45)),
        {"overall": Record(2168, 9089, 1143), "white": Record(959, 4792, 449), "black": Record(1209, 4297, 694),
         "combined": Record(1099, 4976, 125)},
        ("the mean as Black rises from 75.74 in generation 100 to 103.03 in generation 1500, its only winning one",),
    ),
    ("random_network", "stochastic"): Printed(
        # Its text says 1240 matches; its records add up to 1240 games.
        "RandomANN v random heuristic", "tables 7 and 8",
        _spreads(620, (55.41, 52.07, 58.75, 110.82), (51.5, 48, 53.5, 104.5), (166, 159, 166, 281),
                 (21.71, 19.63, 22.68, 32.38)),
        {"overall": Record(38, 1180, 22), "white": Record(16, 599, 5), "black": Record(22, 581, 17),
         "combined": Record(17, 602, 1)},
    ),
    ("stochastic", "stochastic"): Printed(
        "random heuristic v random heuristic", "chapter IV",
        notes=("winning percentages 49.9 and 50.1 in 62 000 matches",),
    ),
}  # fmt: skip
"""By the players' names before their options; who they are besides is in `PLAYERS`."""

PLAYERS: Mapping[str, Mapping[str, str]] = {
    "searcher": {"depth": "5", "evaluator": "aloa"},
    "stochastic": {"depth": "3"},
    "random_network": {},
    STUDENT: {},
}
"""What the players of the thesis are told: a searcher is ALoA at 5 plies there, all others look 3 plies ahead."""

UNTOLD: Mapping[str, Mapping[str, str]] = {"searcher": {"evaluator": "aloa"}, "stochastic": {"depth": "3"}}
"""What ours are in Lines of Action where nothing is said."""

COMPARED = (("stochastic", "searcher"), ("random_network", "stochastic"))
"""Fixed players whose matches the thesis sets beside those of pLoGANN against the same opponent: tables 4 and 7."""

OPPONENT = Printed(
    # Table 5 heads these columns with pLoGANN's colours: 125.50 and 74.50 are the two sides of the same games.
    "random heuristic v pLoGANN", "table 5",
    _spreads(6_200, (121.81, 118.13, 125.50, 243.62), (129, 124.5, 133, 252), (186, 181, 186, 353),
             (31.47, 31.36, 30.78, 45.45)),
)  # fmt: skip

EPOCHS: Mapping[int, tuple[float, ...]] = {
    902: (28.26, 28, 50, 56.52, 55, 83),
    903: (30.43, 28, 165, 60.85, 57, 200),
    904: (28.47, 28, 54, 56.94, 55, 85),
}
"""Table 1: mean, median and maximum of single games, then of matches."""

WITHOUT_BEST = (29.28, 58.57)
"""Means of epoch 903 without its best individual."""

EPOCH_MEANS = ((28.72, 57.43), (0.60, 1.20))
"""Means of single games and matches over all epochs, and the deviations of the means of epochs."""

SMOOTHED: Mapping[int, tuple[float, ...]] = {
    902: (29.05, 28.00, 89.67, 57.77, 56.20, 108.00),
    903: (29.23, 28.00, 87.00, 57.91, 56.20, 108.00),
    904: (29.13, 28.00, 49.33, 58.44, 57.00, 106.00),
}
"""Table 2; the mean and maximum of single games are those of an epoch and the two after it, not of five around it."""

PERSISTING = (0, 62_000)
"""Individuals found in two epochs, of how many."""

ARGUMENTS = ((0.6, 4, "13 %", "two tournaments"), (0.9, 20, "12 %", "an epoch of ten generations"))
"""Share of the others that an individual beats, matches it must win, its chance as printed, and what it survives."""

ROBIN = 0.25
"""How often a round robin would name another winner, as printed."""


def family(player: str) -> str:
    """Return a player's name without its options."""
    return player.partition(":")[0]


def known(player: str) -> str:
    """Return the name of a player that is one of the thesis's in all its options; nothing for any other."""
    name, _, told = player.partition(":")
    options = dict(UNTOLD.get(name, {}))
    for option in filter(None, told.split(",")):
        key, _, value = option.partition("=")
        options[key.strip()] = value.strip()
    return name if PLAYERS.get(name) == options else ""


def printed(one: str, other: str) -> Printed | None:
    """Return what the thesis says of *one* against *other*, also where it tells it for the other side."""
    pair = (known(one), known(other))
    if pair in PRINTED or pair[::-1] not in PRINTED:
        return PRINTED.get(pair)
    there = PRINTED[pair[::-1]]
    name = " v ".join(reversed(there.name.split(" v ")))
    notes = tuple(f"by the other side {note}" for note in there.notes)
    return Printed(name, f"{there.tables}, turned", _turned(there.spreads), _mirrored(there.records), notes)


OTHER = {"overall": "overall", "white": "black", "black": "white", "combined": "combined"}


def _turned(spreads: Mapping[str, Spread]) -> dict[str, Spread]:
    """Return the scores of the other side, which add up to twice the limit; its best ones are not told."""
    found = {}
    for view in spreads:
        mean, median, _, deviation, sample = spreads[OTHER[view]]
        whole = (4 if view == "combined" else 2) * LIMIT
        found[view] = Spread(whole - mean, whole - median, nan, deviation, sample)
    return found


def _mirrored(records: Mapping[str, Record]) -> dict[str, Record]:
    return {view: Record(there.lost, there.won, there.tied) for view in records for there in [records[OTHER[view]]]}
