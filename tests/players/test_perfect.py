"""The perfect player of any game: the nearest win, the furthest loss, lots among equals, and no guess."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game, rules
from understudy.games.chess import truth
from understudy.games.chess.notation import from_board
from understudy.games.lines_of_action.solving import retrograde
from understudy.kernels import interpreted
from understudy.match import Opening, play_games
from understudy.players import make_player, prepare, think
from understudy.solve import Worth, best_moves, draw_known, know, know_all, shared_solver

FOUR, FIVE, CHESS = find_game("lines_of_action", (4, 4)), find_game("lines_of_action", (5, 5)), find_game("chess")
LARGE = find_game("lines_of_action")
pytestmark = pytest.mark.skipif(interpreted(), reason="slow without the compiler")


def test_worths_have_an_order_and_words() -> None:
    ranked = [Worth(1, 1), Worth(1, 7), Worth(0, None), Worth(-1, 8), Worth(-1, 2)]
    assert sorted(ranked, key=lambda worth: worth.rank, reverse=True) == ranked
    assert Worth(1, None, 3).rank > Worth(1, None, 9).rank > Worth(-1, None, 9).rank > Worth(-1, None, 3).rank
    assert Worth(1, 1).rank > Worth(1, None, truth.NEAREST).rank, "a mate comes before a capture"
    told = [str(worth) for worth in (*ranked, Worth(1, None), Worth(0, None, note="by the fifty-move rule"))]
    assert told[:3] == ["wins in 1 ply", "wins in 7 plies", "draws"]
    assert told[3:] == ["loses in 8 plies", "loses in 2 plies", "wins", "draws by the fifty-move rule"]
    assert best_moves({1: Worth(-1, 4), 2: Worth(-1, 6), 3: Worth(-1, 6)}) == [2, 3] and best_moves({}) == []


@pytest.mark.parametrize(("game", "plies"), [(FOUR, 3), (FIVE, 11)])
def test_it_wins_as_soon_as_it_can_against_who_loses_as_late(game: CompiledGame, plies: int) -> None:
    players = make_player("perfect", game, seed=1), make_player("perfect", game, seed=2)
    played = play_games(game, players, [(Opening(), False)] * 4)
    assert {(one.result, len(one.moves)) for one in played} == {(1, plies)}
    assert len({one.moves for one in played}) > 1, "equals are drawn by lot"


def test_it_keeps_every_win_of_4x4_and_no_draw_is_lost() -> None:
    values = Counter[int]()
    players = make_player("perfect", FOUR, seed=1), make_player("random", FOUR, seed=2)
    for position in [*draw_known(FOUR, 40, 5), *drawn_positions(5)]:
        worths = know(FOUR, position)
        value = worths[best_moves(worths)[0]].value
        swapped = position.ply % 2 == 1
        (game,) = play_games(FOUR, players, [(Opening(start=position), swapped)])
        assert (-game.result if swapped else game.result) >= value
        values[value] += 1
    assert values[1] > 10 and values[0] >= 5


def drawn_positions(count: int) -> list[Any]:
    """Return positions in which best play has no end: there are 944."""
    *_, worths = retrograde.solve(0)
    found = np.argwhere(worths == 0)
    assert len(found) == 944
    return [rules.sealed(retrograde.placed(*place, 0)) for place in found[:: len(found) // count].tolist()]


def test_what_it_says_of_lines_of_action_is_so() -> None:
    positions = draw_known(FOUR, 30, 7)
    for ties in ("first", "random"):
        player = make_player(f"perfect:ties={ties}", FOUR, seed=3)
        for position, choice in zip(positions, player.choose(positions), strict=True):
            worths = know(FOUR, position)
            best = best_moves(worths)
            assert choice.move in best and choice.value == worths[best[0]].value
            assert choice.scores == {move: worth.value for move, worth in worths.items()}
            assert ties == "random" or choice.move == best[0]
    player, start = make_player("perfect", FOUR, seed=5), FOUR.start()
    chosen = Counter(FOUR.write_move(start, choice.move) for choice in player.choose([start] * 200))
    assert set(chosen) == {"b1-b3", "c1-c3", "b4-b2", "c4-c2"} and min(chosen.values()) > 25
    assert player.choose([]) == [] and player.choose([FOUR.read("B.../.B../..../W..W W")])[0].fault == "no move"


def test_its_thoughts_tell_the_plies() -> None:
    thought = think(make_player("perfect", FOUR), FOUR, FOUR.start())
    assert [one.note for one in thought.moves[:5]] == ["wins in 3 plies"] * 4 + ["loses in 4 plies"]
    assert thought.moves[-1].note == "loses in 2 plies" and thought.value == 1.0
    assert thought.moves[0].move == thought.choice.move and "best play of both sides" in thought.note
    large = think(make_player("perfect", FIVE), FIVE, FIVE.start())
    notes = {FIVE.write_move(FIVE.start(), one.move): (one.number, one.note) for one in large.moves}
    assert notes["c1-c3"] == (1.0, "wins in 11 plies") and notes["c1xa3"] == (-1.0, "loses in 8 plies")
    assert notes["b1-b3"] == (None, "not known") and len(notes) == 18
    konane = find_game("konane", (4, 4))
    told = think(make_player("perfect", konane), konane, konane.start())
    assert {one.note for one in told.moves} == {"loses"} and "how many moves it takes is not known" in told.note
    ending = think(make_player("perfect", CHESS), CHESS, CHESS.read("8/8/8/8/8/k7/8/K6R b - - 0 1"))
    assert ending.moves[0].note.startswith("loses in ") and ending.value == -1.0
    assert (
        think(make_player("perfect", CHESS), CHESS, CHESS.read("8/8/8/8/8/k7/8/K6N w - - 0 1")).moves[0].note == "draws"
    )


@pytest.mark.parametrize(
    "text", ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 b - - 0 1", "8/8/8/8/8/1K6/2P5/k7 w - - 0 1"]
)
def test_endings_of_three_men_last_as_long_as_was_told(text: str) -> None:
    player, position, past = make_player("perfect", CHESS, seed=1), CHESS.read(text), []
    prepare(player)
    worths = know(CHESS, position)
    plies = worths[best_moves(worths)[0]].plies
    assert plies is not None and plies > 5
    while CHESS.outcome(position) is None:
        past.append(position)
        position = CHESS.play(position, player.choose([position])[0].move)
    assert len(past) == plies and CHESS.reason(position) == "checkmate"


def test_endings_of_four_men_are_won_by_syzygy(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shared / "data" / "chess"
    if not any((folder / "syzygy").glob("*.rtbz")):
        pytest.skip("no Syzygy tables beside the repository")
    monkeypatch.setattr(truth, "data_place", lambda: folder)
    player, other = make_player("perfect", CHESS, seed=1), make_player("random", CHESS, seed=2)
    for text in ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", "8/8/8/3k3r/8/8/8/K1Q5 w - - 0 1", "8/8/8/3k4/8/8/P7/KB6 w - - 0 1"):
        start = CHESS.read(text)
        worths = know(CHESS, start)
        assert worths[best_moves(worths)[0]].value == 1 and {worth.plies for worth in worths.values()} == {None}
        (game,) = play_games(CHESS, (player, other), [(Opening(start=start), False)])
        assert (game.result, game.reason) == (1, "checkmate"), text
    lost = CHESS.read("8/8/8/3k3r/8/8/8/K1Q5 b - - 0 1")
    assert player.choose([lost])[0].fault is None


def test_by_syzygy_a_mate_comes_first(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truth, "data_place", lambda: shared / "data" / "chess")
    mate = CHESS.read("k7/8/1K6/8/8/8/8/4R2N w - - 0 1")
    assert {str(know(CHESS, mate)[move]) for move in best_moves(know(CHESS, mate))} == {"wins in 1 ply"}


def test_many_positions_are_known_as_each_of_them_is() -> None:
    for game in (find_game("konane", (4, 4)), FOUR):
        positions = [game.start(), game.play(game.start(), game.moves(game.start())[1])]
        assert know_all(game, positions) == [know(game, position) for position in positions]
        assert know(game, positions[0]) == shared_solver(game).worths(positions[0])
    assert know_all(FOUR, []) == []


@pytest.mark.parametrize(
    ("game", "position", "message"),
    [
        (CHESS, CHESS.start(), "the truth of chess is known up to 5 pieces, with nobody able to castle"),
        (CHESS, from_board(chess.Board("8/8/8/3k3r/8/8/8/K1Q5 w - - 0 1")), "understudy fetch syzygy"),
        (LARGE, LARGE.start(), "lines_of_action can be solved on boards of 4x4 and 5x5, not on 8x8"),
        (find_game("morris"), find_game("morris").start(), "known in endgames, when no stones are in hand"),
    ],
)
def test_where_nobody_knows_it_says_so(
    game: CompiledGame, position: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(truth, "data_place", lambda: tmp_path)
    for ask in (lambda: know(game, position), lambda: make_player("perfect", game).choose([position])):
        with pytest.raises(BadOption) as caught:
            ask()
        assert message in str(caught.value) and "\n" not in str(caught.value)


def test_positions_that_are_drawn_are_known() -> None:
    assert all(len(know(CHESS, one)) == len(CHESS.moves(one)) for one in draw_known(CHESS, 3, 1))
    with pytest.raises(BadOption, match="of konane no positions are drawn whose moves are all known"):
        draw_known(find_game("konane", (4, 4)), 3, 1)
