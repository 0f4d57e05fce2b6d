"""Who and what stands beside students that imitate: players that did not learn, networks that learned elsewhere.

Where a paper asks its networks on all rows, those learned from included, students are asked so too, and the paper's
own networks beside them if their files are here. What the rows are made of is counted as the paper counts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.fetch.sources import locate
from understudy.files import DATA
from understudy.games import CompiledGame
from understudy.judges.measures import write_verdict
from understudy.judges.students import grade, judge_player
from understudy.lab.options.imitation import COMMONEST, GENERATE, Experiment, Lesson, data_file
from understudy.lab.run import Run
from understudy.lab.settings import read_yardsticks
from understudy.players import close, make_player
from understudy.protocols import Choice
from understudy.records.analysis import Analysis, analyse
from understudy.records.examples import Examples, all_examples, choose_expansion, split_examples
from understudy.records.store import Records, load_any

Judge: TypeAlias = Callable[[], Any]
Judgement: TypeAlias = tuple[str, str, Judge]
"""Section, who is judged, and how."""

BASELINE, BASELINE_ROWS = "baseline ", 5000
"""What the rows of those who have not learned here are called, and the most that players who search are asked: sure to
1.4 points."""
ALL_ROWS, ANALYSIS = "all rows", "data sets"
"""Sections of verdicts: on all rows, and on what they are made of."""
CODES = 1 << 16
"""Codes of moves of any game are below this."""
SEED = 20_000
"""Of players that draw lots: not that of games that anybody was trained on."""


class Commonest:
    """A player that takes the legal move that was played most often, wherever that was; the first of equals."""

    name = COMMONEST

    def __init__(self, game: CompiledGame, moves: NDArray[np.int32]) -> None:
        self.game, self.counts = game, np.bincount(moves, minlength=CODES)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose in each position."""
        return [Choice(max(self.game.moves(position), key=self._count)) for position in positions]

    def _count(self, move: int) -> int:
        return int(self.counts[move])


def ask(game: CompiledGame, name: str, examples: Examples, judges: tuple[str, ...]) -> Judge:
    """Return who judges a player by name."""

    def judge() -> Any:
        player = make_player(name, game, seed=SEED)
        try:
            return _judge_player(player, examples, judges)
        finally:
            close(player)

    return judge


def _judge_player(player: Any, examples: Examples, judges: tuple[str, ...]) -> Any:
    return write_verdict(judge_player(player, examples.game, examples.positions, examples.moves, judges=judges))


def judge_baselines(run: Run[Experiment], records: Records) -> Iterator[Judgement]:
    """Yield what those are asked who have not learned: some rows of each table of accuracy."""
    for lesson in _one_of_each(run.experiment.lessons):
        sides = lesson.split(records)
        if lesson.student.only:
            yield from _judge_part_baselines(run, lesson, sides)
            continue
        asked = {f"test rows, split {lesson.examples.split}": sides["test"]}
        if run.experiment.judging.all_rows:
            asked[ALL_ROWS] = _expand(records)
        for section, rows in asked.items():
            for name, judge in _baselines(run, sides["train"], rows):
                yield section, name, judge


def _one_of_each(lessons: Iterable[Lesson]) -> Iterable[Lesson]:
    """Return the first student of each split, and of each part that is learned alone."""
    kinds: dict[tuple[str, str], Lesson] = {}
    for lesson in lessons:
        kinds.setdefault((lesson.examples.split, lesson.student.only), lesson)
    return kinds.values()


def _baselines(run: Run[Experiment], learned: Examples, rows: Examples) -> Iterator[tuple[str, Judge]]:
    game, asked = run.experiment.game, some(rows, BASELINE_ROWS)
    for name in run.experiment.judging.baselines:
        usual = partial(_judge_player, Commonest(game, learned.moves), asked, ("accuracy",))
        yield f"{BASELINE}{name}", usual if name == COMMONEST else ask(game, name, asked, ("accuracy",))


def _judge_part_baselines(run: Run[Experiment], lesson: Lesson, sides: dict[str, Examples]) -> Iterator[Judgement]:
    """Yield the same where one part is learned alone: who chooses whole moves can be asked the first part alone."""
    part = lesson.student.only
    if lesson.game.part_names[lesson.order[0]] != part:
        return
    for side in ("validation", "test"):
        for name, judge in _baselines(run, sides["train"], sides[side]):
            yield name_part_section(part, side), name, partial(_keep_part, judge, f"accuracy.{part}")


def name_part_section(part: str, side: str) -> str:
    """Return the section of verdicts on one part alone."""
    return f"one part ({part}), {side} rows"


def judge_part(student: Any, part: str, rows: Examples) -> Judge:
    """Return who judges one part alone, given the teacher's earlier parts."""

    def judge() -> Any:
        return write_verdict(grade(student, rows.game, rows, judges=("accuracy",)))

    return partial(_keep_part, judge, f"accuracy.given.{part}")


