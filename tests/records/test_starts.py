"""Positions of random play are new, unfinished and reachable; not every game has other starts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import count_calls
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.games.batches import size, unstacked
from understudy.records.examples import orbit_names
from understudy.records.starts import draw_starts, reachable

MORRIS = find_game("morris")


def test_not_every_game_has_other_starts() -> None:
    for kind in ("custom", "random"):
        with pytest.raises(BadOption, match=f"konane has no {kind} starts"):
            draw_starts(find_game("konane"), kind, 1, np.random.default_rng(0))


def test_reachable_positions(game: CompiledGame) -> None:
    count = 20 if game.size == (4, 4) else 60
    batch = reachable(game, count, np.random.default_rng(1))
    assert size(batch) == count
    assert len(set(orbit_names(game, batch).tolist())) == count
    for position in unstacked(batch):
        assert game.moves(position)
        game.read(game.write(position))
    again = reachable(game, count, np.random.default_rng(1))
    assert all((a == b).all() for a, b in zip(batch, again, strict=True))


def test_reachable_positions_keep_away_from_given_ones() -> None:
    first = reachable(MORRIS, 3000, np.random.default_rng(1))
    names = orbit_names(MORRIS, first)
    second = reachable(MORRIS, 3000, np.random.default_rng(1), without=names)
    assert not set(names.tolist()) & set(orbit_names(MORRIS, second).tolist())


def test_many_reachable_positions_are_not_looked_at_one_by_one() -> None:
    reachable(MORRIS, 10, np.random.default_rng(1))  # what follows need not compile
    draws = []
    calls = count_calls(lambda: draws.append(reachable(MORRIS, 100_000, np.random.default_rng(1))))
    assert size(draws[0]) == 100_000
    assert calls < 50_000


def test_none_and_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.records.starts.PATIENCE", 2)
    assert size(reachable(MORRIS, 0, np.random.default_rng(1))) == 0
    with pytest.raises(BadOption, match="random play of konane finds only"):
        reachable(find_game("konane", (4, 4)), 100_000, np.random.default_rng(1))
