"""Perft, the last ply counted, one core; peers count children by the length of their move lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import chess
import numpy as np

from benchmarks.table import Line, best_rate
from understudy.games import find_game
from understudy.games.rules import perft

MILLION = 1e6


def lines() -> Iterator[Line]:
    limits = {"lines_of_action": (5, 100), "morris": (6, 80), "konane": (9, 50), "chess": (5, 30)}
    rates = {}
    for name, (depth, least) in limits.items():
        rates[name] = best_rate(lambda name=name, depth=depth: ours(name, depth))  # type: ignore[misc]
        yield Line(f"perft {name}, depth {depth}", rates[name] / MILLION, "million leaves/s", "the limit", least)
    yield Line("perft chess", rates["chess"] / MILLION, "million leaves/s", "python-chess, depth 4", _chess(), 50)
    for name, peer, depth, least in (
        ("morris", "nine_mens_morris", 4, 5),
        ("lines_of_action", "lines_of_action", 3, 20),
    ):
        yield Line(
            f"perft {name}",
            rates[name] / MILLION,
            "million leaves/s",
            f"OpenSpiel, depth {depth}",
            _spiel(peer, depth),
            least,
        )


def ours(name: str, depth: int) -> int:
    game = find_game(name)
    return int(perft(game.start(), depth, np.zeros((depth, game.most_moves), np.int32)))


def _chess() -> float:
    def count(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += count(board, depth - 1)
            board.pop()
        return total

    return best_rate(lambda: count(chess.Board(), 4), repeats=3) / MILLION


def _spiel(name: str, depth: int) -> float:
    import pyspiel

    def count(state: Any, depth: int) -> int:
        if depth == 1:
            return len(state.legal_actions())
        return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    game = pyspiel.load_game(name)
    work: Callable[[], float] = lambda: count(game.new_initial_state(), depth)  # noqa: E731
    return best_rate(work, repeats=3) / MILLION
