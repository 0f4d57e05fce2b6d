"""Evaluators of Konane: the eighteen functions a to r of Thompson (2005), six forms of three counters.

All are values of one type. While at most one cell is empty the source's program counted removals where we could also
count jumps; a to r follow the source, a_jumps to r_jumps do not. Choices are explained in docs/games/konane.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numba.extending import overload

from understudy.games.rules import RULES
from understudy.kernels import kernel

PIECES, MOVES, MOVABLE = range(3)

BEYOND = 1e6
"""A ratio whose denominator is 0 is this plus its numerator: above any other, more is still better. Ours, since the
source does not say; other readings fit its tables worse (docs/games/konane.md)."""


class Tally(NamedTuple):
    """A form of two counts, the judge's x and the other side's y: own x + other y, or own x / (other y)."""

    counter: int
    """PIECES, MOVES or MOVABLE (stones that can move)."""
    own: float
    other: float
    ratio: int
    """1: the ratio, 0: the sum."""
    template: int
    """1: count the source's removals while at most one cell is empty, 0: count jumps even then."""
    scale: float


def _by_type(name: str) -> Callable[[Any, int], int]:
    """Return the counter called *name* of whichever module holds the rules of a position."""

    def counter(position: Any, side: int) -> int:
        return int(getattr(RULES[type(position)], name)(position, side))

    @overload(counter, strict=False)
    def _counter(position: Any, side: Any) -> Any:
        chosen = getattr(RULES[position.instance_class], name)
        return lambda position, side: chosen(position, side)

    return counter


pieces = _by_type("pieces")
jumps = _by_type("jumps")
movable_stones = _by_type("movable_stones")
template_removals = _by_type("template_removals")


@kernel
def tally_value(evaluator: Tally, position: Any, own: bool) -> float:
    """Return the value for the side to move; when it is not the judge (*own*), minus the judge's value."""
    mine, theirs = counted(evaluator, position, 0), counted(evaluator, position, 1)
    return formed(evaluator, mine, theirs) if own else -formed(evaluator, theirs, mine)


@kernel
def counted(evaluator: Tally, position: Any, side: int) -> float:
    """Return what the evaluator counts, for the side to move (0) or the other (1)."""
    if evaluator.counter == PIECES:
        return float(pieces(position, side))
    if evaluator.template:
        removals = template_removals(position, side)
        if removals >= 0:
            return float(removals)
    return float(jumps(position, side) if evaluator.counter == MOVES else movable_stones(position, side))


@kernel
def formed(evaluator: Tally, judge: float, rival: float) -> float:
    """Return the evaluator's form of the judge's count and the rival's."""
    if not evaluator.ratio:
        return evaluator.own * judge + evaluator.other * rival
    if rival == 0:
        return BEYOND + judge
    return evaluator.own * judge / (evaluator.other * rival)


@kernel
def scaled(evaluator: Tally, value: float) -> float:
    """Return a judge's value as a share from 0 to 1, 0.5 where both sides count alike: of q = m / n, m / (m + n)."""
    if not evaluator.ratio:
        return 0.5 + 0.5 * math.tanh(value / evaluator.scale)
    plain = value * evaluator.other / evaluator.own
    return plain / (1.0 + plain)


FORMS = {
    "": (1.0, 0.0, 0),
    "opponent": (0.0, -1.0, 0),
    "difference": (1.0, -1.0, 0),
    "weighted_difference": (1.0, -3.0, 0),
    "ratio": (1.0, 1.0, 1),
    "weighted_ratio": (1.0, 3.0, 1),
}
"""The source's forms in its order, by name: factors of both counts, ratio or not. The 3 is Thompson's."""

SCALES = {
    "pieces": (300.0, 300.0, 300.0, 300.0, 180.0, 60.0),
    "moves": (120.0, 150.0, 14.0, 150.0, 9.0, 3.0),
    "movable": (90.0, 110.0, 10.0, 130.0, 8.1, 2.7),
}
"""Least squares over noisy games of q on 8x8; large where a count says little of who wins."""


def _evaluators() -> dict[str, Tally]:
    """Return every form of every counter by the source's letter and by name, with removals and with jumps."""
    evaluators: dict[str, Tally] = {}
    letters = iter("abcdefghijklmnopqr")
    for counter, (noun, scales) in enumerate(SCALES.items()):
        for (form, factors), scale in zip(FORMS.items(), scales, strict=True):
            tally = Tally(counter, *factors, template=1, scale=scale)
            name = f"opponent_{noun}" if form == "opponent" else f"{noun}_{form}".rstrip("_")
            for label in (next(letters), name):
                evaluators[label] = tally
                evaluators[f"{label}_jumps"] = tally._replace(template=0)
    return evaluators


EVALUATORS: dict[str, Tally] = _evaluators()

TWINS = (("e", "f"), ("k", "l"), ("q", "r"))
"""Ratios and weighted ratios of the same counter: the weight is a factor, so both order moves alike."""
