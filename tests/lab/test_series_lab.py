"""Series: how cells are written, that each is an ordinary run, and that a series which was stopped goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import SERIES, changed, tiny
from understudy import lab
from understudy.config import write_toml
from understudy.errors import BadOption, UnderstudyError
from understudy.lab.cells import expand_cells, games_of
from understudy.lab.experiments import load_experiment, make_experiment
from understudy.lab.options import series as options
from understudy.lab.side_by_side import Errand, run_side_by_side
from understudy.players import make_player
from understudy.serve.runs import describe_run, list_runs
from understudy.tensors import load_arrays

KONANE = {"experiment": {"game": "konane", "size": "4x4"}, "watch": {"regular": 1}}


def cells_of(**tables: Any) -> dict[str, dict[str, Any]]:
    return expand_cells({"cells": tables})


def test_a_cell_is_put_over_those_that_it_is_like() -> None:
    settings = {
        "shared": {"base": {"watch": {"regular": 1, "seed": 2}, "training": {"epochs": 3}}, "more": {"x": {"y": 1}}},
        "cells": {
            "one": {"like": ["base", "more"], "watch": {"seed": 5}},
            "two": {"like": "one", "watch": {"regular": 9}, "x": {"z": [1, 2]}},
        },
    }
    made = expand_cells(settings)
    assert list(made) == ["one", "two"], "what is shared is no cell"
    assert made["one"] == {"watch": {"regular": 1, "seed": 5}, "training": {"epochs": 3}, "x": {"y": 1}}
    assert made["two"] == {
        "watch": {"regular": 9, "seed": 5}, "training": {"epochs": 3}, "x": {"y": 1, "z": [1, 2]},
    }  # fmt: skip


def test_a_grid_makes_a_cell_of_each_combination_however_its_keys_are_written() -> None:
    tables = cells_of(a={"grid": {"watch.regular": [30, 100], "watch": {"seed": [0, 1]}}, "watch": {"ply_limit": 9}})
    assert list(tables) == ["a_30_0", "a_30_1", "a_100_0", "a_100_1"]
    assert tables["a_100_1"] == {"watch": {"ply_limit": 9, "regular": 100, "seed": 1}}
    written = cells_of(a={"grid": {"watch.regular": [30, 100], "watch": {"regular": [7]}}})
    assert list(written) == ["a_7"], "a short form, written as tables, counts more than the file"
    assert list(cells_of(a={"grid": {"t.x": ["searcher:depth=1", 0.5]}})) == ["a_searcher_depth_1", "a_0_5"]


def test_a_grid_of_tables_changes_several_keys_together() -> None:
    settings = {
        "shared": {"30": {"watch": {"regular": 30}, "training": {"epochs": 9}}, "100": {"watch": {"regular": 100}}},
        "cells": {"a": {"training": {"epochs": 2, "seed": 1}, "grid": {"like": ["30", "100"], "x": {"y": [1, 2]}}}},
    }
    made = expand_cells(settings)
    assert list(made) == ["a_30_1", "a_30_2", "a_100_1", "a_100_2"]
    assert made["a_30_2"] == {"watch": {"regular": 30}, "training": {"epochs": 9, "seed": 1}, "x": {"y": 2}}
    assert made["a_100_1"] == {"watch": {"regular": 100}, "training": {"epochs": 2, "seed": 1}, "x": {"y": 1}}
    settings["cells"]["a"]["grid"] = {"like": [["100", "30"], "30"]}
    made = expand_cells(settings)
    assert [(name, cell["watch"]["regular"]) for name, cell in made.items()] == [("a_100", 30), ("a_30", 30)]
    with pytest.raises(UnderstudyError, match="like of cell 'a' '300'"):
        cells_of(a={"grid": {"like": ["300"]}})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "a series needs cells"),
        ({"cells": {"a": 3}}, "cells.a = 3 must be a section"),
        ({"cells": {"a b": {}}}, "a name of letters, digits and _ is needed, not 'a b'"),
        ({"cells": {"a": {"like": "b"}}}, "like of cell 'a'"),
        ({"cells": {"a": {"like": "b"}, "b": {"like": "a"}}}, r"like goes round in a circle: a -> b -> a"),
        ({"cells": {"a": {"grid": {"x.y": 3}}}}, "cells.a.grid.x.y = 3 must be a list of values"),
        ({"cells": {"a": {"grid": {"x.y": []}}}}, "must be a list of values"),
        ({"cells": {"a": {"grid": {"x.y": [1, 1]}}}}, "two cells of the series are called 'a_1'"),
        ({"cells": {"a": {}}, "shared": {"a": {}}}, "have one name"),
    ],
)
def test_cells_that_make_no_sense_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UnderstudyError, match=sentence):
        expand_cells(settings)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"experiment__game": "konane"}, "experiment.game = 'konane': a series has none of its own"[:30]),
        ({"experiment__size": "6x6"}, "experiment.size = '6x6': a series has none of its own"),
        ({"series__grade": "nobody"}, "series.grade"),
        ({"grading__games": 3}, r"\[grading\] needs to know by whom"),
        ({"watch__regular": 3}, "section of an experiment"),
        ({"cells__bad": KONANE | {"training": {"epoch": 3}}}, "cell 'bad': .*epoch"),
        ({"cells__bad": KONANE | {"quick": {}}}, "cell 'bad': a cell is no series"),
        ({"cells__bad": {"experiment": {"kind": "series"}}}, "cell 'bad': a cell is no series|needs cells"),
        ({"cells__bad": {"experiment": {"game": "go"}}}, "cell 'bad': .*'go'"),
    ],
)
def test_a_series_is_checked_with_all_its_cells(changes: dict[str, Any], sentence: str) -> None:
    if "experiment__game" in changes:  # the games of its cells are what it may say
        assert tiny("series", **changes).about.game == "konane"
        changes = {"experiment__game": "chess"}
        sentence = "experiment.game = 'chess': a series has none of its own"
    with pytest.raises(UnderstudyError, match=sentence):
        tiny("series", **changes)


@pytest.mark.parametrize(
    ("watch", "sentence"),
    [
        ({"teacher": "sercher:depth=1"}, "cell 'bad': .*sercher"),
        ({"opponents": []}, "cell 'bad': watch: there is nothi"),
    ],
)
def test_nothing_runs_if_a_later_cell_could_not(watch: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    bad = {"experiment": {"game": "konane", "size": "4x4"}, "watch": {"regular": 1000, **watch}}
    with pytest.raises(BadOption, match=sentence):
        lab.run(tiny("series", cells__bad=bad), tmp_path / "run")
    with pytest.raises(BadOption, match=r"cell 'bad': .*there is no such file"):
        lab.run(tiny("series", cells__bad={"records": {"files": ["none.parquet"]}}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_short_form_and_set_change_cells(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(write_toml(SERIES))
    whole, quick = load_experiment(path), load_experiment(path, quick=True)
    assert [cell.name for cell in whole.cells] == ["watched_6", "watched_12", "met"]  # type: ignore[attr-defined]
    cells = {cell.name: cell.experiment for cell in quick.cells}  # type: ignore[attr-defined]
    assert list(cells) == ["watched_4", "met"]
    assert cells["met"].about.quick and cells["met"].about.title == "Tiny: met"
    asked: Any = load_experiment(path, ("cells.watched.training.epochs=7", "cells.watched.grid.watch.regular=[3]"))
    assert [cell.name for cell in asked.cells] == ["watched_3", "met"]
    assert asked.cells[0].experiment.lessons[0].training["from"].epochs == 7
    assert games_of(SERIES) == quick.about.game == "konane"


def test_cells_are_ordinary_runs_and_a_series_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, begun = tmp_path / "runs" / "tiny", []
    ordinary = lab.run

    def stop_at_the_last(experiment: Any, place: Path, **more: Any) -> Path:
        begun.append(place.name)
        if place.name == "watched_12" and begun.count("watched_12") == 1:
            raise KeyboardInterrupt
        return ordinary(experiment, place, **more)

    experiment = tiny("series")
    monkeypatch.setattr(lab, "run", stop_at_the_last)
    with pytest.raises(KeyboardInterrupt):
        ordinary(experiment, folder)
    notes: list[str] = []
    page = ordinary(experiment, folder, show=lambda progress: notes.append(progress.note))
    assert begun == ["met", "watched_6", "watched_12", "watched_12"], "cheap ones first, finished ones not again"
    assert any(note.startswith("3 of 3, watched_12: ") for note in notes)
    text = page.read_text()
    assert "cells/watched_6/report.html" in text and "cells/watched_12" in text
    alone = make_experiment("alone", experiment.cells[0].experiment.settings, folder=Path())
    ordinary(alone, tmp_path / "alone")
    first, second = (
        load_arrays(place / "student.safetensors", "weights")[0]
        for place in (tmp_path / "alone", folder / "cells" / "watched_6")
    )
    assert first and all((first[name] == second[name]).all() for name in first), "it learns what it would learn alone"
    player = make_player(f"student:{folder}/cells/watched_6", experiment.cells[0].experiment.game)
    assert player.choose([experiment.cells[0].experiment.game.start()])
    row, view = list_runs(folder.parent)[0], describe_run(folder.parent, "tiny")
    assert (row.kind, row.game, row.error, row.report, view.state) == ("series", "konane", None, True, "done")
    with pytest.raises(BadOption, match="is a series: each of its cells has a student"):
        _ = experiment.game


def test_cells_run_side_by_side_as_they_do_one_after_another(tmp_path: Path) -> None:
    settings = changed(SERIES)
    settings["cells"] = {"met": {**settings["cells"]["met"], "grid": {"evaluators": {"seed": [1, 2, 3]}}}}
    notes: list[str] = []
    for workers in (1, 2):
        experiment = make_experiment("tiny", changed(settings, series__workers=workers), folder=Path())
        lab.run(experiment, tmp_path / str(workers), show=lambda progress: notes.append(progress.note))
    for name in ("met_1", "met_2", "met_3"):
        one, two = ((tmp_path / workers / "cells" / name / "cells.json").read_bytes() for workers in "12")
        assert one == two
    assert "3 of 3, " in notes[-1] or any(note.startswith("3 of 3, met_") for note in notes)
    assert set(json.loads((tmp_path / "2" / "series.json").read_text())) == {"met_1", "met_2", "met_3"}
    steps = json.loads((tmp_path / "2" / "cost.json").read_text())["steps"]
    spent = [json.loads(path.read_text())["steps"] for path in (tmp_path / "2" / "cells").glob("*/cost.json")]
    of_cells = sum(step["cpu_seconds"] for steps_of_one in spent for step in steps_of_one.values())
    assert steps["cells"]["cpu_seconds"] >= of_cells, "what its processes spent is the step's, not a later one's"


SEVERAL = """
from pathlib import Path
from tests.lab.test_series_lab import SERIES
from understudy.lab.side_by_side import Errand, run_side_by_side

