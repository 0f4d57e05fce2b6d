"""Labelling: the same table whoever labels, resumed after a stop, and positions that kill an engine set aside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.conftest import LONG, wait_until
from tests.games.chess.test_analyst_chess import START, fake, scripts
from tests.games.chess.test_pgn_chess import GAMES, saved
from tests.games.chess.test_positions_chess import long_games
from understudy.backends import Local
from understudy.cli import commands
from understudy.errors import BadOption, EngineError, FileError
from understudy.games import find_game
from understudy.games.chess.datasets import compress_pawns
from understudy.games.chess.fen import write_fens
from understudy.games.chess.notation import to_uci
from understudy.games.chess.players.analyst import Analyst, Label
from understudy.games.chess.players.own_analyst import OwnAnalyst
from understudy.games.chess.records import labelling
from understudy.games.chess.records.labelling import Labelled, label_positions
from understudy.games.chess.records.opinions import Judge, LabelTask, balanced, close_analysts, label_task
from understudy.games.chess.records.positions import load_positions
from understudy.games.chess.records.sampling import Sampling
from understudy.games.chess.records.sources import gather
from understudy.players import make_player
from understudy.players.looking import Limits, search


def run(source: Path, target: Path, judge: Judge, *, workers: int = 1, **options: object) -> Labelled:
    return label_positions(
        lambda table: gather(source, table, Sampling(per_game=0, from_ply=0)) and None, target, judge,
        identify=lambda: {"file": source.name}, backend=Local(workers), **options,  # type: ignore[arg-type]
    )  # fmt: skip


@scripts
def test_labels_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    source, judge = long_games(tmp_path, 4), Judge(engine=fake(tmp_path, "well"), depth=3)
    tables = []
    for workers in (1, 2):
        notes: list[tuple[int, int]] = []
        target = tmp_path / f"{workers}.parquet"
        done = run(source, target, judge, workers=workers, progress=lambda *news, notes=notes: notes.append(news))
        tables.append(load_positions(target))
        assert done.rows == len(tables[-1]) == sum(lately for lately, _ in notes) == notes[-1][1] > 200
        assert not (tmp_path / f"{workers}.parquet.parts").exists()
    one, two = tables
    assert one.facts["engine"] == "Fake 1" and one.facts["limit"].startswith("depth 3")
    assert one.facts["rows"] == str(len(one))
    assert write_fens(one.positions) == write_fens(two.positions)
    assert one.score is not None and set(one.score.tolist()) == {13} and one.best is not None and one.best[0] == "d2d4"


@scripts
def test_a_stop_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling, "PART_SECONDS", 0.0)
    source, judge, target = long_games(tmp_path, 4), Judge(engine=fake(tmp_path, "well")), tmp_path / "t.parquet"
    seen = 0

    def stop(lately: int, total: int) -> None:
        nonlocal seen
        seen += lately
        if seen > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(source, target, judge, progress=stop)
    assert not target.exists()
    with pytest.raises(FileError, match="another limit"):
        run(source, target, Judge(engine=judge.engine, depth=5))
    with pytest.raises(FileError, match="other positions"):
        run(saved(tmp_path, GAMES), target, judge)
    with pytest.raises(FileError, match="another engine"):
        run(source, target, _other(tmp_path))
    done = run(source, target, judge)
    assert done.before >= 96 and done.rows == len(load_positions(target)) > 200
    with pytest.raises(FileError, match="holds these labels already"):
        run(source, target, judge)
    with pytest.raises(FileError, match="something else"):
        run(source, target, Judge(engine=judge.engine, depth=5))


def _other(folder: Path) -> Judge:
    """An engine with another name."""
    path = Path(fake(folder, "other"))
    path.write_text(path.read_text().replace("Fake 1", "Fake 2"))
    return Judge(engine=str(path))


@scripts
def test_positions_that_kill_the_engine_are_set_aside(tmp_path: Path) -> None:
    book = "\n".join(f"4k3/8/8/8/8/8/{piece}7/4K3 w - - 0 1" for piece in "RQNB")
    source, target = saved(tmp_path, book, "book.fen"), tmp_path / "t.parquet"
    judge = Judge(engine=fake(tmp_path, "die of queens"))
    done = label_positions(lambda table: gather(source, table) and None, target, judge, identify=dict, backend=Local(1))
    assert done.rows == 3 and [one.fen for one in done.aside] == ["4k3/8/8/8/8/8/Q7/4K3 w - - 0 1"]
    table = load_positions(target)
    assert len(table) == 3 and table.game.tolist() == [1, 3, 4]
    (fen, game, ply, reason) = json.loads(table.facts["aside"])[0]
    assert (game, ply) == (2, 0) and "Q7" in fen and "died" in reason


@scripts
def test_an_engine_that_dies_once_is_forgiven(tmp_path: Path) -> None:
    done = run(saved(tmp_path, GAMES), tmp_path / "t.parquet", Judge(engine=fake(tmp_path, "die once")))
    assert done.aside == () and done.rows > 5


@scripts
def test_an_engine_that_always_dies_ends_the_work(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"died at .* and so at the \d+ positions after it"):
        run(saved(tmp_path, GAMES), tmp_path / "t.parquet", Judge(engine=fake(tmp_path, "die")))


def test_a_missing_engine_is_heard_of_before_anything_else(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no engine 'nobody'"):
        run(saved(tmp_path, GAMES), tmp_path / "t.parquet", Judge(engine="nobody"))
    assert not (tmp_path / "t.parquet.parts").exists()


@scripts
def test_a_worker_keeps_its_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    real = Analyst.__init__

    def counted(self: Analyst, path: str, **options: Any) -> None:
        started.append(path)
        real(self, path, **options)

    monkeypatch.setattr(Analyst, "__init__", counted)
    task = LabelTask(judge=Judge(engine=fake(tmp_path, "well")), fens=("4k3/8/8/8/8/8/8/4K2R w - - 0 1",))
    assert label_task(task) == label_task(task) and len(started) == 1
    close_analysts()
    label_task(task)
    close_analysts()
    assert len(started) == 2


def tiring(folder: Path, tired: Path) -> str:
    """Return the path of an engine that says nothing after a task's positions as long as the file *tired* is there."""
    engine = Path(fake(folder, "well"))
    waiting = f"""
        asked = globals().get("asked", 0) + 1
        while asked > {labelling.CHUNK} and os.path.exists({str(tired)!r}):
            time.sleep(0.01)"""
    engine.write_text(engine.read_text().replace('words[0] == "go":', f'words[0] == "go":{waiting}'))
    return str(engine)


