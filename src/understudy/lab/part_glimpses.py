"""Glimpses of students that choose a move part by part: what each part is likely to be, and whether the rules allow it.

The networks are looked at as they are at that moment, those of a cascade that have not begun to learn included. They
are copied first and asked without gradients: the training goes on as if nobody had looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import OPEN, size, stacked, unstacked
from understudy.games.layout import Encoder
from understudy.games.parts import may_lack, moves_of, parts_of
from understudy.judges.students import judge_parts
from understudy.lab.glimpses import COUNT, SEED, Glimpses, Scene, spread_evenly
from understudy.networks.students import Playing, Unit
from understudy.players.parts import in_part_order, weigh_moves, weigh_parts
from understudy.protocols import Choice
from understudy.records.examples import Examples
from understudy.thoughts import NOTHING, write_choice
from understudy.trainers.fitting import Learning

ASKED = 300
"""Held-out positions that tell how often a first choice is legal: sure to six points at worst, and done in a blink."""
NOTICED = 0.01
"""Shares below this are not kept: no heat of theirs is seen."""


@dataclass(frozen=True)
class Beginner:
    """A student as it is while it learns, asked like one that has learned."""

    name: str
    game: CompiledGame
    order: tuple[int, ...]
    encoder: Encoder
    playing: Playing

    def score_parts(
        self, batch: Any, given: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return log-probabilities [positions, parts, classes] in cascade order, and the parts chosen in the game's."""
        free = np.full((size(batch), len(self.order) - 1), OPEN, np.int64) if given is None else given
        inputs = torch.from_numpy(self.encoder.encode(batch)).float()
        with torch.no_grad():
            scores, choices = self.playing(inputs, torch.from_numpy(np.ascontiguousarray(free)))[:2]
        return scores.numpy(), in_part_order(choices.numpy(), self.order)


def draw_held_out(examples: Examples) -> list[Scene]:
    """Return positions that nobody learns from: of each shape that moves have, early ones and late ones."""
    game, plies = examples.game, examples.positions.ply
    has = _find_present(game, parts_of(game, examples.moves))
    shuffled = np.random.default_rng(SEED).permutation(len(has))
    by_ply = shuffled[np.argsort(plies[shuffled], kind="stable")]
    rows = sorted(_spread(by_ply, has), key=lambda row: (int(plies[row]), row))
    chosen = examples.taken(np.array(rows, np.int64))
    names = [tuple(name for name, there in zip(game.part_names, has[row], strict=True) if there) for row in rows]
    return [Scene(*scene) for scene in zip(unstacked(chosen.positions), chosen.moves.tolist(), names, strict=True)]


def _find_present(game: CompiledGame, parts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which parts each move has; where a part may lack, its first class says so."""
    always = np.array([not may_lack(game, part) for part in range(parts.shape[1])])
    present: NDArray[np.bool_] = (parts != 0) | always
    return present


def _spread(rows: NDArray[np.int64], has: NDArray[np.bool_]) -> list[int]:
    """Return rows spread over the shapes of moves, the commonest first, and evenly over the rows of each shape."""
    shapes, numbers = np.unique(has, axis=0, return_inverse=True)
    groups = sorted((rows[numbers[rows] == shape] for shape in range(len(shapes))), key=len, reverse=True)
    wanted = [0] * len(groups)
    while sum(wanted) < min(COUNT, len(rows)):
        rest = [place for place, group in enumerate(groups) if wanted[place] < len(group)]
        wanted[min(rest, key=lambda place: wanted[place])] += 1
    return [int(row) for group, count in zip(groups, wanted, strict=True) for row in spread_evenly(group, count)]


class Look:
    """Looks at a student while its networks learn, and writes down what it sees."""

    def __init__(
        self, glimpses: Glimpses, held_out: Examples, units: Sequence[Unit], *, encoder: Encoder, order: tuple[int, ...]
    ) -> None:
        self.glimpses, self.units, self.encoder, self.order = glimpses, units, encoder, order
        self.held_out = _take_some(held_out)
        glimpses.keep_scenes()

    def go_on(self, unit: Unit, learning: Learning) -> None:
        """Look before a network learns, or goes on: nothing is seen twice, and what a kill lost is seen now."""
        self.glimpses.forget_after(learning.epoch, network=unit.name)
        if self.glimpses.misses(learning.epoch, network=unit.name):
            self.see(unit, learning)

    def see(self, unit: Unit, learning: Learning) -> None:
        """Write down what the student chooses now, and how often that is legal and right."""
        game, rows = self.held_out.game, self.held_out
        beginner = Beginner(self.glimpses.student, game, self.order, self.encoder, Playing(self.units).eval())
        verdict = judge_parts(beginner, rows.positions, rows.moves, judges=("accuracy", "legality"))
        shares = {"right": verdict["accuracy.whole"].value, "legal": verdict["legality.whole"].value}
        choices = [_describe(beginner, scene) for scene in self.glimpses.scenes]
        self.glimpses.add(learning.epoch, "epoch", choices, network=unit.name, sample=len(rows.moves), **shares)


def _take_some(examples: Examples) -> Examples:
    """Return the held-out rows that tell how often a first choice is legal, the same whenever they are drawn."""
    rows = np.random.default_rng([SEED, 1]).permutation(len(examples.moves))[:ASKED]
    return examples.taken(np.sort(rows))


def _describe(beginner: Beginner, scene: Scene) -> dict[str, Any]:
    """Return a choice in one position as plain data: whole, part by part, and how likely the teacher's is."""
    game, position, batch = beginner.game, scene.position, stacked([scene.position])
    legal = game.moves(position)
    move = int(moves_of(game, beginner.score_parts(batch)[1])[0])
    parts = weigh_parts(beginner, position, Choice(move), [game.parts(one) for one in legal])
    teacher = weigh_moves(beginner, position, [scene.teacher]) if scene.teacher is not None else {}
    return {
        "move": write_choice(game, position, move) or NOTHING, "legal": move in legal,
        "share": round(prod(part.cells[part.choice] for part in parts), 4),
        "teacher": round(next(iter(teacher.values()), 0.0), 4),
        "parts": [{"part": part.part, "choice": part.choice, "illegal": round(part.illegal, 4),
                   "cells": {cell: round(share, 3) for cell, share in part.cells.items() if share >= NOTICED}}
                  for part in parts],
    }  # fmt: skip
