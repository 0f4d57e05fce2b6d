"""The grader `robin`: methods by games, every student by the same means.

Of each game all students of the series meet each other and the anchors in one round robin, whose Elo points are counted
from one of the anchors. Students that imitate play twice: as they are, when an illegal first choice loses, and with
their choices checked. They also choose in positions of games that nobody watched. Where the truth is known, it is told
how often everybody keeps the value of a position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from understudy.config import check_range
from understudy.errors import BadOption, UnderstudyError, UnknownName
from understudy.games import CompiledGame
from understudy.judges.measures import rate_openings, share
from understudy.judges.students import judge_parts
from understudy.lab import UNPAID
from understudy.lab.grading.meetings import Met, meet, points_of
from understudy.lab.grading.robin_exams import Exam, draw_watched_by_nobody, make_exam
from understudy.lab.options.series import Cell, Experiment
from understudy.lab.run import Run
from understudy.lab.settings import read_yardsticks
from understudy.players import close, make_player

IMITATION = "imitation"
STRICT, CHECKED, ANCHOR = "strict", "checked", "anchor"
"""How somebody plays: an illegal first choice loses; the best legal choice counts; a player that did not learn."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The `[grading]` section of a series that a round robin grades."""

    methods: tuple[str, ...] = ()
    """What is compared, as `NAME = TITLE`; the cells of a method are called GAME_NAME, whatever GAME is."""
    absent: tuple[str, ...] = ()
    """Cells that there are not, each with its reason: `GAME_NAME = SENTENCE`."""
    anchors: tuple[str, ...] = (
        "random", "stochastic:depth=2", *(f"searcher:depth={depth}" for depth in range(1, 5)),
    )  # fmt: skip
    """Who meets everybody in every game."""
    zero: str = "searcher:depth=1"
    """The anchor from which Elo points are counted: `random` loses almost every game, so little is known of it."""
    games: int = 100
    """Games of each pairing: both colours of half as many openings, which all pairings of a game share."""
    opening_plies: int | None = None
    """Random plies that make an opening; if not said, as many as the game usually has."""
    ply_limit: int | None = None
    """A game this long is a draw; if not said, as the game has it."""
    positions: int = 2_000
    """Positions in which first choices are judged, and as many of which the truth is known."""
    seed: int = 0


class Entrant(NamedTuple):
    """Who takes part in the round robin of a game."""

    name: str
    """As the report calls it."""
    player: str
    form: str = ""
    method: str = ""
    cell: str = ""


def check(experiment: Experiment) -> None:
    """Raise if the cells are not those of methods, or somebody cannot be made who is to take part."""
    options: Options = experiment.grading
    check_range("grading.games", options.games, 2, 100_000)
    check_range("grading.positions", options.positions, 1, 10_000_000)
    check_range("grading.opening_plies", options.opening_plies, 0, 40)
    check_range("grading.ply_limit", options.ply_limit, 1, 100_000)
    if options.games % 2:
        raise BadOption(f"grading.games must be even, both colours of each opening, not {options.games}")
    if options.zero not in options.anchors:
        raise UnknownName("grading.zero", options.zero, options.anchors)
    seen: dict[tuple[str, str], str] = {}
    for cell in experiment.cells:
        place = (column_of(cell), method_of(cell.name, options))
        if place in seen:
            raise BadOption(f"cells {seen[place]!r} and {cell.name!r} are both the {place[1]!r} of {place[0]}")
        seen[place] = cell.name
    for name in read_yardsticks(options.absent):
        method_of(name, options)
    for game in {column_of(cell): cell.experiment.game for cell in experiment.cells}.values():
        for anchor in options.anchors:
            _try_anchor(anchor, game)


def _try_anchor(anchor: str, game: CompiledGame) -> None:
    try:
        close(make_player(anchor, game))
    except UnderstudyError as error:
        raise BadOption(f"grading.anchors: {anchor!r}: {error}") from None


def method_of(cell: str, options: Options) -> str:
    """Return the method that a cell is of, by the end of its name."""
    titles = read_yardsticks(options.methods)
    fitting = [method for method in titles if cell.endswith(f"_{method}")]
    if not fitting:
        raise BadOption(f"cell {cell!r} is of no method; grading.methods has {', '.join(titles) or 'none'}")
    return max(fitting, key=len)