if __name__ == "__main__":
    settings = SERIES["cells"]["met"] | {"evaluators": {**SERIES["cells"]["met"]["evaluators"], "games": 10**6}}
    errands = [Errand(name, settings, ".", str(Path(FOLDER) / name)) for name in ("one", "two")]
    list(run_side_by_side(errands, workers=2, show=lambda name, progress: print(name, flush=True)))
"""


def test_processes_end_with_whoever_asked_for_their_runs(tmp_path: Path) -> None:
    (tmp_path / "several.py").write_text(f"FOLDER = {str(tmp_path)!r}\n{SEVERAL}", encoding="utf-8")
    words = [sys.executable, str(tmp_path / "several.py")]
    paths = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": paths}) as asking:
        assert asking.stdout is not None and asking.stdout.readline(), "a run is at work"
        children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children")
        if not children.exists():
            asking.kill()
            pytest.skip("this system does not tell who started whom")
        working = children.read_text().split()
        asking.kill()
        assert len(working) >= 2
        asking.communicate(timeout=300)  # what is printed ends when the last process does that could print


def test_what_goes_wrong_in_another_process_is_told_with_the_cell(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    settings = SERIES["cells"]["met"]
    errands = [Errand("met", settings, ".", str(tmp_path / "file" / "run"))]
    with pytest.raises(BadOption, match="cell 'met': "):
        list(run_side_by_side(errands, workers=2, show=lambda name, progress: None))


def test_cells_are_graded_together_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True, kw_only=True)
    class Options:
        games: int = 1

    graded: list[int] = []

    def grade(run: Any) -> dict[str, Any]:
        graded.append(run.experiment.grading.games)
        return {"seen": sorted(path.name for path in (run.folder / "cells").iterdir())}

    module = types.ModuleType("grader_of_a_test")
    vars(module).update(Options=Options, check=lambda experiment: None, grade=grade)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(options.GRADERS, "counting", module.__name__)
    settings = changed(SERIES, series__grade="counting")
    settings["cells"].pop("watched")
    for games in (1, 1, 2):
        settings["grading"] = {"games": games}
        lab.run(make_experiment("tiny", settings, folder=Path()), tmp_path)
    assert graded == [1, 2], "what was graded is graded again only with other settings"
    table = json.loads((tmp_path / "graded.json").read_text())
    assert table["grade"] == "counting" and table["seen"] == ["met"]
