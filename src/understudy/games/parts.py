"""Parts of moves, in any game: what students that imitate moves decide one after another.

A part has classes, numbered from 0; most of them are cells. Which class stands for which cell of the board may depend
on the position: chess is seen from the mover's side, and Lines of Action numbers the cells of its largest board
whatever the size. All that draws, names or learns parts asks here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.batches import NO_MOVE
from understudy.games.game import CompiledGame
from understudy.protocols import NOTHING


class PartTable(NamedTuple):
    """Every move that can be said with the parts of a game, legal somewhere or not."""

    codes: NDArray[np.int32]
    """[classes of the first part, of the second, ...]: the code of the move."""
    parts: NDArray[np.int64]
    """[codes, parts]: back from codes to classes; zeros where no move has the code."""


@cache
def part_table(game: CompiledGame) -> PartTable:
    """Return the codes of all moves by their parts, and the parts by code."""
    codes = np.empty(game.part_sizes, np.int32)
    for numbers in np.ndindex(*game.part_sizes):
        codes[numbers] = game.notation.joined(numbers)
    parts = np.zeros((int(codes.max()) + 1, codes.ndim), np.int64)
    parts[codes.ravel()] = np.stack(np.unravel_index(np.arange(codes.size), codes.shape), axis=1)
    return PartTable(codes, parts)


def parts_of(game: CompiledGame, moves: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the parts of each move [moves, parts] in the order of the game's; zeros where nobody moved."""
    parts = part_table(game).parts[np.where(moves == NO_MOVE, 0, moves)]
    return np.where((moves == NO_MOVE)[:, None], 0, parts)


def moves_of(game: CompiledGame, parts: NDArray[Any]) -> NDArray[np.int32]:
    """Return the codes of moves given by their parts [moves, parts]."""
    codes: NDArray[np.int32] = part_table(game).codes[tuple(np.asarray(parts, np.int64).T)]
    return codes


def order_places(parts: Sequence[str], order: str, place: str = "student.order") -> tuple[int, ...]:
    """Return which part each place of *order* decides, such as (0, 1, 2) for TFR, written with the parts' initials.

    *parts* are their names, such as to, from and remove; no order is theirs. *place* names the order for errors.
    """
    letters = [part[0].upper() for part in parts]
    if sorted(order or letters) != sorted(letters):
        raise BadOption(f"{place}: {order!r} is not an order of the letters {', '.join(letters)}")
    return tuple(letters.index(letter) for letter in order or letters)


def may_lack(game: CompiledGame, part: int) -> bool:
    """Tell whether the first class of a part means that a move has no such part."""
    lacking: Sequence[str] | None = getattr(game.notation, "LACKING", None)
    if lacking is not None:
        return game.part_names[part] in lacking
    return game.part_sizes[part] == len(game.board.cells) + 1


def class_cells(game: CompiledGame, position: Any, part: int) -> list[int | None]:
    """Return the cell of the board that each class of a part stands for in *position*; None for those of no cell."""
    own = getattr(game.notation, "class_cells", None)
    if own is not None:
        return list(own(position, part))
    cells, more = range(len(game.board.cells)), game.part_sizes[part] - len(game.board.cells)
    return [*[None] * more, *cells] if more in (0, 1) else [None] * game.part_sizes[part]


def name_classes(game: CompiledGame, position: Any, part: int) -> list[str]:
    """Return what the classes of a part are called in *position*: cells by their names on the board."""
    cells = enumerate(class_cells(game, position, part))
    return [_name_class(game, part, number) if cell is None else game.board.cells[cell] for number, cell in cells]


def _name_class(game: CompiledGame, part: int, number: int) -> str:
    """Return what a class is called that stands for no cell of the board."""
    if number == 0 and may_lack(game, part):
        return NOTHING
    own = getattr(game.notation, "name_class", None)
    return str(number) if own is None else str(own(part, number))


def find_cells(game: CompiledGame, position: Any, move: int) -> list[int]:
    """Return the cells of the board that the parts of a move stand for, legal or not, each once and in order."""
    cells = [class_cells(game, position, part)[number] for part, number in enumerate(game.parts(move))]
    return sorted({cell for cell in cells if cell is not None})


def find_unfit(game: CompiledGame, position: Any, part: int, chosen: dict[int, int]) -> list[int]:
    """Return the cells that no legal move of *position* has as a part, other parts being *chosen*."""
    legal = [game.parts(move) for move in game.moves(position)]
    fitting = {parts[part] for parts in legal if all(parts[one] == number for one, number in chosen.items())}
    cells = enumerate(class_cells(game, position, part))
    return sorted(cell for number, cell in cells if cell is not None and number not in fitting)
