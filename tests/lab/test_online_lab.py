"""The online lab: a tiny experiment end to end, going on after a kill, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import TEACHER
from tests.tiny import tiny as tiny_of
from understudy import lab
from understudy.cli import commands
from understudy.errors import BadOption, UnknownName
from understudy.judges.duels import draw_starts, play_duel, read_score
from understudy.lab import find_lab
from understudy.lab.experiments import load_experiment, make_experiment, shipped
from understudy.lab.kinds import online, picking
from understudy.lab.run import Progress
from understudy.players import make_player
from understudy.players.choosers import make_chooser
from understudy.players.student_files import load_session
from understudy.search.memory import make_random_state
from understudy.tensors import load_arrays
from understudy.trainers.online.pupils import make_chooser_of

ROOT = Path(__file__).parents[2]

tiny = partial(tiny_of, "online")


def test_a_tiny_experiment(tmp_path: Path) -> None:
    news: list[Progress] = []
    experiment = tiny()
    page = lab.run(experiment, tmp_path, show=news.append)
    text = page.read_text(encoding="utf-8")
    assert "Won of the last hundred games" in text and "against searcher:evaluator=q" in text
    assert "Every searcher here has depth=1, method=minimax, ties=random." in text
    assert {one.task for one in news} >= {"A_0 learns", "C_1 learns", "judging", "C: trying snapshots"}
    games = json.loads((tmp_path / "games.json").read_text())
    assert set(games) == {"A", "C", TEACHER} and set(games["A"]) == {
        "chosen", "last", "best hundred"
    }  # fmt: skip
    last = read_score(games["A"]["last"]["random"])
    assert last.games == 80 and last.different is not None and sum(last.pairs or ()) <= 40  # both repeats
    assert f"{last.different} of 80 differ" in text.replace("\N{NARROW NO-BREAK SPACE}", "")
    curves = json.loads((tmp_path / "curves.json").read_text())
    assert len(curves["A"]["won"]) == 2 and curves["A"]["games"][-1] == 600
    assert [path.name for path in sorted((tmp_path / "pupils" / "A_1" / "snapshots").iterdir())] == [
        "000000200.safetensors", "000000400.safetensors", "000000600.safetensors"
    ]  # fmt: skip
    player = make_player(f"student:{tmp_path / 'student_A.onnx'}", experiment.game)
    assert player.choose([experiment.game.start()])[0].move in experiment.game.moves(experiment.game.start())
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "A, source" in markdown and "72.0 %" in markdown
    assert any(line.startswith("A, chosen: ") for line in lab.summary(experiment, tmp_path))


def test_snapshots_meet_a_field_of_evaluators(tmp_path: Path) -> None:
    """As a duel of the same name says, apart from those who choose; and another field is played anew."""
    experiment = tiny(training__repeats=1, judging__field=["a", "q"])
    text = lab.run(experiment, tmp_path, show=lambda news: None).read_text(encoding="utf-8")
    assert "against a, q in the mean, one ply each" in text
    tried = json.loads((tmp_path / "snapshots.json").read_text())
    entry = tried["A"][-1]
    assert set(entry["field"]) == {"a", "q"} and set(entry["won"]) == {"random", TEACHER}
    assert entry["field"]["q"] == entry["won"][TEACHER]  # it is met once
    weights = load_arrays(tmp_path / "pupils" / "A_0" / "snapshots" / "000000600.safetensors")[0]["weights"]
    student = make_chooser_of(experiment.game, experiment.lessons[0].student, weights)
    rival = make_chooser("searcher:evaluator=a,depth=1,method=minimax,ties=random", experiment.game)
    score = play_duel(experiment.game, student, rival, games=20, seed=online.TRYING, choosing=True, opening_plies=4,
                      name="A 0 000000600 searcher:evaluator=a,depth=1")  # fmt: skip
    assert entry["field"]["a"] == round(score.won().value or 0.0, 4)
    lab.judge(tiny(training__repeats=1, judging__field=["b"]), tmp_path, show=lambda news: None)
    assert set(json.loads((tmp_path / "snapshots.json").read_text())["A"][-1]["field"]) == {"b"}


def test_the_result_of_a_run_keeps_what_its_students_learned(tmp_path: Path) -> None:
    lab.run(tiny(judging__field=["a", "b"]), tmp_path / "one", show=lambda news: None)
    lab.report_all(tmp_path, tmp_path / "index.html")
    learned = lab.report_all(tmp_path, tmp_path / "index.html")["one"]["learned"]
    assert set(learned) == {"A", "C", TEACHER} and set(learned[TEACHER]) == {"sets"}
    games = json.loads((tmp_path / "one" / "games.json").read_text())
    last = learned["C"]["sets"]["last"]["random"]
    assert last["value"] == read_score(games["C"]["last"]["random"]).won().value and last["games"] == 80
    tried = json.loads((tmp_path / "one" / "snapshots.json").read_text())["C"]
    final = [entry for entry in tried if entry["games"] == 600]
    assert learned["C"]["trainings"] == len(final) == 2 and learned["C"]["snapshots"]["games"][-1] == 600
    assert learned["C"]["snapshots"]["won"]["random"][-1] == pytest.approx(np.mean([e["won"]["random"] for e in final]))
    field = np.mean([list(entry["field"].values()) for entry in final])
    assert learned["C"]["snapshots"]["field"][-1] == pytest.approx(field, abs=1e-4)
    curve = learned["C"]["curve"]
    assert curve["games"][-1] == 600 and len(curve["games"]) == len(curve["most"]) == 25
    assert all(a <= b <= c for a, b, c in zip(curve["least"], curve["mean"], curve["most"], strict=True))


def test_a_killed_run_goes_on_with_the_same_curve(tmp_path: Path) -> None:
    lab.train(tiny(), tmp_path / "whole", show=lambda news: None)

    class Killed(Exception):
        pass

    def killer(news: Progress) -> None:
        if news.task == "C_0 learns" and news.done > 0.5:
            raise Killed

    with pytest.raises(Killed):
        lab.train(tiny(), tmp_path / "again", show=killer)
    for thread in threading.enumerate():
        if thread.name.startswith("ThreadPool"):
            thread.join()
    lab.train(tiny(), tmp_path / "again", show=lambda news: None)
    assert (tmp_path / "again" / "curves.json").read_bytes() == (tmp_path / "whole" / "curves.json").read_bytes()
    for name in ("A_0", "A_1", "C_0", "C_1"):
        one, other = (load_arrays(tmp_path / run / "pupils" / name / "training.safetensors")[0]
                      for run in ("whole", "again"))  # fmt: skip
        assert all(np.array_equal(one[key], other[key]) for key in one)


def test_a_run_folder_is_not_overwritten(tmp_path: Path) -> None:
    lab.train(tiny(training__repeats=1), tmp_path, show=lambda news: None)
    with pytest.raises(BadOption, match="was trained with other settings"):
        lab.train(tiny(training__rate=0.2), tmp_path, show=lambda news: None)
    with pytest.raises(BadOption, match="holds another experiment"):
        lab.train(tiny(experiment__size="6x6"), tmp_path, show=lambda news: None)


def make_old(folder: Path) -> dict[str, bytes]:
    """Take from a run folder's names what they did not say for a time; return its files as they were before."""
    files = {name: (folder / name).read_bytes() for name in ("experiment.toml", "snapshots.json", "games.json")}
    for name, content in files.items():
        assert TEACHER.encode() in content
        (folder / name).write_bytes(content.replace(b",method=minimax,ties=random", b""))
    return files


