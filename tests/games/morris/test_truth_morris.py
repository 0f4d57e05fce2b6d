"""The truth of Morris endgames: what moves are worth, positions to ask and to learn from, who is judged by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.tiny import TINY, changed
from understudy import lab
from understudy.backends import Local
from understudy.cli import commands
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.batches import stacked, taken, unstacked
from understudy.games.morris import truth
from understudy.games.morris.solving.spaces import make_space, place
from understudy.games.morris.solving.verifying import positions_at
from understudy.judges.value_kept import Exam, grade_positions, judge_moves, make_exam, select_known, value_kept
from understudy.lab.experiments import make_experiment
from understudy.players import make_player, think
from understudy.records.store import load, save
from understudy.records.watch import Row as Chosen
from understudy.records.watch import Watch, records_of, watch
from understudy.solve import Truths, Worth, glance, know, knows

MORRIS = find_game("morris")
WON = "OOOOOOOOOMMOOEOOEOOOOEOM0033"
"""Three stones each: who moves closes a mill with c4."""


def at(stones: tuple[int, int], *places: int) -> list[Any]:
    return unstacked(positions_at(stones, np.array(places)))


def test_a_mill_that_leaves_two_stones_wins_at_once(solved_morris: Path) -> None:
    position = MORRIS.read(WON)
    worths = know(MORRIS, position)
    assert set(worths) == set(MORRIS.moves(position))
    assert worths[MORRIS.read_move(position, "g1c4d3")] == Worth(1, 1)
    assert all(worth.plies is None for worth in worths.values() if worth.value == 0)


def test_what_is_not_known_is_said_not_guessed(solved_morris: Path) -> None:
    with pytest.raises(BadOption, match="known in endgames, when no stones are in hand"):
        know(MORRIS, MORRIS.start())
    with pytest.raises(BadOption, match=r"no table of 5v5 in .*understudy solve morris --stones 5v5"):
        know(MORRIS, at((5, 5), 17)[0])
    batch = stacked([MORRIS.start(), at((5, 5), 17)[0], *at((3, 4), 5, 6)])
    assert knows(MORRIS, batch).tolist() == [False, False, True, True]
    assert glance(MORRIS, MORRIS.start()) == {} != glance(MORRIS, at((3, 4), 5)[0])


def test_tables_elsewhere_are_asked(morris_tables: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    position = at((3, 3), 1000)[0]
    assert know(MORRIS, position, tables=str(morris_tables))
    perfect = make_player(f"perfect:tables={morris_tables}", MORRIS)
    assert perfect.choose([position])[0].fault is None
    with pytest.raises(BadOption, match="tables=x goes with"):
        know(find_game("konane", (4, 4)), find_game("konane", (4, 4)).start(), tables="x")


def test_perfect_wins_from_the_farthest_won_endgame_in_time(solved_morris: Path) -> None:
    plies = truth.find_tables().plies((3, 3))
    position = at((3, 3), int(np.flatnonzero(plies == 26)[0]))[0]
    players = [make_player("perfect", MORRIS, seed=1), make_player("random", MORRIS, seed=1)]
    played = 0
    while MORRIS.outcome(position) is None:
        position = MORRIS.play(position, players[played % 2].choose([position])[0].move)
        played += 1
    assert played <= 25 and played % 2 == 1  # and who moved last has won


def test_exams_and_lessons_share_no_position(solved_morris: Path) -> None:
    exam = truth.draw(MORRIS, 300, 1)
    rng = np.random.default_rng(2)
    lessons = [truth.draw_endgame(rng) for _ in range(300)]
    for positions, kept in ((exam, True), (lessons, False)):
        for one in positions:
            stones = int(one.mine).bit_count(), int(one.theirs).bit_count()
            number = np.array([place(make_space(stones), one.mine, one.theirs)])
            assert truth.is_for_exams(number)[0] == kept
    assert truth.weigh(stacked(exam)).matters.all() and truth.weigh(stacked(lessons)).matters.all()
    assert 0.08 < truth.is_for_exams(np.arange(100_000)).mean() < 0.12
    assert [int(one.mine) for one in truth.draw(MORRIS, 300, 1)] == [int(one.mine) for one in exam]


def test_one_endgame_may_be_asked_alone(solved_morris: Path) -> None:
    exam = make_exam(MORRIS, limit=50, stones="4v3")
    assert exam.spaces is not None and set(exam.spaces.tolist()) == {"4v3"} and len(exam.spaces) == 50
    with pytest.raises(FileError, match="no 'morris_7v3"):
        make_exam(MORRIS, limit=5, stones="7v3")


def test_shares_are_even_as_far_as_there_are_positions() -> None:
    assert truth._share_out(100, [1000, 10, 1000]) == [45, 10, 45]
    assert truth._share_out(100, [5, 5]) == [5, 5]


# The judge, by hand.


def by_hand() -> Exam:
    """Return an exam of three positions: won, drawn, lost; -1 is a loss, and plies stand where there is an end."""
    truths = Truths(
        np.array([0, 4, 6, 8]), np.array([1, 2, 3, 4, 1, 2, 1, 2], np.int32),
        np.array([1, 1, 0, -1, 0, -1, -1, -1], np.int8), np.array([3, 7, -1, 2, -1, 4, 6, 2], np.int32),
    )  # fmt: skip
    batch = taken(stacked(at((3, 3), 1, 2, 3)), slice(0, 3))
    return Exam(batch, truths, np.array(["3v3", "3v3", "4v3"]))


@pytest.mark.parametrize(
    ("moves", "wanted"),
    [
        ([1, 1, 1], {"value_kept": 1.0, "value_kept.critical": 1.0, "plies_lost.win": 0.0, "plies_lost.loss": 0.0}),
        ([2, 1, 2], {"value_kept": 1.0, "plies_lost.win": 4.0, "plies_lost.loss": 4.0}),
        ([3, 2, 1], {"value_kept": 1 / 3, "value_lost.win_to_draw": 1.0, "value_lost.draw_to_loss": 1.0}),
        ([4, 9, -1], {"value_kept": 0.0, "value_lost.win_to_loss": 1.0, "value_lost.illegal": 2 / 3}),
        ([1, 2, 2], {"value_kept.3v3": 0.5, "value_kept.4v3": None, "value_kept.won": 1.0}),
    ],
)
def test_values_kept_and_lost_by_hand(moves: list[int], wanted: dict[str, float | None]) -> None:
    verdict = judge_moves(by_hand(), np.array(moves))
    assert {name: verdict[name].value for name in wanted} == pytest.approx(wanted)


def test_a_position_without_a_move_is_lost_and_matters_to_nobody() -> None:
    truths = Truths(
        np.array([0, 0, 2, 2]), np.array([5, 6], np.int32), np.array([1, 0], np.int8), np.zeros(2, np.int32)
    )
    assert truths.best.tolist() == [-1, 1, -1] and truths.matters.tolist() == [False, True, False]


def test_perfect_keeps_everything_and_random_does_not(solved_morris: Path) -> None:
    exam = make_exam(MORRIS, limit=300)
    perfect, guesser = (value_kept(make_player(name, MORRIS), exam) for name in ("perfect", "random"))
    assert perfect["value_kept"].value == 1.0 and perfect["plies_lost.win"].value == 0.0
    assert 0.1 < float(guesser["value_kept.critical"].value or 0) < 0.6


def test_a_search_with_tables_keeps_every_value(solved_morris: Path) -> None:
    exam = make_exam(MORRIS, limit=2000)
    verdict = value_kept(make_player("searcher:depth=1,tables=usual", MORRIS), exam)
    assert verdict["value_kept"].value == 1.0


def test_records_are_judged_where_the_truth_is_known(solved_morris: Path, tmp_path: Path) -> None:
    positions = [MORRIS.start(), *truth.draw(MORRIS, 20, 3)]
    best = make_player("perfect", MORRIS).choose(positions[1:])
    moves = [MORRIS.moves(positions[0])[0], *(choice.move for choice in best)]
    rows = [Chosen(one, move, 0.0, 0, game) for game, (one, move) in enumerate(zip(positions, moves, strict=True))]
    save(records_of(MORRIS, rows, "here"), tmp_path / "r.parquet", notes={})
    records = load(tmp_path / "r.parquet")
    known = select_known(MORRIS, records.positions)
    assert known.tolist() == list(range(1, 21))
    assert grade_positions(MORRIS, taken(records.positions, known)).truths.matters.all()
    told = CliRunner().invoke(
        commands, ["judge", "random", "--judge", "value_kept", "--records", str(tmp_path / "r.parquet"), "--json"]
    )
    verdicts = json.loads(told.stdout)
    assert verdicts["moves of the records"]["value_kept"]["value"] == 1.0
    assert verdicts["random"]["value_kept"]["sample"] == 20
    assert "of 21 positions" in told.stderr


def test_the_command_judges_by_truth(solved_morris: Path) -> None:
    asked = ["judge", "perfect", "--judge", "value_kept", "--game", "morris", "--stones", "3v4", "--limit", "40"]
    told = CliRunner().invoke(commands, [*asked, "--json"])
    verdict = json.loads(told.stdout)["perfect"]
    assert verdict["value_kept.3v4"] == verdict["value_kept.critical"] and verdict["value_kept"]["sample"] == 40
    assert "plies_lost.win" in CliRunner().invoke(commands, asked).stdout


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--judge", "value_kept"], "needs --game"),
        (
            ["--judge", "value_kept", "--game", "konane", "--size", "4", "--stones", "3v3"],
            "stones=3v3 goes with a game that has tables",
        ),
        (["--judge", "value_kept", "--records", "x.parquet", "--stones", "3v3"], "--stones 3v3 goes with"),
        (["--judge", "accuracy", "--records", "x.parquet", "--game", "morris"], "--game morris goes with"),
        (["--judge", "value_kept", "--game", "morris", "--stones", "3x3"], "is no endgame of morris"),
        (["--judge", "value_kept", "--game", "morris", "--tables", "nowhere"], "there is no table of 3v3 in 'nowhere'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: list[str], reason: str, solved_morris: Path) -> None:
    result = CliRunner().invoke(commands, ["judge", "random", *options])
    assert reason in str(result.exception) and result.exit_code != 0


# What is true stands beside what a player thinks.


def test_a_thought_tells_the_truth_where_it_is_known(solved_morris: Path) -> None:
    position = MORRIS.read(WON)
    thought = think(make_player("random", MORRIS), MORRIS, position)
    told = {move["move"]: move["truth"] for move in thought.to_json()["moves"]}
    assert told["g1c4d3"] == "wins in 1 ply" and "in truth it " in repr(thought)
    assert think(make_player("random", MORRIS), MORRIS, MORRIS.start()).truths == {}
    assert "in truth it" not in repr(think(make_player("perfect", MORRIS), MORRIS, position))  # it says so itself


# Watching a teacher in endgames, and what is learned from it.


def test_a_teacher_is_asked_once_in_each_endgame(solved_morris: Path, tmp_path: Path) -> None:
    plan = Watch(teacher="perfect", opponents=("self",), regular=0, endgames=40, ply_limit=1)
    records = watch(MORRIS, plan, tmp_path, backend=Local(1))
    assert 30 < len(records.moves) <= 40
    exam = grade_positions(MORRIS, records.positions)
    assert judge_moves(exam, records.moves)["value_kept"].value == 1.0 and exam.truths.matters.all()
    assert set(np.sign(records.values).tolist()) <= {-1.0, 0.0, 1.0}


def test_games_without_such_endgames_refuse_them(tmp_path: Path) -> None:
    plan = Watch(teacher="random", opponents=("self",), regular=0, endgames=4)
    with pytest.raises(BadOption, match="konane has no endgames starts"):
        watch(find_game("konane"), plan, tmp_path, backend=Local(1))


def tiny_series(**grading: Any) -> Any:
    imitation = changed(TINY["imitation"], judging__opponents=[], judging__states="")
    cell = {
        **imitation,
        "watch": {"teacher": "perfect", "opponents": ["self"], "regular": 0, "endgames": 60, "ply_limit": 1},
    }
    about = {"kind": "series", "title": "tiny"}
    grading = {"baselines": ["random", "perfect"], "positions": 30, **grading}
    cell = {name: table for name, table in cell.items() if name not in ("records", "variations")}
    cell["experiment"] = {"game": "morris", "kind": "imitation"}
    return {"experiment": about, "series": {"grade": "truth"}, "grading": grading, "cells": {"learned": cell}}


def test_a_series_is_graded_by_truth(solved_morris: Path, tmp_path: Path) -> None:
    experiment = make_experiment("tiny", tiny_series(), folder=tmp_path)
    lab.run(experiment, tmp_path / "run")
    graded = json.loads((tmp_path / "run" / "graded.json").read_text())
    names = [row["name"] for row in graded["players"]]
    assert names == ["learned", "learned, checked", "random", "perfect"]
    assert graded["players"][-1]["measures"]["value_kept"]["value"] == 1.0
    report = (tmp_path / "run" / "report.html").read_text()
    assert "Compared with perfect play" in report and "won to drawn" in report


def test_a_report_tells_the_truth_beside_a_students_choices(solved_morris: Path, tmp_path: Path) -> None:
    experiment = make_experiment("tiny", tiny_series(), folder=tmp_path)
    lab.run(experiment, tmp_path / "run")
    cell = tmp_path / "run" / "cells" / "learned"
    samples = [one for some in json.loads((cell / "samples.json").read_text())["students"].values() for one in some]
    assert samples and all("teacher_truth" in one for one in samples)
    assert "in truth it" in (cell / "report.html").read_text()


def test_a_series_without_tables_is_refused_before_it_runs(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path / "nothing"))
    experiment = make_experiment("tiny", tiny_series(), folder=tmp_path)
    with pytest.raises(BadOption, match=r"understudy solve morris"):
        lab.run(experiment, tmp_path / "run")
    assert not (tmp_path / "run" / "cells").exists()


def test_tables_of_three_stones_need_nothing_on_the_disk() -> None:
    built_in = truth.find_tables("flying")
    assert built_in.every() == [(3, 3)]
    assert truth.find_tables("flying") is built_in
    worths = truth.know(MORRIS.read("MMOEEOOOOOOOOMOOOOOEOOOO0033"), "flying")
    assert max(worths.values(), key=lambda worth: worth.value) == Worth(1, 1)  # g7 closes a mill and leaves two stones
