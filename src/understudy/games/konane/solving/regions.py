"""Boards of Konane that have fallen apart: regions that no jump can ever join, whose values add up.

Which jumps could ever be made is found by collecting jumps that others make possible until nothing new comes: cells
that share such a jump are one region, all others are dead. That is more than can really happen, so regions are
independent for certain. What a region is worth follows from what its jumps lead to, regions
again; so boards far too large to be searched are solved once they consist of small parts (Thompson 2005, section 8,
after Ernst 1995 and Chan and Tsai).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.konane.solving.values import ZERO, TooLarge, Value, Values
from understudy.protocols import Move

Cell: TypeAlias = tuple[int, int]
Cells: TypeAlias = Mapping[Cell, int]
"""What stands where: 0 a black stone, 1 a white one, EMPTY none. What is no cell is beyond the region or the board."""
Key: TypeAlias = tuple[tuple[int, int, int], ...]
Jump: TypeAlias = tuple[Cell, Cell, Cell]
"""From where, over what, to where."""

EMPTY = 2
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
SMALL = 10
"""Stones of a region whose value is looked for; larger ones are searched until they have fallen apart. A value tells
more than who wins and costs more: chosen by hand, on boards of 24 stones."""


class Region(NamedTuple):
    """A part of a board that nothing outside it can touch."""

    cells: dict[Cell, int]
    value: Value | None
    """What it is worth; None where it is too large for that."""


class State(NamedTuple):
    """What a search knows of a board: all that is small is one value."""

    large: tuple[Key, ...]
    value: Value


class Regions:
    """What regions are worth and who wins: each is looked at once, wherever on a board it lies."""

    def __init__(self, *, most: int = 1_000_000) -> None:
        self.values, self.most = Values(most), most
        self._known: dict[Key, Value] = {}
        self._won: dict[tuple[State, int], bool] = {}

    @property
    def looked_at(self) -> int:
        """How many different regions and boards were looked at."""
        return len(self._known) + len(self._won)

    def split(self, cells: Cells) -> list[Region]:
        """Return the regions of a board, the small ones with their values."""
        return [Region(one, self._value(_key(one)) if _is_small(one) else None) for one in split_cells(cells)]

    def wins(self, position: Any) -> bool:
        """Tell whether who is to move in a position wins; raise `TooLarge` where that would take too long."""
        return self._wins(self._state(cells_of(position)), position.ply & 1)

    def moves(self, game: CompiledGame, position: Any) -> dict[Move, bool]:
        """Tell of every legal move whether it wins."""
        return {move: not self.wins(game.play(position, move)) for move in game.moves(position)}

    def _state(self, cells: Cells, large: tuple[Key, ...] = (), value: Value = ZERO) -> State:
        """Return a board, with what else there is, as large regions and one value."""
        for region in split_cells(cells):
            if _is_small(region):
                value = self.values.add(value, self._value(_key(region)))
            else:
                large = (*large, _key(region))
        return State(tuple(sorted(large)), value)

    def _wins(self, state: State, mover: int) -> bool:
        if not state.large:
            return self.values.wins(state.value, mover)
        if (state, mover) not in self._won:
            self._count()
            self._won[state, mover] = any(not self._wins(after, 1 - mover) for after in self._after(state, mover))
        return self._won[state, mover]

    def _after(self, state: State, mover: int) -> Iterator[State]:
        """Yield what moves lead to: first those in the summed value, of which none is there in vain."""
        for value in self.values.options[state.value][mover]:
            yield State(state.large, value)
        for place, region in enumerate(state.large):
            others = state.large[:place] + state.large[place + 1 :]
            for after in moves_in(_cells_of_key(region), mover):
                yield self._state(after, others, state.value)

    def _value(self, key: Key) -> Value:
        """Return what a small region is worth, by what its moves lead to."""
        if key not in self._known:
            self._count()
            region = _cells_of_key(key)
            left, right = ([self._state(after).value for after in moves_in(region, colour)] for colour in (0, 1))
            self._known[key] = self.values.make(left, right)
        return self._known[key]

    def _count(self) -> None:
        if self.looked_at >= self.most:
            raise TooLarge(f"more than {self.most} boards")


class Apart(NamedTuple):
    """What is known of a position that has fallen apart."""

    wins: bool
    """Whether who is to move wins."""
    moves: dict[Move, bool]
    """Of every legal move whether it wins."""
    regions: list[tuple[list[str], str | None]]
    """The cells of each region, and what it is worth as people write it; None of one that was searched."""
    looked_at: int


MOST = 100_000
"""Boards and regions that a question may look at: some minutes of one core."""


def take_apart(game: CompiledGame, position: Any, *, most: int = MOST) -> Apart:
    """Return who wins a position, on a board of any size; raise where it has not fallen apart far enough for that."""
    regions = Regions(most=most)
    try:
        moves = regions.moves(game, position)
        parts = regions.split(cells_of(position))
    except TooLarge as error:
        raise BadOption(
            f"the position {game.write(position)!r} has not fallen apart into small regions: {error} would have to be "
            "looked at"
        ) from None
    named = [
        ([game.board.cells[row * position.columns + column] for row, column in region.cells],
         None if region.value is None else regions.values.write(region.value))
        for region in parts
    ]  # fmt: skip
    return Apart(any(moves.values()), moves, named, regions.looked_at)


def _is_small(region: Cells) -> bool:
    return sum(stone != EMPTY for stone in region.values()) <= SMALL


def cells_of(position: Any) -> dict[Cell, int]:
    """Return what stands on each cell of a position; in the opening, while stones are removed, there are no regions."""
    if position.ply < 2:
        raise BadOption("a board of konane has regions once both sides have removed a stone, not before")
    masks = [_as_number(position.mine), _as_number(position.theirs)]
    black, white = masks if position.ply & 1 == 0 else masks[::-1]
    cells = {}
    for place in range(position.rows * position.columns):
        stone = 0 if black >> place & 1 else 1 if white >> place & 1 else EMPTY
        cells[divmod(place, position.columns)] = stone
    return cells


def _as_number(mask: Any) -> int:
    """Return a mask of one word, or of several with the lowest cells first, as one number."""
    words = mask if isinstance(mask, tuple) else (mask,)
    return sum(int(word) << 64 * place for place, word in enumerate(words))


def split_cells(cells: Cells) -> list[dict[Cell, int]]:
    """Return the regions of a board; cells that nothing can ever touch are in none."""
    parent: dict[Cell, Cell] = {}

    def root(cell: Cell) -> Cell:
        while parent.setdefault(cell, cell) != cell:
            cell = parent[cell]
        return cell

    for one, *others in _possible_jumps(cells):
        for other in others:
            parent[root(other)] = root(one)
    regions: dict[Cell, dict[Cell, int]] = {}
    for cell in sorted(parent):
        regions.setdefault(root(cell), {})[cell] = cells[cell]
    return list(regions.values())


def _possible_jumps(cells: Cells) -> set[Jump]:
    """Return all jumps that could ever be made, and some that could not."""
    waiting, made = set(_lines(cells)), Made({}, {})
    jumps: set[Jump] = set()
    while ready := {jump for jump in waiting if _is_possible(jump, cells, made)}:
        waiting -= ready
        jumps |= ready
        for jump in ready:
            made.filling.setdefault(jump[2], []).append(jump)
            for cell in jump[:2]:
                made.emptying.setdefault(cell, []).append(jump)
    return jumps


class Made(NamedTuple):
    """Jumps that may have been made, by the cells that they fill and by those that they empty."""

    filling: dict[Cell, list[Jump]]
    emptying: dict[Cell, list[Jump]]


def _is_possible(jump: Jump, cells: Cells, made: Made) -> bool:
    """Tell whether a jump could be made after those that may have been made.

    Its stones must stand there at the same time. A stone that was not there at first came by some last jump; if that
    one took away the other stone, this must have come back by yet another. Likewise of the cell that must be empty.
    """
    origin, over, to = jump

    def spares(earlier: Jump, stone: Cell) -> bool:
        return stone not in earlier[:2] or stone in made.filling

    for stone, other in ((origin, over), (over, origin)):
        came = made.filling.get(stone, ())
        if cells[stone] == EMPTY and not any(spares(earlier, other) for earlier in came):
            return False
    went = made.emptying.get(to, ())
    return cells[to] == EMPTY or any(spares(earlier, origin) and spares(earlier, over) for earlier in went)


def _lines(cells: Cells) -> Iterator[Jump]:
    """Yield every three cells in line."""
    for row, column in cells:
        for down, right in DIRECTIONS:
            over, to = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if over in cells and to in cells:
                yield (row, column), over, to


def moves_in(cells: Cells, colour: int) -> Iterator[dict[Cell, int]]:
    """Yield what each move of a colour leads to, jumps over several stones in a row included."""
    for (row, column), stone in cells.items():
        if stone != colour:
            continue
        for down, right in DIRECTIONS:
            after, at = dict(cells), (row, column)
            while True:
                over, to = (at[0] + down, at[1] + right), (at[0] + 2 * down, at[1] + 2 * right)
                if after.get(over, EMPTY) != 1 - colour or after.get(to) != EMPTY:
                    break
                after[at], after[over], after[to] = EMPTY, EMPTY, colour
                at = to
                yield dict(after)


def _key(region: Cells) -> Key:
    """Return what regions share that differ by their place alone."""
    top, left = min(row for row, _ in region), min(column for _, column in region)
    return tuple(sorted((row - top, column - left, stone) for (row, column), stone in region.items()))


def _cells_of_key(key: Key) -> dict[Cell, int]:
    return {(row, column): stone for row, column, stone in key}
