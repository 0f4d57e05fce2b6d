"""What stands beside students that imitate: networks that learned elsewhere, and all rows, as papers ask for them.

Where a paper asks its networks on all rows, those learned from included, students are asked so too, and the paper's
own networks beside them if their files are here. What the rows are made of is counted as the paper counts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.fetch.sources import locate
from understudy.files import DATA
from understudy.games import CompiledGame
from understudy.games.parts import may_lack
from understudy.judges.measures import write_verdict
from understudy.judges.students import grade
from understudy.lab.options.imitation import GENERATE, Experiment, data_file
from understudy.lab.run import Run
from understudy.lab.settings import read_yardsticks
from understudy.players import close, make_player
from understudy.records.analysis import Analysis, analyse
from understudy.records.examples import Examples, all_examples, choose_expansion, split_examples
from understudy.records.store import Records, load_any

Judge: TypeAlias = Callable[[], Any]
Judgement: TypeAlias = tuple[str, str, Judge]
"""Section, who is judged, and how."""

BASELINE = "baseline "
"""What the rows of those who have not learned here are called."""
ALL_ROWS, ANALYSIS = "all rows", "data sets"
"""Sections of verdicts: on all rows, and on what they are made of."""
SEED = 20_000
"""Of players that draw lots: not that of games that anybody was trained on."""


def judge_all_rows(records: Records, students: Mapping[str, Callable[[], Any]]) -> Iterator[Judgement]:
    """Yield what students are asked on all rows, as papers ask theirs; *students* are made when they are asked."""
    rows = expand(records)
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
            yield ALL_ROWS, name, partial(_grade, make, expand(records), judges)
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
    learned = cache(partial(_analyse, records))
    yield ANALYSIS, "records", lambda: _write_analysis(experiment.game, learned())
    if experiment.judging.states in ("", GENERATE):
        return
    path, limit = data_file(experiment, experiment.judging.states), experiment.judging.states_count or None
    states = cache(lambda: _analyse(load_any(path, experiment.game, limit=limit)[0]))
    yield ANALYSIS, "states", lambda: _write_analysis(experiment.game, states())
    yield ANALYSIS, "both", lambda: _compare_analyses(learned(), states())


def _analyse(records: Records) -> Analysis:
    expansion = choose_expansion(records.game)
    return analyse(records, expansion=expansion, authors_removal=expansion == "authors")


def _write_analysis(game: CompiledGame, found: Analysis) -> dict[str, Any]:
    """Return the numbers that papers tell of their data, as verdicts hold measures."""
    numbers: dict[str, float] = {"rows": found.rows}
    numbers |= {f"legal_moves.{name}": getattr(found.legal, name) for name in ("least", "most", "mean", "single")}
    if (shares := found.shares) is not None:
        numbers |= {"legal_moves.most_share": found.legal.most / shares.moves}
        numbers |= {f"moves.{name}": getattr(shares, name) for name in ("impossible", "never", "highest", "mean")}
        numbers |= {"moves.often": len(shares.often)}
    numbers |= {f"phase.{name}": count / found.rows for name, count in found.phases.items()}
    numbers |= {f"entropy.{name}": part.entropy for name, part in found.parts.items()}
    numbers |= {f"commonest.{name}": part.constant for name, part in found.parts.items()}
    lacking = [name for part, name in enumerate(game.part_names) if may_lack(game, part) and name in found.parts]
    absent = {name: found.parts[name].counts[0] for name in lacking}
    numbers |= {f"absent.{name}": count / found.moved for name, count in absent.items() if count}
    return _write_numbers(numbers, found.rows)


def _compare_analyses(one: Analysis, other: Analysis) -> dict[str, Any]:
    """Return what is told of two sets together: how many moves are legal often in both."""
    if one.shares is None or other.shares is None:
        return {}
    both = {*one.shares.often} & {*other.shares.often}
    return _write_numbers({"moves.often_in_both": len(both)}, one.rows + other.rows)


def _write_numbers(numbers: Mapping[str, float], rows: int) -> dict[str, Any]:
    return {f"analysis.{name}": {"value": value, "low": None, "high": None, "sample": rows}
            for name, value in numbers.items()}  # fmt: skip


def expand(records: Records) -> Examples:
    """Return all rows, expanded as a paper's authors did where the game has such a paper."""
    return all_examples(records, expansion=choose_expansion(records.game))


def some(examples: Examples, limit: int) -> Examples:
    """Return at most so many rows, chosen evenly."""
    rows = len(examples.moves)
    return examples if rows <= limit else examples.taken(np.linspace(0, rows - 1, limit).astype(np.int64))
