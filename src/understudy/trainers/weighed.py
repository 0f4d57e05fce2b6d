"""What a teacher's worths of many moves teach: soft targets for choices, and worths of the positions they lead to.

A target shares a teacher's favour among its best moves: the larger the temperature, the more alike. One of the moves is
drawn each time a row is shown; a network that decides part by part is told that move's earlier parts, and its target is
how likely each class is after them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.errors import BadOption
from understudy.games.batches import NO_MOVE, taken
from understudy.games.legality import part_rules
from understudy.games.parts import part_table
from understudy.games.rows import play_rows
from understudy.records.examples import Examples
from understudy.records.store import Records

NEARLY = 0.9999
"""Of 1 for won: what is worth more counts as that much, so that no score is endless."""


class Targets(NamedTuple):
    """What rows are fitted to: one drawn move, and how likely others are."""

    parts: Tensor
    """Of the drawn moves, in the cascade's order [rows, parts]."""
    others: Tensor
    """Of all moves that share the favour [rows, moves, parts]."""
    shares: Tensor
    """[rows, moves]"""
    legal: Tensor | None
    """Which classes the rules allow after the drawn move's earlier parts, as bits [rows, parts, words]."""


@dataclass(frozen=True)
class Soft:
    """Examples whose targets are shared among several moves."""

    examples: Examples
    order: tuple[int, ...]
    moves: NDArray[np.int32]
    """[rows, moves]"""
    shares: Tensor
    """[rows, moves]: they add up to 1 in each row."""
    legal: bool
    """Whether the masks are wanted that a legality term needs."""

    def draw(self, rows: Tensor) -> Targets:
        """Return the targets of some rows; PyTorch's own chance draws."""
        shares, places = self.shares[rows], np.asarray(rows)
        drawn = (shares.cumsum(dim=1) < torch.rand(len(rows), 1)).sum(dim=1).clamp(max=shares.shape[1] - 1)
        others = torch.from_numpy(part_table(self.examples.game).parts[self.moves[places]][:, :, list(self.order)])
        parts = others[torch.arange(len(rows)), drawn]
        legal = torch.from_numpy(self._follow(places, parts.numpy())) if self.legal else None
        return Targets(parts, others, shares, legal)

    def _follow(self, rows: NDArray[np.int64], parts: NDArray[np.int64]) -> NDArray[np.int64]:
        rules = part_rules(self.examples.game)
        return rules.follow(taken(self.examples.positions, rows), order=self.order, chosen=parts).view(np.int64)


def make_soft(examples: Examples, order: tuple[int, ...], *, temperature: float, legal: bool) -> Soft:
    """Return examples with shared targets; where nothing was weighed the teacher's choice has it all."""
    if examples.weighed is None:
        raise BadOption(
            "training.temperature: these records hold choices alone, not what other moves are worth; watch with "
            "watch.weighed, and split by 'orbit'"
        )
    moves, worths = examples.weighed.moves.copy(), examples.weighed.worths.copy()
    alone = moves[:, 0] == NO_MOVE
    moves[alone, 0], worths[alone, 0] = examples.moves[alone], 0.0
    scores = torch.from_numpy(np.where(moves == NO_MOVE, -np.inf, stretch(worths) / temperature).astype(np.float32))
    return Soft(examples, order, np.where(moves == NO_MOVE, moves[:, :1], moves), scores.softmax(dim=1), legal)


def stretch(worths: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return worths as a search's scores go, without bounds: where a game is all but won, moves still differ."""
    return np.arctanh(np.clip(np.asarray(worths, np.float64), -NEARLY, NEARLY))


def find_target(targets: Targets, place: int, classes: int) -> Tensor:
    """Return how likely each class is at a place, after the drawn move's earlier parts [rows, classes]."""
    alike = (targets.others[:, :, :place] == targets.parts[:, None, :place]).all(dim=2)
    shares = targets.shares * alike
    spread = torch.zeros(len(shares), classes).scatter_add_(1, targets.others[:, :, place], shares)
    return spread / spread.sum(dim=1, keepdim=True)


class Worths(NamedTuple):
    """Positions that weighed moves lead to, and what each is worth to the side to move there, from 0 to 1."""

    positions: Any
    values: Tensor


def make_worths(records: Records) -> Worths:
    """Return what every weighed move of records leads to."""
    if records.weighed is None:
        raise BadOption("training.worth: these records do not tell what moves are worth; watch with watch.weighed")
    rows, places = np.nonzero(records.weighed.moves != NO_MOVE)
    after = play_rows(records.positions, rows, records.weighed.moves[rows, places])
    values = (1.0 - records.weighed.worths[rows, places]) / 2.0  # what is good for one side is bad for the other
    return Worths(after, torch.from_numpy(values.astype(np.float32)))


def find_worth_loss(logits: Tensor, values: Tensor) -> Tensor:
    """Return how far a network's opinions of positions are from their worths."""
    return nn.functional.binary_cross_entropy_with_logits(logits, values)
