"""Programs that others wrote as players of Morris: they are told whole games, and what they answer is checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import LONG, patiently
from tests.games.morris.morris_engines import write_miller
from understudy.backends import Local
from understudy.errors import BadOption, EngineError, IllegalMove, UnknownName
from understudy.games import find_game
from understudy.games.morris.words import list_beginnings, read_words, trace_words, write_words
from understudy.judges.tournament import play_match
from understudy.match import Opening, play_games
from understudy.players import close, make_player, think

MORRIS = find_game("morris")
FIRST = ("a1", "b2", "d1", "d2")
"""White then closes a mill on g1."""


def reach(*words: str) -> tuple[Any, list[Any]]:
    stands = read_words(MORRIS, words)
    assert not stands.begun
    return stands.position, list(stands.history)


def random_game(seed: int) -> list[Any]:
    rng, past = np.random.default_rng(seed), [MORRIS.start()]
    while MORRIS.outcome(past[-1]) is None and len(past) < 200:
        moves = MORRIS.moves(past[-1])
        past.append(MORRIS.play(past[-1], moves[rng.integers(len(moves))]))
    return past


@pytest.mark.parametrize("seed", range(5))
def test_a_game_is_traced_in_words_that_lead_to_it_again(seed: int) -> None:
    past = random_game(seed)
    words = trace_words(MORRIS, past)
    assert words is not None and any(word.startswith("x") for word in words) and any("-" in word for word in words)
    stands = read_words(MORRIS, words)
    assert [*stands.history, stands.position] == past
    assert trace_words(MORRIS, past[1:]) is None and trace_words(MORRIS, [past[0], past[2]]) is None


def test_words_by_hand() -> None:
    position, _ = reach(*FIRST)
    mill = MORRIS.read_move(position, "g1b2")
    assert write_words(mill) == ["g1", "xb2"] and mill in list_beginnings(MORRIS, position)["g1"]
    stands = read_words(MORRIS, [*FIRST, "g1"])
    assert stands.begun == "g1" and stands.position == position
    assert read_words(MORRIS, [*FIRST, "g1", "xb2"]).position == MORRIS.play(position, mill)
    for bad in (["a1", "a1"], ["x1"], ["a1-a4"], ["A1"], [*FIRST, "xb2"], [*FIRST, "g1", "xa1"], [*FIRST, "g1", "d6"]):
        with pytest.raises(IllegalMove, match=f"^morris: '{bad[-1]}' is not "):
            read_words(MORRIS, bad)
    over = trace_words(MORRIS, random_game(0))
    assert over is not None
    with pytest.raises(IllegalMove, match="after the end of the game"):
        read_words(MORRIS, [*over, "x" * 900])


def test_the_program_is_told_the_game_and_asked_twice_for_a_mill(tmp_path: Path) -> None:
    player = make_player(f"engine:{write_miller(tmp_path)},skill=5,move_time=1", MORRIS)
    first = player.choose([MORRIS.start()])[0]
    (tmp_path / "heard").write_text("")
    position, past = reach("a1", "b2", "a4", "b4")
    choice = player.choose([position], [past])[0]
    close(player)
    assert MORRIS.write_move(MORRIS.start(), first.move) == "a1"
    assert MORRIS.write_move(position, choice.move) == "a7b2"
    heard = [line for line in (tmp_path / "heard").read_text().splitlines() if line != "isready"]
    assert heard == [
        "position startpos moves a1 b2 a4 b4",
        "go",
        "position startpos moves a1 b2 a4 b4 a7",
        "go",
        "quit",
    ]


def test_its_settings_are_told_once_and_a_new_game_whenever_one_begins(tmp_path: Path) -> None:
    player = make_player(f"engine:{write_miller(tmp_path)},skill=5,move_time=1", MORRIS)
    (tmp_path / "heard").write_text("")  # it was asked what can be set before
    player.choose([MORRIS.start()])
    position, past = reach("a1", "b2")
    player.choose([position], [past])
    player.choose([MORRIS.start()])
    close(player)
    heard = [line for line in (tmp_path / "heard").read_text().splitlines() if line not in ("isready", "go")]
    assert heard == [
        "uci",
        "setoption name SkillLevel value 5",
        "setoption name MoveTime value 1",
        "ucinewgame",
        "setoption name NMoveRule value 200",
        "position startpos",
        "position startpos moves a1 b2",
        "ucinewgame",
        "position startpos",
        "quit",
    ]


def test_it_plays_whole_games_from_random_openings(tmp_path: Path) -> None:
    players = (f"engine:{write_miller(tmp_path)}", "random")
    meeting = play_match(MORRIS, players, games=4, seed=3, backend=Local(1), opening_plies=2)
    reasons = {game.reason for game in meeting.games}
    assert reasons <= {"removing", "suffocating", "repetition", "ply limit"} and len(meeting.games) == 4
    assert any(move % 25 for game in meeting.games for move in game.moves[2:])


@pytest.mark.parametrize(
    ("mood", "fault", "told"),
    [
        ("crash", "engine crash", "it died"),
        ("illegal", "illegal move", "named the best move 'b4', which is not legal"),
        ("unasked", "illegal move", "named the best move 'xd7', which is not legal"),
        ("wrong removal", "illegal move", "named the best move 'xa7', which is not legal"),
        ("no removal", "illegal move", "named the best move 'd6', which is not legal"),
        ("joined", "engine failure", "named the best move 'a7xd7', which is none"),
        ("babble", "engine failure", "which is none"),
        ("draw", "engine failure", "named the best move 'draw', which is none"),
        ("mute", "engine failure", "named no best move"),
        ("endless", "engine failure", "bytes without an end of the line"),
        ("hang", "time", "gave no answer in time"),
    ],
)
def test_a_bad_program_loses_its_game_and_a_thought_says_why(tmp_path: Path, mood: str, fault: str, told: str) -> None:
    path = write_miller(tmp_path, mood)
    player = make_player(f"engine:{path},patience={0.3 if mood == 'hang' else LONG}", MORRIS)
    position, past = reach("a1", "b2", "a4", "b4")
    choice = player.choose([position], [past])[0]
    assert choice.fault == fault and choice.move == -1
    with pytest.raises(EngineError) as caught:
        think(player, MORRIS, position, past)
    close(player)
    assert told in str(caught.value) and path in str(caught.value) and "\n" not in str(caught.value)


def test_it_is_started_anew_after_it_failed(tmp_path: Path) -> None:
    path = Path(write_miller(tmp_path, "crash"))
    player = make_player(f"engine:{path}", MORRIS)
    assert player.choose([MORRIS.start()])[0].fault == "engine crash"
    path.write_text(path.read_text().replace("os._exit(3)", "pass"))
    assert player.choose([MORRIS.start()])[0].fault is None
    close(player)


def test_a_remark_is_no_answer_and_a_thought_is_a_choice(tmp_path: Path) -> None:
    player = make_player(f"engine:{write_miller(tmp_path, 'remark')}", MORRIS)
    thought = think(player, MORRIS, MORRIS.start())
    close(player)
    assert thought.write(thought.choice.move) == "a1" and thought.kind == "order"
    assert sorted(one.move for one in thought.moves) == MORRIS.moves(MORRIS.start())


def test_games_that_did_not_begin_at_the_start_are_refused_in_one_sentence(tmp_path: Path) -> None:
    player = make_player(f"engine:{write_miller(tmp_path)}", MORRIS)
    position, _ = reach(*FIRST)
    for ask in (
        lambda: player.choose([position]),
        lambda: think(player, MORRIS, position),
        lambda: play_games(MORRIS, (player, player), [(Opening((), position), False)]),
    ):
        with pytest.raises(EngineError, match=r"plays only games from the start: how '.*' arose is unknown$"):
            ask()
    close(player)


def test_settings_are_tried_before_any_game(tmp_path: Path) -> None:
    path = write_miller(tmp_path)
    for options, complaint in (
        ("skill=31", "SkillLevel of Miller 1 must be from 0 to 30, not 31"),
        ("move_time=61", "MoveTime of Miller 1 must be from 0 to 60, not 61"),
        ("move_time=-1", "move_time must be from 0 to 3600, not -1"),
        ("patience=0", "patience must be from 0.1"),
        ("elo=3", "no option of player 'engine' 'elo'"),
    ):
        with pytest.raises((BadOption, UnknownName), match=complaint):
            make_player(f"engine:{path},{options}", MORRIS)
    with pytest.raises(EngineError, match=r"^no engine 'sanmil': there is no such program that can be run$"):
        make_player("engine:sanmil", MORRIS)


def test_a_program_that_is_slow_to_start_is_not_hung(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.players.programs.starting.STARTING", LONG)
    path = Path(write_miller(tmp_path))
    text = path.read_text()

    def attempt(seconds: float) -> None:
        path.write_text(text.replace("import os, sys, time", f"import os, sys, time\ntime.sleep({seconds + 1})"))
        player = make_player(f"engine:{path},patience={seconds}", MORRIS)
        choice = player.choose([MORRIS.start()])[0]
        close(player)
        assert choice.fault is None

    patiently(attempt)


@pytest.mark.parametrize("game", ["konane", "lines_of_action"])
def test_other_games_say_that_they_have_no_engines(game: str) -> None:
    with pytest.raises(BadOption, match=f"^{game} has no engines: no protocol is known in which programs play it$"):
        make_player("engine:sanmill", find_game(game))
