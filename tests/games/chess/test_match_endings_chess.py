"""Won endings in matches: by hand, with an engine's opinion that is made up."""

from __future__ import annotations

import pytest

from understudy.games.chess.judges.match_endings import endings_json, find_endings, pieces_worth
from understudy.games.chess.judges.quality import GameRecord, Judged, Side, Step

NOBODY = Side(0, 0.0, 0.0, 0)
FULL = "4k3/pppppppp/8/8/8/8/8/R2QK2R b KQ - 0 1"
FEW = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"


@pytest.mark.parametrize(
    ("fen", "worth"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 78),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("4k3/8/8/2bn4/8/8/8/R3K2R b - - 0 1", 16),
    ],
)
def test_pieces_are_counted_without_kings_and_for_both(fen: str, worth: int) -> None:
    assert pieces_worth(fen) == worth


def judged(pawns: list[float], fens: list[str], result: str) -> Judged:
    steps = tuple(Step(ply, "", fen) for ply, fen in enumerate(fens, 1))
    record = GameRecord("game 1", "one", "two", result, steps)
    return Judged(record, tuple(range(1, len(fens) + 1)), tuple(pawns), NOBODY, NOBODY)


def test_the_first_position_that_is_won_and_small_enough_counts() -> None:
    """A lead of six pawns is none too many, a board that is too full none too small."""
    won = judged([9.0, 6.0, 6.01, 2.0, 9.0], [FULL, FEW, FEW, FEW, FEW], "1-0")
    (ending,) = find_endings([won])
    assert (ending.player, ending.pawns, ending.won, ending.moves) == ("one", 6.01, True, 1)
    lost = judged([0.0, -7.0, -8.0, -9.0], [FEW] * 4, "1/2-1/2")
    (ending,) = find_endings([lost])
    assert (ending.player, ending.pawns, ending.won, ending.moves) == ("two", 7.0, False, 1)
    assert find_endings([judged([9.0], [FULL], "1-0"), judged([5.0], [FEW], "1-0")]) == []
    told = endings_json(find_endings([won, lost]), ("one", "two"))
    assert told["players"]["one"]["value"] == 1.0 and told["players"]["two"]["value"] == 0.0
    assert endings_json([], ("one", "two"))["players"]["one"]["value"] is None