def column_of(cell: Cell) -> str:
    """Return the game of a cell, with its board where it is not the usual one."""
    about = cell.experiment.about
    return f"{about.game} {about.size}".strip().replace("_", " ")


def grade(run: Run[Experiment]) -> dict[str, Any]:
    """Return what became of everybody, game by game, and which cells there are not."""
    options: Options = run.experiment.grading
    columns: dict[str, list[Cell]] = {}
    for cell in run.experiment.cells:
        columns.setdefault(column_of(cell), []).append(cell)
    games = {column: _grade_game(run, column, cells) for column, cells in columns.items()}
    return {
        "methods": read_yardsticks(options.methods), "absent": read_yardsticks(options.absent), "zero": options.zero,
        "budget": run.experiment.series.minutes, "games": games,
    }  # fmt: skip


def _grade_game(run: Run[Experiment], column: str, cells: list[Cell]) -> dict[str, Any]:
    options: Options = run.experiment.grading
    game, entrants = cells[0].experiment.game, list(_list_entrants(run, cells))
    met = meet(run, game, column, {entrant.name: entrant.player for entrant in entrants})
    names = [entrant.name for entrant in entrants]
    zero = names.index(options.zero)
    ratings = rate_openings(points_of(names, met, options.games // 2), zero=zero, seed=options.seed)
    exam = make_exam(game, options.positions)
    watched = draw_watched_by_nobody(game, options)
    rows = []
    for place, (entrant, rating) in enumerate(zip(entrants, ratings, strict=True)):
        run.tell(f"{column}: exams", place / len(entrants), entrant.name)
        row = entrant._asdict() | {"elo": rating.elo, "low": rating.low, "high": rating.high}
        row |= _count_games(entrant, met) | _sit_exams(entrant, game, watched, exam)
        rows.append(row | ({"paid_seconds": _count_paid(run, entrant.cell)} if entrant.cell else {}))
    run.tell(f"{column}: exams", 1.0)
    return {"players": rows, "truth": exam.about, "unknown": exam.lacks}


def _list_entrants(run: Run[Experiment], cells: list[Cell]) -> Iterator[Entrant]:
    """Yield the students of a game, then its anchors."""
    options: Options = run.experiment.grading
    titles = read_yardsticks(options.methods)
    for cell in cells:
        method = method_of(cell.name, options)
        title, player = titles[method], f"student:{run.folder / 'cells' / cell.name}"
        if cell.experiment.about.kind == IMITATION:
            yield Entrant(title, player, STRICT, method, cell.name)
            yield Entrant(f"{title}, checked", f"{player},check=legal", CHECKED, method, cell.name)
        else:
            yield Entrant(title, player, "", method, cell.name)
    for anchor in options.anchors:
        yield Entrant(anchor, anchor, ANCHOR)


def _count_games(entrant: Entrant, met: Mapping[tuple[str, str], Met]) -> dict[str, Any]:
    """Return how many games somebody played, how many of them differ, and how many ended without an illegal choice."""
    own = [(pair.index(entrant.name), one) for pair, one in met.items() if entrant.name in pair]
    games, illegal = sum(one.games for _, one in own), sum(one.illegal[side] for side, one in own)
    counts = {"games": games, "different": sum(one.different for _, one in own)}
    counts |= {"pairs": sum(one.pairs for _, one in own)}
    return counts | ({"legal_games": share(games - illegal, games)._asdict()} if entrant.form == STRICT else {})


def _sit_exams(entrant: Entrant, game: CompiledGame, watched: Any, exam: Exam) -> dict[str, Any]:
    """Return how often somebody keeps the value of positions, and of who imitates how often first choices are legal."""
    player: Any = make_player(entrant.player, game)
    try:
        verdict = exam.ask(player)
        measures = {name: measure._asdict() for name, measure in verdict.items()}
        if entrant.form == STRICT:
            legal = judge_parts(player, watched, judges=("legality",))["legality.whole"]
            measures["legality.whole"] = legal._asdict()
        return {"measures": measures}
    finally:
        close(player)


def _count_paid(run: Run[Experiment], cell: str) -> float:
    """Return the seconds of a core that watching and learning took."""
    steps = Run(run.experiment, run.folder / "cells" / cell).load("cost.json").get("steps", {})
    return sum(float(cost["cpu_seconds"]) for name, cost in steps.items() if name not in UNPAID)
