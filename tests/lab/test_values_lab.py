"""Learning from perfect play: a tiny run end to end, going on after a kill, and what it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny import tiny as tiny_of
from understudy import lab
from understudy.errors import BadOption, FileError, UnknownName
from understudy.games import find_game
from understudy.games.batches import size, taken, unstacked
from understudy.games.boards import SCRATCH
from understudy.games.konane.batches import class_names, successors
from understudy.games.konane.inputs import encode_boards
from understudy.judges.duels import read_score
from understudy.judges.value_kept import exam_positions, held_out
from understudy.networks.students import ValueNetwork, ValueOptions
from understudy.players import make_player
from understudy.records.solved import imaged, load_solved, save_solved, solve_boards
from understudy.solve import shared_solver
from understudy.tensors import load_arrays, save_arrays

FOUR, SIX = find_game("konane", (4, 4)), find_game("konane", (6, 6))
NOBODY = np.zeros(0, np.uint64)

tiny = partial(tiny_of, "values")


def test_a_tiny_experiment(tmp_path: Path) -> None:
    page = lab.run(tiny(), tmp_path, show=lambda news: None)
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())["value kept"]
    assert set(verdicts) == {"student", "teacher q", "random"}
    assert (
        verdicts["student"]["value_kept.critical"]["value"] > verdicts["random"]["value_kept.critical"]["value"] + 0.2
    )
    assert "Value kept" in page.read_text(encoding="utf-8")
    assert any(line.startswith("student: keeps the value in ") for line in lab.summary(tiny(), tmp_path))
    games = json.loads((tmp_path / "games.json").read_text())
    score = read_score(games["student"]["best epoch"]["random"])
    assert score.games == 40 == (score.different or 0) + sum(score.repeated or ())
    assert score.won().sample == sum(score.pairs or ()) <= 20
    assert make_player(f"student:{tmp_path}", FOUR).choose([FOUR.start()])[0].move in FOUR.moves(FOUR.start())
    with pytest.raises(BadOption, match="was trained with other settings"):
        lab.train(tiny(network__hidden=[16]), tmp_path, show=lambda news: None)


@pytest.mark.parametrize("units", ["relu", "sigmoid", "tanh"])
def test_a_student_plays_with_the_units_that_it_learned_with(units: str, tmp_path: Path) -> None:
    lab.train(tiny(network__units=units, training__epochs=1), tmp_path, show=lambda news: None)
    network = ValueNetwork(96, ValueOptions(hidden=(32,), units=units))
    weights = load_arrays(tmp_path / "checkpoints" / "student.safetensors")[0]
    best = {name.removeprefix("best."): torch.from_numpy(array) for name, array in weights.items() if "best." in name}
    network.load_state_dict(best)
    boards = torch.rand(20, 96).round()
    said = torch.sigmoid(network(boards)).detach().numpy()
    player: Any = make_player(f"student:{tmp_path}", FOUR)
    assert np.allclose(player.score(boards.numpy())[:, 0], said, atol=1e-5)


def test_without_an_exam_there_is_still_a_summary(tmp_path: Path) -> None:
    experiment = tiny(judging__value_kept=0, training__epochs=1)
    lab.run(experiment, tmp_path, show=lambda news: None)
    assert lab.summary(experiment, tmp_path)[0].startswith("student, best epoch: ")


def test_a_run_folder_of_another_board_is_refused(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text('[experiment]\nkind = "online"\nsize = "6x6"\n')
    with pytest.raises(BadOption, match="holds another experiment than 'tiny' is now"):
        lab.train(tiny(), tmp_path, show=lambda news: None)
    assert "online" in (tmp_path / "experiment.toml").read_text()


def test_a_killed_training_goes_on(tmp_path: Path) -> None:
    lab.train(tiny(), tmp_path / "whole", show=lambda news: None)

    def killer(news: Any) -> None:
        if "epoch 4" in news.note:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.train(tiny(), tmp_path / "again", show=killer)
    lab.train(tiny(), tmp_path / "again", show=lambda news: None)
    boards = successors(exam_positions(FOUR)).after
    inputs = np.zeros((size(boards), 96), np.float32)
    encode_boards(4, boards, np.zeros(SCRATCH, np.int32), inputs)
    one, other = (make_player(f"student:{tmp_path / run}", FOUR) for run in ("whole", "again"))
    assert np.allclose(one.score(inputs), other.score(inputs), atol=1e-6)  # type: ignore[attr-defined]


def test_solved_boards_are_solved_distinct_and_not_those_of_the_exam(tmp_path: Path) -> None:
    late = held_out(SIX)
    solved = solve_boards(SIX, 300, seed=5, without=late)
    names = class_names(SIX.start(), solved.boards)
    assert len(names) == len(set(names.tolist())) == 300
    assert not set(names.tolist()) & set(late.tolist())
    rows = [row for row in range(300) if solved.boards.ply[row] >= 14]
    assert len(rows) > 50
    for row in rows[:100]:
        position = unstacked(taken(solved.boards, slice(row, row + 1)))[0]
        assert (solved.values[row] == 1) == (not shared_solver(SIX).wins(position))
    save_solved(solved, tmp_path / "x.safetensors")
    again = load_solved(tmp_path / "x.safetensors", SIX)
    assert np.array_equal(again.boards.mine, solved.boards.mine) and np.array_equal(again.values, solved.values)
    save_arrays(tmp_path / "y.safetensors", {"mine": solved.boards.mine}, {})
    with pytest.raises(FileError, match="does not hold solved boards"):
        load_solved(tmp_path / "y.safetensors", SIX)
    (tmp_path / "x.safetensors").write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot read the solved boards"):
        load_solved(tmp_path / "x.safetensors", SIX)


def test_images_have_the_same_winner() -> None:
    turned = imaged(FOUR, solve_boards(FOUR, 100, seed=0, without=NOBODY))
    solver = shared_solver(FOUR)
    for row in range(0, len(turned.values), 97):
        position = unstacked(taken(turned.boards, slice(row, row + 1)))[0]
        assert (turned.values[row] == 1) == (not solver.wins(position))


def test_hope_is_the_share_of_replies_that_do_not_win() -> None:
    solved = solve_boards(FOUR, 100, seed=0, without=NOBODY, hope=0.4)
    solver = shared_solver(FOUR)
    for row in range(0, len(solved.values), 31):
        position = unstacked(taken(solved.boards, slice(row, row + 1)))[0]
        replies = [solver.wins(FOUR.play(position, move)) for move in FOUR.moves(position)]
        expected = 0.4 * sum(replies) / len(replies) if solver.wins(position) else 1.0
        assert solved.values[row] == pytest.approx(expected)


def test_the_exam_holds_out_late_boards_alone() -> None:
    after = successors(exam_positions(SIX)).after
    names, held = class_names(SIX.start(), after), set(held_out(SIX).tolist())
    assert all(
        (name in held) == (ply > 8) for name, ply in zip(names.tolist()[:3000], after.ply.tolist(), strict=False)
    )
    assert len(held_out(FOUR)) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experiment__size": "8x8"}, "at most 36 cells, not on 8x8"),
        ({"experiment__game": "morris", "experiment__size": ""}, "only konane and lines_of_action can be solved"),
        ({"student__representation": "A"}, "A has halves"),
        ({"student__representation": "Z"}, "representation of konane 'Z'"),
        ({"network__hidden": [0]}, "network.hidden must be from 1"),
        ({"examples__hope": 0.7}, "examples.hope must be from 0 to 0.49"),
        ({"examples__boards": 1}, "examples.boards must be from 100"),
        ({"training__schedule": "none"}, "training.schedule 'none'"),
    ],
)
def test_bad_experiments(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        lab.train(tiny(**changes), tmp_path, show=lambda news: None)
