"""Runs as a page shows them and starts them: broken folders, names that climb, pauses that change nothing."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

pytest.importorskip("msgspec")
import msgspec

from tests.conftest import LONG, ROOT, wait_until
from tests.tiny import tiny
from understudy import lab
from understudy.errors import BadOption, UnderstudyError, UnknownName
from understudy.lab.experiments import load_experiment, shipped
from understudy.lab.glimpses import read_rows
from understudy.locks import locked
from understudy.players import make_player
from understudy.serve.experiments import HARMLESS, KNOBS, check_changes, list_offers
from understudy.serve.hall import Absent
from understudy.serve.lab_answers import RunView
from understudy.serve.labs import Labs, read_last_sentence
from understudy.serve.runs import describe_run, find_report, find_run, is_locked, list_runs
from understudy.serve.sittings import Conflict

SMALL = {"examples.boards": 200, "training.epochs": 60, "judging.games": 20}
"""Changes that make `konane_4x4_perfect --quick` take seconds, most of them epochs."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of each kind whose curves differ."""
    folder = tmp_path_factory.mktemp("runs")
    lab.run(tiny("values", judging__value_kept=0, judging__games=4), folder / "values")
    lab.run(tiny("online", training__repeats=1, judging__games=20), folder / "online")
    lab.run(tiny("evolution", judging__matches=2, judging__baselines=[]), folder / "evolution")
    return folder


def copy_run(runs: Path, name: str, target: Path) -> Path:
    shutil.copytree(runs / name, target / name)
    return target / name


def test_all_runs_are_listed(runs: Path) -> None:
    rows = {row.name: row for row in list_runs(runs)}
    assert set(rows) == {"values", "online", "evolution"}
    assert all(row.state == "done" and row.report and row.error is None and row.done == 1.0 for row in rows.values())
    assert rows["values"].student == "student:runs/values" and len(rows["values"].curve) > 1
    updated = [row.updated for row in list_runs(runs)]
    assert updated == sorted(updated, reverse=True)


def test_curves_have_plain_names_and_the_papers_line(runs: Path) -> None:
    curves = {curve.name: curve for curve in describe_run(runs, "online").curves}
    won = curves["games won against random"]
    assert won.axis == "games" and won.unit == "share" and {line.name for line in won.lines} == {"A", "C"}
    assert [line.value for line in won.paper if line.name == "Thompson 2005, A"] == [0.72]
    assert "games won while learning" in curves
    evolved = {curve.name: curve for curve in describe_run(runs, "evolution").curves}
    lines = evolved["games won against stochastic:depth=1"].lines
    assert [point[0] for point in lines[0].points] == [0, 1, 2, 4] and evolved["fitness"].axis == "generations"
    accuracy = describe_run(runs, "values").curves[0]
    assert accuracy.name == "accuracy of the networks"
    assert [line.name for line in accuracy.lines] == ["held out", "while learning"]
    assert all(len(line.points) == 6 for line in accuracy.lines)


def test_glimpses_have_drawings(runs: Path) -> None:
    for name, axis in (("values", "epoch"), ("online", "game"), ("evolution", "generation")):
        seen = describe_run(runs, name).glimpses
        assert seen and all(len(one.scenes) == 6 and one.frames for one in seen)
        for frame in (frame for one in seen for frame in one.frames):
            assert axis in frame.label and all('class="us-over"' in choice.picture for choice in frame.choices)
            assert all(choice.legal for choice in frame.choices)


def test_students_of_a_run_can_be_played(runs: Path) -> None:
    for name in ("values", "online", "evolution"):
        view = describe_run(runs, name)
        game = tiny(name).game
        for player in view.players:
            text = player.player.replace("runs/", f"{runs}/")
            assert make_player(text, game).choose([game.start()])
            for generation in player.generations:
                make_player(f"{text},generation={generation}", game)
    assert [player.generations for player in view.players if player.title == "steady"] == [[0, 1, 2, 4]]


def test_an_evolution_under_way_offers_its_champions(runs: Path, tmp_path: Path) -> None:
    folder = copy_run(runs, "evolution", tmp_path)
    for path in [*folder.glob("student*"), folder / "report.html"]:
        path.unlink()
    view = describe_run(tmp_path, "evolution")
    assert view.state == "stopped" and view.players[0].player.endswith(",generation=4")
    game = tiny("evolution").game
    assert make_player(view.players[0].player.replace("runs/", f"{tmp_path}/"), game).choose([game.start()])


