"""Finding the teacher on 4x4 in seconds: the same games for any number of workers, stopped, resumed, reported."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conftest import wait_until
from tests.report.test_report import headings, read_page
from tests.tiny import EVALUATORS as SETTINGS
from tests.tiny import changed
from understudy import lab
from understudy.backends import Local
from understudy.cli import commands
from understudy.config import overridden, write_toml
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.judges.duels import count_marks, draw_starts, read_score
from understudy.judges.robins import effective_games, read_published
from understudy.lab.experiments import load_experiment, make_experiment, shipped
from understudy.lab.kinds import evaluators
from understudy.lab.kinds.evaluators import make_chooser
from understudy.lab.run import Progress
from understudy.tensors import load_arrays


def experiment(*changes: str) -> Any:
    return make_experiment("test", overridden(SETTINGS, changes), folder=Path())


def silent(news: Progress) -> None:
    assert 0 <= news.done <= 1


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluators, "SLICES", {1: 14, 2: 6})
    monkeypatch.setattr(evaluators, "SAVING", 0.0)


@pytest.fixture
def done(tmp_path: Path) -> Path:
    folder = tmp_path / "done"
    lab.run(experiment(), folder, show=silent, backend=Local(2))
    return folder


def test_every_pair_plays_its_games(done: Path) -> None:
    cells = json.loads((done / "cells.json").read_text())
    assert set(cells) == {"1", "2"} and set(cells["1"]) == set("agkqr")
    assert set(cells["1"]["q"]) == {"random", "r"} and set(cells["2"]["g"]) == set("kqr")
    for rows in cells.values():
        for row in rows.values():
            for other, counts in row.items():
                games = 60 if other == "random" else 40
                assert [sum(side) for side in counts[:2]] == [games // 2, games // 2]
    assert cells["1"]["q"]["r"][:2] == [[20, 0, 0], [0, 0, 20]]  # White wins 4x4 where both play as q does
    times = json.loads((done / "times.json").read_text())
    assert list(times) == [f"{task}, depth {depth}" for depth in (1, 2) for task in ("against random", "round robin")]


def test_the_number_of_workers_changes_nothing(done: Path, tmp_path: Path) -> None:
    lab.run(experiment(), tmp_path / "one", show=silent, backend=Local(1))
    assert (tmp_path / "one" / "cells.json").read_bytes() == (done / "cells.json").read_bytes()
    lab.run(experiment("evaluators.seed=4"), tmp_path / "other", show=silent, backend=Local(1))
    assert (tmp_path / "other" / "cells.json").read_bytes() != (done / "cells.json").read_bytes()


@pytest.mark.parametrize("workers", [1, 3])
def test_a_stopped_run_goes_on_and_ends_the_same(done: Path, tmp_path: Path, workers: int) -> None:
    folder, threads = tmp_path / "stopped", set(threading.enumerate())
    calls = 0

    def stopping(news: Progress) -> None:
        nonlocal calls
        calls += 1
        if calls == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.run(experiment(), folder, show=stopping, backend=Local(workers))
    wait_until(lambda: set(threading.enumerate()) <= threads)
    before = json.loads((folder / "cells.json").read_text())
    played = games_of(before)
    assert 0 < played < games_of(json.loads((done / "cells.json").read_text()))
    seen: list[Progress] = []
    lab.run(experiment(), folder, show=seen.append, backend=Local(workers))
    assert (folder / "cells.json").read_bytes() == (done / "cells.json").read_bytes()
    assert seen[0].done == 1 and seen[-1] == Progress("round robin, depth 2", 1.0, "6 of 6 pairs")


def games_of(cells: Any) -> int:
    return sum(read_score(score).games for rows in cells.values() for row in rows.values() for score in row.values())


def test_a_finished_run_plays_nothing_again(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = (done / "cells.json").stat().st_mtime_ns
    lab.run(experiment(), done, show=silent)
    assert (done / "cells.json").stat().st_mtime_ns == stamp


def test_more_depths_and_players_join_a_run(done: Path, tmp_path: Path) -> None:
    folder = tmp_path / "grown"
    lab.run(experiment('evaluators.robin="qr"', "evaluators.depths=[2]"), folder, show=silent)
    lab.run(experiment(), folder, show=silent)
    assert (folder / "cells.json").read_bytes() == (done / "cells.json").read_bytes()


def test_games_of_another_experiment_are_refused(done: Path, tmp_path: Path) -> None:
    for change in ("evaluators.seed=4", "evaluators.counts=jumps", "evaluators.games=62", "experiment.size=6x6"):
        with pytest.raises(BadOption, match=r"holds games of another experiment than 'test' is now; name another"):
            lab.run(experiment(change), done)
    (tmp_path / "experiment.toml").write_text('[experiment]\ngame = "morris"\n')
    with pytest.raises(BadOption, match="holds games of another experiment"):
        lab.run(experiment(), tmp_path)
    for row in ('{"r": [1, 2]}', "[2]", '{"r": [["a", 0, 1], [0, 0, 1]]}', '{"r": null}'):
        broken = f'{{"1": {{"q": {row}}}}}'
        (done / "cells.json").write_text(broken)
        with pytest.raises(FileError, match=r"cells.json' does not hold scores"):
            lab.run(experiment(), done, show=silent)
        with pytest.raises(FileError, match=r"cells.json' does not hold scores"):
            lab.report(experiment(), done)
    with pytest.raises(BadOption, match="nobody learns in experiment 'test'"):
        lab.train(experiment(), done, show=silent)


def test_slices_of_a_match_know_each_others_games(done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair is played in slices; a game of one that repeats a game of another counts once."""
    monkeypatch.setattr(evaluators, "SLICES", {1: 4, 2: 4})
    lab.run(experiment(), tmp_path / "sliced", show=silent, backend=Local(1))
    cells = json.loads((tmp_path / "sliced" / "cells.json").read_text())
    marks = load_arrays(tmp_path / "sliced" / "marks.safetensors")[0]
    for depth, one, other in (("1", "q", "r"), ("2", "g", "k"), ("1", "a", "random")):
        score = read_score(cells[depth][one][other])
        assert score == count_marks(marks[f"depth {depth}: {one} v {other}"])
    few = read_score(cells["1"]["q"]["r"])
    assert few.games == 40 and (few.different or 0) < 20 and not few.trusted
    numbers = [
        read_score(score).different for row in cells["1"].values() for who, score in row.items() if who != "random"
    ]
    caption = f"Depth 1, 40 games a pair, {min(map(int, numbers))} to {max(map(int, numbers))} of them different."
    assert caption in (tmp_path / "sliced" / "report.md").read_text(encoding="utf-8")


