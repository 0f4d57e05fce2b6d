"""The section on how near students come to an engine's labels: ours, those who do not learn, and a paper's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from understudy.report.blocks import Block, Cell, Section, Table, Text, cells, decimal, lasting, number, percent
from understudy.report.sources import Run

TEXT = (
    "Intervals of 95 % take games as independent, not positions. Off: mean error in pawns, labels beyond 20 pawns and "
    "mates being 20. Sign: how often the better side is named, where there is one. Explained: share of the labels' "
    "variance, below 0 for who does worse than their mean. These three are of the test positions, which each student "
    "met once, after its training. Always the same: the most frequent class, or the mean, of what was learned from. "
    "Counts material: a fit to the difference in pawns, knights, bishops, rooks and queens."
)


class PublishedNearness(NamedTuple):
    """What is printed of one student: shares of right classes, or mean squared errors."""

    validation: float
    test: float
    table: str
    parameters: int
    """How many weights the network has, as far as the paper lets us count them."""


Pairs = Sequence[tuple[float, float] | None]
"""What each position is worth after the test's move and after the move played; None where nothing was."""


@dataclass(frozen=True, kw_only=True)
class PublishedLabels:
    """All that a paper prints of students of labels; their names end with that of their data set, as in `x_1`."""

    source: str
    """What its numbers are called beside ours."""
    key: str
    """What they are called in report.json."""
    noun: str
    """What the paper is: a thesis, an article."""
    printed: Mapping[str, PublishedNearness]
    """By the name of the student."""
    numbers: Collection[str]
    """Data sets whose targets are numbers: there the smaller error is the better one."""
    warning: str
    """Why its numbers are not to be compared with ours one by one."""
    errors_note: str
    """The same of its errors."""
    unlike: str = ""
    """The reason for the warning in a few words, as they follow `because`; nothing where numbers may be compared."""
    learning_note: str
    rating_note: str
    match_note: str = ""
    """What it says of its own match."""
    ending_note: str = ""
    suite_note: str
    """Of the pictures of its students' answers."""

    def belongs(self, student: str, facts: Mapping[str, Any]) -> PublishedNearness | None:
        """Return what is printed for a student, if the paper has it: the name alone does not make it that network."""
        there = self.printed.get(student) if _dataset_of(student) == facts["dataset"] else None
        return there if there is not None and there.parameters == facts.get("parameters") else None

    def order_of(self, dataset: str) -> list[str]:
        """Return the students of a data set from the best on, by what is printed for its test positions."""
        names = [name for name in self.printed if _dataset_of(name) == dataset]
        return sorted(names, key=lambda name: self.printed[name].test, reverse=dataset not in self.numbers)

    def lead_of(self, better: str, worse: str) -> float:
        """Return how far the paper has one student ahead of another of the same data set."""
        ahead = round(self.printed[better].test - self.printed[worse].test, 6)
        return 0.0 - ahead if _dataset_of(better) in self.numbers else ahead

    def suite_pictures(self, facts: Mapping[str, Any]) -> dict[str, Pairs]:
        """Return what its students' answers to a suite are worth, kept beside ours; none unless a study has some."""
        return {}

    def suite_tables(self, answers: Mapping[str, Mapping[str, Any]]) -> list[Table]:
        """Return tables of those answers beside those of our students."""
        return []


def _dataset_of(student: str) -> str:
    return student.rpartition("_")[2]


class Targets(NamedTuple):
    """What a game says of the data sets that its labels are learned as."""

    titles: Mapping[str, str] = {}
    outcomes: Collection[str] = ()
    """Data sets whose target is an expected outcome."""
    draw_band: float = 0.0
    """Pawns within which a position counts as a draw; 0 where that is not known."""


def targets_of(run: Run) -> Targets:
    """Return what the game of a run says of its data sets."""
    if run.game is None or run.game.datasets is None:
        return Targets()
    module = run.game.load("datasets")
    sets = module.DATASETS
    titles = {name: one.title for name, one in sets.items()}
    return Targets(titles, [name for name, one in sets.items() if one.logistic], module.DRAW_BAND)


def nearness_section(run: Run) -> Section | None:
    """Tell for each data set how near every student comes, beside those who do not learn, and those of a paper."""
    students = run.labels.get("students", {})
    if not students:
        return None
    blocks: list[Block] = [Text(TEXT)]
    paper, titles = run.beside(PublishedLabels), targets_of(run).titles
    if paper is not None and any(paper.belongs(name, facts) for name, facts in students.items()):
        blocks.append(Text(paper.warning))
    yardsticks = run.labels.get("data", {}).get("yardsticks", {})
    for dataset, group in by_dataset(students).items():
        source = (
            paper if paper is not None and any(paper.belongs(name, facts) for name, facts in group.items()) else None
        )
        what = f", {titles[dataset]}" if dataset in titles else ""
        blocks += [
            _table(dataset, group, yardsticks.get(dataset, {}), f"Data set {dataset}{what}: ", source),
            _costs(dataset, group),
        ]
    return Section("How near the students come", tuple(blocks))


