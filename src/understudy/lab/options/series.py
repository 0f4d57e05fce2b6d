"""Experiments of the kind `series`: many ordinary experiments, of one or several games, graded together.

`lab/cells.py` tells how cells are written; every cell is checked as if it stood in a file of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from understudy.config import build, check_range
from understudy.errors import BadOption, UnderstudyError, UnknownName
from understudy.games import CompiledGame
from understudy.lab.cells import SERIES, expand_cells, games_of
from understudy.lab.settings import About, built, check_sections
from understudy.lab.settings import Experiment as Ordinary

SECTIONS = ("experiment", "series", "grading", "shared", "cells", "quick")

GRADERS = {
    "growth": "understudy.lab.grading.growth",
    "robin": "understudy.lab.grading.robin",
    "seeds": "understudy.lab.grading.seeds",
    "truth": "understudy.lab.grading.truth",
}
"""The module of each way in which cells are graded together (see `lab/grading`)."""


@dataclass(frozen=True, kw_only=True)
class SeriesOptions:
    """The `[series]` section."""

    grade: str = ""
    """How the cells are graded together; without it each has its own verdicts alone."""
    minutes: float | None = None
    """The `experiment.core_minutes` of cells that do not say any."""
    workers: int = 1
    """Cells that run side by side, each in a process of its own."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One experiment of a series."""

    name: str
    experiment: Ordinary


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A whole series."""

    name: str
    about: About
    series: SeriesOptions
    grading: Any
    """The options of its grader; None where nobody grades."""
    cells: tuple[Cell, ...]
    paper: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    """Where relative paths start."""

    @property
    def game(self) -> CompiledGame:
        """A series has no game of its own, so nobody gets one."""
        example = f"student:runs/{self.name}/cells/{self.cells[0].name}"
        raise BadOption(f"experiment {self.name!r} is a series: each of its cells has a student, such as {example}")


class Grader(Protocol):
    """A module that grades the cells of a series together."""

    Options: type[Any]

    def check(self, experiment: Experiment) -> None:
        """Raise if a series cannot be graded so."""

    def grade(self, run: Any) -> dict[str, Any]:
        """Return what `graded.json` keeps, from the folders of the cells."""


def find_grader(name: str) -> Grader:
    """Return the grader of that name."""
    if name not in GRADERS:
        raise UnknownName("series.grade", name, GRADERS)
    grader: Grader = import_module(GRADERS[name])
    return grader


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the series that *settings* describe; every key of every cell is checked here, before anything runs."""
    check_sections(settings, SECTIONS)
    own, games = settings["experiment"], games_of(settings)
    for key in ("game", "size"):
        if key in own and own[key] != games:
            raise BadOption(f"experiment.{key} = {own[key]!r}: a series has none of its own, its cells have")
    filled = {**settings, "experiment": {**own, "game": games}}
    series = built(SeriesOptions, filled, "series")
    check_range("series.workers", series.workers, 1, 1000)
    grader = find_grader(series.grade) if series.grade else None
    if grader is None and "grading" in settings:
        raise BadOption("[grading] needs to know by whom: series.grade says it")
    cells = expand_cells(settings).items()
    experiment = Experiment(
        name=name,
        about=built(About, filled, "experiment"),
        series=series,
        grading=None if grader is None else build(grader.Options, settings.get("grading", {}), place="[grading]"),
        cells=tuple(_make_cell(own, series, cell, table, folder=folder) for cell, table in cells),
        settings=filled,
        folder=folder,
    )
    if grader is not None:
        grader.check(experiment)
    return experiment


def _make_cell(
    own: Mapping[str, Any], series: SeriesOptions, name: str, settings: Mapping[str, Any], *, folder: Path
) -> Cell:
    """Return a cell as the experiment that it is; what is wrong with it is told with its name."""
    from understudy.lab.experiments import make_experiment as make  # which imports this module when asked

    about = settings.get("experiment", {})
    try:
        if about.get("kind") == SERIES or "quick" in settings:
            raise BadOption("a cell is no series, and has no [quick] of its own: that of the series changes its cells")
        usual: dict[str, Any] = {"title": f"{own.get('title', '')}: {name}".removeprefix(": ")}
        usual |= {} if series.minutes is None else {"core_minutes": series.minutes}
        about = usual | about | ({"quick": True} if own.get("quick") else {})
        return Cell(name=name, experiment=make(name, {**settings, "experiment": about}, folder=folder))
    except UnderstudyError as error:
        raise BadOption(f"cell {name!r}: {error}") from None
