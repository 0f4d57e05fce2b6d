"""One writer at a time: a second process is refused by every command that resumes something, and nobody else is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.conftest import wait_until
from tests.faults.effort import times
from tests.faults.kept import chess_rows, refusal
from tests.faults.tally import tally
from tests.games.chess.test_analyst_chess import fake, scripts
from tests.games.chess.test_labelling_chess import tiring
from tests.games.chess.test_pgn_chess import GAMES, saved
from tests.games.chess.test_positions_chess import long_games
from tests.tiny import TINY, changed
from understudy.backends import Local
from understudy.cli import main
from understudy.config import write_toml
from understudy.files import save_text
from understudy.games import find_game
from understudy.games.chess.endings import Endings, keep_endings
from understudy.games.chess.players.analyst import Label
from understudy.games.chess.records.labelling import join_parts, save_part
from understudy.games.chess.records.opinions import LabelResult
from understudy.games.chess.records.positions import arrow_rows, load_positions
from understudy.locks import is_alive, is_locked, lock_file, locked
from understudy.records.watch import Watch, watch

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
HOLDING = """
import sys
from pathlib import Path
from understudy.locks import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""

COMMANDS = {
    "run": ("run", ["run", "tiny.toml", "--run", "run"]),
    "train": ("run", ["train", "tiny.toml", "--run", "run"]),
    "watch an experiment": ("run", ["watch", "tiny.toml", "--run", "run"]),
    "watch a game": ("run/records.parquet", ["watch", "konane", "--games", "2", "--run", "run"]),
    "tune": ("run/tune.sqlite", ["tune", "tiny.toml", "--run", "run"]),
    "label": ("t.parquet", ["label", "games.pgn", "t.parquet", "--engine", "./fake-well"]),
    "sample": ("t.parquet", ["sample", "games.pgn", "t.parquet"]),
    "tablebase": ("t.parquet", ["tablebase", "KQvK", "--keep", "t.parquet"]),
    "fetch": (
        "data/nnmm/DATASET.complete.txt",
        ["fetch", "nnmm/matches", "--to", "data", "--from", "http://127.0.0.1:9"],
    ),
    "solve": ("run", ["solve", "morris", "--stones", "3v3", "--tables", "run"]),
    "serve": ("games.sqlite", ["serve", "--no-browser", "--port", "0", "--games", "games.sqlite"]),
    "series": ("run", ["run", "series.toml", "--run", "run"]),
}
"""What each command writes, which another process has, and the command."""
CURES = {"serve": "stop it, or give this server another file with --games FILE"}
"""What is advised, where it is not what others say."""


