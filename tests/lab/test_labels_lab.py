"""Learning labels end to end: the quick form of `chess_quick`, breaks, what is refused, and every chess experiment."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.games.chess.chess_engines import counter
from tests.games.chess.test_label_examples_chess import table_of
from tests.tiny import LABELS, SMALL, STANDINGS, save_material_table
from understudy import lab
from understudy.backends import Local
from understudy.config import load_toml
from understudy.errors import BadOption, EngineError, FileError, UnderstudyError
from understudy.games import find_game
from understudy.games.chess.records.examples import GRADED, LEARNED, LOOKED_AT, load_examples, sides_of
from understudy.games.chess.records.positions import load_positions, save_positions
from understudy.lab.experiments import load_experiment, make_experiment, shipped
from understudy.lab.kinds import labels
from understudy.lab.run import Progress, Run
from understudy.players import make_player
from understudy.tensors import load_arrays

CHESS = find_game("chess")
EXPERIMENTS = [path for path in shipped().values() if load_toml(path)["experiment"].get("kind") == "labels"]
QUICK = shipped()["chess_quick"]


def experiment(table: Path, *, variations: dict[str, Any] | None = None, **sections: Any) -> Any:
    """Return a small experiment with a table of positions."""
    settings = LABELS | {"positions": {"files": [table.name]}} | sections
    if variations:
        settings["variations"] = variations
    return make_experiment("tiny", settings, folder=table.parent)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table of random games whose labels are the material on the board."""
    path = tmp_path_factory.mktemp("tables") / "table.parquet"
    save_material_table(path)
    return path


class Hearing:
    """What a run tells."""

    def __init__(self) -> None:
        self.news: list[Progress] = []

    def __call__(self, news: Progress) -> None:
        self.news.append(news)

    @property
    def tasks(self) -> set[str]:
        return {news.task for news in self.news}


def found_in(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / "labels.json").read_text())
    return told


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_chess_experiment_parses(path: Path) -> None:
    for quick in (False, True):
        parsed = load_experiment(path, quick=quick)
        assert parsed.about.game == "chess" and parsed.lessons
        assert len({lesson.fingerprint(parsed.about) for lesson in parsed.lessons}) == len(parsed.lessons)


def test_fingerprints_do_not_depend_on_where_files_lie(table: Path) -> None:
    here = experiment(table)
    there = make_experiment("tiny", here.settings, folder=Path("elsewhere"))
    names = [[lesson.fingerprint(one.about) for lesson in one.lessons] for one in (here, there)]
    assert names[0] == names[1]
    assert there.lessons[0].positions.files == (str(Path("elsewhere") / table.name),)