BREAKS = {
    "experiment.toml": b"x = [",
    "progress.jsonl": b'{"student": 3\nnull\n[]\n{"epoch": "x"}\n\xff\xfe',
    "glimpses.json": b"[1, 2]",
    "glimpses.jsonl": b'{"student": "student", "at": 1, "choices": 5}\n{"at": true}\n{',
    "monitor.json": b'{"thesis": {"random": {"x": [[1]]}}}',
    "generations.jsonl": b'{"fitness": {"best": "no"}, "student": "a"}',
    "snapshots.json": b'{"A": [{"games": 3}]}',
    "page/progress.json": b'{"tasks": [3, {"task": 5, "done": "x"}]}',
    "page/started.json": b"[]",
    "errors.json": b'{"a": 3}',
}
"""What somebody might make of a file."""


@pytest.mark.parametrize("file", BREAKS)
@pytest.mark.parametrize("name", ["values", "evolution", "online"])
def test_a_broken_file_breaks_nothing_else(runs: Path, tmp_path: Path, name: str, file: str) -> None:
    folder = copy_run(runs, name, tmp_path)
    (folder / "page").mkdir(exist_ok=True)
    (folder / file).write_bytes(BREAKS[file])
    rows, view = list_runs(tmp_path), describe_run(tmp_path, name)
    assert [row.name for row in rows] == [name]
    assert msgspec.json.decode(msgspec.json.encode(view), type=RunView) == view
    if file == "experiment.toml":
        assert view.error is not None and "is not TOML" in view.error and "\n" not in view.error


def test_games_and_boards_that_there_are_not(tmp_path: Path) -> None:
    for name, text in (("a", 'game = "go"'), ("b", 'game = "konane"\nsize = "1x1"'), ("c", "game = 5"), ("d", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "experiment.toml").write_text(f"[experiment]\n{text}\n")
    errors = {row.name: row.error for row in list_runs(tmp_path)}
    assert "'go'" in str(errors["a"]) and "1x1" in str(errors["b"]) and errors["d"] is None
    assert all(describe_run(tmp_path, name).name == name for name in "abcd")


def test_folders_that_are_no_runs_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    assert list_runs(tmp_path) == [] and list_runs(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/b", "../runs", "a\\b", "\x00", "x" * 200, "-a", "a b", "nowhere", "é"]
)
def test_names_that_climb_are_refused(runs: Path, name: str) -> None:
    for ask in (find_run, describe_run, find_report):
        with pytest.raises(Absent, match="there is no run"):
            ask(runs, name)


def test_links_that_lead_out_are_refused(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "out").symlink_to(runs / "values")
    assert list_runs(tmp_path / "inside") == []
    with pytest.raises(Absent):
        find_run(tmp_path / "inside", "out")


def test_a_run_without_a_report(runs: Path, tmp_path: Path) -> None:
    folder = copy_run(runs, "values", tmp_path)
    assert find_report(tmp_path, "values").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    (folder / "report.html").unlink()
    with pytest.raises(Absent, match="run 'values' has no report yet"):
        find_report(tmp_path, "values")


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="this system does not tell who has locked what")
def test_whoever_is_at_work_in_a_folder_is_seen(runs: Path, tmp_path: Path) -> None:
    folder = copy_run(runs, "values", tmp_path)
    assert not is_locked(folder)
    with locked(folder):
        assert is_locked(folder) and list_runs(tmp_path)[0].state == "running"
        assert describe_run(tmp_path, "values").can == []
    assert not is_locked(folder)


