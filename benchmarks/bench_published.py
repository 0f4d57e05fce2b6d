"""The authors' own networks on the authors' own rows: which of the figures they printed come out again to every digit.

Known exceptions: the two lines "FROM phase 2 leg", which no definition of theirs gives. Where they had no moves
(STATES) they took a7 for the teacher's; only so their accuracies there come out. Their checker of moves counts here,
not the plain rules (docs/judges.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.files import data_folder
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.morris.batches import authors_images, moves_of
from understudy.games.morris.notation import read_move
from understudy.judges.measures import Verdict, measured
from understudy.judges.parts import RECALLS, accuracy, see
from understudy.judges.students import judge_parts
from understudy.players import make_player

GAME = find_game("morris")

LEGALITY = {
    "Only TO": "to",
    "Only FROM": "from",
    "Only REMOVE": "remove",
    "Only FROM-TO": "from_to",
    "Only REMOVE-FROM-TO": "remove_from_to",
    "Whole FROM": "whole_from",
    "Whole REMOVE": "whole_remove",
    "Whole MOVE": "whole",
    "REMOVE when chosen": "chosen_remove",
    "FROM phase 2": "whole_from_phase2",
}
ACCURACY = {
    "TO accuracy": "to",
    "FROM accuracy": "from",
    "REMOVE accuracy": "remove",
    "Whole MOVE accuracy": "whole",
    "Whole MOVE accuracy in phase 1": "phase1",
    "Whole MOVE accuracy in phase 2": "phase2",
    "Whole MOVE accuracy in phase 3": "phase3",
    "FROM not 0 accuracy": "from_nonzero",
    "REMOVE not 0 accuracy": "remove_nonzero",
}
FILES = ("DATASET.complete.txt", "STATES.complete.txt")
"""In the order of the sections of the published results."""


class Figure(NamedTuple):
    """A figure that the authors printed, and ours."""

    file: str
    line: str
    printed: str
    ours: str

    @property
    def same(self) -> bool:
        """Whether every printed digit comes out."""
        return self.printed == self.ours


class Watched:
    """The published cascade, and all that it chose when it was left to itself."""

    def __init__(self, folder: Path) -> None:
        self.inner: Any = make_player(f"nnmm:{folder / 'TFR'}", GAME)
        self.name, self.game, self.order = self.inner.name, GAME, self.inner.order
        self.chosen: list[NDArray[np.int64]] = []

    def score_parts(self, batch: Any, given: NDArray[np.int64] | None = None) -> tuple[Any, Any]:
        scores, parts = self.inner.score_parts(batch, given)
        if given is None:
            self.chosen.append(parts)
        return scores, parts


def lines() -> Iterator[str]:
    facts = facts_of(data_folder() / "nnmm")
    for kind in ("lines", "points"):
        yield f"{kind} as printed: {facts[kind]['as_printed']} of {facts[kind]['printed']}"
    yield from (f"another: {other}" for other in facts["others"])


def facts() -> dict[str, Any]:
    return facts_of(data_folder() / "nnmm")


def facts_of(folder: Path) -> dict[str, Any]:
    """Return how many lines and points of curves come out as printed, and those that do not."""
    every: dict[str, list[Figure]] = {"lines": [], "points": []}
    for section, file in enumerate(FILES):
        batch, moves = load_rows(folder / file)
        verdict = judge_matches(folder, batch, moves) if section == 0 else judge_states(folder, batch, moves)
        every["lines"] += compare_lines(verdict, folder, section)
        every["points"] += compare_points(verdict, folder, file)
    counts = {
        kind: {"as_printed": sum(figure.same for figure in figures), "printed": len(figures)}
        for kind, figures in every.items()
    }
    return counts | {
        "others": [figure._asdict() for figures in every.values() for figure in figures if not figure.same]
    }


def load_rows(path: Path) -> tuple[Any, NDArray[np.int32]]:
    """Return the authors' images of a file; where it has no moves all are a7."""
    rows = path.read_text().split()
    positions = [GAME.read(row[:28]) for row in rows]
    a7 = int(moves_of(np.array([[1, 0, 0]]))[0])
    moves = [read_move(at, row[29:]) if len(row) > 28 else a7 for at, row in zip(positions, rows, strict=True)]
    batch, codes, _ = authors_images(stacked(positions), np.array(moves, np.int32))
    return batch, codes


def judge_matches(folder: Path, batch: Any, moves: NDArray[np.int32]) -> Verdict:
    """Return what all judges say of the published cascade on rows with moves."""
    return judge_parts(Watched(folder), batch, moves)


def judge_states(folder: Path, batch: Any, moves: NDArray[np.int32]) -> Verdict:
    """Return the same on rows without moves, accuracy as the authors counted it there."""
    scorer = Watched(folder)
    verdict = judge_parts(scorer, batch, judges=["legality", "reliability"])
    return verdict | measured(accuracy(see(GAME, batch, moves, np.concatenate(scorer.chosen), scorer.order)))


def compare_lines(verdict: Verdict, folder: Path, section: int) -> Iterator[Figure]:
    """Yield the printed lines of a section beside ours."""
    named = {f"{line} leg": f"legality.authors.{name}" for line, name in LEGALITY.items()}
    named |= {line: f"accuracy.{name}" for line, name in ACCURACY.items()}
    for line, text in printed_lines(folder, section).items():
        value = verdict[named[line]].value
        ours = "-1" if value is None else f"{100 * value:.12g}"
        yield Figure(FILES[section], line, "-1" if text == "-1" else f"{float(text):.12g}", ours)


def compare_points(verdict: Verdict, folder: Path, file: str) -> Iterator[Figure]:
    """Yield the printed points of the three curves beside ours."""
    for part, curve in printed_curves(folder, file).items():
        for recall, text in zip(RECALLS, curve, strict=True):
            value = verdict[f"reliability.authors.{part}.{recall}"].value or 0.0
            yield Figure(file, f"{part} {recall}", f"{float(text):.2f}", f"{100 * value:.2f}")


def printed_lines(folder: Path, section: int) -> dict[str, str]:
    """Return the lines of a section of the published results."""
    text = (folder / "published_TFR_results.txt").read_text()
    found = re.findall(r"\t([^\t\n]*(?:leg|accuracy)[^\t\n]*):\t(\S+)", text.split("Legality response")[section + 1])
    return dict(found)


def printed_curves(folder: Path, name: str) -> dict[str, list[str]]:
    """Return the three curves of a file."""
    text = (folder / "published_TFR_reliability.txt").read_text().split(f"Test on: {name}")[1].split("Test on")[0]
    return {part.lower(): row.split() for part, row in re.findall(r"(\w+):\n([\d.\t]+)", text)}