@pytest.mark.parametrize("engine", ["counter", "stockfish"])
def test_the_quick_form_of_chess_quick(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """From nothing: games are played and labelled, students learn and play; done again, nothing happens twice."""
    path = counter(tmp_path) if engine == "counter" else request.getfixturevalue("stockfish")
    games = 24 if engine == "stockfish" else 16
    changes = (f"positions.engine={path}", f"positions.games={games}", "judging.engine=no_such_engine",
               'judging.suites=["ccr25"]')  # fmt: skip
    quick, folder, heard = load_experiment(QUICK, changes, quick=True), tmp_path / "run", Hearing()
    page = lab.run(quick, folder, show=heard)
    assert page.exists() and {"games are played", "the engine labels", "standings learns"} <= heard.tasks
    left_out = [news.note for news in heard.news if news.task == "judging"]
    assert left_out and "left out: " in left_out[-1] and "no_such_engine" in left_out[-1]
    assert not (folder / "suites.json").exists()
    told = load_positions(folder / "positions.parquet")
    assert told.facts["engine"].startswith("Stockfish" if engine == "stockfish" else "Counter")
    found = found_in(folder)
    assert set(found["students"]) == {"standings", "perceptron", "windows"}
    assert found["data"]["positions"] == len(told) and sum(found["data"]["sides"].values()) == len(told)
    for student in ("", *(f"/student_{name}.{known['suffix']}" for name, known in found["students"].items())):
        player = make_player(f"student:{folder}{student}", CHESS)
        assert player.choose([CHESS.start()])[0].move in CHESS.moves(CHESS.start())
    assert len(lab.summary(quick, folder)) == 3
    samples = json.loads((folder / "samples.json").read_text())["students"]
    assert set(samples) == set(found["students"]) and all(samples.values())
    for sample in (sample for drawn in samples.values() for sample in drawn):
        assert sample["kind"] in ("agrees", "differs") and sample["judge"] == "the engine"
    for sample in samples["standings"]:
        gap = float(sample["ours"].removesuffix(" pawns")) - float(sample["theirs"])
        assert abs(gap) <= 0.6 if sample["kind"] == "agrees" else abs(gap) >= 0.4  # both are rounded to a tenth
    for sample in samples["perceptron"]:
        assert (sample["ours"] == sample["theirs"].partition(" (")[0]) == (sample["kind"] == "agrees")
    before = {file: file.stat().st_mtime_ns for file in folder.glob("*.json")}
    again = Hearing()
    lab.run(quick, folder, show=again)
    assert again.tasks == {"judging"}
    assert {file: file.stat().st_mtime_ns for file in folder.glob("labels.json")}.items() <= before.items()


def test_a_training_on_mixed_labels_says_so(table: Path, tmp_path: Path) -> None:
    known = load_positions(table)
    save_positions(replace(known, limit=None, facts={"limit": "depth 9, Hash 1"}), table.with_name("deeper.parquet"))
    mixed = experiment(table, positions={"files": [table.name, "deeper.parquet"]})
    heard = Hearing()
    lab.train(mixed, tmp_path / "mixed", show=heard)
    assert any(news.note.endswith("labels of mixed limits: depth 3; depth 9") for news in heard.news)
    assert found_in(tmp_path / "mixed")["data"]["limits"] == ["depth 3", "depth 9"]
    plain = Hearing()
    lab.train(experiment(table), tmp_path / "plain", show=plain)
    assert found_in(tmp_path / "plain")["data"]["limits"] == ["depth 3"]
    assert not any("mixed" in news.note for news in plain.news)


def test_with_an_engine_students_answer_suites(table: Path, tmp_path: Path) -> None:
    engine = counter(tmp_path)
    asked = experiment(table, judging={"suites": ["ccr25"], "engine": engine, "depth": 1})
    folder, heard = tmp_path / "run", Hearing()
    lab.train(asked, folder, show=heard)
    lab.judge(asked, folder, show=heard, backend=Local())
    answered = json.loads((folder / "suites.json").read_text())
    assert set(answered) == {"ccr25"} and set(answered["ccr25"]) == {"standings", "small"}
    before = (folder / "suites.json").stat().st_mtime_ns
    lab.judge(asked, folder, show=heard, backend=Local())
    assert (folder / "suites.json").stat().st_mtime_ns == before


def test_a_killed_training_goes_on(table: Path, tmp_path: Path) -> None:
    lab.train(experiment(table), tmp_path / "whole", show=Hearing())

    def killer(news: Progress) -> None:
        if news.task == "small learns" and "epoch 2" in news.note:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.train(experiment(table), tmp_path / "again", show=killer)
    assert set(found_in(tmp_path / "again")["students"]) == {"standings"}
    heard = Hearing()
    lab.train(experiment(table), tmp_path / "again", show=heard)
    assert "standings learns" not in heard.tasks and "small learns" in heard.tasks
    one, other = (tmp_path / run / "student_small.onnx" for run in ("whole", "again"))
    players: Any = [make_player(f"student:{path}", CHESS) for path in (one, other)]
    first, second = (player.choose([CHESS.start()])[0].scores for player in players)
    assert first == second
    whole, again = (load_arrays(tmp_path / run / "student.safetensors")[0] for run in ("whole", "again"))
    assert all(np.array_equal(whole[name], again[name]) for name in whole)
    verdicts = [found_in(tmp_path / run)["students"]["small"]["test"] for run in ("whole", "again")]
    assert verdicts[0] == verdicts[1]
    lines = (tmp_path / "again" / "progress.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines if '"small"' in line] == [0, 1, 2]


def test_other_settings_in_the_same_folder_are_refused(table: Path, tmp_path: Path) -> None:
    one = experiment(table, variations={"small": {"network": SMALL}})
    lab.train(one, tmp_path, show=Hearing())
    other = experiment(table, variations={"small": {"network": {"hidden": [17]}}})
    with pytest.raises(BadOption, match=r"student 'small' of .*labels.json' was trained with other settings than now"):
        lab.train(other, tmp_path, show=Hearing())
    more = experiment(table, variations={"small": {"network": SMALL}, "more": {"network": {"hidden": [17]}}})
    heard = Hearing()
    lab.train(more, tmp_path, show=heard)
    assert "more learns" in heard.tasks and "small learns" not in heard.tasks
    (tmp_path / "experiment.toml").write_text('[experiment]\nkind = "values"\ngame = "konane"\n')
    with pytest.raises(BadOption, match="holds another experiment than 'tiny' is now"):
        lab.train(one, tmp_path, show=Hearing())


def test_a_table_made_otherwise_is_refused(tmp_path: Path) -> None:
    """Whoever stops after the labelling and asks for other positions must not learn from the old ones."""
    engine = counter(tmp_path)
    settings: dict[str, Any] = {
        "experiment": {"kind": "labels", "game": "chess"}, "network": SMALL, "judging": {"suites": []},
        "positions": {"games": 4, "per_game": 4, "depth": 1, "engine": engine, "players": ["random", "random"]},
    }  # fmt: skip
    one = make_experiment("tiny", settings, folder=tmp_path)
    folder = tmp_path / "run"
    folder.mkdir()
    first = labels.gather(Run(one, folder))
    heard = Hearing()
    assert len(labels.gather(Run(one, folder, heard))) == len(first)
    assert heard.tasks == {"loading positions"}
    other = make_experiment("tiny", {**settings, "positions": {**settings["positions"], "seed": 1}}, folder=tmp_path)
    with pytest.raises(BadOption, match=r"positions\.parquet' was made with other \[positions\] than now"):
        labels.gather(Run(other, folder))


def test_without_an_engine_there_are_no_labels(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "experiment": {"kind": "labels", "game": "chess"}, "network": SMALL,
        "positions": {"games": 4, "engine": "no_such_engine", "players": ["random", "random"]},
    }  # fmt: skip
    with pytest.raises(EngineError, match="no_such_engine"):
        lab.run(make_experiment("tiny", settings, folder=tmp_path), tmp_path / "run", show=Hearing())
    before = (tmp_path / "run" / "experiment.toml").read_bytes()
    settings["positions"] = {**settings["positions"], "seed": 1}
    with pytest.raises(BadOption, match="holds another experiment than 'tiny' is now"):
        lab.run(make_experiment("tiny", settings, folder=tmp_path), tmp_path / "run", show=Hearing())
    assert (tmp_path / "run" / "experiment.toml").read_bytes() == before, "the games played are those that it tells of"


def test_students_of_one_data_set_are_put_in_order(table: Path, tmp_path: Path) -> None:
    """Those of another split, or with other games to grade, were asked about other positions and do not compare."""
    varied = {
        "one": {"network": SMALL},
        "two": {"network": {"hidden": [16]}, "training": {"learning_rate": 1e-9}},
        "torn": {"network": SMALL, "examples": {"split": "position"}},
        "apart": {"network": SMALL, "examples": {"seed": 7}},
        "four": {"network": SMALL, "target": {"dataset": "4"}, "examples": {"split": "position"}},
    }
    lab.train(experiment(table, variations=varied), tmp_path, show=Hearing())
    found = found_in(tmp_path)
    assert {entry["student"] for entry in found["orders"]["1"]} == {"one", "two"}
    assert found["orders"]["4"] == [{"student": "four", "ahead": None}]
    best, worst = found["orders"]["1"]
    accuracies = [found["students"][entry["student"]]["test"]["accuracy"]["value"] for entry in (best, worst)]
    assert best["ahead"]["value"] == pytest.approx(accuracies[0] - accuracies[1]) and worst["ahead"] is None
    assert found["students"]["torn"]["split"] == "position"


def test_targets_for_white_and_for_the_mover(table: Path) -> None:
    """With White's eyes labels and results are White's: the same where White moves, turned where Black does."""
    examples = load_examples([table])
    white = {"inputs": {"perspective": "white", "side": True}}
    for target in ({"dataset": "win", "result": 0.25}, {"dataset": "4"}, {"dataset": "1"}):
        mine, whites = (
            labels._lesson(lesson, examples).targets
            for lesson in experiment(
                table, variations={"one": {"network": SMALL, "target": target},
                                   "other": {"network": SMALL, "target": target, **white}},
            ).lessons
        )  # fmt: skip
        black = torch.from_numpy(np.asarray(examples.positions.ply) % 2 == 1)
        turned = 2 - mine if target["dataset"] == "1" else 1 - mine
        assert torch.equal(mine[~black], whites[~black]) and torch.allclose(turned[black], whites[black], atol=1e-6)
        assert mine.dtype == whites.dtype and not torch.equal(mine, whites)


def test_white_and_mover_are_graded_alike(table: Path, tmp_path: Path) -> None:
    varied = {"white": {"network": SMALL, "inputs": {"perspective": "white", "side": True}, "target": {"dataset": "4"}}}
    lab.train(experiment(table, variations=varied), tmp_path, show=Hearing())
    known = found_in(tmp_path)["students"]["white"]
    assert 0 <= known["test"]["squared error"]["value"] < 1 and known["test"]["sign"]["sample"] > 10
    assert known["suffix"] == "onnx" and (tmp_path / "student.onnx").exists()


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"variations": {"x": {**STANDINGS, "target": {"dataset": "1"}}}}, "must be 4, win or far, not 1"),
        ({"variations": {"x": {"inputs": {"kind": "standings"}}}}, "standings are both an input and a network"),
        ({"variations": {"x": {"network": STANDINGS["network"]}}}, "standings are both an input and a network"),
        ({"variations": {"x": {"target": {"dataset": "5"}}}}, "no data set '5'"),
        ({"variations": {"x": {"target": {"dataset": "4", "result": 0.5}}}}, "only the data sets `win` and `far`"),
        ({"variations": {"x": {"target": {"dataset": "win", "result": 2}}}}, "target.result must be from 0 to 1"),
        ({"variations": {"x": {"examples": {"split": "row"}}}}, "no examples.split 'row'"),
        ({"variations": {"x": {}, "y": {"positions": {"most": 500}}}}, "learn from one table"),
        ({"judging": {"suites": ["ccr26"]}}, "there is no suite 'ccr26'"),
        ({"judging": {"match": ["small"]}}, "judging.match must name two students, not 1"),
        ({"judging": {"match": ["small", "smal"]}}, "no student of judging.match 'smal'; did you mean 'small'"),
        ({"judging": {"match": ["small,clases=mean", "small"]}}, "did you mean 'classes'"),
        ({"judging": {"match": ["small,depth=2", "small"]}}, "classes can be chosen, not depth"),
        ({"judging": {"match": ["small,classes=most", "small"]}}, "no classes 'most'"),
        ({"judging": {"match_games": 1}}, "judging.match_games must be from 2"),
        ({"judging": {"ending": "KPPvR"}}, "'KPPvR' is no ending"),
        ({"variations": {"x": {**STANDINGS, "target": {"dataset": "4", "bins": 32}}}}, "so it has no target.bins"),
        ({"variations": {"x": {"target": {"dataset": "1", "bins": 32}}}}, "only the data sets `4` and `win` can be"),
        ({"variations": {"x": {"target": {"dataset": "4", "bins": 7}}}}, "target.bins must be from 16 to 1024, not 7"),
        ({"variations": {"x": {"network": {"output": "sigmoid"}}}}, "which data set 4 alone"),
        ({"variations": {"x": {"network": {"output": "sigmoyd"}}}}, "no network.output 'sigmoyd'"),
        (
            {
                "variations": {
                    "x": {"inputs": {"kind": "coordinates"}, "network": {"design": "residual", "filters": [8, 8]}}
                }
            },
            "coordinates are no picture of the board",
        ),
        ({"variations": {"x": {"examples": {"most": 5}}}}, "examples.most must be from 100"),
        ({"judging": {"depth": 0}}, "judging.depth must be from 1"),
        ({"positions": {"games": 1}}, "positions.games must be from 4"),
        ({"positions": {"sort": 1}}, "no option of .positions. 'sort'"),
        ({"experiment": {"kind": "labels", "game": "morris"}}, "labels are for chess, not for 'morris'"),
        ({"training": {"optimiser": "sdg"}}, "did you mean 'sgd'"),
        ({"schooling": {}}, "no section of an experiment 'schooling'"),
    ],
)
def test_bad_experiments(sections: dict[str, Any], message: str, table: Path) -> None:
    with pytest.raises(UnderstudyError, match=message) as told:
        experiment(table, **sections)
    assert "\n" not in str(told.value)