def test_games_begin_with_the_openings_of_their_seed(tmp_path: Path) -> None:
    settings = changed(SETTINGS, evaluators__games=24, evaluators__robin_games=24)
    del settings["evaluators"]["opening_plies"]
    varied = make_experiment("test", settings, folder=Path())
    assert varied.evaluators.opening_plies is None
    lab.run(varied, tmp_path / "varied", show=silent, backend=Local(1))
    score = read_score(json.loads((tmp_path / "varied" / "cells.json").read_text())["1"]["q"]["r"])
    assert score.games == 24 and score.first[2] > 0  # from the plain start White wins all of them
    starts = draw_starts(varied.game, 12, plies=varied.game.conventions.opening_plies, seed=3)
    assert len({begun.position for begun in starts}) > 8
    with pytest.raises(BadOption, match=r"cells.json' was played with other settings than now"):
        lab.run(experiment("evaluators.games=24", "evaluators.robin_games=24"), tmp_path / "varied", show=silent)


def test_a_run_from_before_games_had_marks_is_read_and_goes_on(done: Path) -> None:
    (done / "marks.safetensors").unlink()
    cells = json.loads((done / "cells.json").read_text())
    old = {
        depth: {one: {other: score[:2] for other, score in row.items()} for one, row in rows.items()}
        for depth, rows in cells.items()
    }
    old["2"]["q"].pop("r")
    old["1"]["g"]["k"] = [[10, 0, 0], [5, 0, 5]]
    (done / "cells.json").write_text(json.dumps(old))
    lab.report(experiment(), done)
    assert "repetitions unknown" in (done / "report.md").read_text(encoding="utf-8")
    lab.run(experiment(), done, show=silent, backend=Local(1))
    after = json.loads((done / "cells.json").read_text())
    assert after["2"]["q"]["r"] == cells["2"]["q"]["r"]  # a new pair has marks from its first game on
    assert len(after["1"]["g"]["k"]) == 2 and games_of({"1": {"g": {"k": after["1"]["g"]["k"]}}}) == 40
    (done / "marks.safetensors").unlink()
    with pytest.raises(BadOption, match=r"cells.json' was played with other settings than now"):
        lab.run(experiment("evaluators.opening_plies=4"), done, show=silent)


