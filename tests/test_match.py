"""Every game ends with a result and a reason, whatever its players do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from tests.conftest import LONG
from understudy.errors import IllegalMove
from understudy.games import CompiledGame, find_game
from understudy.match import Opening, Terms, advance, begin, play_games, random_openings, resume
from understudy.players import make_player
from understudy.protocols import Choice

CHESS = find_game("chess")


class Scripted:
    """A player that plays the moves it is told, in a loop."""

    def __init__(self, game: CompiledGame, texts: Sequence[str]) -> None:
        self.name, self.game, self.texts, self.asked = "scripted", game, list(texts), 0

    def choose(self, positions: Sequence[Any], histories: Any = None) -> list[Choice]:
        choices = []
        for position in positions:
            choices.append(Choice(self.game.read_move(position, self.texts[self.asked % len(self.texts)])))
            self.asked += 1
        return choices


class Odd:
    """A player that does whatever a function says."""

    def __init__(self, act: Callable[[Any], Choice]) -> None:
        self.name, self.act = "odd", act

    def choose(self, positions: Sequence[Any], histories: Any = None) -> list[Choice]:
        return [self.act(position) for position in positions]


def first_move(game: CompiledGame) -> Odd:
    return Odd(lambda position: Choice(game.moves(position)[0]))


def played(game: CompiledGame, first: Any, second: Any, *, swapped: bool = False, **terms: Any) -> tuple[int, str]:
    game_played = play_games(game, (first, second), [(Opening(), swapped)], Terms(**terms))[0]
    return game_played.result, game_played.reason


def test_checkmate_and_who_is_first() -> None:
    white, black = Scripted(CHESS, ["f3", "g4"]), Scripted(CHESS, ["e5", "Qh4"])
    assert played(CHESS, white, black) == (-1, "checkmate")
    white, black = Scripted(CHESS, ["f3", "g4"]), Scripted(CHESS, ["e5", "Qh4"])
    assert played(CHESS, black, white, swapped=True) == (-1, "checkmate")


def test_stalemate_fifty_moves_and_bare_kings() -> None:
    knights = [["Nf3", "Ng1", "Nc3", "Nb1"], ["Nf6", "Ng8", "Nc6", "Nb8"]]
    white, black = (Scripted(CHESS, texts) for texts in knights)
    assert played(CHESS, white, black, repetition=0) == (0, "fifty moves")
    assert CHESS.drawn(CHESS.read("8/8/4k3/8/8/3K4/8/8 w - - 0 1")) == "insufficient material"
    stalemate = CHESS.read("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert CHESS.outcome(stalemate) == 0
    assert CHESS.reason(stalemate) == "stalemate"


def test_repetition_is_counted_as_the_game_says() -> None:
    white, black = Scripted(CHESS, ["Nf3", "Ng1"]), Scripted(CHESS, ["Nf6", "Ng8"])
    game = play_games(CHESS, (white, black), [(Opening(), False)])[0]
    assert (game.result, game.reason, len(game.moves)) == (0, "repetition", 8)
    morris = find_game("morris")
    opening = [
        "a7",
        "g1",
        "d7",
        "d1",
        "b4",
        "g4",
        "d2",
        "d6",
        "f2",
        "b6",
        "f6",
        "b2",
        "c4",
        "d5",
        "e4",
        "c3",
        "e3",
        "c5",
    ]
    moves, position = [], morris.start()
    for text in opening:
        moves.append(morris.read_move(position, text))
        position = morris.play(position, moves[-1])
    assert position.hand == position.their_hand == 0
    white, black = Scripted(morris, ["d7g7", "g7d7"]), Scripted(morris, ["d5e5", "e5d5"])
    game = play_games(morris, (white, black), [(Opening(tuple(moves)), False)])[0]
    assert (game.result, game.reason, len(game.moves)) == (0, "repetition", 18 + 4)
    assert game.opening == 18


def test_ply_limit() -> None:
    white, black = Scripted(CHESS, ["Nf3", "Ng1"]), Scripted(CHESS, ["Nf6", "Ng8"])
    assert played(CHESS, white, black, ply_limit=5) == (0, "ply limit")


def test_an_illegal_move_loses_that_game_only() -> None:
    konane = find_game("konane", (4, 4))
    calls = iter([Choice(65535)])
    cheat = Odd(lambda position: next(calls, Choice(konane.moves(position)[0])))
    games = play_games(konane, (cheat, first_move(konane)), [(Opening(), False)] * 3)
    assert [game.reason for game in games].count("illegal move") == 1
    assert games[0].result == -1
    assert {game.reason for game in games[1:]} == {"no move"}


def test_a_fault_loses_with_its_reason() -> None:
    broken = Odd(lambda position: Choice(-1, fault="engine crash"))
    konane = find_game("konane", (4, 4))
    assert played(konane, first_move(konane), broken) == (1, "engine crash")
    assert played(konane, broken, first_move(konane)) == (-1, "engine crash")


def test_who_takes_too_long_loses() -> None:
    konane = find_game("konane", (4, 4))

    def slowly(position: Any) -> Choice:
        time.sleep(0.15)
        return Choice(konane.moves(position)[0])

    assert played(konane, Odd(slowly), first_move(konane), move_seconds=0.05) == (-1, "time")
    assert played(konane, Odd(slowly), first_move(konane), move_seconds=LONG)[1] == "no move"


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("morris", {"removing", "suffocating", "repetition", "ply limit"}),
        ("konane", {"no move"}),
        ("lines_of_action", {"connection", "ply limit", "repetition"}),
    ],
)
def test_many_boards_in_step_end_with_the_reasons_of_the_game(name: str, reasons: set[str]) -> None:
    game = find_game(name)
    players = make_player("random", game, seed=1), make_player("random", game, seed=2)
    games = play_games(game, players, [(Opening(), number % 2 == 1) for number in range(40)])
    assert len(games) == 40
    assert {one.reason for one in games} <= reasons
    assert len({one.moves for one in games}) == 40
    for one in games:
        position = game.start()
        for move in one.moves:
            position = game.play(position, move)
        outcome = game.outcome(position)
        assert (0 if outcome is None else int(outcome) * (1 if position.ply % 2 == 0 else -1)) == one.result


def test_players_are_shown_the_history() -> None:
    seen = []

    class Watcher:
        name = "watcher"

        def choose(self, positions: Any, histories: Any = None) -> list[Choice]:
            seen.extend(len(history) - position.ply for position, history in zip(positions, histories, strict=True))
            return [Choice(CHESS.moves(position)[0]) for position in positions]

    play_games(CHESS, (Watcher(), Watcher()), [(Opening(), False)], Terms(ply_limit=20, repetition=0))
    assert set(seen) == {0}
    assert len(seen) == 20


def test_openings_are_random_distinct_and_unfinished() -> None:
    game = find_game("morris")
    openings = random_openings(game, 50, plies=4, rng=np.random.default_rng(1))
    assert len(set(openings)) == 50
    assert openings == random_openings(game, 50, plies=4, rng=np.random.default_rng(1))
    small = find_game("konane", (4, 4))
    few = random_openings(small, 30, plies=2, rng=np.random.default_rng(1))
    assert len(few) == 30
    assert few[0] == Opening()
    assert len(set(few)) <= 1 + 12


def test_games_from_other_starts() -> None:
    game = find_game("morris")
    start = game.read("MMOMOOOOOOOOOOOOOOOEEEOO0033")._replace(ply=21)
    first, second = first_move(game), Odd(lambda position: Choice(game.read_move(position, "b6g7f2"), 0.5))
    one = play_games(game, (first, second), [(Opening(start=start), False)])[0]
    assert (one.result, one.reason, one.opening, one.start) == (-1, "removing", 0, start)
    assert one.values == (0.5,)
    swapped = play_games(game, (second, first), [(Opening(start=start), True)])[0]
    assert swapped == one


def test_a_start_that_is_finished_is_not_played() -> None:
    game = find_game("morris")
    start = game.read("MMOOOOOOOOOOOOOOOOOEEEOO0023")
    nobody = Odd(lambda position: Choice(-1, fault="asked"))
    one = play_games(game, (nobody, nobody), [(Opening(start=start), False)])[0]
    assert (one.moves, one.result, one.reason) == ((), -1, "removing")


def test_values_are_kept_beside_the_moves() -> None:
    konane = find_game("konane", (4, 4))
    opening = random_openings(konane, 2, plies=2, rng=np.random.default_rng(1))[1]
    sure = Odd(lambda position: Choice(konane.moves(position)[0], 0.25))
    one = play_games(konane, (sure, first_move(konane)), [(opening, False)])[0]
    assert len(one.values) == len(one.moves)
    assert one.values[:4] == (None, None, 0.25, None)[: len(one.values)]
    assert one.start is None


def test_a_game_goes_on_from_its_history_as_if_never_left() -> None:
    course = begin(CHESS)
    for text in "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1".split():
        advance(CHESS, course, CHESS.read_move(course.position, text))
    again = resume(CHESS, course.position, course.history)
    for one in (course, again):
        assert one.played is None
        advance(CHESS, one, CHESS.read_move(one.position, "Ng8"))
        assert one.played is not None and (one.played.result, one.played.reason) == (0, "repetition")


def test_a_copied_game_goes_its_own_way_and_an_illegal_move_leaves_no_trace() -> None:
    course = begin(CHESS)
    advance(CHESS, course, CHESS.read_move(course.position, "e4"))
    other = deepcopy(course)
    advance(CHESS, other, CHESS.read_move(other.position, "e5"))
    with pytest.raises(IllegalMove):
        advance(CHESS, course, 0)
    assert (len(course.moves), len(course.history), len(course.seen)) == (1, 1, 2)
    assert (len(other.moves), len(other.history), len(other.seen)) == (2, 2, 3)


def test_a_finished_position_is_over_when_it_is_resumed() -> None:
    mated = CHESS.read("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    course = resume(CHESS, mated, [])
    assert course.played is not None and (course.played.result, course.played.reason) == (-1, "checkmate")