def held(folder: Path, files: dict[str, bytes]) -> bool:
    return all((folder / name).read_bytes() == content for name, content in files.items())


def test_an_old_run_folder_is_read_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def experiment() -> Any:
        return tiny(training__repeats=1, training__games=200, training__teacher=TEACHER)

    lab.run(experiment(), tmp_path, show=lambda news: None)
    files = make_old(tmp_path)
    for told in (
        f"{str(tmp_path)!r}: searchers now say method=minimax,ties=random, which they always were there\n",
        "",
    ):
        commands.main(["report", str(tmp_path)], standalone_mode=False)
        assert capsys.readouterr().err == told and held(tmp_path, files)
    make_old(tmp_path)
    news: list[Progress] = []
    lab.run(experiment(), tmp_path, show=news.append)
    assert held(tmp_path, files)
    assert [one.note for one in news if one.task == "old names"] == ["searchers now say method=minimax,ties=random"]
    assert not [one for one in news if one.task in ("judging", "A_0 learns")]


def test_games_keep_the_seeds_of_short_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seed is made of the players' names; games that were played before names said minimax are played again so."""
    seeds: list[str] = []

    def played(*_: Any, name: str, **more: Any) -> Any:
        seeds.append(name)
        return online.NOTHING

    monkeypatch.setattr(online, "play_duel", played)
    monkeypatch.setattr(online, "share_won", lambda *_: 0.5)
    experiment = tiny(training__repeats=1, training__games=200)
    lab.train(experiment, tmp_path, show=lambda news: None)
    lab.judge(experiment, tmp_path, show=lambda news: None)
    assert {"A 0 000000200 searcher:evaluator=q,depth=1", "A chosen 0", "searcher:evaluator=q,depth=1"} <= set(seeds)
    assert not [name for name in seeds if "minimax" in name]


