"""A few positions with what a student that values boards thinks of them, beside what somebody else says of them.

The other one is an engine that labelled positions, games that were sampled, or an opponent whom the student met. As in
`samples.py` they are drawn by chance while students are judged, and kept as numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.lab.samples import EACH, PALE, SEED, Thinker
from understudy.pictures.traces import draw_move
from understudy.protocols import Move, Player
from understudy.thoughts import Thought

ALSO = 2
"""Moves that a student thinks of next, shown beside its choice."""
RIVALRY = 40
"""Positions in which an opponent is asked for its move: it may think for a second about each."""


class Opinion(NamedTuple):
    """What a student and somebody else say of one position, and whether that is the same."""

    agrees: bool
    ours: str
    theirs: str


def draw_rows(count: int, most: int) -> NDArray[np.int64]:
    """Return which of so many positions are looked through, in their order."""
    return np.sort(np.random.default_rng(SEED).permutation(count)[:most])


def draw_opinions(
    student: Thinker, positions: Sequence[Any], opinions: Sequence[Opinion], *, judge: str
) -> list[dict[str, Any]]:
    """Return positions of which a student thinks as *judge* does, and others, two of each where there are."""
    kinds: dict[str, list[dict[str, Any]]] = {"agrees": [], "differs": []}
    for position, opinion in zip(positions, opinions, strict=True):
        kind = "agrees" if opinion.agrees else "differs"
        if len(kinds[kind]) < EACH and student.game.moves(position):
            words = {"kind": kind, "judge": judge, "ours": opinion.ours, "theirs": opinion.theirs}
            kinds[kind].append(words | describe_thought(student.think(position)))
    return [sample for samples in kinds.values() for sample in samples]


def draw_rivalry(student: Thinker, rival: Player, positions: Sequence[Any]) -> list[dict[str, Any]]:
    """Return positions in which a student moves as *rival* would, and others, two of each where there are."""
    rows = draw_rows(len(positions), RIVALRY)
    asked = [positions[row] for row in rows]
    kinds: dict[str, list[dict[str, Any]]] = {"alike": [], "apart": []}
    both = zip(student.choose(asked), rival.choose(asked), strict=True) if asked else ()
    for position, (ours, theirs) in zip(asked, both, strict=True):
        kind = "alike" if ours.move == theirs.move else "apart"
        if len(kinds[kind]) < EACH:
            other = None if kind == "alike" else theirs.move
            words = {"kind": kind, "judge": rival.name, "theirs": student.game.write_move(position, theirs.move)}
            kinds[kind].append(words | describe_thought(student.think(position), other))
    return [sample for samples in kinds.values() for sample in samples]


def describe_thought(thought: Thought, other: Move | None = None) -> dict[str, Any]:
    """Return a thought as plain data: the choice, moves thought of next, arrows; a pale one for another's move."""
    game, position, choice = thought.game, thought.position, thought.choice.move
    numbers = {weighed.move: _write(weighed.number, weighed.note) for weighed in thought.moves}
    also = [move for move in numbers if move != choice][:ALSO]
    pale = also if other is None else [other]
    return {
        "position": game.write(position), "mover": game.colours[position.ply % 2],
        "choice": thought.write(choice), "worth": numbers.get(choice, ""),
        "also": [[thought.write(move), numbers[move]] for move in also],
        "heat": {}, "marked": [],
        "arrows": [*draw_move(game, position, choice, 1.0),
                   *(arrow for move in pale for arrow in draw_move(game, position, move, PALE))],
    }  # fmt: skip


def _write(number: float | None, note: str) -> str:
    """Return what a move is worth, in the student's own words where it has some."""
    return note or ("" if number is None else f"{number:+.2f}")