def test_counts_and_horizon_reach_the_players() -> None:
    plain, other = experiment(), experiment("evaluators.counts=jumps", "evaluators.horizon=settled")
    one, two = make_chooser(plain, "q", 3), make_chooser(other, "q", 3)
    assert (one.evaluator.template, one.blind, one.depth) == (1, 1, 3)
    assert (two.evaluator.template, two.blind, two.depth) == (0, 0, 3)


def test_counts_matter_at_depth_1_alone(done: Path, tmp_path: Path) -> None:
    lab.run(experiment("evaluators.counts=jumps"), tmp_path / "jumps", show=silent)
    one, other = (json.loads((folder / "cells.json").read_text()) for folder in (done, tmp_path / "jumps"))
    assert one["2"] == other["2"]  # where a search of two plies ends there are two holes at least
    assert one["1"]["q"]["random"] != other["1"]["q"]["random"]


def test_the_report_shows_both_tables_and_what_agrees(done: Path) -> None:
    published = overridden(SETTINGS, ("experiment.size=8x8", "experiment.study=thompson"))
    (done / "experiment.toml").write_text(write_toml(published))
    path = lab.report(experiment(), done)
    assert headings(path) == [
        "In short", "Against random play", "Round robin", "Pair by pair", "Play against it", "What was done"
    ]  # fmt: skip
    page, markdown = read_page(path), (done / "report.md").read_text(encoding="utf-8")
    assert page.seen.count("svg") == 1 + 2
    for words in ("Spearman", "movable ratio", "q and r", "depth 2", "against random, depth 1", "90", "all others"):
        assert words in page.text and words in markdown, words
    assert "†" in markdown and 'class="marked"' in path.read_text(encoding="utf-8")
    assert json.loads((done / "report.json").read_text(encoding="utf-8"))["cells"]["1"]["q"]["r"][0] == [20, 0, 0]
    lines = lab.summary(experiment(), done)
    assert any(line.startswith("depth 1: Spearman") for line in lines) and "Over all depths" in lines[-1]
    assert any(line.split()[:1] == ["g"] and "43.0" in line for line in lines)  # published average of g


