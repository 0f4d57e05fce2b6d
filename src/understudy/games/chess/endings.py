"""Chess endings of three and four pieces, solved: how many plies best play takes to mate, from every placement.

No file is needed: the tables are made by looking back from the mates (`retrograde.py`), those that captures and
promotions lead to first. Castling and the fifty-move rule are left out, and so is pawn against pawn, where a capture in
passing would need more than the cells of the pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.chess.position import Chess
from understudy.games.chess.retrograde import FORBIDDEN, MATERIALS, NOBODY, Drawn, Table, begin, sample, settle, worth

LETTERS = "PNBRQ"
OTHERS = 5
"""Added to the number of a piece of the side that does not move."""

Material = tuple[int, int]
"""Numbers of the pieces besides the kings, seen by the mover; see `retrograde.py`."""


def every_ending() -> list[str]:
    """Return the names of all endings that can be solved, the side with more first."""
    alone = [f"K{letter}vK" for letter in reversed(LETTERS)]
    pairs = list(combinations_with_replacement(reversed(LETTERS), 2))
    return alone + [f"K{a}{b}vK" for a, b in pairs] + [f"K{a}vK{b}" for a, b in pairs if (a, b) != ("P", "P")]


def material_of(ending: str) -> Material:
    """Return the pieces of an ending such as KQvKR, its first side to move."""
    if ending not in every_ending():
        raise BadOption(f"{ending!r} is no ending that can be solved; these can: {', '.join(every_ending())}")
    strong, weak = ending.split("v")
    return _material([LETTERS.index(one) for one in strong[1:]] + [OTHERS + LETTERS.index(one) for one in weak[1:]])


class Endings:
    """Endings that are solved one by one, with all those that they lead to."""

    def __init__(self, endings: Sequence[str]) -> None:
        self.endings = {ending: material_of(ending) for ending in endings}
        order = dict.fromkeys(one for material in self.endings.values() for one in _needed(material))
        self.starts = np.full(MATERIALS, -1, np.int64)
        ends = np.cumsum([0, *(_size(material) for material in order)])
        for material, start in zip(order, ends.tolist(), strict=False):
            self.starts[_code(material)] = start
        self.values = np.zeros(ends[-1], np.int8)
        self.solved: set[Material] = set()

    def solve(self, ending: str) -> None:
        """Solve an ending and before it those that it leads to, unless they are solved."""
        for material in _needed(self.endings[ending]):
            if material not in self.solved:
                both = tuple(dict.fromkeys((material, seen_by_others(material))))
                self._solve(both)
                self.solved.update(both)

    def worth(self, position: Chess) -> int:
        """Return the worth of a position of solved endings in plies, as `Drawn` has it."""
        return int(worth(position, self.values, self.starts))

    def worths(self, ending: str, *, turned: bool = False) -> NDArray[np.int8]:
        """Return the worths of all placements that can occur with the first side to move, or *turned*, the second."""
        own = self.endings[ending]
        worths = self._worths(seen_by_others(own) if turned else own)
        return np.asarray(worths[worths != FORBIDDEN])

    def draw(self, ending: str, count: int, rng: np.random.Generator) -> Drawn:
        """Return random positions of an ending in which somebody can move; either side moves, White as often."""
        own = self.endings[ending]
        materials = list(dict.fromkeys((own, seen_by_others(own))))
        shares = [len(part) for part in np.array_split(np.arange(count), len(materials))]
        return _together([self._draw(one, share, rng) for one, share in zip(materials, shares, strict=True)])

    def _solve(self, materials: Sequence[Material]) -> None:
        """Solve an ending as both sides see it; tables that it leads to are there."""
        tables = [Table(*one, self._worths(one), np.zeros(_size(one), np.int8), np.zeros(_size(one), np.uint8))
                  for one in materials]  # fmt: skip
        longest, plies = max(begin(table, self.values, self.starts) for table in tables), 0
        while plies <= longest:
            for place, table in enumerate(tables):
                longest = max(longest, settle(plies, table, tables[place - 1]))
            plies += 1

    def _worths(self, material: Material) -> NDArray[np.int8]:
        start = self.starts[_code(material)]
        return np.asarray(self.values[start : start + _size(material)])

    def _draw(self, material: Material, count: int, rng: np.random.Generator) -> Drawn:
        """Return random positions with one side to move."""
        parts: list[Drawn] = []
        while sum(len(part.worths) for part in parts) < count:
            chosen = rng.integers(_size(material), size=2 * count)
            room = Drawn(np.zeros((7, len(chosen)), np.uint64), np.zeros((4, len(chosen)), np.int64),
                         np.zeros(len(chosen), np.int8), np.zeros(len(chosen), np.int32))  # fmt: skip
            total = sample(*material, chosen, rng.integers(2, size=len(chosen)), self.values, self.starts, room)
            parts.append(room.cut(total))
        return _together(parts).cut(count)


def _together(parts: Sequence[Drawn]) -> Drawn:
    return Drawn._make(np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True))


def seen_by_others(material: Material) -> Material:
    """Return the same pieces seen by the other side."""
    return _material([(one + OTHERS) % NOBODY for one in material if one != NOBODY])


def _material(numbers: Sequence[int]) -> Material:
    first, second, *_ = [*sorted(numbers), NOBODY, NOBODY]
    return first, second


def _code(material: Material) -> int:
    return material[0] * (NOBODY + 1) + material[1]


def _size(material: Material) -> int:
    return 64**3 if material[1] == NOBODY else 64**4


def _needed(material: Material) -> Iterator[Material]:
    """Yield the endings that a capture or a promotion leads to, then this one, each as both sides see it."""
    for one in _next(material):
        yield from _needed(one)
    yield from (material, seen_by_others(material))


def _next(material: Material) -> Iterator[Material]:
    """Yield what is left of a material after a piece is taken or a pawn promoted, if there is anything left."""
    pieces = [one for one in material if one != NOBODY]
    for place, piece in enumerate(pieces):
        rest = pieces[:place] + pieces[place + 1 :]
        if rest:
            yield _material(rest)
        if piece % OTHERS == 0:
            yield from (_material([*rest, piece + higher]) for higher in range(1, OTHERS))
