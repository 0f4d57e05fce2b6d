"""What a run folder holds, read with care: a run may have been killed while it wrote."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.games import GameKind, find_kind
from understudy.judges.duels import read_score
from understudy.judges.scores import Matches, read_matches
from understudy.papers import STUDIES, published_by
from understudy.report.comparing import Comparison, about_of, comparison_of
from understudy.sums import check_text, read_sound

T = TypeVar("T")

PAPER = "thesis"
"""What the answers of a paper are called in the file of those to test suites."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """The inputs of a report; what is missing is empty."""

    folder: Path
    experiment: Mapping[str, Any] = field(default_factory=dict)
    progress: tuple[Mapping[str, Any], ...] = ()
    broken: int = 0
    """Lines of the progress that could not be read, the last one aside."""
    verdicts: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    analysis: Mapping[str, Any] = field(default_factory=dict)
    gaming: Mapping[str, Any] = field(default_factory=dict)
    curves: Mapping[str, Any] = field(default_factory=dict)
    snapshots: Mapping[str, Any] = field(default_factory=dict)
    games: Mapping[str, Any] = field(default_factory=dict)
    picked: Mapping[str, Any] = field(default_factory=dict)
    """Which student and which of its sets of weights was picked among all, by games that grade nobody."""
    cells: Mapping[str, Any] = field(default_factory=dict)
    """Scores of evaluators by depth and players."""
    times: Mapping[str, Any] = field(default_factory=dict)
    """Seconds of each of their stages."""
    school: tuple[Mapping[str, Any], ...] = ()
    """What students that went to school tell of their rounds."""
    generations: tuple[Mapping[str, Any], ...] = ()
    torn: int = 0
    """Lines of the generations that could not be read, the last one aside."""
    monitor: Mapping[str, Mapping[str, Mapping[int, Matches]]] = field(default_factory=dict)
    """What the individuals of generations reached: by student, opponent and generation."""
    baselines: Mapping[tuple[str, str], Matches] = field(default_factory=dict)
    """Matches between players that do not learn, seen by the first."""
    matches: Mapping[str, Mapping[str, Matches]] = field(default_factory=dict)
    """Matches of champions, by student and opponent."""
    keeping: Mapping[str, Mapping[int, Sequence[Matches]]] = field(default_factory=dict)
    """Matches in which champions of epochs were tried, by student and generation, round after round."""
    errors: Mapping[str, Any] = field(default_factory=dict)
    """Of networks fitted to tables of positions, by student: one entry for each size of sample."""
    held_out: Mapping[str, Any] = field(default_factory=dict)
    """How near values come to those of games held out, by what they are compared with."""
    labels: Mapping[str, Any] = field(default_factory=dict)
    """Of networks fitted to an engine's labels: the positions, the students, their order."""
    suites: Mapping[str, Any] = field(default_factory=dict)
    """Answers to test suites, by suite and student."""
    ladder: Mapping[str, Any] = field(default_factory=dict)
    match: Mapping[str, Any] = field(default_factory=dict)
    """The games of two students from given openings, with an engine's opinion of every ply."""
    ending: Mapping[str, Any] = field(default_factory=dict)
    """What students say of positions of one ending, beside an engine."""
    cost: Mapping[str, Any] = field(default_factory=dict)
    """What each step took."""
    samples: Mapping[str, Any] = field(default_factory=dict)
    """Positions with what each student thinks of them."""
    series: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The finished cells of a series by name: kind, game and what its steps took."""
    graded: Mapping[str, Any] = field(default_factory=dict)
    """What the grader of a series found; `grade` names it."""
    paper: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    comparison: Comparison = field(default_factory=Comparison)

    def beside(self, shape: type[T]) -> T | None:
        """Return the numbers of a paper that stand beside those of this run in a section that shows this *shape*."""
        return published_by(self.comparison.study, shape) if self.comparison.study else None

    def repeated(self, shape: type[T]) -> T | None:
        """Return the same of the paper that the experiment names, whether its numbers may be shown or not."""
        study = str(about_of(self.experiment).get("study", ""))
        return published_by(study, shape) if study in STUDIES else None

    @property
    def game(self) -> GameKind | None:
        """What the game of the experiment says of itself; None where the experiment names none that there is."""
        try:
            return find_kind(str(about_of(self.experiment).get("game", "")))
        except UnderstudyError:
            return None

    @property
    def published(self) -> Mapping[str, Any]:
        """What the experiment's `[paper]` section says, if it may stand beside ours."""
        section = self.experiment.get("paper") if self.comparison.study else None
        return section if isinstance(section, Mapping) else {}

    def data(self) -> dict[str, Any]:
        """Return everything as one plain dictionary."""
        names = (
            "experiment", "progress", "verdicts", "paper", "analysis", "gaming", "curves", "snapshots", "games",
            "picked", "cells", "times", "errors", "held_out", "school", "generations", "labels", "suites", "ladder",
            "match", "ending", "series", "graded",
        )  # fmt: skip
        return {name: value for name in names if (value := getattr(self, name))}


