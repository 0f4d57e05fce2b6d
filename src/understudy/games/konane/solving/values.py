"""Combinatorial values: what a game is worth in which whoever cannot move loses, beside other games played at once.

A value is a number in a store: the options of both players, themselves values, with all that changes nothing taken
away (dominated options; reversible ones, which are answered at once by something better). Equal games then have the
same number, whatever they looked like. Left is Black, who moves first in Konane; Right is White. After Conway, *On
Numbers and Games*, and Berlekamp, Conway and Guy, *Winning Ways*.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

Value = int
"""A place in a store."""
ZERO: Value = 0
"""The game in which nobody can move."""
DEEP = 3
"""Braces within braces that a value is written with; what is deeper is left out."""


class Options(NamedTuple):
    """What each player can move to."""

    left: frozenset[Value]
    right: frozenset[Value]


class TooLarge(Exception):
    """There are more values than the store may hold."""


class Values:
    """A store of values; each is there once."""

    def __init__(self, most: int = 200_000) -> None:
        self.most = most
        self.options = [Options(frozenset(), frozenset())]
        self._places = {self.options[ZERO]: ZERO}
        self._less: dict[tuple[Value, Value], bool] = {}
        self._sums: dict[tuple[Value, Value], Value] = {}

    def make(self, left: Iterable[Value], right: Iterable[Value]) -> Value:
        """Return the value of a game with these options."""
        options = Options(frozenset(left), frozenset(right))
        while (simpler := self._simplified(options)) != options:
            options = simpler
        if options not in self._places:
            if len(self.options) >= self.most:
                raise TooLarge(f"more than {self.most} values")
            self._places[options] = len(self.options)
            self.options.append(options)
        return self._places[options]

    def add(self, one: Value, other: Value) -> Value:
        """Return the value of both games played at once: whoever is to move moves in either."""
        if ZERO in (one, other):
            return one + other
        pair = min(one, other), max(one, other)
        if pair not in self._sums:
            (a_left, a_right), (b_left, b_right) = (self.options[value] for value in pair)
            left = {self.add(a, pair[1]) for a in a_left} | {self.add(pair[0], b) for b in b_left}
            right = {self.add(a, pair[1]) for a in a_right} | {self.add(pair[0], b) for b in b_right}
            self._sums[pair] = self.make(left, right)
        return self._sums[pair]

    def is_at_most(self, one: Value, other: Value) -> bool:
        """Tell whether a game is nowhere better for Left than another: no option of either player says otherwise."""
        if one == other:
            return True
        if (one, other) not in self._less:
            left, right = self.options[one].left, self.options[other].right
            self._less[one, other] = not any(self.is_at_most(other, a) for a in left) and not any(
                self.is_at_most(b, one) for b in right
            )
        return self._less[one, other]

    def wins(self, value: Value, mover: int) -> bool:
        """Tell whether who is to move wins: 0 Left, 1 Right."""
        return not (self.is_at_most(value, ZERO) if mover == 0 else self.is_at_most(ZERO, value))

    def number(self, value: Value) -> Fraction | None:
        """Return which number a value is: so many moves that Left has to spare; None if it is none."""
        left, right = self.options[value]
        if len(left) > 1 or len(right) > 1:
            return None
        low, high = (None if not side else self.number(next(iter(side))) for side in (left, right))
        if (left and low is None) or (right and high is None):
            return None
        if low is not None and high is not None:
            return (low + high) / 2 if low < high else None
        if low is not None:
            return low + 1
        return Fraction(0) if high is None else high - 1

    def write(self, value: Value, deep: int = DEEP) -> str:
        """Return a value as people write it: a number, * where each can move to 0, else options in braces."""
        if (number := self.number(value)) is not None:
            return str(number)
        left, right = self.options[value]
        if left == right == {ZERO}:
            return "*"
        if deep == 0:
            return "{..}"
        sides = (", ".join(sorted(self.write(one, deep - 1) for one in side)) for side in (left, right))
        return "{" + " | ".join(sides) + "}"

    def _simplified(self, options: Options) -> Options:
        """Return a game's options without those that change nothing, one step of it."""
        left = {better for one in options.left for better in self._answered(one, options, side=0)}
        options = Options(frozenset(left), options.right)
        right = {better for one in options.right for better in self._answered(one, options, side=1)}
        return Options(
            frozenset(a for a in left if not any(a != b and self.is_at_most(a, b) for b in left)),
            frozenset(a for a in right if not any(a != b and self.is_at_most(b, a) for b in right)),
        )

    def _answered(self, option: Value, options: Options, side: int) -> Iterable[Value]:
        """Return what an option comes to: itself, or what follows where the other side has an answer no worse to it."""
        for answer in self.options[option][1 - side]:
            if self._is_at_most_raw(answer, options) if side == 0 else self._is_raw_at_most(options, answer):
                return self.options[answer][side]
        return (option,)

    def _is_at_most_raw(self, value: Value, options: Options) -> bool:
        """As `is_at_most`, of a value and a game that has none yet."""
        left, right = self.options[value].left, options.right
        return not any(self._is_raw_at_most(options, a) for a in left) and not any(
            self.is_at_most(b, value) for b in right
        )

    def _is_raw_at_most(self, options: Options, value: Value) -> bool:
        left, right = options.left, self.options[value].right
        return not any(self.is_at_most(value, a) for a in left) and not any(
            self._is_at_most_raw(b, options) for b in right
        )