def test_a_network_begins_with_the_weights_of_a_student(table: Path, tmp_path: Path) -> None:
    def trained(run: str, *, start: str, learning_rate: float) -> dict[str, Any]:
        begun = STANDINGS | {"network": STANDINGS["network"] | {"start": start}}
        training = LABELS["training"] | {"epochs": 1, "learning_rate": learning_rate}
        lab.train(experiment(table, variations={"x": begun}, training=training), tmp_path / run, show=Hearing())
        return load_arrays(tmp_path / run / "student.safetensors")[0]

    with pytest.raises(FileError, match="there is no student"):
        trained("none", start=str(tmp_path / "nothing"), learning_rate=0.01)
    first = trained("first", start="", learning_rate=0.01)
    onward = trained("onward", start=str(tmp_path / "first"), learning_rate=1e-9)
    anew = trained("anew", start="", learning_rate=1e-9)
    assert all(np.allclose(first[name], onward[name], atol=1e-6) for name in first)
    assert not np.allclose(first["first"], anew["first"], atol=1e-3)


def test_tables_that_cannot_be_learned_from(table: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.parquet"
    save_positions(table_of(range(3), labelled=False), bare)
    with pytest.raises(BadOption, match="holds positions without labels"):
        lab.train(experiment(bare), tmp_path / "one", show=Hearing())
    with pytest.raises(FileError, match=re.escape("missing.parquet")):
        lab.train(experiment(tmp_path / "missing.parquet"), tmp_path / "two", show=Hearing())
    few = tmp_path / "few.parquet"
    save_positions(table_of(range(2)), few)
    with pytest.raises(BadOption, match=r"only \d positions are there to be"):
        lab.train(experiment(few), tmp_path / "three", show=Hearing())
    graded = experiment(table, variations={"x": {"network": SMALL, "examples": {"graded": ["nobody"]}}})
    with pytest.raises(BadOption, match="no position comes from 'nobody'"):
        lab.train(graded, tmp_path / "four", show=Hearing())


def test_fewer_positions_to_learn_from_leave_those_that_grade(table: Path, tmp_path: Path) -> None:
    """Whole games are left out of one side alone; a larger share holds a smaller one's."""
    every = load_examples([table])
    sizes_asked = {"all": {}, "many": {"most": 300}, "few": {"most": 150}}
    varied = {name: {"network": SMALL, "examples": options} for name, options in sizes_asked.items()}
    lessons = experiment(table, variations=varied).lessons
    sides = sides_of(every, split="game", seed=0)
    sizes, games = [], []
    for lesson in lessons:
        chosen = labels._asked(lesson, every, sides, LEARNED)
        sizes.append(len(chosen))
        games.append(set(chosen.groups.tolist()))
        for side in (LOOKED_AT, GRADED):
            assert len(labels._asked(lesson, every, sides, side)) == int((sides == side).sum())
        for game in games[-1]:
            assert (chosen.groups == game).sum() == (every.groups == game).sum()
    assert sizes[0] > 300 >= sizes[1] > 150 >= sizes[2] > 100 and games[2] < games[1] < games[0]


def test_two_students_play_a_match_that_an_engine_looks_at(table: Path, tmp_path: Path) -> None:
    """And all are asked about an ending; done again, nothing is played or asked twice."""
    engine = counter(tmp_path)
    varied = {"one": {"network": SMALL, "target": {"dataset": "4"}}, "two": {"network": SMALL}, "apart": STANDINGS}
    judging = {"suites": [], "engine": engine, "depth": 1, "match": ["one", "two,classes=likeliest"], "match_games": 4,
               "match_depth": 1, "ending": "KPPvKR", "ending_positions": 20}  # fmt: skip
    asked, folder = experiment(table, variations=varied, judging=judging), tmp_path / "run"
    lab.run(asked, folder, show=Hearing())
    match = json.loads((folder / "match.json").read_text())
    assert match["players"] == ["one", "two,classes=likeliest"] and len(match["games"]) == 4
    assert [game["white"] for game in match["quality"]["games"]] == ["one", "two,classes=likeliest"] * 2
    assert sum(one["shares"]["wins"]["sample"] for one in match["sets"]) == match["shares"]["wins"]["sample"] <= 4
    ending = json.loads((folder / "ending.json").read_text())
    assert ending["positions"] == 20 and set(ending["students"]) == {"one", "two", "counts material"}
    assert ending["students"]["counts material"]["said"] == [ending["won"], 0, 0], "two pawns less a rook"
    assert all(sum(told["said"]) == ending["won"] for told in ending["students"].values())
    text = (folder / "report.md").read_text()
    assert "## Match" in text and "## An ending: KPPvKR" in text
    before = {name: (folder / name).stat().st_mtime_ns for name in ("match.json", "ending.json")}
    lab.judge(asked, folder, show=Hearing(), backend=Local())
    assert {name: (folder / name).stat().st_mtime_ns for name in before} == before