@pytest.mark.parametrize("plies", [0, 4])
def test_games_that_choose_share_no_chance_and_no_opening_with_those_that_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plies: int
) -> None:
    """What makes the chance of a duel is its seed and its name, what makes its openings is its seed."""
    chances: dict[str, set[int]] = {"choosing": set(), "grading": set()}
    openings: dict[str, set[int]] = {"choosing": set(), "grading": set()}
    game = tiny().game

    def playing(*players: Any, choosing: bool = False, seed: int, name: str, games: int, **more: Any) -> Any:
        part = "choosing" if choosing else "grading"
        mixed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        chances[part].add(int(make_random_state(np.random.default_rng([seed, mixed]))[0]))
        starts = draw_starts(game, (games + 1) // 2, plies=more["opening_plies"], seed=seed, choosing=choosing)
        openings[part] |= {game.key(begun.position) for begun in starts}
        return play_duel(*players, choosing=choosing, seed=seed, name=name, games=games, **more)

    for module in (online, picking):
        monkeypatch.setattr(module, "play_duel", playing)
    experiment = tiny(judging__opening_plies=plies)
    lab.train(experiment, tmp_path, show=lambda news: None)
    lab.judge(experiment, tmp_path, show=lambda news: None)
    assert len(chances["choosing"]) >= 2 * 4 + 2 * 5 and len(chances["grading"]) >= 2 * 5 + 1
    assert not chances["choosing"] & chances["grading"]
    assert not openings["choosing"] & openings["grading"]
    assert bool(openings["grading"]) == bool(plies)
    assert len({online.TRYING, picking.PICKING, online.JUDGING}) == 3


def test_the_best_set_of_weights_is_picked_by_games_that_grade_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.run(tiny(), tmp_path, show=lambda news: None)
    picked = json.loads((tmp_path / "picked.json").read_text())
    sums = {
        (name, which): sum(shares.values())
        for name, entry in picked["students"].items()
        for which, shares in entry["won"].items()
    }
    assert (picked["among"], len(sums), picked["games"]) == (6, 6, 20)
    assert sums[picked["student"], picked["set"]] == max(sums.values())
    assert sums[picked["kept"], "chosen"] == max(sums[name, "chosen"] for name in ("A", "C"))
    kept, chosen = (tmp_path / f"{name}.onnx" for name in ("student", f"student_{picked['kept']}"))
    assert kept.read_bytes() == chosen.read_bytes()
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert f"Of 6 sets of weights {picked['student']}, {picked['set']}, was picked, by 20 games" in report
    assert "chosen among 2 by other games" in report
    monkeypatch.setattr(picking, "play_duel", None)  # nothing is played again
    lab.judge(tiny(), tmp_path, show=lambda news: None)
    assert json.loads((tmp_path / "picked.json").read_text()) == picked


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experiment__size": "5x9x2"}, "experiment.size '5x9x2' is not a board size"),
        ({"experiment__size": "7x14"}, "konane has no board of size 7x14"),
        ({"experiment__game": "morris", "experiment__size": ""}, "representation of morris 'A'"),
        ({"experiment__kind": "onlin"}, "no kind of experiment 'onlin'; did you mean 'online'"),
        ({"training__game": 3}, r"no option of \[training\] 'game'; did you mean 'games'"),
        ({"judging__choose_by": ["human"]}, "'human' is not among judging.opponents"),
        ({"judging__games": 0}, "judging.games must be from 2"),
        ({"judging__field": ["zz"]}, "no evaluator of konane 'zz'"),
        ({"judging__field": ["a", "a"]}, "judging.field: .* names an evaluator twice"),
        ({"judging__opening_plies": 21}, "judging.opening_plies must be from 0 to 20"),
        ({"paper__A": 3}, r"\[paper.A\] must hold a share"),
        ({"watch__teacher": "random"}, "no section of an experiment 'watch'"),
    ],
)
def test_bad_experiments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        tiny(**changes)


