"""Starts keep the promises of the papers; positions of random play are new, unfinished and reachable."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import count_calls

from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.games.batches import size, unstacked
from understudy.games.morris.notation import Morris
from understudy.games.morris.random_games import wander
from understudy.records.orbits import orbit_names
from understudy.records.starts import ADVANTAGES, custom_starts, random_starts, reachable

MORRIS = find_game("morris")


def owned(position: Morris) -> tuple[int, int]:
    return position.hand + int(position.mine).bit_count(), position.their_hand + int(position.theirs).bit_count()


def test_random_starts_keep_the_papers_promises() -> None:
    starts = random_starts(MORRIS, 3000, np.random.default_rng(1))
    assert len(starts) == 3000
    for position in starts:
        assert position.ply % 2 == 0
        assert position.hand == position.their_hand
        assert all(3 <= stones <= 9 for stones in owned(position))
        assert int(position.mine) & int(position.theirs) == 0
        assert MORRIS.outcome(position) is None
        assert MORRIS.moves(position)
        assert MORRIS.read(MORRIS.write(position)) == position
    assert {owned(position)[0] for position in starts} == set(range(3, 10))
    assert {position.hand for position in starts} == set(range(10))
    assert starts == random_starts(MORRIS, 3000, np.random.default_rng(1))


def test_unequal_starts_have_an_advantage_in_every_phase() -> None:
    starts = custom_starts(MORRIS, 1000, np.random.default_rng(1))
    for position in starts:
        assert MORRIS.moves(position)
        assert MORRIS.read(MORRIS.write(position)) == position
        mine, theirs = owned(position)
        assert mine != theirs or mine == 3
    ahead = [owned(position)[0] > owned(position)[1] for position in starts]
    assert 0.3 < np.mean(ahead) < 0.7
    phases = {"placing" if p.hand else "flying" if min(owned(p)) == 3 else "sliding" for p in starts}
    assert phases == {"placing", "sliding", "flying"}
    assert len(set(orbit_names(MORRIS, wander_like(starts)).tolist())) > 500


def wander_like(positions: list[Morris]) -> Morris:
    return Morris(*(np.array(field) for field in zip(*positions, strict=True)))  # type: ignore[arg-type]


def test_the_table_of_advantages_is_sound() -> None:
    for better, worse, hand in ADVANTAGES:
        cells = f"{better} {worse}".split()
        assert len(set(cells)) == len(cells)
        assert set(cells) <= set(MORRIS.board.cells)
        assert 3 <= len(worse.split()) + hand <= len(better.split()) + hand <= 9


def test_starts_are_for_morris() -> None:
    for act in (custom_starts, random_starts):
        with pytest.raises(BadOption, match="not for konane"):
            act(find_game("konane"), 1, np.random.default_rng(0))


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
    found = []
    calls = count_calls(lambda: found.append(reachable(MORRIS, 100_000, np.random.default_rng(1))))
    assert size(found[0]) == 100_000
    assert calls < 50_000


def test_none_and_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.records.starts.PATIENCE", 2)
    assert size(reachable(MORRIS, 0, np.random.default_rng(1))) == 0
    with pytest.raises(BadOption, match="random play of konane finds only"):
        reachable(find_game("konane", (4, 4)), 100_000, np.random.default_rng(1))


def test_random_walks_follow_the_rules() -> None:
    batch = wander(50, plies=40, rng=np.random.default_rng(1))
    for position in unstacked(batch):
        assert MORRIS.outcome(position) is None
        assert position.ply < 40
        assert MORRIS.read(MORRIS.write(position)).hand == position.hand
        assert position.hand + position.their_hand == max(18 - position.ply, 0)