def test_offers_can_be_started_as_they_stand() -> None:
    offers = list_offers()
    assert {offer.name for offer in offers} == set(shipped())
    for offer in offers:
        for knob in offer.knobs:
            assert knob.key in HARMLESS and (knob.value is None or knob.least <= knob.value), offer.name
            changes = check_changes({knob.key: knob.least}, trust=False)
            load_experiment(shipped()[offer.name], changes, quick=offer.quick)
    assert {key for keys in KNOBS.values() for key in keys} <= set(HARMLESS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"judging.opponents": ["engine:/bin/sh"]}, "no setting that a page may change"),
        ({"records.files": ["/etc/passwd"]}, "no setting that a page may change"),
        ({"student.start": "x"}, "no setting that a page may change"),
        ({"training.epochs": 10**9}, "training.epochs must be a whole number from 1 to 200, not 1000000000"),
        ({"training.epochs": "3"}, "must be a whole number"),
        ({"training.epochs": True}, "must be a whole number"),
        ({"training.epochs": {"a": 1}}, "must be a whole number"),
        ({"": 1}, "no setting that a page may change"),
    ],
)  # fmt: skip
def test_changes_that_a_page_may_not_make(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        Labs(tmp_path).start("konane_4x4_perfect", quick=True, changes=changes, name=None)
    assert list(tmp_path.iterdir()) == []


def test_with_trust_more_may_be_changed() -> None:
    assert check_changes({"network.hidden": 5, "student.representation": "E"}, trust=True) == (
        "network.hidden=5", 'student.representation="E"',
    )  # fmt: skip
    with pytest.raises(UnknownName):
        check_changes({"network.hidden": [5]}, trust=True)


def test_what_cannot_be_started(tmp_path: Path) -> None:
    labs = Labs(tmp_path)
    for experiment in ("nonsense", "/etc/passwd", "../x.toml"):
        with pytest.raises(UnknownName, match="no experiment"):
            labs.start(experiment, quick=True, changes={}, name=None)
    with pytest.raises(BadOption, match="has no quick form"):
        labs.start("morris_quick", quick=True, changes={}, name=None)
    for name in ("../out", "a/b", "", ".."):
        with pytest.raises(BadOption, match="a name has letters"):
            labs.start("konane_4x4_perfect", quick=True, changes={}, name=name)
    (tmp_path / "there").mkdir()
    with pytest.raises(Conflict, match="there is a run 'there' already"):
        labs.start("konane_4x4_perfect", quick=True, changes={}, name="there")
    for ask in (labs.pause, labs.go):
        with pytest.raises(UnderstudyError, match=r"not at work here|not begun from a page"):
            ask("there")
        with pytest.raises(Absent):
            ask("../there")


def test_data_that_are_missing_are_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path / "nothing"))
    with pytest.raises(BadOption, match="'morris_nnmm' needs data that are not here: nnmm"):
        Labs(tmp_path).start("morris_nnmm", quick=False, changes={}, name=None)


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Labs]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    made = Labs(tmp_path / "runs")
    yield made
    made.close()


def look(labs: Labs, name: str) -> RunView:
    return describe_run(labs.runs, name, labs.jobs().get(name))


def learns(view: RunView) -> bool:
    assert view.error is None, view.error
    return any(0.0 < task.done < 0.6 and task.task.endswith("learns") for task in view.tasks)


def begin(labs: Labs, **wanted: Any) -> str:
    return labs.start("konane_4x4_perfect", **({"quick": True, "changes": SMALL, "name": None} | wanted))


def test_a_run_is_started_paused_and_gone_on_with_as_if_nothing_had_happened(labs: Labs, tmp_path: Path) -> None:
    heard: list[str] = []
    labs.changed = heard.append
    name = begin(labs)
    assert name == "konane_4x4_perfect_quick" and look(labs, name).state == "running"
    wait_until(lambda: learns(look(labs, name)))
    labs.pause(name)
    view = look(labs, name)
    assert view.state == "paused" and view.can == ["go"] and view.error is None and not view.report
    with pytest.raises(Conflict, match="not at work here"):
        labs.pause(name)
    again = Labs(labs.runs)  # a server that was started anew
    assert describe_run(again.runs, name, again.jobs().get(name)).state == "paused"
    labs.go(name)
    with pytest.raises(Conflict, match="is not paused"):
        labs.go(name)
    wait_until(lambda: look(labs, name).state != "running")
    view = look(labs, name)
    assert (view.state, view.error, view.can) == ("done", None, []) and name in heard
    assert "--quick --set examples.boards=200" in view.command

    changes = check_changes(SMALL, trust=False)
    alone = tmp_path / "alone"
    lab.run(load_experiment(shipped()["konane_4x4_perfect"], changes, quick=True), alone)
    one, other = (load_file(folder / "checkpoints" / "student.safetensors") for folder in (labs.runs / name, alone))
    assert all(np.array_equal(one[key], other[key]) for key in one)
    assert read_rows(labs.runs / name) == read_rows(alone)


def test_one_trains_at_a_time(labs: Labs) -> None:
    first, second = begin(labs), begin(labs)
    assert (first, second) == ("konane_4x4_perfect_quick", "konane_4x4_perfect_quick_2")
    assert look(labs, first).state == "running" and look(labs, second).state == "waiting"
    third = begin(labs, name="mine")
    labs.pause(third)
    assert look(labs, third).state == "paused"
    labs.pause(first)
    wait_until(lambda: look(labs, second).state == "running")
    labs.close()
    assert {row.name: row.state for row in list_runs(labs.runs, labs.jobs())} == dict.fromkeys(
        (first, second, third), "paused"
    )
    with pytest.raises(Conflict, match="going down"):
        begin(labs)