@pytest.mark.parametrize("path", list(shipped().values()), ids=lambda path: path.stem)
def test_every_experiment_can_be_read(path: Path) -> None:
    assert load_experiment(path).name == path.stem
    find_lab(load_experiment(path).about.kind)
    if path.stem.startswith("konane"):
        quick = load_experiment(path, quick=True)
        assert quick.name == f"{path.stem}_quick"


EVERY = {
    "student": {"hidden": [4], "representation": "features"},
    "training": {"games": 4, "snapshot": 100, "rate": 0.1},
    "judging": {"games": 2, "snapshots": 1, "snapshot_games": 2},
    "variations": {"told": {}, "alone": {"training": {"method": "temporal"}}},
}


@pytest.mark.parametrize("game", ["morris", "konane", "lines_of_action", "chess"])
def test_pupils_learn_every_game_by_its_features(game: str, tmp_path: Path) -> None:
    settings = EVERY | {"experiment": {"kind": "online", "game": game, "size": SIZES[game]}}
    experiment = make_experiment("tiny", settings, folder=Path())
    lab.run(experiment, tmp_path, show=lambda news: None)
    board = experiment.game
    for order in ("told", "alone"):
        player = make_player(f"student:{tmp_path},order={order}", board)
        assert player.choose([board.start()])[0].move in board.moves(board.start())
    facts = load_session(tmp_path / "student_told.onnx")[1]
    assert facts["representation"] == "features" and facts["sizes"][0] == board.feature_count
    assert facts.get("finished_by_rules", False) == (game != "konane")
    games = json.loads((tmp_path / "games.json").read_text())
    assert set(games) == {"told", "alone", experiment.lessons[0].training.teacher}  # type: ignore[attr-defined]


SIZES = {"morris": "", "konane": "4x4", "lines_of_action": "5x5", "chess": ""}


@pytest.mark.parametrize("game", ["morris", "lines_of_action", "chess"])
def test_what_is_of_konane_alone_is_refused(game: str) -> None:
    about = {"experiment": {"kind": "online", "game": game}}
    for student, message in (
        ({"local": True}, "student.local: .* has no one cell for each input"),
        ({"representation": "E"}, f"representation of {game} 'E'"),
        ({"structure": "comparison", "finished_by_rules": True}, "student.finished_by_rules: a student that compares"),
    ):
        with pytest.raises((BadOption, UnknownName), match=message):
            make_experiment("tiny", about | {"student": student}, folder=Path())
    with pytest.raises(BadOption, match=r"training.teacher: 'random' cannot teach"):
        make_experiment("tiny", about | {"training": {"teacher": "random"}}, folder=Path())


def test_the_clock_may_end_a_training(tmp_path: Path) -> None:
    experiment = tiny(training__games=10**6, training__minutes=1e-9, training__repeats=2)
    lab.run(experiment, tmp_path, show=lambda news: None)
    assert len(list(tmp_path.glob("pupils/A_0/snapshots/*"))) == 1
    played = json.loads((tmp_path / "snapshots.json").read_text())["A"][0]["games"]
    assert 0 < played < 10**6
    lab.train(experiment, tmp_path, show=lambda news: None)  # nothing is left to do
    assert len(list(tmp_path.glob("pupils/A_0/snapshots/*"))) == 1
