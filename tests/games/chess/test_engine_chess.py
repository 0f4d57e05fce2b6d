"""Engines that work, and engines that crash, hang, cheat or babble: each costs itself the game and nothing else."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.conftest import LONG, patiently
from understudy.backends import Local
from understudy.errors import BadOption, EngineError
from understudy.games import find_game
from understudy.games.chess.players.engine import PLACE, Engine, board_of, find_engine
from understudy.judges.tournament import play_match, round_robin
from understudy.players import close, make_player

CHESS = find_game("chess")

FAKE = """#!{python}
import sys, time, os
mood = {mood!r}
asked = 0
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "uci":
        print("id name fake\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "quit":
        break
    elif word == "go":
        if mood == "crash":
            os._exit(3)
        if mood == "hang":
            time.sleep({hanging})
        if mood == "illegal":
            print("bestmove e2e5", flush=True)
        if mood == "babble":
            print("bestmove \\x00banana", flush=True)
        if mood == "none":
            print("bestmove (none)", flush=True)
"""


def fake(folder: Path, mood: str) -> str:
    path = folder / f"fake-{mood}"
    path.write_text(FAKE.format(python=sys.executable, mood=mood, hanging=LONG))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="fake engines are scripts")
@pytest.mark.parametrize(
    ("mood", "fault"),
    [
        ("crash", "engine crash"),
        ("hang", "time"),
        ("illegal", "illegal move"),
        ("babble", "engine failure"),
        ("none", "engine failure"),
    ],
)
def test_a_bad_engine_loses_its_game(tmp_path: Path, mood: str, fault: str) -> None:
    patience = 1 if mood == "hang" else LONG
    engine = make_player(f"engine:{fake(tmp_path, mood)},patience={patience}", CHESS)
    choice = engine.choose([CHESS.start()])[0]
    close(engine)
    assert choice.fault == fault


@pytest.mark.skipif(os.name == "nt", reason="fake engines are scripts")
def test_a_slow_start_is_no_hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.players.programs.starting.STARTING", LONG)

    def attempt(seconds: float) -> None:
        path = Path(fake(tmp_path, "illegal"))
        path.write_text(path.read_text().replace("asked = 0", f"time.sleep({seconds + 1})"))
        engine = make_player(f"engine:{path},patience={seconds}", CHESS)
        choice = engine.choose([CHESS.start()])[0]
        close(engine)
        assert choice.fault == "illegal move"

    patiently(attempt)


@pytest.mark.skipif(os.name == "nt", reason="fake engines are scripts")
def test_a_tournament_goes_on_after_a_crash(tmp_path: Path) -> None:
    players = [f"engine:{fake(tmp_path, 'crash')}", "random", "searcher:depth=1"]
    standings = round_robin(CHESS, players, games=2, seed=1, backend=Local(2), opening_plies=2)
    assert sum(len(meeting.games) for meeting in standings.meetings) == 6
    crashed = [game for meeting in standings.meetings for game in meeting.games if game.reason == "engine crash"]
    assert len(crashed) == 4
    assert standings.record(players[0])["all"] == (0, 0, 4)


def test_a_file_that_is_no_engine_loses_too(tmp_path: Path) -> None:
    path = tmp_path / "mute"
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    engine = make_player(f"engine:{path}", CHESS)
    assert engine.choose([CHESS.start()])[0].fault is not None


def test_stockfish_plays_and_tells_its_value(stockfish: str) -> None:
    engine = make_player(f"engine:{stockfish},depth=6", CHESS)
    mate = CHESS.read("7k/8/6K1/8/8/8/8/1R6 w - - 0 1")
    black = CHESS.read("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2")
    try:
        choices = engine.choose([CHESS.start(), mate, black])
    finally:
        close(engine)
    assert choices[0].move in CHESS.moves(CHESS.start())
    assert CHESS.write_move(mate, choices[1].move) == "Rb8#"
    assert CHESS.write_move(black, choices[2].move) == "Qh4#"
    assert choices[1].value is not None
    assert choices[1].value > 0.99


def test_stockfish_is_found_by_name(stockfish: str) -> None:
    engine = make_player("engine:stockfish,depth=1,elo=1500,hash=16,threads=1", CHESS)
    assert isinstance(engine, Engine)
    meeting = play_match(
        CHESS, ("engine:stockfish,nodes=2000", "random"), games=2, seed=0, backend=Local(1), opening_plies=0
    )
    assert meeting.score() == (2, 0, 0)
    assert {game.reason for game in meeting.games} == {"checkmate"}


@pytest.mark.skipif(os.name == "nt", reason="fake engines are scripts")
def test_settings_that_an_engine_lacks_are_refused_before_any_game(tmp_path: Path) -> None:
    path = fake(tmp_path, "none")
    with pytest.raises(BadOption, match="fake has no option UCI_Elo, so it cannot be set to 1500"):
        make_player(f"engine:{path},elo=1500", CHESS)
    with pytest.raises(BadOption, match="fake has no option Hash"):
        play_match(CHESS, (f"engine:{path},hash=16", "random"), games=2, seed=0, backend=Local(1), opening_plies=0)
    mute = tmp_path / "mute"
    mute.write_text("#!/bin/sh\nexit 0\n")
    mute.chmod(0o755)
    with pytest.raises(EngineError, match="does not answer as a UCI engine"):
        make_player(f"engine:{mute},threads=2", CHESS)


def test_stockfish_tells_how_weak_it_can_be(stockfish: str) -> None:
    for settings, complaint in (
        ("elo=5", "UCI_Elo of Stockfish .* must be from [0-9]+ to [0-9]+, not 5"),
        ("elo=1500,threads=0", "Threads of Stockfish .* not 0"),
        ("hash=0", "Hash of Stockfish .* not 0"),
    ):
        with pytest.raises(BadOption, match=complaint):
            make_player(f"engine:{stockfish},{settings}", CHESS)
    engine = make_player(f"engine:{stockfish},elo=1500,depth=1", CHESS)
    assert engine.choose([CHESS.start()])[0].fault is None
    close(engine)


def test_where_an_engine_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.players.programs.starting.FOLDERS", (str(tmp_path / "games"),))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(PLACE, raising=False)
    name = "stockfish.exe" if os.name == "nt" else "stockfish"
    with pytest.raises(EngineError, match=r"apt install stockfish.*brew install stockfish.*winget install") as missing:
        find_engine("stockfish")
    assert str(missing.value).count("\n") == 0 and PLACE in str(missing.value)
    for folder in ("elsewhere", "games", "bin"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("")
        (tmp_path / folder / name).chmod(0o755)
        assert Path(find_engine(str(tmp_path / folder / name))).parent.name == folder
        if folder != "elsewhere":
            assert Path(find_engine("stockfish")).parent.name == folder
    monkeypatch.setenv(PLACE, str(tmp_path / "elsewhere" / name))
    assert Path(find_engine("stockfish")).parent.name == "elsewhere"
    monkeypatch.setenv(PLACE, str(tmp_path / "nowhere"))
    with pytest.raises(EngineError, match=f"nowhere.*{PLACE}"):
        find_engine("stockfish")
    with pytest.raises(EngineError, match=r"no engine 'nofish'.*can be run$"):
        find_engine("nofish")


def test_the_engine_is_told_how_the_position_arose() -> None:
    position, past = CHESS.start(), []
    for text in ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O", "Nf6"):
        past.append(position)
        position = CHESS.play(position, CHESS.read_move(position, text))
    board = board_of([*past, position])
    assert [move.uci() for move in board.move_stack] == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1", "g8f6"]
    assert board.fen() == CHESS.write(position)
    unrelated = CHESS.read("7k/8/6K1/8/8/8/8/1R6 w - - 0 1")
    assert board_of([*past, unrelated]).fen() == CHESS.write(unrelated)


def test_an_engine_tells_its_best_lines_and_grows_deeper(stockfish: str) -> None:
    from understudy.players import think
    from understudy.thoughts import Thought

    player, heard = make_player(f"engine:{stockfish},depth=6", CHESS), list[Thought]()
    position = CHESS.read("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    try:
        thought = think(player, CHESS, position, tell=heard.append)
    finally:
        close(player)
    assert thought.kind == "value" and thought.write(thought.choice.move) == "Ra8#"
    assert thought.value is not None and thought.value > 0.99 and thought.plies == 1
    assert len(thought.lines) == 3 and thought.moves[0].note == "mate in 1"
    assert sorted(one.move for one in thought.moves) == CHESS.moves(position)
    depths = [one.depth or 0 for one in heard]
    assert depths == sorted(set(depths)) and heard


@pytest.mark.skipif(os.name == "nt", reason="fake engines are scripts")
@pytest.mark.parametrize("mood", ["crash", "illegal", "babble", "none"])
def test_an_engine_that_fails_while_it_thinks_is_one_sentence(tmp_path: Path, mood: str) -> None:
    player = make_player(f"engine:{fake(tmp_path, mood)},nodes=1", CHESS)
    with pytest.raises(EngineError, match="could not think of"):
        player.think(CHESS.start())  # type: ignore[attr-defined]
    close(player)