def test_too_many_may_not_wait(labs: Labs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.serve.labs.WAITING", 1)
    begin(labs)
    begin(labs)
    with pytest.raises(Conflict, match="1 runs wait already"):
        begin(labs)


def test_a_run_that_fails_says_why(labs: Labs) -> None:
    name = begin(labs)
    labs.pause(name)
    (labs.runs / name / "experiment.toml").write_text('[experiment]\nkind = "values"\ngame = "konane"\nsize = "6x6"\n')
    labs.go(name)
    wait_until(lambda: look(labs, name).state != "running")
    view = look(labs, name)
    assert view.state == "stopped" and view.error is not None and "holds another experiment" in view.error
    assert view.can == ["go"]


def test_the_last_sentence_of_a_log(tmp_path: Path) -> None:
    assert read_last_sentence(tmp_path / "none") == ""
    (tmp_path / "log").write_text("a\nunderstudy: it is so\n\n")
    assert read_last_sentence(tmp_path / "log") == "it is so"


KILLED = """
import sys, time
from pathlib import Path
from understudy.serve.labs import Labs
labs = Labs(Path(sys.argv[1]))
name = labs.start("konane_4x4_perfect", quick=True, changes={"training.epochs": 200}, name="left")
print(next(iter(labs.working.values()))[0].pid, flush=True)
time.sleep(1000)
"""


def test_runs_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    server = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, env=environment)
    assert server.stdout is not None
    number = int(server.stdout.readline())
    wait_until((tmp_path / "left" / "page" / "progress.json").exists)
    server.kill()
    server.wait(LONG)
    server.stdout.close()
    wait_until(lambda: not is_alive(number))


def is_alive(number: int) -> bool:
    """Tell whether a process does anything; one that has ended may wait for a parent that never asks."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_student_that_still_learns_is_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    experiment = tiny("imitation", watch__regular=8, training__epochs=40)
    enough = threading.Event()

    class Stopped(Exception):
        pass

    def show(progress: Any) -> None:
        if progress.note.startswith("epoch 3"):  # of which is told before its checkpoint is written
            enough.set()
            raise Stopped

    with pytest.raises(Stopped):
        lab.train(experiment, tmp_path / "young", show=show)
    labs, view = Labs(tmp_path), describe_run(tmp_path, "young")
    assert view.can == ["student"] and view.players == []
    player, title = labs.export("young")
    assert player == "student:runs/young,order=unfinished,check=legal" and title == "FTR of young after epoch 2"
    made: Any = make_player(player.replace("runs/", f"{tmp_path}/"), experiment.game)
    last = read_rows(tmp_path / "young")[-2]  # the epoch before the one that was stopped
    scenes = json.loads((tmp_path / "young" / "glimpses.json").read_text())["FTR"]
    free: Any = make_player(player.replace("runs/", f"{tmp_path}/").replace(",check=legal", ""), experiment.game)
    for scene, choice in zip(scenes, last["choices"], strict=True):
        thought = free.think(experiment.game.read(scene["position"]))
        assert thought.write(thought.choice.move) == choice["move"], "it is the student of that epoch"
    assert made.choose([experiment.game.start()])[0].move in experiment.game.moves(experiment.game.start())
    assert describe_run(tmp_path, "young").players[0].title == "its student while it learned"


def test_a_file_that_gets_its_name_while_a_run_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at a run sees temporary files in the moment before they are renamed."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "experiment.toml").write_text('[experiment]\nkind = "values"\ngame = "konane"\nsize = "4x4"\n')
    scan = os.scandir

    @contextlib.contextmanager
    def scan_late(path: Any) -> Iterator[list[os.DirEntry[str]]]:
        passing = Path(path) / ".verdicts.json.1.tmp"
        passing.touch()
        with scan(path) as entries:
            listed = list(entries)
        passing.unlink()
        yield listed

    monkeypatch.setattr("understudy.serve.runs.os.scandir", scan_late)
    assert describe_run(tmp_path, "run").name == "run"


def test_what_has_no_student_to_write_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    values = '[experiment]\nkind = "values"\ngame = "konane"\nsize = "4x4"\n'
    for name, text in (("other", values), ("none", "[experiment]\n[watch]\n"), ("broken", "x = [")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "experiment.toml").write_text(text)
    labs = Labs(tmp_path)
    with labs.exporting, pytest.raises(Conflict, match="another student is being written at this moment"):
        labs.export("other")
    with pytest.raises(Conflict, match="its student is written when it has learned"):
        labs.export("other")
    with pytest.raises(Conflict, match="nothing has been learned in run folder"):
        labs.export("none")
    with pytest.raises(Conflict, match="is not TOML"):
        labs.export("broken")
