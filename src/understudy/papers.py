"""The papers whose numbers may stand beside ours, by the name that an experiment gives its study.

An experiment that repeats one names it (`[experiment] study = "miller"`). Nobody guesses: a player of one game must not
be measured by what was printed of another, though both be called `searcher`. Studies stand above the rooms that show
their numbers, so they are named here and loaded when asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from understudy.errors import BadOption
from understudy.protocols import Move

T = TypeVar("T")

STUDIES = {
    "galassi": "understudy.studies.galassi",
    "miller": "understudy.studies.miller",
    "sabatelli": "understudy.studies.sabatelli",
    "thompson": "understudy.studies.thompson",
}
"""The package of each study, which has a `PAPER`."""


class Paper(NamedTuple):
    """What a paper tells of."""

    name: str
    """What it is called beside ours."""
    game: str
    boards: Mapping[str, Sequence[tuple[int, int]]]
    """By the kind of experiment: rows and columns of the boards that its numbers are of."""
    numbers: str = ""
    """The module of the study that has what was `PUBLISHED`; none where all stands in experiments (`[paper]`)."""


class Answers(NamedTuple):
    """What the players of a paper answered to a test suite."""

    moves: Callable[[Sequence[Any]], Mapping[str, Sequence[Move]]]
    """From the items of the suite to the moves, by position, that an engine must price besides ours."""
    compare: Callable[[Any], dict[str, Any]]
    """From the verdict on one of our players to both side by side."""


TESTS = {"gaming": "understudy.studies.galassi.gaming", "ccr25": "understudy.studies.sabatelli.table81"}
"""The module of each test that a study brings and `[judging]` may ask for: it has a `TEST`, a step or `Answers`."""


def find_test(name: str, shape: type[T]) -> T:
    """Return the test of that name, which must be of the *shape* that the asker can use."""
    test = import_module(TESTS[name]).TEST
    assert isinstance(test, shape)
    return test


def check_test(name: str, game: str, place: str) -> None:
    """Raise unless the test of that name is of *game*; *place* names the setting that asks for it."""
    study = next(study for study, package in STUDIES.items() if TESTS[name].startswith(f"{package}."))
    if find_paper(study).game != game:
        raise BadOption(f"{place}: the {name} test is of {find_paper(study).game}, not of {game}")


def find_paper(study: str) -> Paper:
    """Return what the paper of a study tells of."""
    paper: Paper = import_module(STUDIES[study]).PAPER
    return paper


def published_by(study: str, shape: type[T]) -> T | None:
    """Return the numbers of a study that have the *shape* in which a section shows them; None if it has none such."""
    paper = find_paper(study)
    published = import_module(f"{STUDIES[study]}.{paper.numbers}").PUBLISHED if paper.numbers else ()
    return next((numbers for numbers in published if isinstance(numbers, shape)), None)
