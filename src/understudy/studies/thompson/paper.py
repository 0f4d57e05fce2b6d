"""What Thompson (2005) says of evaluators and students of Konane, to stand beside ours.

Its numbers are shares of games won and round robins of functions: they stand in `[paper]` of the experiments that
repeat them (`konane_*`), each with its table. Here is what it says in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from understudy.report.contests import PublishedEvaluators
from understudy.report.pupils import PublishedPupils

STONES = "abcdef"
"""The functions that count stones."""


def figure_4(shares: Mapping[int, Mapping[str, float]]) -> str:
    """Return what the source says of its figure 4, which has no numbers, and what is so here."""
    stones = [share for rows in shares.values() for name, share in rows.items() if name in STONES]
    others = [share for rows in shares.values() for name, share in rows.items() if name not in STONES]
    texts = ["The source draws this figure without numbers."]
    if stones and others:
        texts.append(
            f"It says that counts of stones (a to f) are hardly better than random and all others better: "
            f"here a to f win {_range(stones)}, the others {_range(others)}."
        )
    if steps := _steps(shares):
        texts.append(
            f"It also finds that looking further does not always help against random play: "
            f"here the next depth wins more in {sum(steps)} of {len(steps)} cases."
        )
    return " ".join(texts)


def _steps(shares: Mapping[int, Mapping[str, float]]) -> list[bool]:
    """Tell of every function and two neighbouring depths whether the deeper one wins more."""
    depths = list(shares.values())
    return [
        deeper[name] > shallower[name] for shallower, deeper in pairwise(depths) for name in deeper if name in shallower
    ]


def _range(shares: Sequence[float]) -> str:
    return f"{100 * min(shares):.1f} to {100 * max(shares):.1f} %"


EVALUATORS = PublishedEvaluators(
    alone=figure_4,
    unknown=(
        "The published one is not printed: what a ratio to 0 is worth, how it sees the end of a game and how it counts "
        "moves in the opening is not told, and no reading that was tried makes the pairs agree (docs/games/konane.md)."
    ),
)

PUPILS = PublishedPupils(best_hundreds="whose weights the source kept")
"""The weights that a training left behind there are those of its best hundred games."""

PUBLISHED = (EVALUATORS, PUPILS)
