"""Curves over games watched: cells of a series graded together, by hand and in a tiny series end to end."""

from __future__ import annotations

import json
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from understudy import lab
from understudy.cli import commands
from understudy.config import write_toml
from understudy.errors import UnderstudyError
from understudy.lab.experiments import make_experiment
from understudy.report.plots import Curve, draw_growth
from understudy.report.series.growth import find_base, find_reached

CELL: dict[str, Any] = {
    "experiment": {"game": "konane", "size": "4x4"},
    "watch": {"teacher": "searcher:depth=2,ties=random", "opponents": ["self", "random"], "ply_limit": 20},
    "network": {"kind": "residual", "width": 26, "hidden": 26, "blocks": 1},
    "training": {"epochs": 2, "batch": 64, "learning_rate": 0.01, "beta1": 0.9},
    "judging": {"exam_games": 20, "states": "generate", "states_count": 20, "games": 4, "glimpses": False},
    "student": {"design": "whole"},
}
SEEDS = {"whole_0": {}, "whole_1": {"training": {"seed": 1}}, "told_0": {"training": {"legality": 1.0}}}
SERIES: dict[str, Any] = {
    "experiment": {"kind": "series", "title": "Tiny growth"},
    "series": {"grade": "growth"},
    "cells": {
        "konane_strong": CELL | {"variations": SEEDS, "grid": {"watch": {"regular": [6, 24]}}},
        "konane_random_6": CELL | {"watch": CELL["watch"] | {"teacher": "random", "regular": 6}},
    },
}  # fmt: skip


def series(**cells: Any) -> Any:
    table = json.loads(json.dumps(SERIES))
    table["cells"] |= cells
    return make_experiment("tiny", table, folder=Path())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("growth") / "tiny"
    lab.run(series(), folder, show=lambda news: None)
    return folder


def test_students_that_differ_in_seeds_alone_are_a_point(run: Path) -> None:
    graded = json.loads((run / "graded.json").read_text())
    (board,) = graded["boards"]
    assert board["title"] == "Konane 4x4" and "from_stuck" in board["mistakes"]
    curves = {(curve["teacher"], curve["design"], curve["told"]): curve for curve in board["curves"]}
    assert set(curves) == {("strong", "whole", False), ("strong", "whole", True), ("random", "whole", False)}
    points = curves["strong", "whole", False]["points"]
    assert [(point["games"], point["seeds"]) for point in points] == [(6, 2), (24, 2)]
    assert points[0]["positions"] < points[1]["positions"]
    verdicts = json.loads((run / "cells" / "konane_strong_24" / "verdicts.json").read_text())
    values = [verdicts["exam"][name]["legality.whole"]["value"] for name in ("whole_0", "whole_1")]
    assert points[1]["exam"]["legality.whole"] == pytest.approx([sum(values) / 2, min(values), max(values)], abs=1e-6)
    assert points[1]["exam"]["mistakes.from_stuck"][0] > 0
    assert find_base(board)["teacher"] == "strong" and not find_base(board)["told"]
    told = [curve for curve in board["curves"] if curve["told"]]
    assert all(point["seeds"] == 1 for curve in told for point in curve["points"])


def test_the_report_shows_curves_and_tables(run: Path) -> None:
    page = (run / "report.html").read_text()
    for words in ("Konane 4x4", "by kind of mistake", "Which rules come first", "the most frequent move",
                  "games watched", "whole, told", "Probability on what is illegal"):  # fmt: skip
        assert words in page, words
    assert "cells/konane_strong_24/report.html" in page
    results = run.parent / "results"
    done = CliRunner().invoke(commands, ["report", "--all", "--runs", str(run.parent), "--results", str(results)])
    assert done.exit_code == 0, done.output
    result = json.loads((results / "tiny.json").read_text())
    curve = result["graded"]["boards"][0]["curves"][0]
    assert curve["games"] == [6, 24] and len(curve["legality.whole.mean"]) == 2 == len(curve["mistakes"]["from_stuck"])
    assert any(one["measure"] == "legal choices in games that nobody watched" for one in result["headline"])


def test_a_series_that_was_stopped_is_graded_alike(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    shutil.copytree(run, folder)
    before = json.loads((folder / "graded.json").read_text())
    (folder / "graded.json").unlink()
    finished = json.loads((folder / "series.json").read_text())
    (folder / "series.json").write_text(json.dumps({name: finished[name] for name in ("konane_random_6",)}))
    (folder / "cells" / "konane_strong_24" / "verdicts.json").unlink()
    lab.run(series(), folder, show=lambda news: None)
    assert json.loads((folder / "graded.json").read_text()) == before


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ({"konane_more": CELL | {"judging": {"games": 2}}}, "cell 'konane_more': .*judging.exam_games"),
        ({"met": {"experiment": {"kind": "evaluators", "game": "konane"}}}, "cell 'met': .*needs cells that watch"),
        (
            {"konane_strong24": CELL | {"watch": CELL["watch"] | {"regular": 24}}},
            "cells 'konane_strong_24' and 'konane_strong24' watch as many games of one teacher",
        ),
    ],
)
def test_cells_that_make_no_curve_are_refused(cells: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UnderstudyError, match=sentence):
        series(**cells)


def test_levels_that_are_no_shares_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(write_toml(SERIES | {"grading": {"levels": [0.01, 2.0]}}))
    done = CliRunner().invoke(commands, ["run", str(path), "--run", str(tmp_path / "run")])
    assert "grading.levels: 2.0 is no share between 0 and 1" in str(done.exception)


def test_a_mistake_is_rare_from_where_it_stays_so() -> None:
    points = [{"games": games, "exam": {"mistakes.x": [share]}} for games, share in
              ((30, 0.2), (100, 0.009), (300, 0.02), (1000, 0.004), (3000, 0.0005))]  # fmt: skip
    assert find_reached(points, "x", 0.01) == 1000
    assert find_reached(points, "x", 0.001) == 3000
    assert find_reached(points, "x", 0.0001) is None
    assert find_reached(points, "never made", 0.0001) == 30


def test_names_of_curves_stand_beside_their_ends_and_apart() -> None:
    curves = [Curve(f"line {place}", [30, 300], [0.5, 0.0], [0.4, 0.0], [0.6, 0.0], place) for place in range(5)]
    svg = draw_growth(curves, across="games", floor=1e-4)
    heights = []
    for place in range(5):
        found = re.search(rf'transform="translate\(\S+ (\S+)\)"[^>]*>line {place}<|y="(\S+?)"[^>]*>line {place}<', svg)
        assert found is not None, svg[-500:]
        heights.append(float(found[1] or found[2]))
    assert all(abs(above - below) > 8 for above, below in pairwise(heights))
    assert "none" in svg and "NaN" not in svg and ">300<" in svg.replace("</text>", "<")
