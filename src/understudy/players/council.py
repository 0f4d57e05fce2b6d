"""Several students that vote: `council:runs/a+runs/b+runs/c`, or `council:RUN` for all students of a run.

At each place of the order the probabilities that the students give to the classes are averaged, and the best class is
taken; all of them then go on from what was taken together. The Morris thesis wishes for this in its chapter 7. Students
of folds (`examples.fold`) are such a council: each has not seen something that the others have.

It is a kind of player and not an option of `student:`, because what a student alone can do (a value, a search, another
generation) has no meaning for several.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.batches import OPEN, size, stacked
from understudy.players.checking import NONE, check_check, decide_parts, make_choices
from understudy.players.names import PlayerKind
from understudy.players.network import Student, StudentPlayerOptions
from understudy.players.parts import in_part_order, think_by_parts
from understudy.protocols import Choice
from understudy.thoughts import Thought

BETWEEN = "+"
"""What stands between the places of students: a comma begins an option."""
MOST = 100
"""Members: each is a network in memory, and all are asked about every move."""
LEAST_LIKELY = 1e-30
"""A probability below is taken for this one, whose logarithm is a number."""


@dataclass(frozen=True, kw_only=True)
class CouncilOptions:
    """Who votes, and how a vote is checked."""

    path: str = ""
    """Students with + between them, or a run folder, whose students all vote."""
    check: str = NONE
    """As of a student: `none`, `legal` or `original`."""
    symmetries: bool = False
    """Let each average its opinion over all images of the board first."""


class Council:
    """Students that decide together, part by part."""

    def __init__(self, game: CompiledGame, options: CouncilOptions, *, name: str, rng: np.random.Generator) -> None:
        check_check(game, options.check, f"check of {name!r}")
        self.name, self.game, self.check = name, game, options.check
        places = list_members(options.path)
        check_range(f"{name}: students that vote", len(places), 2, MOST)
        chosen = [StudentPlayerOptions(path=place, symmetries=options.symmetries) for place in places]
        self.members = [Student(game, one, name=f"student:{one.path}", rng=rng) for one in chosen]
        self.order = self.members[0].order
        for place, member in zip(places, self.members, strict=True):
            if member.order != self.order:
                raise BadOption(f"player {name!r}: {places[0]!r} and {place!r} decide in different orders")
        self.corrections = np.zeros(len(self.order), np.int64)
        """How often the check changed the choice at each place."""

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose in all positions at once."""
        checked = decide_parts(self, stacked(positions), self.check)
        self.corrections += checked.corrected.sum(axis=0)
        return make_choices(self.game, checked)

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return the averaged probabilities of all cells for each part, and of whole moves."""
        return think_by_parts(self, position, self.choose([position])[0])

    def prepare(self) -> None:
        """Run once before any clock does."""
        self.score_parts(stacked([self.game.start()]))

    def score_parts(
        self, batch: Any, given: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return logarithms of mean probabilities at each place, and the parts chosen, place after place."""
        last = len(self.order) - 1
        settled = np.full((size(batch), last), OPEN, np.int64) if given is None else given.copy()
        scores, choices = [], []
        for place in range(last + 1):
            scores.append(self._average(batch, settled, place))
            choices.append(scores[-1].argmax(axis=1))
            if place < last:
                settled[:, place] = np.where(settled[:, place] == OPEN, choices[-1], settled[:, place])
        return np.stack(scores, axis=1), in_part_order(np.stack(choices, axis=1), self.order)

    def _average(self, batch: Any, settled: NDArray[np.int64], place: int) -> NDArray[np.float32]:
        told = [np.exp(member.score_parts(batch, settled)[0][:, place]) for member in self.members]
        mean: NDArray[np.float32] = np.log(np.maximum(np.mean(told, axis=0), LEAST_LIKELY)).astype(np.float32)
        return mean


def list_members(path: str) -> list[str]:
    """Return the places of students that *path* names: those between the signs, or all of a run folder."""
    places = [place.strip() for place in path.split(BETWEEN)]
    if len(places) > 1 or not os.path.isdir(path):  # False, not an error, for too long a name
        return [place for place in places if place]
    return sorted(map(str, Path(path).glob("student_*.onnx")))


COUNCIL = PlayerKind(Council, CouncilOptions, "path")
