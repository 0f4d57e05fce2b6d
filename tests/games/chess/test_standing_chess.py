"""The evaluator `Standing` against the PyTorch network it was saved from, and searches with it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from benchmarks.standings import random_standing
from tests.conftest import random_line
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.datasets import find_dataset, pawns_of
from understudy.games.chess.evaluators import FIELDS, Standing, standing_value
from understudy.games.chess.inputs.planes import ChessInputs
from understudy.games.chess.inputs.standings import ROWS
from understudy.games.chess.learning.labels import (
    Labelled,
    load_standings,
    save_board_student,
    say,
    standing_arrays,
)
from understudy.games.chess.learning.networks import BoardNetworkOptions, StandingsNetwork, make_network
from understudy.games.chess.players.students import standing_evaluator
from understudy.games.rules import in_check
from understudy.players.looking import Limits, search, search_all
from understudy.search.evaluators import quiescent
from understudy.search.evaluators.perceptron import private
from understudy.tensors import load_arrays

CHESS = find_game("chess")
FACTS = {"game": "chess", "size": "8x8", "kind": "labels", "inputs": {"kind": "standings"}, "dataset": "win"}


SHAPE: dict[str, Any] = {"hidden": (256, 32, 32), "stages": (4,)}
"""As the student that ships: a search is compiled for each shape."""


def network(seed: int = 0) -> Any:
    options = BoardNetworkOptions(design="standings", **SHAPE, dropout=0.3)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = make_network(options, planes=12, outputs=1)
        with torch.no_grad():
            for weight in made.parameters():
                weight.add_(torch.randn_like(weight) * 0.05)
    return made


def saved(folder: Path, made: Any, dataset: str = "win") -> Path:
    path = folder / "student.safetensors"
    save_board_student(path, made, {**FACTS, "dataset": dataset}, planes=12, outputs=1)
    return path


def positions(count: int = 200) -> list[Any]:
    lines = [random_line(CHESS, 120, seed)[:: 1 + seed % 3] for seed in range(8)]
    return [position for line in lines for position, _ in line][:count]


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("standing"), network())


@pytest.mark.parametrize("dataset", ["win", "4"])
def test_the_evaluator_says_what_the_network_says(dataset: str, tmp_path: Path) -> None:
    made, asked = network(seed=3), positions()
    if dataset == "4":
        with torch.no_grad():  # targets of data set 4 lie between 0 and 1
            for head in made.heads:
                head[-1].weight.mul_(0.3)
                head[-1].bias.fill_(0.5)
    lesson = Labelled(stacked(asked), torch.zeros(len(asked)), ChessInputs(kind="standings"), find_dataset(dataset))
    evaluator = standing_evaluator(saved(tmp_path, made, dataset), CHESS, "it")
    pawns = [standing_value(evaluator, position, True) / 100 for position in asked]
    expected = pawns_of(lesson.dataset, say(made, lesson, np.arange(len(lesson))))
    assert np.ptp(expected) > 0.1 and np.abs(expected).max() < 20
    assert pawns == pytest.approx(expected.tolist(), abs=1e-3)
    assert pawns == [standing_value(evaluator, position, False) / 100 for position in asked]


def test_one_ply_is_the_best_successor(student: Path) -> None:
    evaluator = standing_evaluator(student, CHESS, "it")
    for position in positions(40):
        values = {}
        for move in CHESS.moves(position):
            after = CHESS.play(position, move)
            outcome = CHESS.outcome(after)
            values[move] = -standing_value(evaluator, after, False) if outcome is None else -1e9 * int(outcome) + 1
        opinion = search(CHESS, position, evaluator, limits=Limits(1))
        best = max(values.values())
        assert opinion.depth == 1 and values[opinion.move] == best
        if abs(best) < 1e6:
            assert opinion.value == pytest.approx(best, rel=1e-6, abs=1e-6)


def test_two_plies_are_plain_minimax(student: Path) -> None:
    evaluator = standing_evaluator(student, CHESS, "it")
    for position in positions(60)[::6]:
        every = search_all(CHESS, position, evaluator, depth=2)
        opinion = search(CHESS, position, evaluator, limits=Limits(2))
        assert opinion.move == next(iter(every)) and opinion.value == pytest.approx(max(every.values()))


def test_quiescence_plays_captures_out(student: Path) -> None:
    """Where nothing can be taken it changes nothing; where something can, whoever is to move may take or leave it."""
    loud = quiescent(standing_evaluator(student, CHESS, "it"))
    calm = CHESS.read("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    plain = search(CHESS, calm, loud.inner, limits=Limits(1))
    assert search(CHESS, calm, loud, limits=Limits(1)).value == plain.value
    sharp = CHESS.read("k7/8/4p3/3p4/8/3Q4/8/4K3 w - - 0 1")
    values = {}
    for move in CHESS.moves(sharp):
        after = CHESS.play(sharp, move)
        values[move] = -_quiet_value(loud.inner, after)
    opinion = search(CHESS, sharp, loud, limits=Limits(1))
    assert opinion.value == pytest.approx(max(values.values()), abs=1e-3)


def _quiet_value(evaluator: Standing, position: Any) -> float:
    """Return what is best for the mover: to leave it as it is, or to take something; in check, any reply."""
    checked = bool(in_check(position))
    moves = CHESS.moves(position) if checked else [move for move in CHESS.moves(position) if _takes(position, move)]
    assert moves or not checked
    values = [] if checked else [standing_value(evaluator, position, True)]
    return max([*values, *(-_quiet_value(evaluator, CHESS.play(position, move)) for move in moves)])


def _takes(position: Any, move: int) -> bool:
    goal = np.uint64(1) << np.uint64((move >> 3) & 63)
    return bool(goal & position.theirs) or move & 7 > 0


def test_a_full_clock_is_worth_nothing(student: Path) -> None:
    evaluator = standing_evaluator(student, CHESS, "it")
    text = "4k3/8/8/8/8/8/3Q4/4K3 w - - {} 80"
    assert standing_value(evaluator, CHESS.read(text.format(100)), True) == 0.0
    assert standing_value(evaluator, CHESS.read(text.format(99)), True) != 0.0


def test_each_searcher_has_room_of_its_own() -> None:
    one = random_standing(256, rng=np.random.default_rng(0), stages=SHAPE["stages"])
    other = private(one)
    assert isinstance(other, Standing) and not np.shares_memory(one.net["units"], other.net["units"])
    other.net["output_bias"] += 100
    start = CHESS.start()
    assert standing_value(other, start, True) == pytest.approx(standing_value(one, start, True) + 100, abs=1e-3)


def test_a_students_file_holds_sums_of_both_tables(student: Path) -> None:
    made = network()
    arrays, facts = load_arrays(student)
    assert set(arrays) == set(FIELDS) and facts["kind"] == "labels"
    pawn = made.rows[17].detach() + made.pieces[0].detach()  # the first cell of own pawns
    assert arrays["first"].shape == (ROWS, 256) and arrays["first"][17] == pytest.approx(pawn.numpy(), abs=2e-3)
    assert arrays["first"][ROWS - 1] == pytest.approx(made.rows[ROWS - 1].detach().numpy(), abs=2e-3)


def test_each_stage_has_layers_of_its_own(tmp_path: Path) -> None:
    made = network()
    texts = ("3k4/8/8/8/8/8/3PQ3/4K3 w - - 0 1", "3k4/8/8/8/8/3P4/3PQ3/4K3 w - - 0 1")
    before, after = [], []
    for values in (before, after):
        evaluator = standing_evaluator(saved(tmp_path, made), CHESS, "it")
        values += [standing_value(evaluator, CHESS.read(text), True) for text in texts]
        with torch.no_grad():
            made.heads[0][-1].bias.add_(1.0)
    assert after[0] == pytest.approx(before[0] + 160, abs=1e-2) and after[1] == before[1]


@pytest.mark.parametrize("name", FIELDS[:-1])
def test_weights_that_lack_something_are_refused(name: str, student: Path, tmp_path: Path) -> None:
    arrays, facts = load_arrays(student)
    for broken in (
        {key: array for key, array in arrays.items() if key != name},
        {**arrays, name: arrays[name][:-1]},
        {**arrays, name: np.full_like(arrays[name], np.nan)},
        {**arrays, name: np.concatenate([arrays[name]] * 2)},
        {**arrays, name: np.zeros((3, 60_000), np.float32)},
    ):
        path = tmp_path / "broken.safetensors"
        save_file({key: np.ascontiguousarray(array) for key, array in broken.items()}, path,
                  metadata={"understudy": json.dumps(facts)})  # fmt: skip
        with pytest.raises(FileError, match=f"cannot be read: its (weights lack )?'{name}'") as caught:
            standing_evaluator(path, CHESS, "it")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("stages", [None, np.zeros((2, 2), np.int32), np.zeros(40, np.int32), np.zeros(1, np.float32)])
def test_stages_that_are_none_are_refused(stages: Any, student: Path, tmp_path: Path) -> None:
    arrays, facts = load_arrays(student)
    kept = {name: np.ascontiguousarray(array) for name, array in arrays.items() if name != "stages"}
    path = tmp_path / "broken.safetensors"
    save_file(kept if stages is None else {**kept, "stages": stages}, path, metadata={"understudy": json.dumps(facts)})
    with pytest.raises(FileError, match=r"cannot be read: its (weights lack )?'stages'"):
        standing_evaluator(path, CHESS, "it")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "morris"}, "has learned morris, not chess"),
        ({"size": "6x6"}, "on 6x6, not on 8x8"),
        ({"dataset": "7"}, "no data set '7'"),
        ({"dataset": None}, "no data set 'None'"),
    ],
)
def test_facts_that_cannot_be(change: dict[str, Any], message: str, student: Path, tmp_path: Path) -> None:
    arrays, facts = load_arrays(student)
    path = tmp_path / "odd.safetensors"
    save_file(arrays, path, metadata={"understudy": json.dumps({**facts, **change})})
    with pytest.raises(UnderstudyError, match=message):
        standing_evaluator(path, CHESS, "it")


def test_a_file_cut_short_is_refused(student: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.safetensors"
    path.write_bytes(student.read_bytes()[:5000])
    with pytest.raises(FileError, match=re.escape(f"the student {str(path)!r} is damaged")):
        standing_evaluator(path, CHESS, "it")


def test_a_network_begins_as_a_student_and_may_not_be_of_another_shape(student: Path) -> None:
    options = BoardNetworkOptions(design="standings", **SHAPE, dropout=0.3)
    network = make_network(options, planes=12, outputs=1)
    assert isinstance(network, StandingsNetwork)
    load_standings(network, student)
    again, held = standing_arrays(network), load_arrays(student, "student")[0]
    assert all(np.array_equal(again[name], held[name]) for name in held)
    wider = make_network(replace(options, hidden=(2 * options.hidden[0], 32, 32)), planes=12, outputs=1)
    assert isinstance(wider, StandingsNetwork)
    with pytest.raises(FileError, match="has another 'first' than this network"):
        load_standings(wider, student)


def test_a_network_that_does_not_fit_the_search_is_not_saved() -> None:
    options = BoardNetworkOptions(design="standings", hidden=(24, 32, 32))
    with pytest.raises(BadOption, match="says one number"):
        standing_arrays(make_network(options, planes=12, outputs=3))  # type: ignore[arg-type]
