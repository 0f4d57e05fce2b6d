"""How what students know grows with the number of games watched: curves over the cells of a series.

Cells are imitations that differ in whom they watch, for how many games; the students of a cell differ in design, in
whether the rules are told in the loss, and in their seeds. Those that differ in seeds alone are one point of a curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from understudy.errors import BadOption
from understudy.files import load_json
from understudy.games import find_game
from understudy.games.mistakes import mistakes_of
from understudy.lab.kinds.imitation_beside import BASELINE
from understudy.lab.kinds.imitation_exams import EXAM, GAMES
from understudy.lab.options.imitation import Experiment as Imitation
from understudy.lab.options.imitation import Lesson
from understudy.lab.options.series import Cell, Experiment
from understudy.lab.run import Run

DIGITS = 6
"""Behind the point of a share: a millionth is less than one choice of any exam."""
BOUNDED = ("accuracy.whole", "legality.whole")
"""Measures of the exam whose intervals are kept, for a headline."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The `[grading]` section."""

    levels: tuple[float, ...] = (0.01, 0.001)
    """A kind of mistake is rare from where on it makes up less than this share of all choices."""


class Key(NamedTuple):
    """What tells one curve of a board from another."""

    teacher: str
    design: str
    network: str
    """The kind of network."""
    told: bool


def check(experiment: Experiment) -> None:
    """Raise unless every cell watches a teacher and sits an exam, no two of them the same."""
    places: dict[tuple[Any, ...], str] = {}
    for cell in experiment.cells:
        plan = cell.experiment
        if not isinstance(plan, Imitation) or plan.watch is None or not plan.judging.exam_games:
            raise BadOption(f"cell {cell.name!r}: series.grade = 'growth' needs cells that watch ([watch]) and sit an "
                            "exam (judging.exam_games)")  # fmt: skip
        place = (plan.game, name_teacher(cell), _games_of(cell))
        if place in places:
            raise BadOption(f"cells {places[place]!r} and {cell.name!r} watch as many games of one teacher: "
                            "their curves could not be told apart")  # fmt: skip
        places[place] = cell.name
    for level in experiment.grading.levels:
        if not 0 < level < 1:
            raise BadOption(f"grading.levels: {level} is no share between 0 and 1")


def name_teacher(cell: Cell) -> str:
    """Return what the teacher of a cell is called: what its name says between game, size and number of games."""
    plan = _plan_of(cell)
    name = cell.name.removeprefix(plan.about.game).removesuffix(str(_games_of(cell))).strip("_")
    name = name.removeprefix(plan.about.size).strip("_")
    assert plan.watch is not None
    return name.replace("_", " ") or plan.watch.teacher


def _plan_of(cell: Cell) -> Imitation:
    assert isinstance(cell.experiment, Imitation)
    return cell.experiment


def _games_of(cell: Cell) -> int:
    watched = _plan_of(cell).watch
    assert watched is not None
    return watched.games


def grade(run: Run[Experiment]) -> dict[str, Any]:
    """Return the curves of every board."""
    boards: dict[Any, list[Cell]] = {}
    for cell in run.experiment.cells:
        boards.setdefault(_plan_of(cell).game, []).append(cell)
    return {
        "levels": list(run.experiment.grading.levels),
        "boards": [_grade_board(run, cells) for cells in boards.values()],
    }


def _grade_board(run: Run[Experiment], cells: list[Cell]) -> dict[str, Any]:
    """Return the curves of the cells of one board, and what those score who learned nothing."""
    game = _plan_of(cells[0]).game
    curves: dict[Key, dict[str, Any]] = {}
    baselines: dict[str, Any] = {}
    for cell in sorted(cells, key=_games_of):
        verdicts = load_json(run.folder / "cells" / cell.name / "verdicts.json")
        teacher, watched = name_teacher(cell), _plan_of(cell).watch
        baselines[teacher] = _baselines_of(verdicts.get(EXAM, {}))  # those of the largest cell stay
        assert watched is not None
        for key, names in _group_students(teacher, _plan_of(cell).lessons).items():
            curve = curves.setdefault(key, {**key._asdict(), "player": watched.teacher, "points": []})
            records = load_json(run.folder / "cells" / cell.name / "analysis.json").get("raw_rows")
            curve["points"].append({"games": _games_of(cell), "positions": records, **_point(verdicts, names)})
    size = "x".join(map(str, game.size))
    title = game.title if game.size == find_game(game.name).size else f"{game.title} {size}"
    return {
        "game": game.name, "size": size, "title": title, "mistakes": mistakes_of(game).meanings,
        "curves": list(curves.values()), "baselines": baselines,
    }  # fmt: skip


def _group_students(teacher: str, lessons: Iterable[Lesson]) -> dict[Key, list[str]]:
    """Return the names of the students of a cell that differ in nothing but their seeds."""
    groups: dict[Key, list[str]] = {}
    for lesson in lessons:
        told = any(training.legality > 0 for training in lesson.training.values())
        network = str(next(iter(lesson.networks.values())).get("kind", "residual"))
        groups.setdefault(Key(teacher, lesson.student.design, network, told), []).append(lesson.name)
    return groups


def _baselines_of(verdicts: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    rows = {name.removeprefix(BASELINE): row for name, row in verdicts.items() if name.startswith(BASELINE)}
    return {name: {measure: one["value"] for measure, one in row.items()} for name, row in rows.items()}


def _point(verdicts: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Return what students of one kind score: of each measure mean, least and most over their seeds."""
    sections = {
        section: [verdicts[section][name] for name in names]
        for section in verdicts
        if section in (EXAM, "states") or section.startswith(GAMES)
    }
    exams = sections[EXAM]
    return {
        "seeds": len(names),
        "sample": min(one["legality.whole"]["sample"] for one in exams),
        "bounds": {name: [min(one[name]["low"] for one in exams), max(one[name]["high"] for one in exams)]
                   for name in BOUNDED},
        **{section: _ranges(rows) for section, rows in sections.items()},
    }  # fmt: skip


def _ranges(rows: list[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Return mean, least and most of each measure; reliability, of which there are dozens, is left to the cells."""
    found: dict[str, list[float]] = {}
    for name in rows[0]:
        values = [row[name]["value"] for row in rows if row.get(name, {}).get("value") is not None]
        if values and not name.startswith("reliability"):
            found[name] = [round(number, DIGITS) for number in (sum(values) / len(values), min(values), max(values))]
    return found
