"""The papers whose numbers may stand beside ours: which game, boards and kinds of experiments each of them tells of.

An experiment that repeats one names it (`[experiment] study = "miller"`). Nobody guesses: a player of one game must not
be measured by what was printed of another, though both be called `searcher`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Paper(NamedTuple):
    """What a paper tells of."""

    name: str
    """What it is called beside ours."""
    game: str
    boards: Mapping[str, Sequence[tuple[int, int]]]
    """By the kind of experiment: rows and columns of the boards that its numbers are of."""


PAPERS: Mapping[str, Paper] = {
    "galassi": Paper("Galassi 2017 and Chesani et al. 2018", "morris", {"imitation": [(7, 7)]}),
    "miller": Paper("Miller 2010", "lines_of_action", {"evolution": [(8, 8)], "offline": [(5, 5)]}),
    "sabatelli": Paper("Sabatelli 2017", "chess", {"labels": [(8, 8)]}),
    "thompson": Paper("Thompson 2005", "konane", {"evaluators": [(8, 8)], "online": [(4, 4), (6, 6), (8, 8)]}),
}
"""By what an experiment calls its study."""


def written(size: tuple[int, int]) -> str:
    """Return a board's size as people write it."""
    return f"{size[0]}x{size[1]}"
