"""The online lab: a tiny experiment end to end, going on after a kill, and what it refuses."""

from __future__ import annotations

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
from understudy.lab import find_lab
from understudy.lab.experiments import load_experiment, shipped
from understudy.lab.kinds import online
from understudy.lab.run import Progress
from understudy.players import make_player
from understudy.tensors import load_arrays

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
    assert sum(map(sum, games["A"]["last"]["random"])) == 80  # both repeats
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
    monkeypatch.setattr(online, "_won", lambda *_: 0.5)
    experiment = tiny(training__repeats=1, training__games=200)
    lab.train(experiment, tmp_path, show=lambda news: None)
    lab.judge(experiment, tmp_path, show=lambda news: None)
    assert {"A 0 000000200 searcher:evaluator=q,depth=1", "A chosen 0", "searcher:evaluator=q,depth=1"} <= set(seeds)
    assert not [name for name in seeds if "minimax" in name]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experiment__size": "5x9x2"}, "experiment.size '5x9x2' is not a board size"),
        ({"experiment__size": "7x14"}, "konane has no board of size 7x14"),
        ({"experiment__game": "morris"}, "pupils learn konane alone"),
        ({"experiment__kind": "onlin"}, "no kind of experiment 'onlin'; did you mean 'online'"),
        ({"training__game": 3}, r"no option of \[training\] 'game'; did you mean 'games'"),
        ({"judging__choose_by": ["human"]}, "'human' is not among judging.opponents"),
        ({"judging__games": 0}, "judging.games must be from 2"),
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
