"""The cost model of Konane's searches: what is counted, against plain counting."""

from __future__ import annotations

import pytest

from benchmarks.bench_cost import draw, facts, lines, measure
from understudy.games import CompiledGame, find_game


def count_below(game: CompiledGame, position: object, plies: int) -> int:
    """Return how many positions a plain search of so many plies visits below one."""
    after = [game.play(position, move) for move in game.moves(position)]
    return len(after) + (sum(count_below(game, one, plies - 1) for one in after) if plies > 1 else 0)


def test_positions_visited_are_those_below_the_root() -> None:
    game = find_game("konane", (4, 4))
    positions = draw(game)
    cost = measure(game, depths=(1, 3), further=2)
    for depth in (1, 3):
        expected = sum(count_below(game, position, depth) for position in positions) / len(positions)
        assert cost["depths"][str(depth)]["nodes"] == pytest.approx(expected)
    moves = sum(len(game.moves(position)) for position in positions) / len(positions)
    assert cost["moves"] == pytest.approx(moves) and cost["depths"]["1"]["model"] == pytest.approx(moves)
    assert cost["depths"]["3"]["model"] == pytest.approx(moves + moves**2 + moves**3)


def test_boards_are_compared_with_the_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((2.0, 3.0, 2.0, 3.0))
    monkeypatch.setattr(
        "benchmarks.bench_cost.measure",
        lambda game: {"moves": 3.0, "value": next(times), "depths": {}, "further_milliseconds": 1.0},
    )
    found = facts((4, 8))
    assert found["8x8"]["value_grown"] == 1.5 and found["8x8"]["value_model"] == 8.0
    monkeypatch.setattr("benchmarks.bench_cost.facts", lambda: found)
    assert "1.50 times that of 4x4 (2n^3: 8.0 times)" in "\n".join(lines())
