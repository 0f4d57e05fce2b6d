"""The door: what a notebook needs, as it is written in the docs; and that it costs nothing before it is used."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import understudy as us
from understudy import door
from understudy.faces import Position


def test_the_examples_of_the_door_work() -> None:
    failed, tried = doctest.testmod(door, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 15 and failed == 0


def test_opening_the_door_loads_nothing_heavy() -> None:
    code = "import understudy, sys; print([m for m in ('numba', 'numpy', 'torch', 'onnxruntime') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_names_that_are_also_modules_can_be_called_whatever_was_imported() -> None:
    import understudy.games
    import understudy.match

    assert us.games()[0] == "morris" and understudy.games.find_game("morris").name == "morris"
    assert len(us.match("konane", "random", "random", games=2, progress=False)) == 2
    assert understudy.match.Terms().ply_limit is None


@pytest.mark.parametrize(("name", "size"), [("morris", None), ("konane", 6), ("lines_of_action", "8"), ("chess", None)])
def test_a_position_shows_itself_and_is_read_again(name: str, size: int | str | None) -> None:
    game = us.game(name, size)
    position = game.start().play(game.start().moves[0])
    assert f"{position.turn} to move" in repr(position) and repr(position).endswith(position.text)
    assert game.position(position.text).text == position.text
    for shown in (game, position, position.moves[0]):
        assert ElementTree.fromstring(shown._repr_svg_()).tag.endswith("svg")


def test_playing_leaves_the_position_as_it_was_and_remembers_the_past() -> None:
    start = us.game("konane", size=4).start()
    after = start.play("a1", "b1")
    assert start.text != after.text and len(after.past) == 2 and str(after.last) == "b1"
    assert [str(move) for move in after.moves] == ["a3-a1"]
    assert after.move("a3-a1").parts == {"from": 8, "to": 0}
    assert after == us.game("konane", size=4).start().play("a1", "b1") and after.play("a3-a1") != after
    with pytest.raises(us.IllegalMove):
        start.play("b2", "d4")


def test_a_finished_game_says_who_won() -> None:
    position: Position = us.game("konane", size=4).start()
    while not position.over:
        position = position.play(position.moves[0])
    assert position.moves == [] and position.outcome is not None and "wins: " in position.outcome
    assert position.outcome in repr(position)
    with pytest.raises(us.BadOption, match="the game is over"):
        us.player("random", position.game).choose(position)


def test_a_match_is_a_row_of_games_that_can_be_watched(tmp_path: Path) -> None:
    konane = us.game("konane", size=4)
    match = us.match(konane, "perfect", us.player("random", konane), games=4, progress=False)
    assert sum(match.score) == 4 == len(match) and match.points <= 4 and match.players == ("perfect", "random")
    game = match[1]
    assert game.players == ("random", "perfect") and len(game.positions) == len(game.moves) + 1
    assert game.positions[-1].over and game.result in repr(game) and len(match[1:3]) == 2
    page = game.show().save(tmp_path / "film.html").read_text(encoding="utf-8")
    assert "<svg" in page and "src=" not in page and "href=" not in page
    assert match._repr_html_().count("<tr") >= 5 and match.to_json()["players"] == ["perfect", "random"]


def test_a_table_tells_who_is_best() -> None:
    table = us.tournament(us.game("konane", size=4), ["random", "perfect"], games=10, progress=False)
    assert table.table[0]["player"] == "perfect" and len(table.matches) == 1
    assert "Elo" in repr(table) and "perfect" in table._repr_html_() and table.to_json()["game"] == "konane"


def test_a_run_has_a_report_verdicts_and_a_student_and_is_not_done_again(tmp_path: Path) -> None:
    changes = ["training.games=200", "judging.games=20", "judging.snapshot_games=20"]
    done = us.run("konane_4x4", quick=True, folder=tmp_path / "run", changes=changes, progress=False)
    assert Path(done.report).is_file() and "<iframe" in done.report._repr_html_()
    position = us.game("konane", size=4).start()
    assert done.student.choose(position) in position.moves
    assert done.summary[0] in repr(done) and done.verdicts == {} and "<li>" in done._repr_html_()
    with pytest.raises(us.FileError, match="watches nobody"):
        _ = done.records
    stamp = (tmp_path / "run" / "games.json").stat().st_mtime_ns
    us.run("konane_4x4", quick=True, folder=tmp_path / "run", changes=changes, progress=False)
    assert (tmp_path / "run" / "games.json").stat().st_mtime_ns == stamp


def test_records_go_to_arrow_pandas_and_polars(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from understudy.backends import Local
    from understudy.games import find_game
    from understudy.records.watch import Watch, watch

    plan = Watch(teacher="random", opponents=("self",), regular=3)
    watch(find_game("konane", (4, 4)), plan, tmp_path, backend=Local())
    records = us.load_records(tmp_path / "records.parquet")
    position, move = records[0]
    assert move is not None and move in position.moves and len(records[:3]) == 3
    assert records.to_arrow().num_rows == len(records) and "records of" in repr(records)
    assert "<table" in records._repr_html_()
    for package, method in (("pandas", records.to_pandas), ("polars", records.to_polars)):
        pytest.importorskip(package)
        frame = method()
        assert len(frame) == len(records) and list(frame.columns)[:2] == ["position", "move"]


def test_verdicts_show_themselves() -> None:
    verdicts = us.judge(["random", "student:konane_4"], game=us.game("konane", size=4), limit=100)
    assert verdicts["student:konane_4"]["value_kept"].value == 1.0 and len(verdicts) == 2
    assert "value_kept.critical" in repr(verdicts) and "student:konane_4" in verdicts._repr_html_()
    assert verdicts.to_json()["random"]["value_kept"]["sample"] == 100


def test_bad_input_is_one_sentence() -> None:
    konane = us.game("konane", size=6)
    for ask, said in (
        (lambda: us.game("konnane"), "did you mean 'konane'"),
        (lambda: us.game("konane", size="6x"), "is not a board size"),
        (lambda: us.player("student:morris", konane), "has learned morris, not konane"),
        (lambda: us.player("random", konane).think(us.game("konane", size=4).start()), "no position of konane on 6x6"),
        (lambda: us.player("human", konane).think(konane.start()), "is a person"),
        (lambda: us.match(konane, "random", "randm"), "did you mean 'random'"),
        (lambda: us.tournament(konane, ["random"]), "at least two players"),
        (lambda: us.judge("random"), "needs a game"),
        (lambda: us.judge("random", judges=["accuracy"], game=konane), "'accuracy' needs records"),
        (lambda: us.run("konane_5x5"), "did you mean"),
    ):
        with pytest.raises(us.UnderstudyError, match=said):
            ask()
