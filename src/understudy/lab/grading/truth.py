"""The grader `truth`: students of a series, and players that did not learn, compared with perfect play.

All of them choose in the same positions, in which it matters what is chosen and of which the truth is known: tables of
endgames, or boards that can be solved. None of these positions was there to learn from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from understudy.config import check_range
from understudy.errors import BadOption, UnderstudyError
from understudy.games import CompiledGame
from understudy.games.batches import size
from understudy.judges.measures import write_verdict
from understudy.judges.value_kept import make_exam, value_kept
from understudy.lab.options.series import Cell, Experiment
from understudy.lab.run import Run
from understudy.players import close, make_player
from understudy.solve import check_known, draw_known

IMITATION = "imitation"
STUDENT, BASELINE = "student", "baseline"
SEED = 0x7247
"""Draws the positions unless the series says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The `[grading]` section of a series that is compared with the truth."""

    baselines: tuple[str, ...] = ("random", *(f"searcher:depth={depth}" for depth in (1, 2, 4)), "perfect")
    """Who did not learn here."""
    positions: int = 20_000
    seed: int = SEED


class Asked(NamedTuple):
    """Who is compared with the truth."""

    name: str
    player: str
    role: str


def check(experiment: Experiment) -> None:
    """Raise if nobody can know the truth of the game."""
    options: Options = experiment.grading
    check_range("grading.positions", options.positions, 1, 1_000_000)
    check_known(find_board(experiment))


def check_ready(experiment: Experiment) -> None:
    """Raise before the first cell runs if nobody knows the truth here, or somebody cannot be made who is asked."""
    options: Options = experiment.grading
    game = find_board(experiment)
    draw_known(game, 1, 0)
    for name in options.baselines:
        try:
            close(make_player(name, game))
        except UnderstudyError as error:
            raise BadOption(f"grading.baselines: {name!r}: {error}") from None


def find_board(experiment: Experiment) -> CompiledGame:
    """Return the game that all cells are of."""
    games = {cell.experiment.game for cell in experiment.cells}
    if len(games) > 1:
        raise BadOption("series.grade = 'truth' compares students of one game on one board; these cells have several")
    return games.pop()


def grade(run: Run[Experiment]) -> dict[str, Any]:
    """Return how often everybody keeps what a position is worth."""
    options: Options = run.experiment.grading
    game = find_board(run.experiment)
    exam = make_exam(game, limit=options.positions, seed=options.seed)
    asked = [*_list_students(run), *(Asked(name, name, BASELINE) for name in options.baselines)]
    rows = []
    for place, one in enumerate(asked):
        run.tell("comparing with the truth", place / len(asked), one.name)
        player: Any = make_player(one.player, game)
        try:
            rows.append(one._asdict() | {"measures": write_verdict(value_kept(player, exam))})
        finally:
            close(player)
    run.tell("comparing with the truth", 1.0)
    return {"game": game.name, "positions": size(exam.positions), "players": rows}


def _list_students(run: Run[Experiment]) -> Iterator[Asked]:
    """Yield the students of all cells; of those that imitate also with their choices checked."""
    for cell in run.experiment.cells:
        player = f"student:{run.folder / 'cells' / cell.name}"
        yield Asked(_title(cell), player, STUDENT)
        if cell.experiment.about.kind == IMITATION:
            yield Asked(f"{_title(cell)}, checked", f"{player},check=legal", STUDENT)


def _title(cell: Cell) -> str:
    return cell.name.replace("_", " ")
