"""School: games kept position by position, the network of the search in PyTorch, and schooldays that go on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import random_line
from understudy.backends import Local
from understudy.backends.shared import Shared
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.games import find_game, rules
from understudy.games.lines_of_action.inputs import count_all
from understudy.lab.experiments import make_experiment
from understudy.lab.kinds.evolution import KIND
from understudy.lab.kinds.schooling import attend
from understudy.lab.run import Run, opened
from understudy.search.choosers import Anyone, choose, make_room
from understudy.search.evaluators import value
from understudy.search.evaluators.chromosome import NetworkOptions, express, make_plan
from understudy.search.memory import below
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.evolution.arena import Stage, contender_of
from understudy.trainers.evolution.evolver import SchoolOptions, check_school
from understudy.trainers.evolution.school import (
    Practice,
    Practised,
    Pupil,
    first_alleles,
    joined,
    learn,
    play_practice,
    practise,
    practised,
)

FIVE = find_game("lines_of_action", (5, 5))
SEEN = ("board", "nonads", "quads", "enemy_quads", "shape", "mobility", "threats", "turn")
STAGE = Stage(game="lines_of_action", size=(5, 5), network=NetworkOptions(inputs=SEEN, hidden=4), depth=1, limit=40)
QUICK = SchoolOptions(games=100, depth=1, opening_plies=4, teacher="searcher:depth=1,evaluator=aloa", batch=256)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_pupil_is_the_network_in_the_search(symmetric: bool, both: bool) -> None:
    for size in (5, 8):
        game = find_game("lines_of_action", (size, size))
        plan = make_plan(game, NetworkOptions(inputs=SEEN, hidden=4, symmetric=symmetric, both=both))
        alleles = np.random.default_rng(size).normal(0, 0.3, plan.length)
        network, pupil = express(plan, alleles), Pupil(plan, alleles)
        positions = [position for seed in range(3) for position, _ in random_line(game, 25, seed)]
        stones = [np.array([getattr(one, side) for one in positions], np.uint64) for side in ("mine", "theirs")]
        numbers = np.zeros((len(positions), 32), np.float32)
        count_all(*stones, size, plan.inputs.kinds, numbers)
        shown = [torch.tensor((side[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).float()
                 for side in stones]  # fmt: skip
        told = pupil(*shown, torch.from_numpy(numbers[:, : 2 * plan.inputs.width])).detach().numpy()
        assert told == pytest.approx([value(network, position, True) for position in positions], abs=1e-3)
        assert np.ptp(told) > 0.1


def toy(count: int) -> Practised:
    """Return positions that are won by who has more stones."""
    rng = np.random.default_rng(0)
    boards = [[rng.choice(25, size=total, replace=False) for total in rng.integers(1, 7, 2)] for _ in range(count)]
    sides = [np.array([sum(1 << 8 * (cell // 5) + cell % 5 for cell in board[side].tolist()) for board in boards],
                      np.uint64) for side in (0, 1)]  # fmt: skip
    return Practised(*sides, np.array([np.sign(len(one) - len(other)) for one, other in boards], np.int8))


def test_lessons_lower_the_error() -> None:
    plan = make_plan(FIVE, NetworkOptions(inputs=("sides",), hidden=4, both=True))
    start, played = first_alleles(plan, 0), toy(2000)
    before = start.copy()
    options = replace(QUICK, batch=100, rate=0.02)
    _, first = learn(plan, start, played, replace(options, passes=1), number=0, stage=STAGE)
    alleles, error = learn(plan, start, played, replace(options, passes=12), number=0, stage=STAGE)
    again, same = learn(plan, start, played, replace(options, passes=12), number=0, stage=STAGE)
    assert error < 0.2 and error < first / 2
    assert np.array_equal(alleles, again) and error == same, "the same lessons have the same end"
    assert np.array_equal(start, before) and alleles.shape == (plan.length,) and alleles.dtype == np.float64
    other, _ = learn(plan, start, played, replace(options, passes=12), number=1, stage=STAGE)
    assert not np.array_equal(alleles, other)


@pytest.mark.parametrize("batches", [1, 8, 9, 10, 11])
def test_any_number_of_lessons_can_be_taken(batches: int) -> None:
    plan = make_plan(FIVE, NetworkOptions(inputs=("sides",), hidden=2))
    start = first_alleles(plan, 0)
    alleles, error = learn(plan, start, toy(16 * batches), replace(QUICK, batch=16, passes=1), number=0, stage=STAGE)
    assert np.isfinite(error) and not np.array_equal(alleles, start)


def test_few_positions_are_learned_from_too() -> None:
    plan = make_plan(FIVE, NetworkOptions(inputs=("sides",), hidden=2))
    start = first_alleles(plan, 0)
    alleles, error = learn(plan, start, toy(20), replace(QUICK, batch=1024), number=0, stage=STAGE)
    assert error is not None and not np.array_equal(alleles, start)
    alleles, error = learn(plan, start, toy(0), QUICK, number=0, stage=STAGE)
    assert error is None and alleles == pytest.approx(start)


# Practice.


def replayed(player: Any, room: Any, opening: int, chance: int, limit: int) -> list[tuple[Any, int]]:
    """Play the game of the kernel again with its chance, and tell who won by colour."""
    position, line = FIVE.start(), []
    for plies in range(limit):
        codes = FIVE.moves(position)
        if not codes:
            break
        if plies < opening or below(room.random_state, 1000) < chance:
            move = codes[below(room.random_state, len(codes))]
        else:
            move = int(room.codes[choose(player, position, room)])
        position = FIVE.play(position, move)
        if plies + 1 > opening and FIVE.moves(position):
            line.append(position)
    outcome = FIVE.outcome(position)
    black = 0 if outcome is None else int(outcome) * (1 if position.ply % 2 == 0 else -1)
    return [(one, black if one.ply % 2 == 0 else -black) for one in line]


@pytest.mark.parametrize(("name", "chance", "limit"), [("random", 0, 40), ("teacher", 200, 40), ("teacher", 30, 9)])
def test_positions_are_told_how_their_games_ended(name: str, chance: int, limit: int) -> None:
    player = Anyone() if name == "random" else contender_of(STAGE, QUICK.teacher, np.random.default_rng(0))
    endings = set()
    for seed in range(12):
        opening = 2 + seed % 3
        rooms = [make_room(FIVE.most_moves, np.random.default_rng(seed)) for _ in range(2)]
        kept = Practised(np.zeros(60, np.uint64), np.zeros(60, np.uint64), np.zeros(60, np.int8))
        filled = practised(FIVE.start(), player, opening, chance, limit, rooms[0], kept, 10)
        expected = replayed(player, rooms[1], opening, chance, limit)
        assert filled == 10 + len(expected)
        assert [kept.mine[row] for row in range(10, filled)] == [one.mine for one, _ in expected]
        assert [kept.theirs[row] for row in range(10, filled)] == [one.theirs for one, _ in expected]
        assert kept.results[10:filled].tolist() == [result for _, result in expected]
        assert not kept.mine[:10].any() and not kept.results[:10].any()
        endings |= {result for _, result in expected}
    assert endings >= {-1, 1} and (0 in endings or limit > 9)


def test_practice_is_many_games() -> None:
    task = Practice(stage=STAGE, player="random", games=30, opening_plies=4, chance=0, seed=(1,))
    found = play_practice(task)
    assert len(found.mine) == len(found.theirs) == len(found.results) > 100
    assert all(np.array_equal(one, other) for one, other in zip(found, play_practice(task), strict=True))
    other = play_practice(replace(task, seed=(2,)))
    assert not np.array_equal(found.mine[:50], other.mine[:50])
    assert not (found.mine & found.theirs).any() and abs(found.results.mean()) < 0.3


def test_a_last_position_that_can_be_won_at_once_was() -> None:
    """An own check of signs: a searcher takes a win that is there, so its side is told 1."""
    found = play_practice(Practice(stage=STAGE, player=QUICK.teacher, games=40, opening_plies=3, chance=0, seed=(3,)))
    start, won = FIVE.start(), 0
    for mine, theirs, result in zip(*found, strict=True):
        position = start._replace(mine=mine, theirs=theirs)
        if any(rules.outcome(FIVE.play(position, move), 1) == -1 for move in FIVE.moves(position)):
            won += 1
            assert result == 1
    assert won > 20


def test_a_round_is_cut_into_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Practice] = []

    class Listening:
        workers = 1

        def map(self, task: Any, items: Any) -> Any:
            asked.extend(items)
            return iter(())

    options, alleles = replace(QUICK, games=250), np.zeros(3)
    for number, player in ((0, None), (1, alleles)):
        list(practise(STAGE, options, player, number, backend=Listening()))  # type: ignore[arg-type]
    assert [task.games for task in asked] == [100] * 5 + [100, 100, 50]
    assert {task.player for task in asked[:5]} == {QUICK.teacher}
    (shared,) = {task.player for task in asked[5:]}
    assert isinstance(shared, Shared) and shared.value is alleles, "sent once"
    assert len({task.seed for task in asked}) == 8


def test_any_number_of_workers_plays_the_same_round() -> None:
    alleles = first_alleles(STAGE.plan(), 1)
    one, three = (joined([*practise(STAGE, QUICK, alleles, 1, backend=Local(workers))]) for workers in (1, 3))
    assert all(np.array_equal(a, b) for a, b in zip(one, three, strict=True)) and len(one.mine) > 300


# Schooldays.


def experiment(**changes: Any) -> Any:
    school = {"rounds": 3, "games": 100, "depth": 1, "batch": 64, "memory": 2, "teacher": QUICK.teacher}
    settings = {
        "experiment": {"kind": "evolution", "game": "lines_of_action", "size": "5x5"},
        "network": {"inputs": ["sides", "turn"], "hidden": 3},
        "school": school,
        "trainer": {"limit": 30, "depth": 1},
    }
    for name, change in changes.items():
        section, key = name.split("__")
        settings[section][key] = change
    return make_experiment("tiny", settings, folder=Path())


def schooled(folder: Path, workers: int = 1, **changes: Any) -> Any:
    run = Run(experiment(**changes), folder, backend=Local(workers))
    with opened(run, KIND):
        return attend(run, run.experiment.lessons[0])


def test_a_school_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, seconds = schooled(tmp_path / "whole")
    assert seconds > 0
    names = [f"student_{number:03}.safetensors" for number in range(3)]
    assert sorted(path.name for path in (tmp_path / "whole" / "school").iterdir()) == names
    assert len((tmp_path / "whole" / "school.jsonl").read_text().splitlines()) == 3
    schooled(tmp_path / "again", school__rounds=1)
    schooled(tmp_path / "again", school__rounds=2)
    later, _ = schooled(tmp_path / "again", workers=2)
    assert np.array_equal(whole, later)
    (tmp_path / "whole" / "school" / names[2]).unlink()
    assert np.array_equal(schooled(tmp_path / "whole")[0], whole)
    kept = load_arrays(tmp_path / "whole" / "school" / names[1])[0]["alleles"]
    assert not np.array_equal(kept, whole)


def test_a_school_of_other_settings_is_refused(tmp_path: Path) -> None:
    schooled(tmp_path, school__rounds=1)
    for changes in ({"school__rate": 0.1}, {"network__hidden": 2}, {"trainer__limit": 20}):
        with pytest.raises(
            BadOption, match="was learned with other settings than now; name another --run, or delete it"
        ):
            schooled(tmp_path, **changes)
    path = tmp_path / "school" / "student_000.safetensors"
    arrays, facts = load_arrays(path)
    save_arrays(path, {name: array for name, array in arrays.items() if name != "results"}, facts)
    with pytest.raises(FileError, match="is no round of a school: 'results' is missing"):
        schooled(tmp_path)
    path.write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot read the round of a school"):
        schooled(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 10}, "school.games must be from 100"),
        ({"rounds": -1}, "school.rounds must be from 0"),
        ({"chance": 2000}, "school.chance must be from 0 to 1000"),
        ({"batch": 1}, "school.batch must be from 16"),
        ({"teacher": "human"}, "player 'human' cannot play inside a kernel"),
    ],
)
def test_bad_schools_are_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UnderstudyError) as caught:
        check_school(
            FIVE, replace(QUICK, rounds=1, **changes) if "rounds" not in changes else replace(QUICK, **changes)
        )
    assert message in str(caught.value)
