"""Positions taken from games by kernels: which ones, whether they are quiet, and each only once."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.games import find_game
from understudy.games.batches import joined, stacked, taken, unstacked
from understudy.games.chess.batches import KeySet, placement_keys, positions_at, quiet, strayed, successors
from understudy.games.chess.fen import read_fens

CHESS = find_game("chess")


def test_positions_of_games_are_those_that_were_played() -> None:
    lines = [random_line(CHESS, plies, seed) for seed, plies in ((0, 30), (1, 0), (2, 41))]
    codes = np.array([move for line in lines for _, move in line], np.int32)
    ends = np.cumsum([0, *(len(line) for line in lines)])
    starts = stacked([CHESS.start()] * 3)
    wanted = np.array([0, 5, 29, 30, 31, 70])
    positions = unstacked(positions_at(starts, codes, ends, wanted))
    everything = [position for line in lines for position, _ in line]
    assert positions == [everything[place] for place in wanted]
    assert len(unstacked(positions_at(starts, codes, ends, wanted[:0]))) == 0


@pytest.mark.parametrize(
    ("fen", "calm"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", True),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", False),  # check
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", False),  # promotion
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", False),  # a pawn for nothing
        ("4k3/2p5/3p4/8/5B2/8/8/4K3 w - - 0 1", True),  # a pawn for a bishop
        ("4k3/4p3/3p4/4P3/8/8/8/4K3 w - - 0 1", True),  # a pawn for a pawn
        ("4k3/2p5/3q4/4P3/8/8/8/4K3 w - - 0 1", False),  # a queen for a pawn
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", False),  # in passing
    ],
)
def test_quiet(fen: str, calm: bool) -> None:
    assert quiet(read_fens([fen])[0]).tolist() == [calm]


def test_straying_plays_any_legal_move_and_tells_where_games_end() -> None:
    start = CHESS.start()
    moves = CHESS.moves(start)
    chance = (np.arange(20) + 0.5) / 20
    after, goes_on = strayed(stacked([start] * 20), chance)
    assert unstacked(after) == [CHESS.play(start, move) for move in moves]
    assert goes_on.all()
    lost, ends = strayed(read_fens(["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])[0], np.array([0.5]))
    assert not ends.any() and unstacked(lost) == unstacked(read_fens(["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])[0])


def test_successors_are_all_that_goes_on_after_a_move() -> None:
    mate_or_not = CHESS.read("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
    asked = [CHESS.start(), mate_or_not, CHESS.read("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")]
    after, rows = successors(stacked(asked))
    wanted = [(row, CHESS.play(position, move)) for row, position in enumerate(asked) for move in CHESS.moves(position)]
    going_on = [(row, position) for row, position in wanted if CHESS.outcome(position) is None]
    assert list(zip(rows.tolist(), unstacked(after), strict=True)) == going_on
    assert len(going_on) < len(wanted)  # a mate, a stalemate, and nothing after a stalemate


def test_keys_are_of_placement_and_side() -> None:
    fens = ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 9 40", "4k3/8/8/8/8/8/8/R3K3 b - - 0 1",
            "r3k3/8/8/8/8/8/8/4K3 b - - 0 1"]  # fmt: skip
    one, same, other, turned = placement_keys(read_fens(fens)[0]).tolist()
    assert one == same and len({one, other, turned}) == 3


def test_a_set_of_keys_knows_what_it_met() -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(1, 60_000, 200_000).astype(np.uint64)
    met, key_set = set(), KeySet()
    for lot in np.split(keys, 20):
        fresh = [key not in met and not met.add(key) for key in lot.tolist()]
        assert key_set.fresh(lot).tolist() == fresh
    assert key_set.size == len(met)


def test_batches_may_be_empty() -> None:
    nobody = taken(stacked([CHESS.start()]), slice(0, 0))
    assert len(quiet(nobody)) == len(placement_keys(nobody)) == 0
    assert len(strayed(nobody, np.zeros(0))[1]) == 0
    assert len(quiet(joined([nobody, nobody]))) == 0
    assert len(successors(nobody)[1]) == 0