@scripts
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    source, target, tired = long_games(tmp_path, 6), tmp_path / "t.parquet", tmp_path / "tired"
    parts = target.with_name("t.parquet.parts")
    words = ["label", str(source), str(target), "--engine", tiring(tmp_path, tired), "--per-game", "0",
             "--workers", "2", "--patience", str(LONG)]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    hasty = "import understudy.games.chess.records.labelling as labelling; labelling.PART_SECONDS = 0"
    code = f"{hasty}; import understudy.cli; understudy.cli.main()"
    tired.touch()
    slow = subprocess.Popen([sys.executable, "-c", code, *words], env=environment, stderr=subprocess.PIPE)
    wait_until(lambda: list(parts.glob("part_*.parquet")) or slow.poll() is not None)
    slow.kill()
    tired.unlink()
    slow.communicate()
    assert list(parts.glob("part_*.parquet")) and not target.exists()
    command = [sys.executable, "-m", "understudy", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "by an earlier run" in done.stdout and not parts.exists()
    assert f"wrote {len(load_positions(target))} labelled positions" in done.stdout


def test_stockfish_at_the_command_line(tmp_path: Path, stockfish: str) -> None:
    source, target = saved(tmp_path, GAMES), str(tmp_path / "t.parquet")
    words = ["label", str(source), target, "--engine", stockfish, "--depth", "4", "--from-ply", "0", "--workers", "2"]
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 0, done.output
    table = load_positions(Path(target))
    analyst = Analyst(stockfish, depth=4)
    assert table.kind is not None and table.score is not None and table.best is not None
    for row, fen in enumerate(write_fens(table.positions)):
        assert analyst.label(fen) == (table.kind[row], table.score[row], table.best[row])
    analyst.close()
    assert "mate" in table.kind.tolist()
    shown = CliRunner().invoke(commands, ["data", target])
    assert "engine: Stockfish" in shown.output and "classes: Losing" in shown.output


MATE, MATED = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "6k1/5ppp/8/8/8/8/r4PPP/1r4K1 w - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
TWO_ROOKS = "7k/R7/8/8/8/8/8/1R2K3 b - - 0 1"


def test_a_student_says_what_the_rules_say() -> None:
    fens = (MATE, MATED, STALEMATE, TWO_ROOKS, "no position")
    wanted = [("mate", 1, "d1d8"), ("mate", 0, ""), ("cp", 0, ""), ("mate", -1, "h8g8"), None]
    assert OwnAnalyst("student:chess", 2).label_all(fens) == wanted
    assert OwnAnalyst("student:chess", 0).label_all(fens)[1:3] == wanted[1:3]


@pytest.mark.parametrize("depth", [0, 1])
def test_a_student_labels_by_its_own_search(depth: int, tmp_path: Path) -> None:
    source, target = saved(tmp_path, GAMES), tmp_path / "t.parquet"
    words = ["label", str(source), str(target), "--player", "student:chess", "--from-ply", "0", "--limit", "20"]
    done = CliRunner().invoke(commands, [*words, "--depth", str(depth)])
    assert done.exit_code == 0, done.output
    table, game = load_positions(target), find_game("chess")
    assert table.facts["engine"].startswith("student:chess (") and table.score is not None and table.best is not None
    assert table.facts["limit"] == f"depth {depth}, captures played out"
    player: Any = make_player("student:chess,quiescence=true", game)
    for row, fen in enumerate(write_fens(table.positions)):
        position = game.read(fen)
        opinion = search(game, position, player.evaluator, limits=Limits(1))
        if abs(opinion.value) > 900:
            continue  # mates are tried above, and beyond forty pawns (989 here) labels know no difference
        if depth == 0:
            # What a move leads to is worth as much as one ply and captures say of the move.
            after = OwnAnalyst("student:chess", 0).label_all([game.write(game.play(position, opinion.move))])[0]
            assert after is not None and pawns_seen(-after.score) == pytest.approx(opinion.value, abs=1.5)
            assert table.best[row] == ""
        else:
            assert table.best[row] == to_uci(position, opinion.move).uci()
            assert pawns_seen(int(table.score[row])) == pytest.approx(opinion.value, abs=1.5)


def pawns_seen(score: int) -> float:
    """Return centipawns as a student's numbers have them: beyond four pawns they are drawn together, and labels not."""
    return float(100 * compress_pawns(np.array(score / 100)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--player", "searcher:depth=2"],
            "'searcher:depth=2' cannot label: only students of chess that see standings",
        ),
        (["--player", "student:nobody"], "there is no student"),
        (["--player", "student:chess", "--depth", "9"], "labels must be from 0 to 8, not 9"),
        (["--player", "student:chess", "--nodes", "3"], "--nodes is for an engine"),
        (["--player", "student:chess", "--engine", "stockfish"], "--engine is for an engine"),
    ],
)
def test_who_cannot_label_is_told_at_once(words: list[str], message: str, tmp_path: Path) -> None:
    asked = ["label", str(saved(tmp_path, GAMES)), str(tmp_path / "t.parquet"), *words]
    with pytest.raises((BadOption, FileError), match=message):
        CliRunner().invoke(commands, asked, catch_exceptions=False)
    assert not list(tmp_path.glob("t.parquet")) and not list(tmp_path.glob("*.parts"))


