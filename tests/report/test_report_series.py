"""What reports, overviews and results show of a series that a round robin graded."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from understudy.config import write_toml
from understudy.report import build_overview, build_report
from understudy.report.overview import Identity
from understudy.report.plots import Interval, draw_rated, stand_alone


def measure(value: float) -> dict[str, Any]:
    return {"value": value, "low": value - 0.01, "high": value + 0.01, "sample": 100}


def player(name: str, elo: float, form: str = "", method: str = "", **more: Any) -> dict[str, Any]:
    row = {"name": name, "player": f"student:runs/x/cells/{name}", "form": form, "method": method, "cell": ""}
    row |= {"elo": elo, "low": elo - 30, "high": elo + 30, "games": 40, "different": 38, "pairs": 19, "measures": {}}
    return row | more


GRADED = {
    "grade": "robin", "stamp": "0" * 16, "zero": "searcher:depth=1", "budget": 10.0,
    "methods": {"watched": "imitation", "evolved": "evolution", "taught": "online"},
    "absent": {"chess_taught": "no one has a teacher"},
    "games": {
        "konane 6x6": {
            "truth": "30 positions of random games, solved", "unknown": "",
            "players": [
                player("imitation", -50, "strict", "watched", paid_seconds=601.0, legal_games=measure(0.9),
                       measures={"legality.whole": measure(0.98), "value_kept": measure(0.8)}),
                player("imitation, checked", 20, "checked", "watched", paid_seconds=601.0),
                player("evolution", 80, "", "evolved", paid_seconds=599.0),
                player("random", -400, "anchor"), player("searcher:depth=1", 0, "anchor"),
            ],
        },
        "chess": {
            "truth": "", "unknown": "chess cannot be solved",
            "players": [player("evolution", 5, "", "evolved"), player("random", -300, "anchor"),
                        player("searcher:depth=1", 0, "anchor")],
        },
    },
}  # fmt: skip


def make_run(folder: Path) -> Path:
    folder.mkdir()
    about = {"kind": "series", "title": "Four by four", "game": "konane, chess"}
    (folder / "experiment.toml").write_text(write_toml({"experiment": about}))
    (folder / "graded.json").write_text(json.dumps(GRADED))
    cells = {
        "konane_watched": {
            "kind": "imitation",
            "game": "konane",
            "size": "6x6",
            "steps": {"learn": {"cpu_seconds": 61}},
        }
    }
    (folder / "series.json").write_text(json.dumps(cells))
    return folder


def test_the_report_has_methods_by_games_and_each_game(tmp_path: Path) -> None:
    page = build_report(make_run(tmp_path / "run")).read_text()
    text = (tmp_path / "run" / "report.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith("| Imitation, checked"))
    assert "20 (-10 to 50)" in row and row.rstrip().endswith("– |"), "nothing of the game that it is not in"
    assert next(line for line in text.splitlines() if line.startswith("| Online")).count("–") == 2
    for words in ("chess taught: no one has a teacher", "chess cannot be solved", "10 minutes of one core",
                  "by construction", "98.00 % (97.00 to 99.00)", "90.0 % (89.0 to 91.0)", "10.0"):  # fmt: skip
        assert words in text, words
    assert page.count("<svg") >= 2 and 'href="cells/konane_watched/report.html"' in page


def test_results_keep_everybody_but_no_folder(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    build_report(tmp_path / "run")
    result = build_overview(tmp_path, tmp_path / "index.html", lambda run: Identity("four_by_four", True, 1))["run"]
    assert result["game"] == "konane, chess" and "konane, chess" in (tmp_path / "index.html").read_text()
    assert "cells/" not in json.dumps(result) and "stamp" not in result["graded"]
    assert result["graded"]["games"]["chess"]["players"][0]["name"] == "evolution"
    elo = [row["what"] for row in result["headline"] if row["measure"] == "Elo points in konane 6x6"]
    assert elo == ["evolution", "imitation, checked", "imitation", "searcher:depth=1"], (
        "the best, and who did not learn"
    )
    assert [row["value"] for row in result["headline"] if row["measure"].startswith("legal")] == [0.98]


def test_drawings_become_one_file_that_follows_light_and_dark() -> None:
    rows = [Interval("a < b", 1.0, 0.0, 2.0), Interval("anchor", 0.0, -1.0, 1.0, quiet=True)]
    svg = stand_alone({name: draw_rated(rows, across="Elo") for name in ("one", "two & three", "four")})
    tree = ET.fromstring(svg)
    panels = tree.findall("{http://www.w3.org/2000/svg}svg")
    assert len(panels) == 3 and len({(panel.get("x"), panel.get("y")) for panel in panels}) == 3
    names = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(names) == len(set(names)), "no two drawings share a name"
    assert "prefers-color-scheme:dark" in svg and "two &amp; three" in svg