def test_a_run_without_published_tables_or_round_robin_has_a_report(tmp_path: Path) -> None:
    settings = {name: table for name, table in SETTINGS.items() if name != "paper"}
    for place, change in enumerate(('evaluators.robin=""', 'evaluators.names=""', "evaluators.robin=qr")):
        made = make_experiment("test", overridden(settings, (change, "evaluators.depths=[1]")), folder=Path())
        folder = tmp_path / str(place)
        read_page(lab.run(made, folder, show=silent, backend=Local(1)))
        assert lab.summary(made, folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("evaluators.names=abz", "evaluators.names: there is no evaluation function 'z'; there are a to r"),
        ("evaluators.robin=qrq", "evaluators.robin names 'q' twice"),
        ("evaluators.robin=q", "evaluators.robin: 'q' alone has nobody to meet"),
        ("evaluators.depths=[0]", "evaluators.depths must be from 1 to 6, not 0"),
        ("evaluators.depths=[7]", "evaluators.depths must be from 1 to 6, not 7"),
        ("evaluators.depths=[1, 1]", "must hold different numbers"),
        ("evaluators.depths=[]", "must hold different numbers"),
        ("evaluators.games=7", "evaluators.games must be even"),
        ("evaluators.robin_games=0", "evaluators.robin_games must be from 2"),
        ("evaluators.counts=jump", "did you mean 'jumps'"),
        ("evaluators.horizon=blnd", "did you mean 'blind'"),
        ("evaluators.seed=-1", "evaluators.seed must be from 0"),
        ("evaluators.game=7", "did you mean 'games'"),
        ("experiment.game=morris", "konane alone so far, not 'morris'"),
        ("experiment.size=3by3", "experiment.size '3by3' is not a board size"),
        ('experiment.size="9"', "9x9"),
        ("experiment.kind=evaluator", "did you mean 'evaluators'"),
        ("paper.depth_1.g.q=12.5", "g against q and back are 102.5 % together"),
        ("variations.x.y=1", "no section of an experiment 'variations'"),
    ],
)
def test_wrong_settings_are_one_sentence(change: str, message: str) -> None:
    with pytest.raises(UnderstudyError, match=message.replace("[", r"\[")):
        experiment(change)
    nobody = {"evaluators": {"names": "", "robin": ""}}
    with pytest.raises(UnderstudyError, match="nobody plays"):
        make_experiment("test", SETTINGS | nobody, folder=Path())


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(write_toml(SETTINGS))
    ran = CliRunner().invoke(commands, ["run", "tiny.toml", "--quick"])
    assert ran.exit_code == 0, ran.output
    assert "Over all depths" in ran.stdout and "runs/tiny_quick/report.html" in ran.stdout
    assert "Spearman" not in ran.stdout and "published" not in ran.stdout, "no study is named"
    assert "Play against the student" not in ran.stdout
    assert set(json.loads(Path("runs/tiny_quick/cells.json").read_text())) == {"1"}
    for command, message in (("train", "nobody learns"), ("watch", "no teacher to watch"), ("tune", "cannot be tuned")):
        failed = CliRunner().invoke(commands, [command, "tiny.toml"])
        assert isinstance(failed.exception, BadOption) and message in str(failed.exception)
    without = {name: table for name, table in SETTINGS.items() if name != "quick"}
    Path("plain.toml").write_text(write_toml(without))
    failed = CliRunner().invoke(commands, ["run", "plain.toml", "--quick"])
    assert "has no quick form" in str(failed.exception)


def test_the_study_that_ships_holds_the_thesis_tables() -> None:
    path = shipped()["konane_teachers"]
    full, quick = load_experiment(path), load_experiment(path, quick=True)
    assert (full.evaluators.games, full.evaluators.robin_games, full.evaluators.depths) == (1000, 1000, (1, 2, 3, 4))
    assert quick.name == "konane_teachers_quick" and quick.evaluators.depths == (1, 2)
    published = read_published(full.paper)
    assert sorted(published.robins) == [1, 2, 3, 4] and len(published.averages) == 12
    for depth, robin in published.robins.items():
        assert "".join(robin.names) == "ghijklmnopqr"
        for name, average in zip(robin.names, 100 * robin.averages, strict=True):
            assert published.averages[name][depth - 1] == pytest.approx(average, abs=0.0101)  # some are cut off
    for row in published.averages.values():
        assert row[4] == pytest.approx(sum(row[:4]) / 4, abs=0.0101)
    assert 50 < effective_games(published.robins.values(), full.game.kind.twins) < 110