@contextmanager
def held(path: Path) -> Iterator[int]:
    """Let another process have a folder or a file to itself; give its number."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == b"locked\n"
        yield other.pid
        other.kill()


@scripts
@pytest.mark.parametrize("command", COMMANDS)
def test_a_second_writer_is_refused(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, words = COMMANDS[command]
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(write_toml(changed(TINY["imitation"])))
    Path("series.toml").write_text(write_toml(TINY["series"]))
    saved(tmp_path, GAMES)
    fake(tmp_path, "well")
    path = Path(place)
    (path if path.name == "run" else path.parent).mkdir(parents=True, exist_ok=True)
    before = sorted(tmp_path.rglob("*"))
    with held(path) as number:
        monkeypatch.setattr(sys, "argv", ["understudy", *words])
        with tally("second commands") as commands, commands.timed(), pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr().err.splitlines()[-1]
        assert end.value.code == 2
        cure = CURES.get(command, "wait until it ends, or name another place")
        assert said == f"understudy: another process ({number}) is at work on '{path}'; {cure}"
        left = [entry for entry in sorted(tmp_path.rglob("*")) if entry.name not in (lock_file(path).name, "records")]
        assert left == before, "who is refused leaves nothing behind"


def test_a_lock_goes_with_its_process_and_its_note_keeps_nobody_out(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "t.parquet"):
        with held(path) as number:
            assert lock_file(path).read_text() == f"{number}\n", "a person can see who it is"
            assert refusal(lambda path=path: locked(path).__enter__()).startswith(f"another process ({number})")
        assert lock_file(path).exists() and not is_alive(number), "a killed process leaves its note"
        with locked(path):
            assert lock_file(path).read_text() == f"{os.getpid()}\n"
            assert is_locked(path) or not Path("/proc/locks").exists()
        assert not lock_file(path).exists() and not is_locked(path)


@scripts
def test_two_labellings_of_one_table_lose_no_row(tmp_path: Path) -> None:
    source, target, tired = long_games(tmp_path, 6), tmp_path / "t.parquet", tmp_path / "tired"
    words = ["label", str(source), str(target), "--engine", tiring(tmp_path, tired), "--per-game", "0"]
    command = [sys.executable, "-m", "understudy", *words]
    tired.touch()
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as first:
        wait_until(lambda: (tmp_path / "t.parquet.parts" / "plan.json").exists())
        with tally("second processes") as processes:
            for _ in range(times(1, 10)):
                with processes.timed():
                    second = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
                    assert second.returncode == 2 and f"another process ({first.pid})" in second.stderr
        tired.unlink()
        told = first.communicate()[0]
    assert first.returncode == 0
    table = load_positions(target)
    assert f"wrote {len(table)} labelled positions" in told and table.facts["rows"] == str(len(table))
    assert [path.name for path in tmp_path.glob("t.parquet*")] == ["t.parquet"]


def test_parts_that_do_not_add_up_are_not_joined(tmp_path: Path) -> None:
    rows = arrow_rows(chess_rows(60))
    part = save_part(tmp_path, 0, rows, [LabelResult(Label("cp", 13, "e2e4"), "")] * len(rows))
    more, target = part.settled + 1, tmp_path / "t.parquet"
    for parts, settled in (([part._replace(settled=more)], more), ([part], more), ([part, part], part.settled)):
        said = refusal(lambda parts=parts, settled=settled: join_parts(parts, target, facts={}, settled=settled))  # type: ignore[misc]
        assert re.search(r"parquet' has \d+ positions, not \d+", said) and not target.exists()
    join_parts([part], target, facts={}, settled=part.settled)
    assert len(load_positions(target)) == part.settled


def lose_a_row(path: Path) -> None:
    """Write a file of records or positions anew with a row less, and with all that it says of itself but its sum."""
    rows, told = pq.read_table(path), pq.read_metadata(path).metadata
    kept = {key: value for key, value in told.items() if key not in (b"sum", b"ARROW:schema")}
    pq.write_table(rows.slice(1).replace_schema_metadata(kept), path)


def test_a_task_of_watching_that_lost_a_row_is_played_again(tmp_path: Path) -> None:
    game, plan = find_game("konane", (4, 4)), Watch(teacher="random", opponents=("self",), regular=80, ply_limit=20)
    whole = watch(game, plan, tmp_path / "whole", backend=Local(1))

    class Mortal:
        def map(self, task: Any, items: Any) -> Iterator[Any]:
            yield from map(task, items[:2])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch(game, plan, tmp_path / "run", backend=Mortal())  # type: ignore[arg-type]
    lose_a_row(tmp_path / "run" / "records" / "00001.parquet")
    again = watch(game, plan, tmp_path / "run", backend=Local(1))
    assert len(again) == len(whole) and again.moves.tolist() == whole.moves.tolist()
    lose_a_row(tmp_path / "run" / "records.parquet")
    said = refusal(lambda: watch(game, plan, tmp_path / "run", backend=Local(1)))
    assert said.endswith(f"has {len(whole) - 1} records, not {len(whole)}; delete it to watch these again")


def test_endings_that_lost_a_row_are_not_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, target, plain = ["KQvK", "KRvK"], tmp_path / "t.parquet", Endings.solve

    def stop(self: Endings, ending: str) -> None:
        if ending == "KRvK":
            raise KeyboardInterrupt
        plain(self, ending)

    with monkeypatch.context() as patch:
        patch.setattr(Endings, "solve", stop)
        with pytest.raises(KeyboardInterrupt):
            keep_endings(names, target, sample=50)
    part = tmp_path / "t.parquet.parts" / "KQvK.parquet"
    lose_a_row(part)
    said = refusal(lambda: keep_endings(names, target, sample=50))
    assert said == f"'{part}' has 49 positions, not 50; delete it to draw them again" and not target.exists()
    part.unlink()
    assert keep_endings(names, target, sample=50) == 100


def test_what_killed_processes_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stale = [tmp_path / f".{name}.{ended.pid}.tmp" for name in ("a.json", "other.json")]
    stale.append(tmp_path / f".a.json.{os.getpid()}.tmp")  # of a process that had our number before us
    alive = tmp_path / f".a.json.{os.getppid()}.tmp"
    other = tmp_path / ".a.json.x.tmp"
    for path in (*stale, alive, other):
        path.write_text("half")
    save_text(tmp_path / "a.json", "whole")
    assert sorted(tmp_path.iterdir()) == sorted([alive, other, tmp_path / "a.json"])
