"""The section on selection: who persists from epoch to epoch, who would survive, and whom a round robin would keep."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.judges.measures import share
from understudy.report.blocks import Cell, Section, Table, Text, cells, measured, number, percent
from understudy.report.evolution.course import generations_of
from understudy.report.evolution.published import PublishedEvolution, PublishedRobin
from understudy.report.sources import Run
from understudy.tensors import load_arrays

FOUR = 4
"""Players of a tournament."""
PAIRS = tuple(combinations(range(FOUR), 2))
"""The six matches of a round robin of four."""


def fingerprint_rows(weights: NDArray[Any]) -> tuple[bytes, ...]:
    """Return a fingerprint of each row; equal rows alone have equal ones."""
    rows = np.ascontiguousarray(weights) + 0.0  # minus zero is zero
    return tuple(hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows)


class Persistence(NamedTuple):
    """How many individuals of epochs are found again."""

    individuals: int
    """In all epochs but the last, which nothing follows."""
    following: int
    """Of those, present also in the next epoch."""
    later: int
    """Of those, present also in any later epoch."""
    longest: int
    """Epochs in a row that one individual was present in; 1 where none persists."""
    epochs: int
    distinct: int
    """Different individuals in all epochs."""


def count_persisting(epochs: Iterable[Sequence[bytes]]) -> Persistence:
    """Return who persists, from the fingerprints of all individuals of each epoch, in order."""
    ordered = [tuple(one) for one in epochs]
    last = {one: place for place, rows in enumerate(ordered) for one in rows}
    following = later = longest = 0
    stays: dict[bytes, int] = {}
    for place, rows in enumerate(ordered):
        stays = {one: stays.get(one, 0) + 1 for one in rows}
        longest = max(longest, *stays.values()) if stays else longest
        after = set(ordered[place + 1]) if place + 1 < len(ordered) else set()
        following += sum(one in after for one in rows)
        later += sum(last[one] > place for one in rows)
    return Persistence(sum(map(len, ordered[:-1])), following, later, longest, len(ordered), len(last))


def reckon_survival(beaten: float, matches: int) -> float:
    """Return the chance to win so many matches in a row of one that beats the share *beaten* of the others."""
    return beaten**matches


class Elimination(NamedTuple):
    """All outcomes of four players that meet each other, by whether a round robin keeps the winner of the knock-out."""

    outright: int
    """It has won all three matches."""
    same: int
    """It is first by the tie-break: the match between those with as many wins."""
    another: int
    """Another one is first by that tie-break."""
    circle: int
    """Three with two wins have beaten each other in a circle: that tie-break names nobody."""

    @property
    def outcomes(self) -> int:
        """How many there are."""
        return sum(self)

    @property
    def most(self) -> Fraction:
        """The share of outcomes with another winner if every circle goes to another."""
        return Fraction(self.another + self.circle, self.outcomes)

    @property
    def by_lot(self) -> Fraction:
        """The share with another winner if the three of a circle draw lots."""
        return (self.another + Fraction(2, 3) * self.circle) / self.outcomes


def count_eliminations() -> Elimination:
    """Return a count of all outcomes of the six matches of four players, each as likely as any other."""
    counts = dict.fromkeys(Elimination._fields, 0)
    for outcome in product((True, False), repeat=len(PAIRS)):
        beats = dict(zip(PAIRS, outcome, strict=True))
        beats |= {(other, one): not first for (one, other), first in beats.items()}
        counts[_kept(beats)] += 1
    return Elimination(**counts)


def decide_knockout(beats: dict[tuple[int, int], bool]) -> int:
    """Return the winner of two semi-finals, 0 against 1 and 2 against 3, and a final."""
    one, other = (0 if beats[0, 1] else 1), (2 if beats[2, 3] else 3)
    return one if beats[one, other] else other


def decide_round_robin(beats: dict[tuple[int, int], bool]) -> tuple[int | None, bool]:
    """Return who wins most matches, among equals who beat the others of them, or None; and whether they were equal."""
    wins = [sum(beats[one, other] for other in range(FOUR) if other != one) for one in range(FOUR)]
    leaders = [one for one in range(FOUR) if wins[one] == max(wins)]
    first = [one for one in leaders if all(beats[one, other] for other in leaders if other != one)]
    return (first[0] if first else None), len(leaders) > 1


def _kept(beats: dict[tuple[int, int], bool]) -> str:
    """Return the field of an outcome."""
    (winner, tied), kept = decide_round_robin(beats), decide_knockout(beats)
    if winner is None:
        return "circle"
    if winner != kept:
        return "another"
    return "same" if tied else "outright"


NAME = re.compile(r"(?P<student>.+)_(?P<generation>[0-9]{5,})\.safetensors")
"""How trainers name the individuals of an epoch: at least five digits, so that files sort by generation."""


def epoch_files(folder: Path) -> dict[str, dict[int, Path]]:
    """Return the files of all individuals of epochs, by student and generation, ascending."""
    files: dict[str, dict[int, Path]] = {}
    for path in sorted(folder.glob("*.safetensors")) if folder.is_dir() else ():
        if match := NAME.fullmatch(path.name):
            files.setdefault(match["student"], {})[int(match["generation"])] = path
    return {student: dict(sorted(paths.items())) for student, paths in files.items()}


def load_prints(path: Path) -> tuple[bytes, ...]:
    """Return the fingerprints of all individuals in a file of an epoch."""
    arrays, _ = load_arrays(path, "individuals")
    if "weights" not in arrays or arrays["weights"].ndim != 2:
        raise FileError(f"file {str(path)!r} does not hold the weights of individuals, a row each")
    return fingerprint_rows(arrays["weights"])


def find_persisting(run: Run) -> dict[str, Persistence]:
    """Return who persists among each student's epochs, where there are two."""
    files = epoch_files(run.folder / "epochs")
    ordered = dict.fromkeys([*(student for student in generations_of(run) if student in files), *files])
    return {
        student: count_persisting(load_prints(path) for path in files[student].values())
        for student in ordered
        if len(files[student]) > 1
    }


