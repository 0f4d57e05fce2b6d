"""The grader robin: who takes part, what pairings come to, exams, and what a report shows of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import EVOLUTION, SHORT, changed
from understudy import lab
from understudy.errors import UnderstudyError
from understudy.games import find_game
from understudy.judges.measures import rate, rate_openings
from understudy.lab.experiments import make_experiment
from understudy.lab.grading.meetings import Met, count_meeting, points_of
from understudy.lab.grading.robin import Options
from understudy.lab.grading.robin_exams import draw_watched_by_nobody, make_exam
from understudy.match import ILLEGAL, Played
from understudy.players import make_player

ANCHORS = ["random", "searcher:depth=1"]
EVOLVED = {
    "experiment": {"kind": "evolution"},
    "network": {"inputs": ["features", "turn"], "hidden": 2},
    "student": {"depth": 1},
    "trainer": {**EVOLUTION["trainer"], "kind": "strategy", "generations": 1},
    "judging": {"monitors": [], "benchmarks": [], "measured": 0, "opponents": ["random"], "matches": 1},
}
IMITATED = {key: SHORT[key] for key in ("watch", "network", "training")} | {
    "judging": {"states": "generate", "states_count": 20, "games": 0}
}
SETTINGS: dict[str, Any] = {
    "experiment": {"kind": "series", "title": "Tiny robin"},
    "series": {"grade": "robin", "minutes": 0.01},
    "grading": {
        "methods": ["watched = imitation", "evolved = evolution", "online = online"], "anchors": ANCHORS, "games": 4,
        "absent": ["konane_online = nobody asked for it"], "positions": 30, "opening_plies": 3,
    },
    "shared": {"konane": {"experiment": {"game": "konane", "size": "4x4"}}},
    "cells": {
        "konane_watched": {"like": "konane", **IMITATED},
        "konane_evolved": {"like": "konane", **EVOLVED},
    },
}  # fmt: skip


def won(result: int, *moves: int, reason: str = "no move") -> Played:
    return Played(moves, 0, result, reason)


def test_a_pairing_comes_to_points_by_opening_and_a_repeated_pair_to_none() -> None:
    games = [won(1, 1), won(1, 2), won(-1, 3, reason=ILLEGAL), won(0, 4), won(1, 1), won(1, 2)]
    met = count_meeting(games)
    assert met == Met([1.0, 0.5, None], 6, 4, (1, 0)) and met.pairs == 2
    points = points_of(["a", "b"], {("a", "b"): met}, 3)
    assert points[:, 0, 1].tolist() == [1.0, 0.5, 0.0] and points[:, 1, 0].tolist() == [1.0, 1.5, 0.0]


def test_ratings_are_counted_from_an_anchor_and_hold_openings_drawn_anew() -> None:
    rng = np.random.default_rng(3)
    points = np.zeros((40, 3, 3))
    for a, b, chance in ((0, 1, 0.75), (0, 2, 0.9), (1, 2, 0.75)):
        points[:, a, b] = rng.binomial(2, chance, 40)
        points[:, b, a] = 2 - points[:, a, b]
    plain, rated = rate(points.sum(axis=0)), rate_openings(points, zero=1, seed=0)
    assert rated[1] == pytest.approx((0, 0, 0), abs=1e-9)
    assert rated[0].elo == pytest.approx(plain[0].elo - plain[1].elo)
    again = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    assert rate_openings(points, zero=1, seed=0) == rated != rate_openings(points, zero=1, seed=1)
    for one in (rated[0], rated[2]):
        assert 40 < one.high - one.low < 400 and one.low < one.elo < one.high
    lost = rate_openings(np.repeat(2 * again[None], 20, axis=0), zero=1, seed=0)
    assert lost[0].high - lost[0].low > 200, "who won everything is not sure by that"
    # Everything hangs on the opening: five openings win it all, five lose it all, and four hundred games do not help.
    alike = np.zeros((10, 5, 5))
    alike[:5, 0, 1:], alike[5:, 1:, 0] = 2.0, 2.0
    alike[:, 1:, 1:] = 1 - np.eye(4)
    one, by_games = rate_openings(alike, zero=1, seed=0)[0], rate(alike.sum(axis=0), zero=1)[0]
    assert one.high - one.low > 1.2 * (by_games.high - by_games.low)


def test_exams_ask_where_the_truth_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))  # whoever runs this may have tables
    konane = make_exam(find_game("konane", (4, 4)), 30)
    perfect = make_player("perfect", find_game("konane", (4, 4)))
    assert konane.ask(perfect)["value_kept"].value == 1.0 and "30 positions" in konane.about
    chess = find_game("chess")
    exam = make_exam(chess, 30)
    asked = exam.ask(make_player("searcher:depth=3", chess))
    assert asked["value_kept"].sample == 30 and asked["value_kept"].value > 0.5 and "endings" in exam.about
    small = find_game("lines_of_action", (4, 4))
    drawn = make_exam(small, 20)
    assert drawn.ask(make_player("perfect", small))["value_kept"][0::3] == (1.0, 20) and "20 positions" in drawn.about
    assert drawn.ask(make_player("random", small))["value_kept"].value < 1.0
    morris = make_exam(find_game("morris"), 30)
    assert morris.ask(perfect) == {} and "morris" in morris.lacks and not morris.about


def test_positions_that_nobody_watched_are_different_and_can_be_drawn_again() -> None:
    game, options = find_game("konane", (4, 4)), Options(anchors=tuple(ANCHORS), positions=12)
    first, second = (draw_watched_by_nobody(game, options) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert len(first.ply) == 12


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"grading__methods": ["evolved = evolution"]},
            "cell 'konane_watched' is of no method; grading.methods has evo",
        ),
        ({"grading__absent": ["konane_x = why"]}, "cell 'konane_x' is of no method"),
        ({"grading__games": 5}, "grading.games must be even"),
        ({"grading__zero": "searcher:depth=9"}, "grading.zero"),
        ({"grading__anchors": ["searcher:depth=1", "sercher"]}, "grading.anchors: 'sercher'"),
        ({"grading__rounds": 1}, "rounds"),
        ({"cells__b_konane_evolved": {"like": "konane", **EVOLVED}}, "are both the 'evolved' of konane 4x4"),
    ],
)
def test_a_round_robin_that_makes_no_sense_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UnderstudyError, match=sentence):
        make_experiment("tiny", changed(SETTINGS, **changes), folder=Path())


def test_methods_by_games_end_to_end(tmp_path: Path) -> None:
    experiment = make_experiment("tiny", SETTINGS, folder=Path())
    page = lab.run(experiment, tmp_path).read_text()
    graded = json.loads((tmp_path / "graded.json").read_text())
    rows = {row["name"]: row for row in graded["games"]["konane 4x4"]["players"]}
    assert list(rows) == ["imitation", "imitation, checked", "evolution", *ANCHORS]
    assert rows["searcher:depth=1"]["elo"] == 0 and rows["random"]["elo"] < 0
    assert all(row["games"] == 4 * 4 and row["low"] <= row["elo"] <= row["high"] for row in rows.values())
    assert rows["imitation"]["measures"]["legality.whole"]["sample"] == 30
    assert "legality.whole" not in rows["evolution"]["measures"] and "value_kept" in rows["random"]["measures"]
    assert rows["evolution"]["paid_seconds"] > 0 and "paid_seconds" not in rows["random"]
    for text in ("Methods by games", "konane online: nobody asked for it", "by construction", "Konane 4x4", "<svg"):
        assert text in page
    headline = json.loads((tmp_path / "report.json").read_text())["headline"]
    assert {row["measure"] for row in headline} == {
        "Elo points in konane 4x4", "legal first choices in konane 4x4", "positions whose value is kept in konane 4x4",
    }  # fmt: skip
    meetings = (tmp_path / "meetings.json").read_text()
    (tmp_path / "graded.json").unlink()
    lab.run(experiment, tmp_path)
    assert (tmp_path / "meetings.json").read_text() == meetings, "nobody plays again"
    assert json.loads((tmp_path / "graded.json").read_text()) == graded