def load_run(folder: Path, paper: Mapping[str, Any]) -> Run:
    """Read a run folder; files that are not there are no fault, files that cannot be understood are."""
    if not folder.is_dir():
        raise FileError(f"run folder {str(folder)!r} does not exist")
    progress, broken = _load_lines(folder / "progress.jsonl")
    generations, torn = _load_lines(folder / "generations.jsonl")
    experiment, checked = _load_toml(folder / "experiment.toml"), _checked(paper)
    comparison = comparison_of(experiment)
    return Run(
        folder=folder,
        experiment=experiment,
        progress=tuple(progress),
        broken=broken,
        verdicts=_load_verdicts(folder / "verdicts.json"),
        analysis=_load_json(folder / "analysis.json"),
        gaming=_load_json(folder / "gaming.json"),
        curves=_load_json(folder / "curves.json"),
        snapshots=_load_json(folder / "snapshots.json"),
        games=_load_json(folder / "games.json"),
        picked=_load_json(folder / "picked.json"),
        cells=load_cells(folder / "cells.json"),
        times=_load_json(folder / "times.json"),
        errors=_load_json(folder / "errors.json"),
        held_out=_load_json(folder / "held_out.json"),
        school=tuple(_load_lines(folder / "school.jsonl")[0]),
        generations=tuple(generations),
        torn=torn,
        monitor=load_monitor(folder / "monitor.json"),
        baselines=load_baselines(folder / "baselines.json"),
        matches=load_matches(folder / "matches.json"),
        keeping=load_keeping(folder / "keeping.json"),
        labels=load_labels(folder / "labels.json"),
        suites=load_suites(folder / "suites.json", published=bool(comparison.study)),
        ladder=_load_json(folder / "ladder.json"),
        match=_load_json(folder / "match.json"),
        ending=_load_json(folder / "ending.json"),
        cost=_load_json(folder / "cost.json"),
        samples=_load_json(folder / "samples.json"),
        series=_load_json(folder / "series.json"),
        graded=_load_json(folder / "graded.json"),
        paper=checked if comparison.study else {},
        comparison=comparison,
    )


def _checked(paper: Mapping[str, Any]) -> Mapping[str, Any]:
    for section, columns in paper.items():
        for title, measures in columns.items() if isinstance(columns, Mapping) else [("", None)]:
            if not isinstance(measures, Mapping) or not all(isinstance(one, int | float) for one in measures.values()):
                raise BadOption(f"numbers of a paper: {section!r} {title!r} must hold a number for each measure")
    return paper


