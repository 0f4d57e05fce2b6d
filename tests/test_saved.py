"""Saved games: what was played comes back, and whatever else is in a file is one sentence."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import chess.pgn
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import VARIANTS
from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame, find_game
from understudy.match import Opening, advance, begin
from understudy.protocols import Choice
from understudy.saved import SavedGame, list_moves, load_saved, read_saved, replay

CHESS = find_game("chess")


def wander(game: CompiledGame, plies: int, seed: int, start: Any = None) -> SavedGame:
    """Return a game of random moves."""
    rng, course = np.random.default_rng(seed), begin(game, Opening((), start))
    while course.played is None and len(course.moves) < plies:
        moves = game.moves(course.position)
        advance(game, course, moves[rng.integers(len(moves))], value=float(rng.uniform(-1, 1)))
    return SavedGame(game, dict(zip(game.colours, ("human", "random"), strict=True)), course)


def moved(*texts: str) -> SavedGame:
    course = begin(CHESS)
    for text in texts:
        advance(CHESS, course, CHESS.read_move(course.position, text))
    return SavedGame(CHESS, {"white": "human", "black": "random"}, course)


@pytest.mark.parametrize(("name", "size", "rules"), VARIANTS)
def test_a_game_of_any_kind_comes_back(
    name: str, size: tuple[int, int] | None, rules: dict[str, str], tmp_path: Path
) -> None:
    game = find_game(name, size, rules)
    for seed, plies in enumerate((0, 1, 9, 500)):
        saved = wander(game, plies, seed)
        saved.save(tmp_path / "game.json")
        again = load_saved(tmp_path / "game.json")
        assert again.to_json() == saved.to_json()
        assert again.game is game
        assert again.course.position == saved.course.position
        assert again.course.seen == saved.course.seen
        assert again.course.played == saved.course.played


def test_a_game_from_elsewhere_comes_back() -> None:
    for name, text in (
        ("chess", "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40"),
        ("morris", "MMEEOOOOOOOOOOOOOOOOOOOO7722"),
        ("lines_of_action", ".BBBBBB./W......W/W......W/W......W/W......W/W......W/W......W/.BBBBBB. W"),
    ):
        game = find_game(name)
        saved = wander(game, 12, 1, game.read(text))
        again = read_saved(json.loads(json.dumps(saved.to_json())), "here")
        assert again.to_json() == saved.to_json()
        assert again.course.history == saved.course.history


def test_the_form() -> None:
    told = moved("f3", "e5", "g4", "Qh4").to_json()
    assert list(told) == [
        "understudy", "game", "size", "rules", "start", "players", "moves", "result", "reason", "values",
    ]  # fmt: skip
    assert told["moves"] == ["f3", "e5", "g4", "Qh4#"]
    assert (told["result"], told["reason"], told["size"]) == (-1, "checkmate", "8x8")


def test_a_game_that_was_given_up_stays_given_up() -> None:
    for texts, result in ((("e4",), 1), (("e4", "e5"), -1)):
        saved = moved(*texts)
        saved.course.end(-1, "resignation")
        again = read_saved(saved.to_json(), "here")
        assert again.course.played is not None
        assert (again.course.played.result, again.course.played.reason) == (result, "resignation")


def test_going_back_keeps_what_was_expected() -> None:
    saved = wander(CHESS, 10, 3)
    course = replay(CHESS, saved.course, 4)
    assert course.moves == saved.course.moves[:4]
    assert course.values == saved.course.values[:4]
    assert course.position == saved.course.history[4]
    assert sum(course.seen.values()) == 5


GOOD = moved("f3", "e5", "g4").to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"understudy": 2}, "has the form 2 of saved games; this version reads 1"),
        ({"game": "ches"}, "no game 'ches'; did you mean 'chess'?"),
        ({"game": 3}, "game is 3, not text"),
        ({"size": "9"}, "9x9"),
        ({"size": "big"}, "size 'big' is not a board size"),
        ({"size": True}, "size is True, not text"),
        ({"rules": {"x": 1}}, "rules {'x': 1} are not names with a text each"),
        ({"rules": {"x": "y"}}, "chess has no rule 'x'"),
        ({"start": "banana"}, "banana"),
        ({"players": None}, "players is None, not an object"),
        ({"players": {"white": "human"}}, "are not one each for white and black"),
        ({"players": {"white": "human", "black": "a\nb"}}, "are not one each for white and black"),
        ({"moves": "e4"}, "moves is 'e4', not a list"),
        ({"moves": ["e4", 5], "values": [None, None]}, "move 2 is 5, not text"),
        ({"moves": ["e4", "e4"], "values": [None, None]}, "move 2: chess: 'e4' is not a legal move"),
        ({"moves": ["e4", "\ud800"], "values": [None, None]}, "move 2: chess move"),
        ({"moves": ["f3", "e5", "g4", "Qh4", "a3"], "values": None}, "move 5 ('a3') comes after the end of the game"),
        ({"moves": ["f3", "e5", "g4", "Qh4"], "values": None}, "but the file says None by None"),
        ({"moves": ["f3", "e5", "g4", "Qh4"], "values": None, "result": 1, "reason": "checkmate"}, "says 1 by"),
        ({"values": [0.5]}, "there are 1 values for 3 moves"),
        ({"values": [0.5, 2, None]}, "value 2 is not a number from -1 to 1"),
        ({"values": [0.5, float("nan"), None]}, "value nan is not a number"),
        ({"values": [0.5, True, None]}, "value True is not a number"),
        ({"result": 1}, "result 1 and reason None are not"),
        ({"result": 7, "reason": "luck"}, "result 7 and reason 'luck' are not"),
        ({"result": 1, "reason": "a\nb"}, "reason 'a\\nb' is not a line of text"),
    ],
)
def test_a_malformed_game_is_one_sentence(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(GOOD | change))
    with pytest.raises(FileError) as caught:
        load_saved(file)
    assert message in str(caught.value)
    assert str(caught.value).startswith(repr(str(file)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '"chess"', "[" * 100_000, '{"understudy": 1}', "{"])
def test_what_is_no_saved_game(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(FileError, match=r"x\.json"):
        load_saved(tmp_path / "x.json")


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot read"):
        load_saved(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="it is not text"):
        load_saved(tmp_path / "bytes.json")
    with pytest.raises(FileError, match="cannot write"):
        moved("e4").save(tmp_path / "no" / "folder.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(GOOD)), JSON, max_size=4))
def test_no_json_breaks_the_reader(change: dict[str, Any]) -> None:
    try:
        saved = read_saved(GOOD | change, "here")
    except FileError as error:
        assert str(error).startswith("here")
    else:
        assert read_saved(saved.to_json(), "here").to_json() == saved.to_json()


def pgn_of(saved: SavedGame) -> str:
    return str(saved.game.kind.load("exports").EXPORTS["pgn"](saved))


@pytest.mark.parametrize("start", [None, "r3k2r/8/8/8/8/8/PPP5/R3K2R b KQkq - 0 30"])
def test_pgn_is_read_again_by_python_chess(start: str | None) -> None:
    for seed in range(4):
        saved = wander(CHESS, 60, seed, None if start is None else CHESS.read(start))
        read = chess.pgn.read_game(io.StringIO(pgn_of(saved)))
        assert read is not None and not read.errors
        texts, board = [], read.board()
        assert board.fen() == CHESS.write(CHESS.start() if saved.course.start is None else saved.course.start)
        for move in read.mainline_moves():
            texts.append(board.san(move))
            board.push(move)
        assert texts == saved.write_moves()
        assert ("FEN" in read.headers) == (start is not None)
        assert read.headers["White"] == "human"


@pytest.mark.parametrize(
    ("texts", "choice", "result", "termination"),
    [
        (["f3", "e5", "g4", "Qh4"], None, "0-1", "normal"),
        (["e4"], Choice(-1, fault="resignation"), "1-0", "normal"),
        (["e4"], Choice(-1, fault="illegal move"), "1-0", "rules infraction"),
        (["e4", "e5"], None, "*", "unterminated"),
    ],
)
def test_pgn_tells_the_result(texts: list[str], choice: Choice | None, result: str, termination: str) -> None:
    saved = moved(*texts)
    if choice is not None:
        saved.course.end(-1, str(choice.fault))
    read = chess.pgn.read_game(io.StringIO(pgn_of(saved)))
    assert read is not None
    assert (read.headers["Result"], read.headers["Termination"]) == (result, termination)


def test_names_with_quotation_marks_do_not_break_a_tag() -> None:
    saved = SavedGame(CHESS, {"white": 'a "b" \\', "black": "human"}, moved("e4").course)
    read = chess.pgn.read_game(io.StringIO(pgn_of(saved)))
    assert read is not None and not read.errors
    assert read.headers["White"] == "a 'b' /"
    assert [move.uci() for move in read.mainline_moves()] == ["e2e4"]


def test_a_list_of_moves() -> None:
    game = find_game("konane", (4, 4))
    saved = wander(game, 100, 2)
    lines = list_moves(saved).splitlines()
    assert lines[:2] == ["Konane 4x4", "black: human, white: random"]
    assert [text for line in lines[2:-1] for text in line.split()[1:]] == saved.write_moves()
    assert lines[-1] in ("black wins: no move", "white wins: no move")
    assert list_moves(moved("e4")).endswith("1. e4\nnot finished\n")
    later = wander(CHESS, 1, 0, CHESS.read("4k3/8/8/8/8/8/4P3/4K3 b - - 3 40"))
    assert list_moves(later).splitlines()[2:4] == [
        "from 4k3/8/8/8/8/8/4P3/4K3 b - - 3 40", f"1. ... {later.write_moves()[0]}",
    ]  # fmt: skip


def test_games_without_a_format_of_their_own_say_so() -> None:
    with pytest.raises(BadOption, match="konane has no format for saved games but JSON"):
        find_game("konane").kind.load("exports")
