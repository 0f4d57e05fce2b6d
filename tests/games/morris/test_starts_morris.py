"""Starts keep the promises of the papers; positions of random games are unfinished and reachable."""

from __future__ import annotations

import numpy as np

from understudy.games import find_game
from understudy.games.batches import stacked, unstacked
from understudy.games.morris.batches import ADVANTAGES, wander
from understudy.games.morris.notation import Morris
from understudy.records.examples import orbit_names
from understudy.records.starts import draw_starts

MORRIS = find_game("morris")


def owned(position: Morris) -> tuple[int, int]:
    return position.hand + int(position.mine).bit_count(), position.their_hand + int(position.theirs).bit_count()


def test_random_starts_keep_the_papers_promises() -> None:
    starts = draw_starts(MORRIS, "random", 3000, np.random.default_rng(1))
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
    assert starts == draw_starts(MORRIS, "random", 3000, np.random.default_rng(1))


def test_unequal_starts_have_an_advantage_in_every_phase() -> None:
    starts = draw_starts(MORRIS, "custom", 1000, np.random.default_rng(1))
    for position in starts:
        assert MORRIS.moves(position)
        assert MORRIS.read(MORRIS.write(position)) == position
        mine, theirs = owned(position)
        assert mine != theirs or mine == 3
    ahead = [owned(position)[0] > owned(position)[1] for position in starts]
    assert 0.3 < np.mean(ahead) < 0.7
    phases = {"placing" if p.hand else "flying" if min(owned(p)) == 3 else "sliding" for p in starts}
    assert phases == {"placing", "sliding", "flying"}
    assert len(set(orbit_names(MORRIS, stacked(starts)).tolist())) > 500


def test_the_table_of_advantages_is_sound() -> None:
    for better, worse, hand in ADVANTAGES:
        cells = f"{better} {worse}".split()
        assert len(set(cells)) == len(cells)
        assert set(cells) <= set(MORRIS.board.cells)
        assert 3 <= len(worse.split()) + hand <= len(better.split()) + hand <= 9


def test_random_walks_follow_the_rules() -> None:
    batch = wander(50, plies=40, one_in=4, rng=np.random.default_rng(1))
    for position in unstacked(batch):
        assert MORRIS.outcome(position) is None
        assert position.ply < 40
        assert MORRIS.read(MORRIS.write(position)).hand == position.hand
        assert position.hand + position.their_hand == max(18 - position.ply, 0)