def plain(value: Any) -> Any:
    """Return *value* as JSON can hold it: numbers that are none become null, dates become text."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _text(path: Path) -> str | None:
    content = _bytes(path)
    return None if content is None else content.decode("utf-8", errors="replace")


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"file {str(path)!r} cannot be read: {error.strerror}") from None


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path) or "")
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"file {str(path)!r} is not TOML: {error}") from None


def _load_json(path: Path) -> dict[str, Any]:
    text = _text(path) or "{}"
    check_text(text.encode(), path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"file {str(path)!r} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise FileError(f"file {str(path)!r} must hold an object, not a {type(value).__name__}")
    return value


def load_cells(path: Path) -> dict[str, Any]:
    """Return the scores of evaluators by depth and players; none where there is no file."""
    cells = _load_json(path)
    try:
        scores = [
            counts for depth, rows in cells.items() if int(depth) for row in rows.values() for counts in row.values()
        ]
        if all(read_score(counts).games >= 0 for counts in scores):
            return cells
    except (AttributeError, TypeError, ValueError):
        pass
    raise FileError(f"file {str(path)!r} does not hold scores by depth and players")


def load_labels(path: Path) -> dict[str, Any]:
    """Return what is known of students of labels; none where there is no file."""
    labels = _load_json(path)
    students = labels.get("students", {})
    for name, value in students.items() if isinstance(students, dict) else [("students", None)]:
        facts = value if isinstance(value, dict) else {}
        if "dataset" not in facts or not all(_is_nearness(facts.get(part)) for part in ("test", "validation")):
            raise FileError(f"file {str(path)!r}: {name!r} does not tell its data set, validation and test")
    return labels


def _is_nearness(verdict: Any) -> bool:
    return isinstance(verdict, dict) and _is_measure(verdict.get("accuracy", verdict.get("squared error")))


def load_monitor(path: Path) -> dict[str, dict[str, dict[int, Matches]]]:
    """Return the matches of individuals by student, opponent and generation, generations ascending."""
    return {
        student: {
            opponent: {
                int(key): read_matches(rows, place=f"file {str(path)!r}, {student} v {opponent}, generation {key}")
                for key, rows in sorted(_table(path, rows_of).items(), key=lambda item: _generation(path, item[0]))
            }
            for opponent, rows_of in _table(path, opponents).items()
        }
        for student, opponents in _load_json(path).items()
    }


def load_suites(path: Path, *, published: bool) -> dict[str, Any]:
    """Return the answers to test suites; those of a paper, kept beside them, only where they are to be shown."""
    return {
        suite: {
            name: {key: one for key, one in _table(path, facts, "facts").items() if published or key != PAPER}
            for name, facts in _table(path, answers, "students").items()
        }
        for suite, answers in _load_json(path).items()
    }


def load_baselines(path: Path) -> dict[tuple[str, str], Matches]:
    """Return the matches between fixed players, which are named as `A v B`."""
    baselines = {}
    for name, rows in _load_json(path).items():
        one, between, other = name.partition(" v ")
        if not between:
            raise FileError(f"file {str(path)!r}: {name!r} does not name two players, as in 'A v B'")
        baselines[one, other] = read_matches(rows, place=f"file {str(path)!r}, {name}")
    return baselines


def load_matches(path: Path) -> dict[str, dict[str, Matches]]:
    """Return the matches of champions by student and opponent."""
    return {
        student: {
            opponent: read_matches(rows, place=f"file {str(path)!r}, {student} v {opponent}")
            for opponent, rows in _table(path, opponents).items()
        }
        for student, opponents in _load_json(path).items()
    }


def load_keeping(path: Path) -> dict[str, dict[int, list[Matches]]]:
    """Return the matches in which champions were tried, those of a round against all opponents as one."""
    return {
        student: {
            _generation(path, number): _rounds(path, student, entry) for number, entry in _table(path, tried).items()
        }
        for student, tried in _load_json(path).items()
    }


def _rounds(path: Path, student: str, entry: Any) -> list[Matches]:
    rounds = _table(path, entry).get("rounds")
    if not isinstance(rounds, list):
        raise FileError(f"file {str(path)!r}, {student}: a champion that was tried has rounds")
    place = f"file {str(path)!r}, {student}"
    return [read_matches([row for rows in _table(path, met).values() for row in rows], place=place) for met in rounds]


def _table(path: Path, value: Any, holds: str = "matches") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FileError(f"file {str(path)!r} must hold {holds} by name, not a {type(value).__name__}")
    return value


def _generation(path: Path, key: str) -> int:
    if not (key.isascii() and key.isdigit()):
        raise FileError(f"file {str(path)!r}: a generation must be a whole number, not {key!r}")
    return int(key)


def _load_verdicts(path: Path) -> dict[str, Any]:
    verdicts = _load_json(path)
    for section, players in verdicts.items():
        for player, measures in players.items() if isinstance(players, dict) else [("", None)]:
            if not isinstance(measures, dict) or not all(_is_measure(one) for one in measures.values()):
                raise FileError(f"file {str(path)!r}: {section!r} {player!r} does not hold measures by name")
    return verdicts


def _is_measure(value: Any) -> bool:
    return isinstance(value, dict) and (value.get("value") is None or isinstance(value["value"], int | float))


def _load_lines(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the objects of a file of JSON lines, and how many lines were broken; a killed run leaves half a line."""
    objects: list[dict[str, Any]] = []
    broken = 0
    lines = [line for line in (_bytes(path) or b"").splitlines() if line.strip()]
    for number, line in enumerate(lines, 1):
        if isinstance(value := read_sound(line, path), dict):
            objects.append(value)
        else:
            broken += number < len(lines)
    return objects, broken