def test_labels_are_those_of_the_shared_table(tmp_path: Path, shared: Path, stockfish: str) -> None:
    path = shared / "data" / "chess" / "labelled_depth8.parquet"
    if not path.exists():
        pytest.skip("no shared chess data beside the repository")
    target = tmp_path / "t.parquet"
    options = ["--engine", stockfish, "--depth", "8", "--limit", "40"]
    done = CliRunner().invoke(commands, ["label", str(path), str(target), *options])
    assert done.exit_code == 0, done.output
    ours, theirs = load_positions(target), load_positions(path).taken(slice(0, 40))
    if theirs.facts["engine"] != ours.facts["engine"]:
        pytest.skip(f"the shared labels are by {theirs.facts['engine']}, this is {ours.facts['engine']}")
    for name in ("game", "ply", "source", "result", "kind", "score", "best"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()


@pytest.mark.parametrize(
    ("label", "reply", "fair"),
    [
        (Label("cp", 50, "e2e4"), Label("cp", -10, "e7e5"), Label("cp", 30, "e2e4")),
        (Label("cp", 50, "e2e4"), Label("cp", 70, "e7e5"), Label("cp", -10, "e2e4")),
        (Label("cp", 900, "h5f7"), Label("mate", -2, "e8e7"), Label("mate", 3, "h5f7")),
        (Label("cp", 0, "g2g4"), Label("mate", 1, "d8h4"), Label("cp", -1000, "g2g4")),
    ],
)
def test_a_fair_label_is_half_way_to_the_reply(label: Label, reply: Label, fair: Label) -> None:
    assert balanced(label, reply) == fair


@scripts
def test_fair_labels_ask_twice_and_remember(tmp_path: Path) -> None:
    """The engine here says ten times its depth, and one more if it has not forgotten what it knew."""
    engine = Path(fake(tmp_path, "well"))
    telling = engine.read_text().replace('print("info depth 2 score cp 13', 'print(f"info depth 2 score cp {said}')
    telling = telling.replace(
        'words[0] == "go":', 'words[0] == "go":\n        said, known = 10 * int(words[2]) + known, 1'
    )
    telling = telling.replace(
        '    if words[0] == "uci":', '    if words[0] == "ucinewgame":\n        known = 0\n    elif words[0] == "uci":'
    )
    engine.write_text(telling)
    source, target = saved(tmp_path, f"{START}\n", "book.fen"), tmp_path / "t.parquet"
    words = ["label", str(source), str(target), "--engine", str(engine), "--depth", "7", "--fair", "--workers", "1"]
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 0, done.output
    table = load_positions(target)
    assert table.score is not None and table.score.tolist() == [round((70 - 61) / 2)]
    assert table.limits() == {"depth 7 fair": len(table)} and table.facts["limit"].startswith("depth 7 fair, Hash 1")


@scripts
def test_an_illegal_best_move_has_no_reply(tmp_path: Path) -> None:
    engine = Path(fake(tmp_path, "well"))
    engine.write_text(engine.read_text().replace("bestmove {best}", "bestmove a1a8"))
    task = LabelTask(judge=Judge(engine=str(engine), depth=2, fair=True), fens=(START,))
    (result,) = label_task(task)
    close_analysts()
    assert result.label is None and "'a1a8', which is not legal" in result.fault