def by_dataset(students: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the students of each data set, the best on its test positions first, those of another split last."""
    groups: dict[str, dict[str, Any]] = {}
    for name, facts in sorted(students.items(), key=lambda item: (item[1]["dataset"], _place(item[1]))):
        groups.setdefault(facts["dataset"], {})[name] = facts
    return groups


def _place(facts: Mapping[str, Any]) -> tuple[bool, float]:
    value = facts["test"][measure_of(facts["test"])].get("value") or 0.0
    return facts.get("split", "game") != "game", value if measure_of(facts["test"]) == "squared error" else -value


def measure_of(verdict: Mapping[str, Any]) -> str:
    """Return the measure by which students of a data set are compared."""
    return "accuracy" if "accuracy" in verdict else "squared error"


def is_classes(verdict: Mapping[str, Any]) -> bool:
    """Tell whether classes were learned, not numbers."""
    return measure_of(verdict) == "accuracy"


def _table(
    dataset: str,
    students: Mapping[str, Any],
    yardsticks: Mapping[str, Any],
    title: str,
    paper: PublishedLabels | None,
) -> Table:
    verdicts = {name: facts["test"] for name, facts in students.items()} | dict(yardsticks)
    measure = measure_of(next(iter(verdicts.values())))
    rows = [
        (
            _named(name, students.get(name)),
            nearness(verdict, measure),
            nearness(students[name]["validation"], measure) if name in students else Cell(""),
            *([_printed(name, students, paper)] if paper is not None else []),
            *([bounded(verdict.get("accuracy as data set 1"), percent)] if measure != "accuracy" else []),
            bounded(verdict.get("error in pawns"), _hundredths, most=None),
            bounded(verdict.get("sign"), percent),
            Cell(percent(verdict["explained"]) if "explained" in verdict else ""),
        )
        for name, verdict in verdicts.items()
    ]
    columns = ["student", "test", "validation", *([f"{paper.source}, test"] if paper is not None else [])]
    columns += [*(["as data set 1"] if measure != "accuracy" else []), "off, pawns", "sign", "explained"]
    return Table(cells(*columns), tuple(rows), title + _caption(measure, paper), dense=True)


def _caption(measure: str, paper: PublishedLabels | None) -> str:
    if measure == "accuracy":
        return "how many classes are right."
    unlike = f" {paper.errors_note}" if paper is not None else ""
    return (
        "mean squared error, with labels from -20 to 20 pawns mapped to 0 to 1, whatever was learned. As data set 1: "
        f"how often what is said means the right one of its three classes.{unlike}"
    )


def _named(name: str, facts: Mapping[str, Any] | None) -> Cell:
    split = (facts or {}).get("split", "game")
    return Cell(name, "" if split == "game" else f"split by {split}")


def _printed(name: str, students: Mapping[str, Any], paper: PublishedLabels) -> Cell:
    facts = students.get(name)
    there = None if facts is None else paper.belongs(name, facts)
    if facts is None or there is None:
        return Cell("")
    write = _error if facts["dataset"] in paper.numbers else _share
    return Cell(write(there.test), f"validation {write(there.validation).removesuffix(' %')}")


def nearness(verdict: Mapping[str, Any], measure: str) -> Cell:
    """Return the measure by which students are compared, with its interval."""
    near = verdict.get(measure)
    return bounded(near, _share) if measure == "accuracy" else bounded(near, _error, most=None)


def bounded(measure: Mapping[str, Any] | None, write: Callable[[float], str], *, most: float | None = 1.0) -> Cell:
    """Return a measure with its interval, no wider than what is possible: from 0 to *most*."""
    if not measure or measure.get("value") is None:
        return Cell("")
    low, high = max(measure["low"], 0.0), measure["high"] if most is None else min(measure["high"], most)
    return Cell(write(measure["value"]), f"({write(low).removesuffix(' %')} to {write(high).removesuffix(' %')})")


def _share(value: float) -> str:
    return percent(value, 2)


def _error(value: float) -> str:
    return decimal(value, 4)


def _hundredths(value: float) -> str:
    return decimal(value, 2)


ONE_PASS = 0.99
"""Passes below which a student has not seen what it could learn from; what fills no batch is no reason to doubt."""


def passes_of(facts: Mapping[str, Any]) -> float:
    """Return how often a student learned from each position; of runs of before, at least how often."""
    return float(facts.get("passes", max(facts.get("epochs", 0) - 1, 0)))


def _costs(dataset: str, students: Mapping[str, Any]) -> Table:
    rows = [
        cells(
            name,
            *(str(facts.get(key, "")) for key in ("inputs", "design")),
            *(number(facts.get(key, "")) for key in ("parameters", "learned_from", "epochs")),
            number(facts["best_epoch"] + 1) if facts.get("best_epoch") is not None else "",
            number(round(facts["passes"], 2)) if "passes" in facts else "",
            number(round(facts.get("examples_per_second") or 0)),
            lasting(facts.get("seconds") or 0.0),
        )
        for name, facts in students.items()
    ]
    columns = (
        "student",
        "inputs",
        "network",
        "parameters",
        "positions",
        "epochs",
        "best",
        "passes",
        "a second",
        "time",
    )
    caption = (
        f"What they cost, data set {dataset}; positions are those learned from, altogether and a second, passes how "
        "often each of them was."
    )
    return Table(cells(*columns), tuple(rows), caption, dense=True)