def _keep_part(judge: Judge, measure: str) -> dict[str, Any]:
    return {"accuracy.part": judge()[measure]}


def judge_all_rows(records: Records, students: Mapping[str, Callable[[], Any]]) -> Iterator[Judgement]:
    """Yield what students are asked on all rows, as papers ask theirs; *students* are made when they are asked."""
    rows = _expand(records)
    for name, make in students.items():
        yield ALL_ROWS, name, partial(_grade, make, rows, ("accuracy", "legality", "reliability"))


def _grade(make: Callable[[], Any], rows: Examples, judges: tuple[str, ...]) -> Any:
    player = make()
    try:
        return write_verdict(grade(player, rows.game, rows, judges=judges))
    finally:
        close(player)


def judge_beside(run: Run[Experiment], records: Records, states: Examples | None) -> Iterator[Judgement]:
    """Yield what networks are asked that learned elsewhere; those whose files are not here are left out."""
    experiment = run.experiment
    for title, text in read_yardsticks(experiment.judging.beside).items():
        if lack := _find_lack(text, experiment.game):
            run.tell(f"{title} is left out", 1.0, lack)
            continue
        make = partial(make_player, place_files(text), experiment.game)
        name, first = f"{BASELINE}{title}", experiment.lessons[0].examples
        if experiment.judging.all_rows:
            judges = ("accuracy", "legality", "reliability")
            yield ALL_ROWS, name, partial(_grade, make, _expand(records), judges)
        test = split_examples(records, split=first.split, seed=first.seed)["test"]
        yield f"test rows, split {first.split}", name, partial(_grade, make, test, ("accuracy", "legality"))
        if states is not None:
            yield "states", name, partial(_grade, make, states, ("legality", "mistakes", "reliability"))


def place_files(text: str) -> str:
    """Return a player with its file where the user keeps data: `nnmm:data:nnmm/TFR`."""
    kind, _, rest = text.partition(":")
    file, comma, options = rest.partition(",")
    return f"{kind}:{locate(file, Path())}{comma}{options}" if file.startswith(DATA) else text


def _find_lack(text: str, game: CompiledGame) -> str:
    """Return what is wrong with the files of a player; nothing if it can be asked."""
    try:
        close(make_player(place_files(text), game))
    except FileError as error:
        return str(error)
    return ""


def check_beside(experiment: Experiment) -> None:
    """Raise if somebody who is to stand beside students could not be asked, were the files here."""
    for title, text in read_yardsticks(experiment.judging.beside).items():
        try:
            _find_lack(text, experiment.game)
        except UnderstudyError as error:
            raise BadOption(f"judging.beside: {title!r}: {error}") from None


def judge_data(run: Run[Experiment], records: Records) -> Iterator[Judgement]:
    """Yield what the rows are made of, images and removals counted as a paper's authors did, and the states' rows."""
    experiment = run.experiment
    yield ANALYSIS, "records", partial(_analyse, records)
    if experiment.judging.states not in ("", GENERATE):
        path, limit = data_file(experiment, experiment.judging.states), experiment.judging.states_count or None
        yield ANALYSIS, "states", lambda: _analyse(load_any(path, experiment.game, limit=limit)[0])


def _analyse(records: Records) -> dict[str, Any]:
    expansion = choose_expansion(records.game)
    return dict(_write_analysis(analyse(records, expansion=expansion, authors_removal=expansion == "authors")))


def _write_analysis(found: Analysis) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the numbers that papers tell of their data, as verdicts hold measures."""
    numbers: dict[str, float] = {
        f"legal_moves.{name}": getattr(found.legal, name) for name in ("least", "most", "mean")
    }
    numbers |= {"legal_moves.single": found.legal.single}
    if (shares := found.shares) is not None:
        numbers |= {
            "moves.impossible": shares.impossible,
            "moves.never": shares.never,
            "moves.often": len(shares.often),
        }
        numbers |= {"moves.highest": shares.highest, "moves.mean": shares.mean}
    numbers |= {f"phase.{name}": count / found.rows for name, count in found.phases.items()}
    numbers |= {f"entropy.{name}": part.entropy for name, part in found.parts.items()}
    numbers |= {f"commonest.{name}": part.constant for name, part in found.parts.items()}
    for name, value in numbers.items():
        yield f"analysis.{name}", {"value": value, "low": None, "high": None, "sample": found.rows}


def _expand(records: Records) -> Examples:
    return all_examples(records, expansion=choose_expansion(records.game))


def some(examples: Examples, limit: int) -> Examples:
    """Return at most so many rows, chosen evenly."""
    rows = len(examples.moves)
    return examples if rows <= limit else examples.taken(np.linspace(0, rows - 1, limit).astype(np.int64))
