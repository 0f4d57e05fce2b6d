"""The numbers that the Lines of Action thesis prints, to stand beside ours.

C. M. Miller, AFIT/GCS/ENG/10-06, 2010, tables 1 to 8 and what its text counts. Where the thesis mislabels a number it
stands here under its right name, and the comment says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from understudy.judges.scores import VIEWS, Record
from understudy.judges.statistics import Spread
from understudy.report.evolution.published import (
    STUDENT,
    PublishedCost,
    PublishedEpochs,
    PublishedEvolution,
    PublishedMatches,
    PublishedPersistence,
    PublishedRobin,
)
from understudy.report.pupils import PublishedErrors
from understudy.studies.miller import PAPER


def _spreads(matches: int, *rows: tuple[float, float, float, float]) -> dict[str, Spread]:
    """Return mean, median, maximum and deviation of overall, White, Black and combined, from the rows of a table."""
    samples = (2 * matches, matches, matches, matches)
    means, medians, most, deviations = rows
    return {
        view: Spread(means[place], medians[place], most[place], deviations[place], samples[place])
        for place, view in enumerate(VIEWS)
    }


FEATS = {
    # The text counts the winners twice: nine in one passage, eight in another.
    "epochs": "1000", "winners": "9 (8 by another passage)", "ties": "about 100", "neighbours": "0", "both": "0",
    "games": "8 of 124 000",
}  # fmt: skip
"""What the best individuals reached against ALoA."""

EPOCHS = PublishedEpochs(
    tables=("table 1", "table 2"),
    rows={
        902: (28.26, 28, 50, 56.52, 55, 83),
        903: (30.43, 28, 165, 60.85, 57, 200),
        904: (28.47, 28, 54, 56.94, 55, 85),
    },
    # Table 2 is said to hold means of five neighbouring epochs. The mean and maximum of single games are those of an
    # epoch and the two after it.
    smoothed={
        902: (29.05, 28.00, 89.67, 57.77, 56.20, 108.00),
        903: (29.23, 28.00, 87.00, 57.91, 56.20, 108.00),
        904: (29.13, 28.00, 49.33, 58.44, 57.00, 106.00),
    },
    smoothed_note=(
        "The thesis's mean and max of single games are those of three epochs, one and the two after it, against its "
        "own words."
    ),
    best=903,
    without_best=(29.28, 58.57),
    means=(28.72, 57.43),
    deviations=(0.60, 1.20),
)
"""Against ALoA."""

MATCHES: Mapping[tuple[str, str], PublishedMatches] = {
    ("stochastic", "searcher"): PublishedMatches(
        "random heuristic v ALoA", "table 3",
        _spreads(62_000, (30.98, 30.67, 31.28, 61.95), (28, 28, 29, 59), (162, 100, 162, 208),
                 (10.45, 10.20, 10.39, 14.65)),
        notes=("one game and one match won in 62 000 matches, many tied",),
    ),
    (STUDENT, "searcher"): PublishedMatches(
        "pLoGANN v ALoA", "table 4",
        _spreads(62_000, (28.71, 28.55, 28.87, 57.43), (28, 27, 28, 57), (165, 164, 165, 200),
                 (5.54, 5.48, 5.48, 7.84)),
        notes=("eight games won in 124 000",),
        feats=FEATS,
        trend="very slightly negative",
        epochs=EPOCHS,
    ),
    (STUDENT, "stochastic"): PublishedMatches(
        "pLoGANN v random heuristic", "tables 5 and 6",
        _spreads(6_200, (78.19, 74.50, 81.87, 156.38), (71, 67, 75.5, 148), (182, 179, 182, 328),
                 (31.47, 30.78, 31.36, 45.45)),
        {"overall": Record(2168, 9089, 1143), "white": Record(959, 4792, 449), "black": Record(1209, 4297, 694),
         "combined": Record(1099, 4976, 125)},
        ("the mean as Black rises from 75.74 in generation 100 to 103.03 in generation 1500, its only winning one",),
    ),
    ("random_network", "stochastic"): PublishedMatches(
        # Its text says 1240 matches; its records add up to 1240 games.
        "RandomANN v random heuristic", "tables 7 and 8",
        _spreads(620, (55.41, 52.07, 58.75, 110.82), (51.5, 48, 53.5, 104.5), (166, 159, 166, 281),
                 (21.71, 19.63, 22.68, 32.38)),
        {"overall": Record(38, 1180, 22), "white": Record(16, 599, 5), "black": Record(22, 581, 17),
         "combined": Record(17, 602, 1)},
    ),
    ("stochastic", "stochastic"): PublishedMatches(
        "random heuristic v random heuristic", "chapter IV",
        notes=("winning percentages 49.9 and 50.1 in 62 000 matches",),
    ),
}  # fmt: skip

OPPONENT = PublishedMatches(
    # Table 5 heads these columns with pLoGANN's colours: 125.50 and 74.50 are the two sides of the same games.
    "random heuristic v pLoGANN", "table 5",
    _spreads(6_200, (121.81, 118.13, 125.50, 243.62), (129, 124.5, 133, 252), (186, 181, 186, 353),
             (31.47, 31.36, 30.78, 45.45)),
)  # fmt: skip

FIGURES = {
    "searcher": {
        ("most", False): 15,
        ("mean", False): 16,
        ("median", False): 17,
        ("mean", True): 18,
        ("median", True): 19,
    },
    "stochastic": {("mean", False): 21},
}
"""By the opponent's name, measure, and whether it is smoothed."""

EVOLUTION = PublishedEvolution(
    source=PAPER.name,
    key="thesis",
    student="pLoGANN",
    matches=MATCHES,
    # A searcher is ALoA at 5 plies there, all others look 3 plies ahead.
    players={
        "searcher": {"depth": "5", "evaluator": "aloa"},
        "stochastic": {"depth": "3"},
        "random_network": {},
        STUDENT: {},
    },
    usual={"searcher": {"evaluator": "aloa"}, "stochastic": {"depth": "3"}},
    opponent=OPPONENT,
    opponent_note="the thesis heads these two columns with those of pLoGANN",
    figures=FIGURES,
    baselines_figure="figure 20",
    cost=PublishedCost(10_000, 3_720_000, "two weeks", "about 3", "The thesis had 62 processors."),
    persistence=PublishedPersistence(epochs=1000, individuals=62_000, again=0, longest=1),
    survival=((0.6, 4, "13 %", "two tournaments"), (0.9, 20, "12 %", "an epoch of ten generations")),
    # It counts every circle as another winner, and so has nothing left for circles.
    robin=PublishedRobin(
        "appendix D", ("50.0 %", "25.0 %", "25.0 %", ""), "The thesis counts every circle as another winner."
    ),
)

ERRORS = PublishedErrors(level=0.02, board="5x5")
"""Figure 2: its networks were below this on the positions that they had learned from."""

PUBLISHED = (EVOLUTION, ERRORS)