def selection_section(run: Run, persists: Mapping[str, Persistence]) -> Section | None:
    """Tell who persists, and beside a paper what arithmetic says of its knock-outs."""
    if not persists:
        return None
    paper = run.beside(PublishedEvolution)
    reckoned = (_survival(paper), *_robin(paper.robin, paper.source)) if paper is not None else ()
    return Section("Selection", (_persistence(run, persists, paper), *_compare_formats(run), *reckoned))


def _compare_formats(run: Run) -> list[Text]:
    """Tell of students that were selected by round robins how often a knock-out would have kept another."""
    texts = []
    for student, lines in generations_of(run).items():
        counts = [one for line in lines if isinstance(one := line.get("robin"), Mapping)]
        played, another = (sum(int(one[name]) for one in counts) for name in ("played", "another"))
        if played:
            texts.append(Text(
                f"{student}: of {number(played)} round robins a knock-out by the same matches would have kept another "
                f"winner in {number(another)}, {_share(another, played)}. Of four it can only be one of equals: the "
                "older one stays."
            ))  # fmt: skip
    return texts


def _persistence(run: Run, persists: Mapping[str, Persistence], paper: PublishedEvolution | None) -> Table:
    expected = _expected(run)
    rows = [_row(student, one, expected.get(student, "–")) for student, one in persists.items()]
    if paper is not None:
        there = paper.persistence
        twice = 2 * (Cell(str(there.again), percent(there.again / there.individuals)),)
        heads = cells(paper.source, str(there.epochs), number(there.individuals))
        rows.append((*heads, *twice, *cells(str(there.longest), "–")))
    columns = cells(
        "student", "epochs", "individuals", "in the next epoch", "in any later one", "longest stay", "expected"
    )
    caption = (
        "Individuals found again, weight for weight; those of the last epoch are not counted. Longest stay: in epochs. "
        "Expected in the next epoch: if all old ones were alike, from how many of the survivors are old."
    )
    return Table(columns, tuple(rows), caption, dense=True)


def _row(student: str, one: Persistence, expected: str) -> tuple[Cell, ...]:
    again = [Cell(number(count), _share(count, one.individuals)) for count in (one.following, one.later)]
    return *cells(student, number(one.epochs), number(one.individuals)), *again, *cells(number(one.longest), expected)


def _share(hits: int, sample: int) -> str:
    cell = measured(share(hits, sample)._asdict(), decimals=2)
    return f"{cell.text} {cell.aside}"


def _expected(run: Run) -> dict[str, str]:
    """Return the chance that an individual outlives an epoch, from how many of the survivors are old ones."""
    files = epoch_files(run.folder / "epochs")
    chances = {}
    for student, lines in generations_of(run).items():
        births = (line.get("births") for line in lines)
        old = [one["old"] for one in births if isinstance(one, Mapping) and isinstance(one.get("old"), int | float)]
        steps = [after - before for before, after in pairwise(files.get(student, ()))]
        if old and steps:
            chances[student] = _small(mean(old) ** median(steps))
    return chances


def _small(chance: float) -> str:
    return percent(chance, 2) if chance >= 0.0001 else f"{chance:.1e}"


def _survival(paper: PublishedEvolution) -> Table:
    rows = [
        cells(f"beats {percent(beaten, 0)} of the others", f"{matches} matches: {what}",
              _small(reckon_survival(beaten, matches)), printed)
        for beaten, matches, printed, what in (*paper.survival, (0.5, 20, "–", "an epoch of ten generations"))
    ]  # fmt: skip
    caption = "The chance to survive knock-outs, each of which takes two matches won."
    return Table(cells("individual", "must win", "chance", paper.source), tuple(rows), caption)


OUTCOMES = (
    "the winner of the knock-out wins all three",
    "it is first by the match between equals",
    "another is first by that match",
    "three beat each other in a circle",
)
"""What becomes of the winner of a knock-out if the four meet each other, in the order of `count_eliminations`."""


def _robin(printed: PublishedRobin, source: str) -> tuple[Text, Table]:
    """Count all 64 outcomes of four players."""
    counts = count_eliminations()
    rows = tuple(
        cells(what, number(count), percent(count / counts.outcomes), there)
        for what, count, there in zip(OUTCOMES, counts, printed.shares, strict=True)
    )
    text = (
        f"A round robin of four names another winner than the knock-out in {percent(float(counts.by_lot))} of outcomes "
        f"if circles are decided by lot, and only on tie-break; in {percent(counts.another / counts.outcomes)} to "
        f"{percent(float(counts.most))} as they are decided otherwise. {printed.note}"
    )
    columns = cells(f"round robin of four ({printed.place})", "outcomes", "share", source)
    return Text(text), Table(columns, rows, "All outcomes of six matches between four equal players.")
