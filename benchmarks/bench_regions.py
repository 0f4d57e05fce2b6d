"""How often boards of Konane 8x8 fall apart in random games, and how many of them are solved by their regions.

A board counts as solved if no more than LIMIT boards and regions had to be looked at; plain search of the same boards,
with a table, has as many to itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from understudy.games import CompiledGame, find_game
from understudy.games.konane.solving.regions import Regions, cells_of, split_cells
from understudy.games.konane.solving.values import TooLarge

LEFT = (14, 18, 22)
"""Stones on the board, at most."""
GAMES = 60
"""Random games in which it is counted how often boards have fallen apart."""
TRIED = 12
"""Of these boards, so many are solved."""
LIMIT = 1_000


def lines() -> Iterator[str]:
    for left, one in facts().items():
        yield (
            f"8x8, at most {left} stones: {one['apart']} of {one['boards']} boards have fallen apart; of "
            f"{one['tried']} {one['solved']} are solved by regions within {LIMIT} boards, {one['plain']} plainly"
        )


def facts() -> dict[str, Any]:
    """Return what was counted, by the number of stones."""
    game = find_game("konane")
    return {str(left): count(game, left) for left in LEFT}


def count(game: CompiledGame, left: int) -> dict[str, int]:
    """Return how many boards with so many stones there are, have fallen apart, and are solved each way."""
    boards = [board for seed in range(GAMES) if (board := play_down(game, left, seed)) is not None]
    tried = boards[:TRIED]
    return {
        "boards": len(boards),
        "apart": sum(len(split_cells(cells_of(board))) > 1 for board in boards),
        "tried": len(tried),
        "solved": sum(_is_solved(board) for board in tried),
        "plain": sum(_is_solved_plainly(game, board) for board in tried),
    }


def play_down(game: CompiledGame, left: int, seed: int) -> Any | None:
    """Return the first position of a random game with at most so many stones; None if it ended before."""
    rng, position = np.random.default_rng(seed), game.start()
    while moves := game.moves(position):
        if sum(bool(stone) for stone in game.stones(position)) <= left:
            return position
        position = game.play(position, moves[rng.integers(len(moves))])
    return None


def _is_solved(position: Any) -> bool:
    try:
        Regions(most=LIMIT).wins(position)
    except TooLarge:
        return False
    return True


def _is_solved_plainly(game: CompiledGame, position: Any) -> bool:
    known: dict[Any, bool] = {}

    def wins(board: Any) -> bool:
        if board not in known:
            if len(known) >= LIMIT:
                raise TooLarge
            known[board] = any(not wins(game.play(board, move)) for move in game.moves(board))
        return known[board]

    try:
        wins(position)
    except TooLarge:
        return False
    return True
