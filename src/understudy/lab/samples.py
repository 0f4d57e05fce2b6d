"""A few positions with what a student thinks of them, drawn by chance from those that nobody learned from.

They are chosen while students are judged and kept as numbers, so that a report is written from the folder alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from understudy.games import CompiledGame
from understudy.games.batches import taken, unstacked
from understudy.games.parts import find_cells
from understudy.judges.value_kept import Exam
from understudy.pictures.traces import draw_move
from understudy.protocols import Choice, Move, Player
from understudy.records.examples import Examples
from understudy.solve import glance
from understudy.thoughts import PartThought, Thought

ASKED = 400
"""Positions that are looked through: enough for a mistake that one choice in a hundred is."""
EACH = 2
"""Positions of each kind that are kept."""
SEED = 0x5A3B1E
"""Tells the chance that draws samples from all other."""
PALE = 0.15
"""How strong the teacher's arrow is, beside the student's, which is 1."""
NOTICED = 0.005
"""Shares below this are not kept: no heat of theirs is seen."""


class Thinker(Protocol):
    """A player that can say what it thinks."""

    game: CompiledGame

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose in all positions at once."""

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return what it thinks of a position."""


def draw_samples(student: Thinker, examples: Examples, *, asked: int = ASKED) -> list[dict[str, Any]]:
    """Return positions of *examples* that a student answers right, wrong and illegally, two of each where there are."""
    rows = np.random.default_rng(SEED).permutation(len(examples.moves))[:asked]
    chosen = examples.taken(np.sort(rows))
    positions, moves = unstacked(chosen.positions), chosen.moves.tolist()
    kinds: dict[str, list[dict[str, Any]]] = {"right": [], "wrong": [], "illegal": []}
    for position, move, choice in zip(positions, moves, student.choose(positions) if moves else [], strict=True):
        legal = choice.move in student.game.moves(position)
        kind = "right" if choice.move == move else "wrong" if legal else "illegal"
        if len(kinds[kind]) < EACH:
            kinds[kind].append(
                _describe(student.think(position), move, kind) | _find_truth(student.game, position, choice, move)
            )
    return [sample for samples in kinds.values() for sample in samples]


def _describe(thought: Thought, move: Move, kind: str) -> dict[str, Any]:
    """Return a thought as plain numbers, with what the teacher chose."""
    game, choice = thought.game, thought.choice.move
    shares = {weighed.move: weighed.number or 0.0 for weighed in thought.moves}
    part = _find_telling(thought, move)
    return {
        "kind": kind, "position": game.write(thought.position), "mover": game.colours[thought.position.ply % 2],
        "choice": thought.write(choice), "share": shares.get(choice, 0.0),
        "teacher": thought.write(move), "teacher_share": shares.get(move, 0.0),
        "part": part.part, "heat": {cell: round(share, 4) for cell, share in part.cells.items()
                                    if cell in game.board.cells and share >= NOTICED},
        "arrows": [*draw_move(game, thought.position, choice, 1.0),
                   *(draw_move(game, thought.position, move, PALE) if move != choice else [])],
        "marked": [] if kind != "illegal" else find_cells(game, thought.position, choice),
    }  # fmt: skip


def _find_truth(game: CompiledGame, position: Any, choice: Choice, move: Move) -> dict[str, str]:
    """Return what a choice and the teacher's are truly worth, in words, where that is known at once."""
    worths = glance(game, position)
    known = (("truth", choice.move), ("teacher_truth", move))
    return {name: str(worths[chosen]) for name, chosen in known if chosen in worths}


def _find_telling(thought: Thought, move: Move) -> PartThought:
    """Return the part in which a student left its teacher first; where it did not, the one it was least sure of."""
    game, choice = thought.game, thought.choice.move
    ours, theirs = game.parts(choice), game.parts(move)
    numbers = [game.part_names.index(part.part) for part in thought.parts]
    leaving = [part for part, at in zip(thought.parts, numbers, strict=True) if ours[at] != theirs[at]]
    return leaving[0] if leaving else min(thought.parts, key=lambda part: max(part.cells.values()))


def draw_kept(player: Player, game: CompiledGame, exam: Exam, *, asked: int = ASKED) -> list[dict[str, Any]]:
    """Return positions of an *exam* in which a move can lose the win: two where *player* keeps it, two where not."""
    critical = np.flatnonzero(exam.truths.matters & (exam.truths.best == 1))
    rows = np.sort(np.random.default_rng(SEED).permutation(critical)[:asked])
    positions = unstacked(taken(exam.positions, rows))
    kinds: dict[str, list[dict[str, Any]]] = {"kept": [], "lost": []}
    choices = player.choose(positions) if positions else []
    for row, position, choice in zip(rows.tolist(), positions, choices, strict=True):
        worths = exam.truths.of(row)
        wins = [move for move, worth in worths.items() if worth.value == 1]
        kind = "kept" if choice.move in wins else "lost"
        if len(kinds[kind]) < EACH and choice.move in worths:
            kinds[kind].append(_describe_kept(game, position, choice.move, wins) | {"kind": kind})
    return [sample for samples in kinds.values() for sample in samples]


def _describe_kept(game: CompiledGame, position: Any, choice: Move, wins: Sequence[Move]) -> dict[str, Any]:
    """Return a choice as plain data, with the moves that win; their arrows where it does not."""
    others = [] if choice in wins else wins
    return {
        "position": game.write(position), "mover": game.colours[position.ply % 2],
        "choice": game.write_move(position, choice), "wins": [game.write_move(position, move) for move in wins],
        "heat": {}, "marked": [],
        "arrows": [*draw_move(game, position, choice, 1.0),
                   *(arrow for move in others for arrow in draw_move(game, position, move, PALE))],
    }  # fmt: skip
