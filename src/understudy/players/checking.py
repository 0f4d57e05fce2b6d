"""How choices made part by part are checked: not at all, by the rules, or as the authors of a paper did.

`original` takes each network's best class that passes the tests of a game's `fallback`, which may lead where no class
is left. The program of the authors ended there; here the player has lost that game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import OPEN, size
from understudy.games.parts import moves_of
from understudy.players.parts import PartScorer, checked_parts, in_part_order
from understudy.protocols import Choice

NONE, LEGAL, ORIGINAL = CHECKS = ("none", "legal", "original")
"""Whether a cascade may choose anything, or what leads to a legal move, or what the authors' check lets through."""
DEAD_END = "dead end"
"""Why a game is lost in which the authors' check leaves no class."""


class Checked(NamedTuple):
    """What a check made of the networks' choices."""

    parts: NDArray[np.int64]
    """[n, parts], in the order of the game's `part_names`."""
    corrected: NDArray[np.bool_]
    """[n, parts], in cascade order: whose first choice was not taken."""
    stuck: NDArray[np.bool_]
    """[n]: where no class was left."""


def check_check(game: CompiledGame, check: str, place: str) -> None:
    """Raise unless choices in this game can be checked so; *place* names the option for errors."""
    if check not in CHECKS:
        raise UnknownName(place, check, CHECKS)
    if check == ORIGINAL:
        game.kind.load("fallback")


def decide_parts(scorer: PartScorer, batch: Any, check: str) -> Checked:
    """Return the parts that a cascade chooses under a check."""
    if check == ORIGINAL:
        return fall_back(scorer, batch)
    free = np.zeros(size(batch), np.bool_)
    if check == LEGAL:
        return Checked(*checked_parts(scorer, batch), free)
    parts = scorer.score_parts(batch)[1]
    return Checked(parts, np.zeros(parts.shape, np.bool_), free)


def make_choices(game: CompiledGame, checked: Checked) -> list[Choice]:
    """Return the decided parts as choices; those in a dead end are lost."""
    moves: Sequence[int] = moves_of(game, checked.parts).tolist()
    faults = [DEAD_END if stuck else None for stuck in checked.stuck.tolist()]
    return [Choice(move, fault=fault) for move, fault in zip(moves, faults, strict=True)]


def fall_back(scorer: PartScorer, batch: Any) -> Checked:
    """Return each network's best class that passes the authors' tests; later networks see what was taken."""
    rows, order, last = size(batch), scorer.order, len(scorer.order) - 1
    find_passing = scorer.game.kind.load("fallback").find_passing
    chosen, corrected = np.full((rows, last + 1), OPEN, np.int64), np.zeros((rows, last + 1), np.bool_)
    stuck = np.zeros(rows, np.bool_)
    for place in range(last + 1):
        given = np.where(np.arange(last) < place, chosen[:, :last], OPEN)
        scores = scorer.score_parts(batch, given)[0][:, place]
        passing = find_passing(batch, order=order, chosen=chosen, place=place)
        own, left = scores.argmax(axis=1), passing.any(axis=1)
        best = np.where(passing, scores, -np.inf).argmax(axis=1)
        chosen[:, place] = np.where(left, best, own)
        corrected[:, place] = left & (best != own)
        stuck |= ~left
    return Checked(in_part_order(chosen, order), corrected, stuck)
